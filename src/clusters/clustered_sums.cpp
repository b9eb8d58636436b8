#include "clusters/clustered_sums.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "base/wide.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// Returns the number of halvings that lead from the shape of the values to the shape of the clusters.
unsigned levels_between(const Shape& fine, const Shape& coarse) {
  constexpr unsigned most = 63;
  Shape shape = fine;
  for (unsigned level = 0; shape.size() == coarse.size() && level <= most; ++level) {
    if (shape == coarse) return level;
    shape = transformed_shape(shape, 1, Transform::decimated);
  }
  throw Error(ErrorKind::internal, "the values are on other cells than the clusters");
}

// Returns the sum of the dense values whose coordinates are at least `low` and below `high` on every axis.
Int128 block_sum(const Cells<std::int64_t>& values, const std::vector<std::uint64_t>& stride,
                 const std::vector<std::uint64_t>& low, const std::vector<std::uint64_t>& high, std::size_t axis = 0,
                 std::uint64_t offset = 0) {
  Int128 sum = 0;
  if (axis + 1 == low.size()) {
    for (const std::int64_t value : values.values().subspan(offset + low[axis], high[axis] - low[axis])) sum += value;
    return sum;
  }
  for (std::uint64_t i = low[axis]; i < high[axis]; ++i) {
    sum += block_sum(values, stride, low, high, axis + 1, offset + i * stride[axis]);
  }
  return sum;
}

std::vector<std::int64_t> values_of(const std::vector<std::uint64_t>& cells, std::span<const std::int64_t> values) {
  std::vector<std::int64_t> result;
  result.reserve(cells.size());
  for (const std::uint64_t cell : cells) result.push_back(values[cell]);
  return result;
}

// A clustered cell covers 2^shift cells of `values` per axis, fewer at the upper end.
std::vector<std::int64_t> sums_of_dense(const Clusters& clusters, const Cells<std::int64_t>& values, unsigned shift,
                                        unsigned threads) {
  const std::vector<std::uint64_t>& cells = clusters.cells();
  std::vector<std::int64_t> sums(cells.size());
  const std::vector<std::uint64_t> stride = strides(values.shape());
  constexpr std::size_t part = std::size_t{1} << 14;
  parallel_for((cells.size() + part - 1) / part, threads, [&](std::uint64_t which) {
    std::vector<std::uint64_t> low(stride.size());
    std::vector<std::uint64_t> high(stride.size());
    for (std::size_t i = which * part; i < std::min<std::uint64_t>(cells.size(), (which + 1) * part); ++i) {
      coordinates(cells[i], clusters.shape(), low);
      for (std::size_t axis = 0; axis < low.size(); ++axis) {
        const unsigned along = values.shape().side(axis).pooled ? shift : 0;
        high[axis] = std::min((low[axis] + 1) << along, values.shape()[axis]);
        low[axis] <<= along;
      }
      sums[i] = within_64_bits(block_sum(values, stride, low, high));
    }
  });
  return sums;
}

std::vector<std::int64_t> sums_of_sparse(const Clusters& clusters, const Cells<std::int64_t>& values, unsigned shift) {
  std::vector<Int128> sums(clusters.cells().size());
  const std::vector<std::uint64_t> stride = strides(clusters.shape());
  for (std::size_t i = 0; i < values.stored(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(values.index_of(i), values.shape());
    std::uint64_t cell = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      cell += (at[axis] >> (values.shape().side(axis).pooled ? shift : 0)) * stride[axis];
    }
    const auto found = std::lower_bound(clusters.cells().begin(), clusters.cells().end(), cell);
    if (found == clusters.cells().end() || *found != cell) continue;
    sums[static_cast<std::size_t>(found - clusters.cells().begin())] += values.values()[i];
  }
  std::vector<std::int64_t> result;
  result.reserve(sums.size());
  for (const Int128 sum : sums) result.push_back(within_64_bits(sum));
  return result;
}

}  // namespace

std::vector<std::int64_t> clustered_sums(const Clusters& clusters, const Cells<std::int64_t>& values,
                                         unsigned threads) {
  const unsigned shift = levels_between(values.shape(), clusters.shape());
  if (values.is_dense() && shift == 0) return values_of(clusters.cells(), values.values());
  return values.is_dense() ? sums_of_dense(clusters, values, shift, threads) : sums_of_sparse(clusters, values, shift);
}

}  // namespace shoal
