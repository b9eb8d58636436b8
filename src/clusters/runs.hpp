// Finds connected components of runs. A run is a stretch of neighbouring cells along the last axis.
//
//   row 0   .###..##.      runs [1,4) [6,8)
//   row 1   ...##....      run  [3,5): touches the first run of row 0, also by a corner under full adjacency
//
// The rows that hold runs form a tree with one level per outer axis; children ascend by coordinate. Two nodes with
// neighbouring coordinates are descended together, so only neighbours that exist are compared. Time and memory grow
// with the number of listed cells, in any number of dimensions. Where the cells fill much of the box, bit_rows.hpp is
// faster.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

struct Runs {
  Shape shape;
  Values<std::uint32_t> changes;         // begin and end (exclusive) of each run along the last axis
  std::vector<std::uint64_t> rows;       // index of each row that holds runs, ascending
  std::vector<std::uint32_t> first_run;  // first run of each row; one more entry at the end: count()
  Values<std::uint64_t> bits;  // one bit per cell, each row starting at a new word; empty if not worth its memory

  [[nodiscard]] std::size_t words_a_row() const noexcept { return (shape.back() + 63) / 64; }
  [[nodiscard]] std::size_t count() const noexcept { return changes.size() / 2; }
  [[nodiscard]] std::uint32_t begin(std::size_t run) const noexcept { return changes[2 * run]; }
  [[nodiscard]] std::uint32_t end(std::size_t run) const noexcept { return changes[2 * run + 1]; }
};

// cells: must be ascending, unique and below cell_count(shape); throws otherwise.
Runs runs_of_cells(const Shape& shape, std::span<const std::uint64_t> cells);
// mask: one byte per cell, row-major, nonzero where the cell is set.
Runs runs_of_mask(const Shape& shape, std::span<const std::uint8_t> mask, unsigned threads = 1);

struct Components {
  Values<std::uint32_t> label;       // of each run: 1, 2, ... by size, then by first cell; 0: fewer than min_cells
  std::vector<std::uint64_t> sizes;  // number of cells of component i + 1
};
Components components(const Runs& runs, Adjacency adjacency, std::uint64_t min_cells, unsigned threads = 1);

// Returns the number of parts into which to divide this number of cells. Each part is large enough to be worth starting
// a thread.
inline std::uint64_t parts_of(std::uint64_t cells) { return cells / (std::uint64_t{1} << 20) + 1; }

}  // namespace shoal
