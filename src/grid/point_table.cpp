#include "grid/point_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "grid/cell_table.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

void check_dimensions(const Points& points, const Grid& grid) {
  if (points.dimensions() == grid.dimensions()) return;
  throw InputError(fmt::format("the points have {} columns, the grid has {} axes; give as many bounds as columns",
                               points.dimensions(), grid.dimensions()));
}

// Returns the coordinate between the bounds that represents x: wrapped around a circle, and clamped if requested.
double within(const Axis& axis, double x, Outside outside) {
  if (outside == Outside::clamp) x = axis.clamp(x);
  if (axis.kind().border != Border::circle || (x >= axis.lo() && x <= axis.hi())) return x;
  const double width = axis.hi() - axis.lo();
  return std::clamp(x - width * std::floor((x - axis.lo()) / width), axis.lo(), axis.hi());
}

// names: null if units do not matter.
PointTable collect(Points& points, const Grid& grid, Outside outside, UnitTable* names) {
  const std::size_t dimensions = grid.dimensions();
  check_dimensions(points, grid);
  PointTable table;
  table.columns.resize(dimensions);
  std::vector<double> point(dimensions);
  points.scan(1, [&](unsigned, const PointBlock& block) {
    if (names != nullptr) require_units(block);
    for (std::size_t row = 0; row < block.rows(); ++row) {
      bool inside = true;
      for (std::size_t i = 0; i < dimensions && inside; ++i) {
        point[i] = within(grid.axis(i), block.columns[i][row], outside);
        inside = grid.axis(i).cell(point[i]) != outside_axis;
      }
      if (!inside) continue;
      for (std::size_t i = 0; i < dimensions; ++i) table.columns[i].push_back(point[i]);
      if (names != nullptr) table.units.push_back(names->number(checked_unit(block.units[row])));
    }
  });
  return table;
}

Counts quantize_parts(const PointTable& table, const Grid& grid, const QuantizeOptions& options) {
  CellTable counts;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      index = index * grid.axis(i).cells() + static_cast<std::uint64_t>(grid.axis(i).cell(table.columns[i][row]));
    }
    counts.add(index, table.weight(row));
  }
  const auto total = static_cast<std::uint64_t>(table.total());
  if (grid.cell_count() > options.dense_limit) {
    return {grid, sparse_cells(grid.shape(), take_all({&counts, 1})), total, 0};
  }
  Values<std::int64_t> values(grid.cell_count());
  for (const auto& [cell, count] : counts.take()) values[cell] = count;
  return {grid, Cells<std::int64_t>::dense(grid.shape(), std::move(values)), total, 0};
}

}  // namespace

PointTable collect(Points& points, const Grid& grid, Outside outside) {
  return collect(points, grid, outside, nullptr);
}

PointTable collect_units(Points& points, const Grid& grid, Outside outside, UnitTable& names) {
  return collect(points, grid, outside, &names);
}

PointTable collect_units(Points& points, const Grid& grid, Outside outside) {
  UnitTable names;
  return collect(points, grid, outside, &names);
}

std::int64_t PointTable::total() const noexcept {
  return parts.empty() ? static_cast<std::int64_t>(rows())
                       : std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

Counts quantize(const PointTable& table, const Grid& grid, const QuantizeOptions& options) {
  if (!table.parts.empty()) return quantize_parts(table, grid, options);
  std::vector<Column> columns;
  for (const auto& column : table.columns) columns.push_back({column.data()});
  return quantize(*array_points(std::move(columns), table.rows()), grid, options);
}

}  // namespace shoal
