// 95 % intervals for how many records of the data lie in given cells, by the law of the noise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// The mean noise in the sum of the values that reach a threshold, which is not 0 since the noise helped them over it:
//   variance / (2 scale) times the sum of exp(-|value - threshold| / scale) over all values, also those below,
// exactly, whatever the values are without their noise, if the noise of each is a sum of Laplace draws of this scale.
// Proof: let f be the density of the values, k that of the noise, g that of the values without it, so that f = g * k.
// The mean noise above t is (m * g)(t) with m(t) the integral of x k(x) from t on. By Fourier transforms, m = p * k
// with p^ = -(k^)' / (w k^). For k^ = (1 + scale^2 w^2)^-draws this is variance / (1 + scale^2 w^2): variance times the
// Laplace density. So the mean noise is (p * f)(t). (Tweedie's formula, Robbins 1956, for sums and for Laplace noise.)
// Here the part of one value:
double excess_by(double variance, double scale, double value_over_threshold);

// Of a sum with this mean noise. reach: of the noise of the sum without any choice.
void set_interval_of_chosen(ClusterConfidence& of, double noisy_size, double excess, double reach);

// Of each cluster, by its noisy size. excess: the mean noise in each.
void set_intervals_of_noise(const ReleaseParts& parts, const Clusters& clusters, std::span<const double> excess,
                            std::vector<ClusterConfidence>& confidence);
// Of clusters at a threshold on any W', nearly.
std::vector<double> excess_at(const ReleaseParts& parts, const Clusters& clusters, double threshold);

// Of the clustered cells, by their noisy counts.
class CellIntervals {
 public:
  // None when the release does not state the noise of its values, or not all values of a cell are in it.
  static std::optional<CellIntervals> of(const ReleaseParts& parts, const Clusters& clusters);

  struct Ends {
    std::int64_t least, most;
  };
  [[nodiscard]] Ends around(std::int64_t noisy_count) const;

 private:
  CellIntervals(std::int64_t reach, std::int64_t lowest) : reach_(reach), lowest_(lowest) {}
  std::int64_t reach_, lowest_;
};

}  // namespace shoal
