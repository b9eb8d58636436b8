#pragma once

#include <cstdint>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

// Returns the sum of `values` over each clustered cell, in the order of clusters.cells(). The values lie on the cells
// of the grid, or on those of a level between the grid and the clusters. Throws if a sum exceeds 64 bits.
std::vector<std::int64_t> clustered_sums(const Clusters& clusters, const Cells<std::int64_t>& values,
                                         unsigned threads = 1);

}  // namespace shoal
