// Points held in memory, inside the public bounds: for what needs more than counts (publishers, classifiers). Raw side.
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
  std::vector<std::uint32_t> units{};        // whose row each is, numbered by first rows; empty unless collect_units
  std::vector<std::uint32_t> parts{};        // what each row has of its unit's weight; empty: rows are whole
  [[nodiscard]] std::size_t rows() const noexcept { return columns.empty() ? 0 : columns.front().size(); }
  // What a row adds to a count.
  [[nodiscard]] std::int64_t weight(std::size_t row) const noexcept { return parts.empty() ? 1 : parts[row]; }
  [[nodiscard]] std::int64_t total() const noexcept;
};

// Every row that lies in a cell of the grid (after clamping, when asked for), in the order of the input.
PointTable collect(Points& points, const Grid& grid, Outside outside = Outside::drop);
// The same with the unit of each row. names: where the units get their numbers. The source needs a unit column; a row
// in a cell needs a unit.
PointTable collect_units(Points& points, const Grid& grid, Outside outside, UnitTable& names);
PointTable collect_units(Points& points, const Grid& grid, Outside outside = Outside::drop);
// By their weights.
Counts quantize(const PointTable& table, const Grid& grid, const QuantizeOptions& options = {});

}  // namespace shoal
