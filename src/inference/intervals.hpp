// 95 % intervals of the number of records in given cells, from the law of the noise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inference/laplace_law.hpp"
#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// Sets the estimate and the interval of a sum of chosen cells. excess: mean noise of the sum. reach: half width without
// the choice.
void set_interval_of_chosen(ClusterConfidence& result, double noisy_size, double excess, double reach);

// Sets the interval of each cluster around its noisy size. excess: mean noise of each cluster.
void set_intervals_of_noise(const ReleaseParts& parts, const Clusters& clusters, std::span<const double> excess,
                            std::vector<ClusterConfidence>& confidence);
// Returns the approximate mean noise of each cluster at a threshold on W'.
std::vector<double> excess_at(const ReleaseParts& parts, const Clusters& clusters, double threshold);

// Intervals of the noisy counts of single clustered cells.
class CellIntervals {
 public:
  // Returns nothing if the release does not state the noise of its values, or does not hold all values of a cell.
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
