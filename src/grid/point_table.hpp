// Points in memory, inside the public bounds, for code that needs more than counts (publishers, classifiers). Raw side.
#pragma once

#include <cstdint>
#include <vector>

#include "grid/unit_table.hpp"
#include "shoal/counts.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

struct PointTable {
  std::vector<std::vector<double>> columns;  // one array per axis, all of the same length
  // Unit of each row, numbered by first occurrence; empty unless made by collect_units.
  std::vector<std::uint32_t> units{};
  std::vector<std::uint32_t> parts{};  // each row's parts of its unit's weight; empty: rows are whole
  [[nodiscard]] std::size_t rows() const noexcept { return columns.empty() ? 0 : columns.front().size(); }
  // Returns what a row adds to a count.
  [[nodiscard]] std::int64_t weight(std::size_t row) const noexcept { return parts.empty() ? 1 : parts[row]; }
  [[nodiscard]] std::int64_t total() const noexcept;
};

// Returns every row that lies in a cell of the grid (after clamping, if requested), in the order of the input.
PointTable collect(Points& points, const Grid& grid, Outside outside = Outside::drop);
// The same with the unit of each row. names: numbers the units. Throws if the source has no unit column, or if a row in
// a cell has an empty unit.
PointTable collect_units(Points& points, const Grid& grid, Outside outside, UnitTable& names);
PointTable collect_units(Points& points, const Grid& grid, Outside outside = Outside::drop);
// Counts the rows per cell, by their weights.
Counts quantize(const PointTable& table, const Grid& grid, const QuantizeOptions& options = {});

}  // namespace shoal
