#include "base/cell_index.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace shoal {

namespace {

// cells = cells * extent + this axis' cell; inside[i] becomes 0 where the coordinate lies in none.
// Bounding by `last` before the truncation gives what Axis::cell gives by bounding after it, as `last` is whole.
template <class Index, bool clamp>
[[gnu::always_inline]] inline void axis_pass(const CellIndexer::Rule& rule, const double* x, std::size_t rows,
                                             Index* cells, std::int32_t* inside) {
  const double lo = rule.lo;
  const double hi = rule.hi;
  const double width = rule.width;
  const double count = rule.cells;
  const double last = rule.last;
  const auto extent = static_cast<Index>(rule.extent);
  const std::uint32_t shift = rule.shift;
  for (std::size_t i = 0; i < rows; ++i) {
    double value = x[i];
    if (clamp) {
      value = value < lo ? lo : value;
      value = value > hi ? hi : value;
    }
    double scaled = (value - lo) * count / width;
    const bool in = (value >= lo) & (value <= hi);
    scaled = in ? scaled : 0.0;
    scaled = scaled < last ? scaled : last;
    const auto cell = static_cast<std::uint32_t>(static_cast<std::int32_t>(scaled)) >> shift;
    cells[i] = cells[i] * extent + cell;
    inside[i] = in ? inside[i] : 0;
  }
}

SHOAL_CLONES void pass32(const CellIndexer::Rule& rule, const double* x, std::size_t rows, std::uint32_t* cells,
                         std::int32_t* inside) {
  axis_pass<std::uint32_t, false>(rule, x, rows, cells, inside);
}
SHOAL_CLONES void pass32_clamped(const CellIndexer::Rule& rule, const double* x, std::size_t rows, std::uint32_t* cells,
                                 std::int32_t* inside) {
  axis_pass<std::uint32_t, true>(rule, x, rows, cells, inside);
}
SHOAL_CLONES void pass64(const CellIndexer::Rule& rule, const double* x, std::size_t rows, std::uint64_t* cells,
                         std::int32_t* inside) {
  axis_pass<std::uint64_t, false>(rule, x, rows, cells, inside);
}
SHOAL_CLONES void pass64_clamped(const CellIndexer::Rule& rule, const double* x, std::size_t rows, std::uint64_t* cells,
                                 std::int32_t* inside) {
  axis_pass<std::uint64_t, true>(rule, x, rows, cells, inside);
}

template <class Index, class Pass>
void all_axes(const std::vector<CellIndexer::Rule>& rules, Pass pass,
              const std::vector<std::span<const double>>& columns, std::size_t first, std::span<Index> cells,
              Index nowhere) {
  std::array<std::int32_t, CellIndexer::block> inside;
  std::fill_n(inside.begin(), cells.size(), -1);
  std::fill(cells.begin(), cells.end(), Index{0});
  for (std::size_t axis = 0; axis < rules.size(); ++axis) {
    pass(rules[axis], columns[axis].data() + first, cells.size(), cells.data(), inside.data());
  }
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = inside[i] != 0 ? cells[i] : nowhere;
}

}  // namespace

CellIndexer::CellIndexer(const Grid& grid, bool clamp, unsigned shift) : clamp_(clamp) {
  for (const Axis& axis : grid.axes()) {
    const auto cells = static_cast<double>(axis.cells());
    const std::uint64_t extent = axis.coarse_cells(shift);
    rules_.push_back({axis.lo(), axis.hi(), axis.hi() - axis.lo(), cells, cells - 1, std::min(shift, 31U), extent});
    cell_count_ *= extent;
  }
}

void CellIndexer::operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                             std::span<std::uint32_t> cells) const {
  all_axes(rules_, clamp_ ? pass32_clamped : pass32, columns, first, cells, static_cast<std::uint32_t>(cell_count_));
}

void CellIndexer::operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                             std::span<std::uint64_t> cells) const {
  all_axes(rules_, clamp_ ? pass64_clamped : pass64, columns, first, cells, cell_count_);
}

}  // namespace shoal
