// Clusters in the axes' units.
#pragma once

#include <span>
#include <utility>

#include "shoal/release.hpp"

namespace shoal {

// sizes: one per cluster, in the order of their numbers.
std::vector<ReleasedCluster> describe(const ClusterMap& map, std::span<const std::int64_t> sizes, unsigned threads = 1);

// The mean of places on a grid, on the scales of its axes; around circles.
class MeanPlace {
 public:
  explicit MeanPlace(const Grid& grid);  // which must outlive it
  // The middle of [lower, upper] along an axis, as one of `count`.
  void add(std::size_t axis, double lower, double upper, double count);
  [[nodiscard]] std::vector<double> mean() const;

 private:
  const Grid* grid_;
  std::vector<std::pair<double, double>> sums_;  // an axis: of positions; of the two coordinates on a circle
};

// Mean of the centres of each cluster's cells.
std::vector<std::vector<double>> centroids(const ClusterMap& map);

}  // namespace shoal
