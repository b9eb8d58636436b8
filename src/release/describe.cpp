#include "release/describe.hpp"

#include <cmath>
#include <numbers>

namespace shoal {

MeanPlace::MeanPlace(const Grid& grid) : grid_(&grid), sums_(grid.dimensions()) {}

void MeanPlace::add_on_circle(std::size_t axis, double middle, double count) {
  const Axis& grid_axis = grid_->axis(axis);
  const double turn = (middle - grid_axis.lo()) / (grid_axis.hi() - grid_axis.lo()) * 2 * std::numbers::pi;
  sums_[axis].first += std::cos(turn) / count;
  sums_[axis].second += std::sin(turn) / count;
}

std::vector<double> MeanPlace::mean() const {
  std::vector<double> result;
  for (std::size_t axis = 0; axis < sums_.size(); ++axis) {
    const Axis& grid_axis = grid_->axis(axis);
    const auto [first, second] = sums_[axis];
    if (grid_axis.kind().border != Border::circle) {
      // The cells of one cluster have one category, so a mean that is not whole is due to rounding.
      result.push_back(grid_axis.kind().border == Border::apart ? std::round(first) : grid_axis.coordinate(first));
      continue;
    }
    double turn = std::atan2(second, first) / (2 * std::numbers::pi);
    if (turn < 0) turn += 1;
    result.push_back(grid_axis.lo() + (turn < 1 ? turn : 0) * (grid_axis.hi() - grid_axis.lo()));
  }
  return result;
}

std::vector<std::vector<double>> centroids(const ClusterMap& map) {
  const Clusters& clusters = map.clusters();
  std::vector<MeanPlace> places(clusters.count(), MeanPlace(map.grid()));
  std::vector<std::uint64_t> at(map.grid().dimensions());
  const auto middle = [&map](std::size_t axis, std::uint64_t x) {
    const auto [lower, upper] = map.cell_bounds(axis, x);
    return MeanPlace::middle(map.grid().axis(axis), lower, upper);
  };
  std::vector<std::vector<double>> middles(at.size());  // for an axis with fewer cells than are clustered
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (clusters.shape()[axis] > clusters.cells().size()) continue;
    for (std::uint64_t x = 0; x < clusters.shape()[axis]; ++x) middles[axis].push_back(middle(axis, x));
  }
  // Where an axis was cut, cells count by their width.
  const auto width = [&map](std::size_t axis, std::uint64_t x) {
    const auto [lower, upper] = map.cell_bounds(axis, x);
    return (upper - lower) / (map.grid().axis(axis).hi() - map.grid().axis(axis).lo());
  };
  std::vector<std::vector<double>> widths(at.size());  // of each cluster along an axis that was cut
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (map.grid().axis(axis).cuts().empty()) continue;
    widths[axis].resize(clusters.count());
    for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
      coordinates(clusters.cells()[i], clusters.shape(), at);
      widths[axis][clusters.labels()[i] - 1] += width(axis, at[axis]);
    }
  }
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    const std::uint32_t id = clusters.labels()[i];
    coordinates(clusters.cells()[i], clusters.shape(), at);
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const double count = widths[axis].empty() ? static_cast<double>(clusters.sizes()[id - 1])
                                                : widths[axis][id - 1] / width(axis, at[axis]);
      places[id - 1].add(axis, middles[axis].empty() ? middle(axis, at[axis]) : middles[axis][at[axis]], count);
    }
  }
  std::vector<std::vector<double>> result;
  for (const MeanPlace& place : places) result.push_back(place.mean());
  return result;
}

std::vector<ReleasedCluster> describe(const ClusterMap& map, std::span<const std::int64_t> sizes, unsigned threads) {
  std::vector<std::vector<double>> centres = centroids(map);
  std::vector<std::vector<Polygon>> rings(centres.size());
  if (map.grid().dimensions() == 2) rings = outlines(map, threads);
  std::vector<ReleasedCluster> result;
  result.reserve(centres.size());
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    result.push_back({id, map.clusters().sizes()[i], std::move(centres[i]), sizes[i], std::move(rings[i])});
  }
  return result;
}

}  // namespace shoal
