#include "base/cell_index.hpp"

#include <algorithm>
#include <cmath>

#include "base/simd.hpp"

namespace shoal {

namespace {

using Rule = CellIndexer::Rule;
using Block = std::array<std::int32_t, CellIndexer::block>;

[[gnu::always_inline]] inline double moved_inside(double value, double lo, double hi) {
  value = value < lo ? lo : value;
  return value > hi ? hi : value;
}

// Truncates a coordinate, measured in cells, to its cell. A coordinate outside the axis may become any cell in [0,
// last]. Clamping before the truncation gives the same as Axis::cell, which clamps after it, because `last` is whole.
[[gnu::always_inline]] inline std::int32_t truncated(double scaled, double last) {
  scaled = scaled < last ? scaled : last;
  return static_cast<std::int32_t>(scaled > 0 ? scaled : 0);
}

// Returns 0 for values in [lo, hi], and -1 for all others and for NaN.
[[gnu::always_inline]] inline std::int32_t outside_mask(double value, double lo, double hi) {
  return static_cast<std::int32_t>((value >= lo) & (value <= hi)) - 1;
}

// Sets along[i] to the cell of x[i] on its axis, or to -1 if it has none. Gives what Axis::cell gives, without its
// division. Returns false if some cell cannot be decided this way. Rounding preserves order, so the quotient by the
// width lies between the two products; where both products fall into one cell, so does the quotient.
template <bool clamp>
[[gnu::always_inline]] inline bool by_reciprocals(const Rule& rule, const double* x, std::size_t rows,
                                                  std::int32_t* along) {
  const auto [lo, hi, width, cells, last, below, above, shift, extent] = rule;
  std::int32_t undecided = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double value = clamp ? moved_inside(x[i], lo, hi) : x[i];
    const double scaled = (value - lo) * cells;
    const std::int32_t low = truncated(scaled * below, last);
    undecided |= low ^ truncated(scaled * above, last);
    along[i] = low | outside_mask(value, lo, hi);
  }
  return undecided == 0;
}

template <bool clamp>
[[gnu::always_inline]] inline void by_division(const Rule& rule, const double* x, std::size_t rows,
                                               std::int32_t* along) {
  const auto [lo, hi, width, cells, last, below, above, shift, extent] = rule;
  for (std::size_t i = 0; i < rows; ++i) {
    const double value = clamp ? moved_inside(x[i], lo, hi) : x[i];
    along[i] = truncated((value - lo) * cells / width, last) | outside_mask(value, lo, hi);
  }
}

template <bool clamp>
[[gnu::always_inline]] inline void cells_along(const Rule& rule, const double* x, std::size_t rows,
                                               std::int32_t* along) {
  if (!by_reciprocals<clamp>(rule, x, rows, along)) by_division<clamp>(rule, x, rows, along);
}

// Sets cells = cells * extent + along. `outside` becomes negative where `along` is negative.
template <class Index>
[[gnu::always_inline]] inline void append(const Rule& rule, const std::int32_t* along, std::size_t rows, Index* cells,
                                          std::int32_t* outside) {
  const auto extent = static_cast<Index>(rule.extent);
  const std::uint32_t shift = rule.shift;
  for (std::size_t i = 0; i < rows; ++i) {
    cells[i] = cells[i] * extent + (static_cast<std::uint32_t>(along[i]) >> shift);
    outside[i] |= along[i];
  }
}

template <class Index, bool clamp>
[[gnu::always_inline]] inline void index_rows(std::span<const Rule> rules, const std::span<const double>* columns,
                                              std::size_t first, Index* cells, std::size_t rows, Index nowhere) {
  alignas(64) Block along;
  alignas(64) Block outside;
  for (std::size_t i = 0; i < rows; ++i) {
    cells[i] = 0;
    outside[i] = 0;
  }
  for (const Rule& rule : rules) {
    cells_along<clamp>(rule, columns++->data() + first, rows, along.data());
    append(rule, along.data(), rows, cells, outside.data());
  }
  for (std::size_t i = 0; i < rows; ++i) cells[i] = outside[i] < 0 ? nowhere : cells[i];
}

// Each variant is one function, so that all of its loops are compiled for the same processor.
SHOAL_CLONES void index32(std::span<const Rule> rules, const std::span<const double>* columns, std::size_t first,
                          std::uint32_t* cells, std::size_t rows, std::uint32_t nowhere) {
  index_rows<std::uint32_t, false>(rules, columns, first, cells, rows, nowhere);
}
SHOAL_CLONES void index32_clamped(std::span<const Rule> rules, const std::span<const double>* columns,
                                  std::size_t first, std::uint32_t* cells, std::size_t rows, std::uint32_t nowhere) {
  index_rows<std::uint32_t, true>(rules, columns, first, cells, rows, nowhere);
}
SHOAL_CLONES void index64(std::span<const Rule> rules, const std::span<const double>* columns, std::size_t first,
                          std::uint64_t* cells, std::size_t rows, std::uint64_t nowhere) {
  index_rows<std::uint64_t, false>(rules, columns, first, cells, rows, nowhere);
}
SHOAL_CLONES void index64_clamped(std::span<const Rule> rules, const std::span<const double>* columns,
                                  std::size_t first, std::uint64_t* cells, std::size_t rows, std::uint64_t nowhere) {
  index_rows<std::uint64_t, true>(rules, columns, first, cells, rows, nowhere);
}

}  // namespace

// For grids with an axis that is not plain: finds the cells one at a time.
template <class Index>
void CellIndexer::index_by_axis(const std::vector<std::span<const double>>& columns, std::size_t first,
                                std::span<Index> cells) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Index cell = 0;
    bool outside = false;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const double x = columns[axis][first + i];
      const std::int64_t along = axes_[axis].cell(clamp_ ? axes_[axis].clamp(x) : x);
      outside = outside || along == outside_axis;
      cell = cell * static_cast<Index>(rules_[axis].extent) + static_cast<Index>(along >> rules_[axis].shift);
    }
    cells[i] = outside ? static_cast<Index>(cell_count_) : cell;
  }
}

CellIndexer::CellIndexer(const Grid& grid, bool clamp, unsigned shift) : clamp_(clamp) {
  for (const Axis& axis : grid.axes()) {
    const auto cells = static_cast<double>(axis.cells());
    const double width = axis.hi() - axis.lo();
    const std::uint64_t extent = axis.coarse_cells(shift);
    const std::uint32_t along = axis.kind().is_pooled() ? std::min(shift, 31U) : 0;
    rules_.push_back({axis.lo(), axis.hi(), width, cells, cells - 1, std::nextafter(1 / width, 0),
                      std::nextafter(1 / width, INFINITY), along, extent});
    cell_count_ *= extent;
    if (!axis.is_plain()) curved_ = true;
    axes_.push_back(axis);
  }
}

void CellIndexer::operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                             std::span<std::uint32_t> cells) const {
  if (curved_) return index_by_axis(columns, first, cells);
  (clamp_ ? index32_clamped : index32)(rules_, columns.data(), first, cells.data(), cells.size(),
                                       static_cast<std::uint32_t>(cell_count_));
}

void CellIndexer::operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                             std::span<std::uint64_t> cells) const {
  if (curved_) return index_by_axis(columns, first, cells);
  (clamp_ ? index64_clamped : index64)(rules_, columns.data(), first, cells.data(), cells.size(), cell_count_);
}

}  // namespace shoal
