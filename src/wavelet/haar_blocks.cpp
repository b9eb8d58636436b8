#include "wavelet/haar_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/wide.hpp"

namespace shoal {

namespace {

// Returns how often each cell of an axis counts in its block.
std::vector<std::int64_t> cell_weights(std::uint64_t size, unsigned level) {
  std::vector<std::int64_t> weight(size, 1);
  std::uint64_t extent = size;
  for (unsigned q = 0; q < level; ++q) {
    if (extent % 2 == 1) {
      for (std::uint64_t x = size; x-- > 0 && (x >> q) == extent - 1;)
        weight[x] = within_64_bits(Int128{2} * weight[x]);
    }
    extent = (extent + 1) / 2;
  }
  return weight;
}

// Folds one axis: outer x from x inner values become outer x to x inner values.
Values<std::int64_t> fold_axis(std::span<const std::int64_t> values, std::uint64_t inner, std::uint64_t from,
                               std::uint64_t to, const std::vector<std::uint64_t>& target,
                               const std::vector<std::int64_t>* weight) {
  const std::uint64_t outer = values.size() / (inner * from);
  Values<std::int64_t> result(outer * to * inner);
  const auto add = [](std::int64_t value, std::int64_t factor, std::int64_t& sum) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(value, factor, &product)) product = within_64_bits(Int128{value} * factor);
    sum = sum_within_64_bits(sum, product);
  };
  for (std::uint64_t o = 0; o < outer; ++o) {
    const std::int64_t* in = values.data() + o * from * inner;
    std::int64_t* out = result.data() + o * to * inner;
    for (std::uint64_t x = 0; x < from; ++x) {
      const std::int64_t factor = weight == nullptr ? 1 : (*weight)[x];
      std::int64_t* const row = out + target[x] * inner;
      for (std::uint64_t i = 0; i < inner; ++i) add(*in++, factor, row[i]);
    }
  }
  return result;
}

Cells<std::int64_t> folded_sparse(const Cells<std::int64_t>& values, const Shape& to,
                                  const std::vector<std::vector<std::uint64_t>>& target,
                                  const std::vector<std::vector<std::int64_t>>& weight) {
  Values<std::int64_t> result(cell_count(to));
  for (std::size_t i = 0; i < values.stored(); ++i) {
    std::uint64_t rest = values.index()[i], at = 0, stride = 1;
    std::int64_t product = values.values()[i];
    for (std::size_t axis = to.size(); axis-- > 0;) {
      const std::uint64_t x = rest % values.shape()[axis];
      rest /= values.shape()[axis];
      at += stride * target[axis][x];
      stride *= to[axis];
      if (!weight.empty()) product = within_64_bits(Int128{product} * weight[axis][x]);
    }
    result[at] = sum_within_64_bits(result[at], product);
  }
  return Cells<std::int64_t>::dense(to, std::move(result));
}

}  // namespace

HaarPieces haar_pieces(const Shape& shape, unsigned level) {
  HaarPieces result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::uint64_t size = shape[axis];
    const Side side = shape.side(axis);
    const unsigned shift = side.pooled ? std::min(level, 63U) : 0;
    const std::vector<std::int64_t> weights = cell_weights(size, side.pooled ? level : 0);
    std::vector<std::uint64_t> of_cell(size), block_of;
    std::vector<std::int64_t> weight;
    for (std::uint64_t x = 0; x < size; ++x) {
      if (x == 0 || (x >> shift) != block_of.back() || weights[x] != weight.back()) {
        block_of.push_back(x >> shift);
        weight.push_back(weights[x]);
      }
      of_cell[x] = block_of.size() - 1;
    }
    result.pieces.push_back(block_of.size(), side);
    result.blocks.push_back(block_of.back() + 1, side);
    result.of_cell.push_back(std::move(of_cell));
    result.block_of.push_back(std::move(block_of));
    result.weight.push_back(std::move(weight));
  }
  return result;
}

Cells<std::int64_t> folded(const Cells<std::int64_t>& values, const Shape& to,
                           const std::vector<std::vector<std::uint64_t>>& target,
                           const std::vector<std::vector<std::int64_t>>& weight) {
  if (!values.is_dense()) return folded_sparse(values, to, target, weight);
  std::span<const std::int64_t> current = values.values();
  Values<std::int64_t> result;
  std::uint64_t inner = 1;
  for (std::size_t axis = to.size(); axis-- > 0;) {
    const std::uint64_t from = values.shape()[axis];
    const bool weighted = !weight.empty() && weight[axis].back() != 1;  // the last weight is the largest
    if (from != to[axis] || weighted) {
      result = fold_axis(current, inner, from, to[axis], target[axis], weighted ? &weight[axis] : nullptr);
      current = result;
    }
    inner *= to[axis];
  }
  if (result.empty()) return values;  // nothing to fold
  return Cells<std::int64_t>::dense(to, std::move(result));
}

bool has_whole_blocks(const Shape& shape, unsigned level) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape.side(axis).pooled) continue;
    if (level > 62 || shape[axis] % (std::uint64_t{1} << level) != 0) return false;
  }
  return true;
}

Cells<std::int64_t> counted_once(Cells<std::int64_t> sums, const HaarPieces& pieces) {
  // Per axis and block: its cells and their weights.
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> shares;
  for (std::size_t axis = 0; axis < pieces.blocks.size(); ++axis) {
    shares.emplace_back(pieces.blocks[axis]);
    for (const std::uint64_t piece : pieces.of_cell[axis]) {
      auto& [cells, weights] = shares.back()[pieces.block_of[axis][piece]];
      ++cells;
      weights += pieces.weight[axis][piece];
    }
  }
  for (std::size_t i = 0; i < sums.stored(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(sums.index_of(i), sums.shape());
    double share = 1;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const auto& [cells, weights] = shares[axis][at[axis]];
      share *= static_cast<double>(cells) / static_cast<double>(weights);
    }
    if (share != 1) sums.values()[i] = std::llround(static_cast<double>(sums.values()[i]) * share);
  }
  return sums;
}

double record_weight(const HaarPieces& pieces) {
  double product = 1;
  for (const std::vector<std::int64_t>& weight : pieces.weight) product *= static_cast<double>(weight.front());
  return product;
}

}  // namespace shoal
