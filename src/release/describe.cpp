#include "release/describe.hpp"

namespace shoal {

std::vector<std::vector<double>> centroids(const ClusterMap& map) {
  const Clusters& clusters = map.clusters();
  const std::size_t dimensions = map.grid().dimensions();
  std::vector<std::vector<double>> result(clusters.count(), std::vector<double>(dimensions, 0.0));
  std::vector<std::uint64_t> at(dimensions);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    const std::uint32_t id = clusters.labels()[i];
    coordinates(clusters.cells()[i], clusters.shape(), at);
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      const auto [lo, hi] = map.cell_bounds(axis, at[axis]);
      // Divided before it is added: bounds may be as large as doubles go.
      result[id - 1][axis] += (lo / 2 + hi / 2) / static_cast<double>(clusters.sizes()[id - 1]);
    }
  }
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
