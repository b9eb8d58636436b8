// Estimates the density of the population from noisy values: views of several widths, from the widest to the single
// cell. A narrower view changes the estimate as far as its evidence goes: the evidence of clusters/modes.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

// Noisy numbers of records on a box, and their noise.
struct NoisyField {
  Shape shape;
  Values<double> values;             // one per cell of the box, or one per listed cell
  std::vector<std::uint64_t> cells;  // the listed cells, ascending; if empty, all cells are listed. Others hold 0.
  double variance = 0;               // of the noise of a value
  double scale = 0;                  // of the exponential tail of the noise
  double together = 1;               // records that are added and removed as one
  double overlap = 1;                // number of values that share a record, as in the stationary transform

  [[nodiscard]] std::uint64_t cell(std::size_t i) const { return cells.empty() ? i : cells[i]; }
  // Returns the index of a cell in `values`. The cell must be listed.
  [[nodiscard]] std::size_t place(std::uint64_t cell) const;
};

struct DensityEstimate {
  Values<float> rates;      // expected records of each value
  Values<float> variances;  // of the errors of the rates
};

// Share of the level that separates two kinds of cells. For each kind, a view counts only as far as its differences
// together exceed those by chance; and less dense cells are not part of a uniform area.
inline constexpr double half_of_level = 0.5;

// level: records per cell that separate dense cells from others. threads: affects only the running time.
DensityEstimate estimate_density(const NoisyField& field, double level, unsigned threads);

}  // namespace shoal
