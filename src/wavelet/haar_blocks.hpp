// The blocks of decimated Haar sums and their weights. A sum adds each cell of its block once, except that an odd axis
// is extended by its last value: the cells at the upper end then count twice, or more often at deeper levels.
//
//   size 7, level 2:   x0 x1 x2 x3 | x4 x5 2*x6
//
// A piece is a run of cells in the same block with the same weight. Every cell lies in exactly one piece. Therefore
// sums over pieces change by 1 when one record is added or removed, and block sums are weighted sums of pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

struct HaarPieces {
  Shape pieces;                                      // number of pieces per axis
  Shape blocks;                                      // number of blocks per axis: transformed_shape
  std::vector<std::vector<std::uint64_t>> of_cell;   // per axis: the piece of each cell
  std::vector<std::vector<std::uint64_t>> block_of;  // per axis: the block of each piece
  std::vector<std::vector<std::int64_t>> weight;     // per axis: how often each piece counts
};

// Returns the pieces of a box. Weights above 2^62 are set to 2^62.
HaarPieces haar_pieces(const Shape& shape, unsigned level);

// Computes, axis by axis, result[target[x]] += weight[x] * values[x]. Without weights, each is 1. Sums are clamped to
// 64 bits (base/wide.hpp). The result is dense, even if the values are sparse.
Cells<std::int64_t> folded(const Cells<std::int64_t>& values, const Shape& to,
                           const std::vector<std::vector<std::uint64_t>>& target,
                           const std::vector<std::vector<std::int64_t>>& weight = {});

// Returns whether each axis consists of whole blocks. Then every cell counts once, and the pieces are the blocks.
bool has_whole_blocks(const Shape& shape, unsigned level);

// Converts sums in which cells count as often as Haar counts them to sums in which every cell counts once. The result
// is exact where all cells of a block have the same weight. Elsewhere it assumes that the records of the block are
// spread evenly, and it is rounded. Accepts dense and sparse sums.
Cells<std::int64_t> counted_once(Cells<std::int64_t> sums, const HaarPieces& pieces);

// Returns what one record adds to the sum of an ordinary block (the first one): 1, unless an axis has fewer cells than
// a block.
double record_weight(const HaarPieces& pieces);

}  // namespace shoal
