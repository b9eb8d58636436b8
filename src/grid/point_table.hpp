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
  [[nodiscard]] std::size_t rows() const noexcept { return columns.empty() ? 0 : columns.front().size(); }
};

// Every row that lies in a cell of the grid (after clamping, when asked for), in the order of the input.
PointTable collect(Points& points, const Grid& grid, Outside outside = Outside::drop);
// The same with the unit of each row. names: where the units get their numbers. The source needs a unit column; a row
// in a cell needs a unit.
PointTable collect_units(Points& points, const Grid& grid, Outside outside, UnitTable& names);
PointTable collect_units(Points& points, const Grid& grid, Outside outside = Outside::drop);
Counts quantize(const PointTable& table, const Grid& grid, const QuantizeOptions& options = {});

}  // namespace shoal
