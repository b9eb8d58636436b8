// The blocks of decimated Haar sums and their weights. A sum adds the cells of its block once, but an odd axis is
// extended by its last value, so that the cells at the upper end count twice, or more often at deeper levels:
//
//   size 7, level 2:   x0 x1 x2 x3 | x4 x5 2*x6
//
// A piece is a run of cells of one block and one weight. Every cell lies in one piece: sums over pieces move by 1 when
// a record comes or goes, and block sums are weighted sums of pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

struct HaarPieces {
  Shape pieces;                                      // pieces per axis
  Shape blocks;                                      // blocks per axis: transformed_shape
  std::vector<std::vector<std::uint64_t>> of_cell;   // an axis: the piece of each cell
  std::vector<std::vector<std::uint64_t>> block_of;  // an axis: the block of each piece
  std::vector<std::vector<std::int64_t>> weight;     // an axis: how often each piece counts
};

// Weights past 2^62 stay there.
HaarPieces haar_pieces(const Shape& shape, unsigned level);

// Axis by axis, result[target[x]] += weight[x] * values[x]; no weights: all 1. Sums stay within 64
// bits (base/wide.hpp). The result is dense, also of sparse values.
Cells<std::int64_t> folded(const Cells<std::int64_t>& values, const Shape& to,
                           const std::vector<std::vector<std::uint64_t>>& target,
                           const std::vector<std::vector<std::int64_t>>& weight = {});

// Every cell counts once: axes are whole blocks, and pieces are blocks.
bool all_once(const HaarPieces& pieces);

// Sums in which cells count as often as Haar says, as sums in which every cell counts once: exact where all cells of a
// block have one weight, else as if its records were spread evenly, rounded. Dense or sparse.
Cells<std::int64_t> counted_once(Cells<std::int64_t> sums, const HaarPieces& pieces);

// What one record adds to the sum of an ordinary block, the first one: 1 unless an axis has fewer cells than a block.
double record_weight(const HaarPieces& pieces);

}  // namespace shoal
