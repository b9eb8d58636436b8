// Describes clusters in the units of the axes.
#pragma once

#include <span>
#include <utility>

#include "shoal/release.hpp"

namespace shoal {

// sizes: one per cluster, in the order of their numbers.
std::vector<ReleasedCluster> describe(const ClusterMap& map, std::span<const std::int64_t> sizes, unsigned threads = 1);

// The mean of places on a grid, on the scales of its axes. On a circle, it is the circular mean.
class MeanPlace {
 public:
  explicit MeanPlace(const Grid& grid);  // must outlive this object
  // Returns the middle of [lower, upper] along an axis, as a position on its scale.
  [[nodiscard]] static double middle(const Axis& axis, double lower, double upper) {
    return axis.position(lower) / 2 + axis.position(upper) / 2;
  }
  // Adds a middle along an axis, as one of `count` places. It is divided before it is added, because bounds may be as
  // large as doubles allow.
  void add(std::size_t axis, double middle, double count) {
    if (grid_->axis(axis).kind().border != Border::circle) {
      sums_[axis].first += middle / count;
    } else {
      add_on_circle(axis, middle, count);
    }
  }
  [[nodiscard]] std::vector<double> mean() const;

 private:
  void add_on_circle(std::size_t axis, double middle, double count);

  const Grid* grid_;
  // Per axis: the sum of positions; on a circle, the sums of the two coordinates.
  std::vector<std::pair<double, double>> sums_;
};

// Returns the mean of the centres of each cluster's cells.
std::vector<std::vector<double>> centroids(const ClusterMap& map);

}  // namespace shoal
