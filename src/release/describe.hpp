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
  // The middle of [lower, upper] along an axis, as a position on its scale.
  [[nodiscard]] static double middle(const Axis& axis, double lower, double upper) {
    return axis.position(lower) / 2 + axis.position(upper) / 2;
  }
  // A middle along an axis, as one of `count`. Divided before it is added: bounds may be as large as doubles go.
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
  std::vector<std::pair<double, double>> sums_;  // an axis: of positions; of the two coordinates on a circle
};

// Mean of the centres of each cluster's cells.
std::vector<std::vector<double>> centroids(const ClusterMap& map);

}  // namespace shoal
