// 95 % intervals for how many records of the data lie in given cells, by the law of the noise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inference/laplace_law.hpp"
#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

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
