// Clusters in the axes' units.
#pragma once

#include <span>

#include "shoal/release.hpp"

namespace shoal {

// sizes: one per cluster, in the order of their numbers.
std::vector<ReleasedCluster> describe(const ClusterMap& map, std::span<const std::int64_t> sizes, unsigned threads = 1);

// Mean of the centres of each cluster's cells.
std::vector<std::vector<double>> centroids(const ClusterMap& map);

}  // namespace shoal
