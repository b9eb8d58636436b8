// Selects the cells of privwave: noisy values are shrunk towards their neighbours, cut at a rank, and connected without
// doubtful joins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/privwave_profile.hpp"
#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// Returns the mean of each cell's neighbours inside the box, including corners, or 0 without neighbours. Box sums are
// computed axis by axis, so the cost does not grow with 3^n.
Values<double> neighbour_means(const Shape& shape, std::span<const double> values, unsigned threads = 1);

struct SelectedCells {
  std::vector<std::uint64_t> cells;  // ascending; clusters are their connected components
  double threshold = 0;              // of the score: between the last cell's and the next one's
};

// values: W' in records, one per cell. kept.keep in [1, cells]. threads: affects only the running time.
SelectedCells select_cells(const Shape& shape, std::span<const double> values, const ValueNoise& noise,
                           const CellsToKeep& kept, Adjacency adjacency, unsigned threads = 1);

}  // namespace shoal
