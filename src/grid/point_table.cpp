#include "grid/point_table.hpp"

#include <fmt/format.h>

#include <utility>

#include "shoal/error.hpp"

namespace shoal {

PointTable collect(Points& points, const Grid& grid, Outside outside) {
  const std::size_t dimensions = grid.dimensions();
  if (points.dimensions() != dimensions) {
    throw InputError(fmt::format("the points have {} columns, the grid has {} axes; give as many bounds as columns",
                                 points.dimensions(), dimensions));
  }
  PointTable table;
  table.columns.resize(dimensions);
  std::vector<double> point(dimensions);
  points.scan(1, [&](unsigned, const PointBlock& block) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      bool inside = true;
      for (std::size_t i = 0; i < dimensions && inside; ++i) {
        const double x = block.columns[i][row];
        point[i] = outside == Outside::clamp ? grid.axis(i).clamp(x) : x;
        inside = grid.axis(i).cell(point[i]) != outside_axis;
      }
      for (std::size_t i = 0; i < dimensions && inside; ++i) table.columns[i].push_back(point[i]);
    }
  });
  return table;
}

Counts quantize(const PointTable& table, const Grid& grid, const QuantizeOptions& options) {
  std::vector<Column> columns;
  for (const auto& column : table.columns) columns.push_back({column.data()});
  return quantize(*array_points(std::move(columns), table.rows()), grid, options);
}

}  // namespace shoal
