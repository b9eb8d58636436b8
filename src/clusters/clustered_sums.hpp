#pragma once

#include <cstdint>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

// The sum of `values` over each clustered cell, in the order of clusters().cells(). values: on the grid's cells, or on
// those of a level between the grid and the clusters. Refuses sums past 64 bits.
std::vector<std::int64_t> clustered_sums(const Clusters& clusters, const Cells<std::int64_t>& values,
                                         unsigned threads = 1);

}  // namespace shoal
