#include "publishing/publisher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/text.hpp"

namespace shoal {

void Synopsis::add(std::span<const double> bounds, double count) {
  bounds_.insert(bounds_.end(), bounds.begin(), bounds.end());
  counts_.push_back(count);
}

Grid in_positions(const Grid& grid) {
  std::vector<Axis> axes;
  for (const Axis& axis : grid.axes()) {
    axes.emplace_back(axis.position(axis.lo()), axis.position(axis.hi()), axis.cells(), axis.name());
  }
  return Grid(std::move(axes));
}

namespace publishing {

double effective(Epsilon epsilon, const PrivacyUnit& unit) {
  return epsilon.value() / static_cast<double>(unit.records_changed());
}

std::uint64_t cells_an_axis(double cells, std::size_t dimensions, std::uint64_t most) {
  const double n = static_cast<double>(dimensions);
  const double root = std::pow(std::clamp(cells, 1.0, static_cast<double>(most)), 1 / n);
  // Keeps a whole root whole despite rounding.
  auto m = static_cast<std::uint64_t>(std::max(1.0, std::ceil(root - 1e-9)));
  while (m > 1 && std::pow(static_cast<double>(m), n) > static_cast<double>(most)) --m;
  return m;
}

std::uint64_t finest_cells(const Axis& axis) {
  const double width = axis.hi() - axis.lo();
  const double largest = std::max(std::fabs(axis.lo()), std::fabs(axis.hi()));
  std::uint64_t cells = std::uint64_t{1} << 30;
  while (cells > 1 && (width / static_cast<double>(cells) <= largest * 0x1p-50 ||
                       !std::isfinite(width * static_cast<double>(cells)))) {
    cells /= 2;
  }
  return cells;
}

std::vector<Axis> cut(const Grid& grid, std::uint64_t cells) {
  std::vector<Axis> axes;
  for (const Axis& axis : grid.axes()) {
    axes.emplace_back(axis.lo(), axis.hi(), std::min(cells, finest_cells(axis)), axis.name());
  }
  return axes;
}

Shape shape_of(const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& axis : axes) shape.push_back(axis.cells());
  return shape;
}

std::vector<std::uint64_t> cells_of(const PointTable& points, const std::vector<Axis>& axes) {
  std::vector<std::uint64_t> cells(points.rows(), 0);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::vector<double>& column = points.columns[a];
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const std::int64_t cell = axes[a].cell(column[row]);
      const bool inside = cell != outside_axis && cells[row] != outside_cell;
      cells[row] = inside ? cells[row] * axes[a].cells() + static_cast<std::uint64_t>(cell) : outside_cell;
    }
  }
  return cells;
}

std::vector<std::int64_t> histogram(const PointTable& points, const std::vector<Axis>& axes) {
  std::vector<std::int64_t> counts(cell_count(shape_of(axes)), 0);
  const std::vector<std::uint64_t> cells = cells_of(points, axes);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (cells[row] != outside_cell) counts[cells[row]] += points.weight(row);
  }
  return counts;
}

NoisyCounts ask(Mechanisms& mechanisms, const std::vector<std::int64_t>& values, const Share& share) {
  const Shape shape = {values.size()};
  return mechanisms.values(Cells<std::int64_t>::dense(shape, values), share.per_record, share.epsilon, share.name);
}

Noised<std::int64_t> ask_records(Mechanisms& mechanisms, const PointTable& points, const Share& share) {
  const std::uint64_t per_neighbor = share.per_record * mechanisms.unit().records_changed();
  return mechanisms.number(points.total(), per_neighbor, share.epsilon, share.name);
}

void append_grid(Synopsis& synopsis, const std::vector<Axis>& axes, std::span<const double> counts) {
  const std::size_t n = axes.size();
  std::vector<std::uint64_t> at(n, 0);
  std::vector<double> bounds(2 * n);
  for (const double count : counts) {
    for (std::size_t a = 0; a < n; ++a) {
      bounds[2 * a] = axes[a].edge(at[a]);
      bounds[2 * a + 1] = axes[a].edge(at[a] + 1);
    }
    synopsis.add(bounds, count);
    for (std::size_t a = n; a-- > 0 && ++at[a] == axes[a].cells();) at[a] = 0;
  }
}

namespace {
const std::vector<Publisher>& publishers() {
  static const std::vector<Publisher> all = {adaptive_grid(), uniform_grid(), quadtree(), kd_tree(), privelet()};
  return all;
}

const Publisher& named(const std::string& name) {
  for (const Publisher& publisher : publishers()) {
    if (publisher.name == name) return publisher;
  }
  throw InputError(fmt::format("there is no publisher '{}'{}; choose one of {}", name,
                               did_you_mean(name, publisher_names()), fmt::join(publisher_names(), ", ")));
}
}  // namespace

}  // namespace publishing

std::vector<std::string> publisher_names() {
  std::vector<std::string> names;
  for (const publishing::Publisher& publisher : publishing::publishers()) names.push_back(publisher.name);
  return names;
}

Noised<Synopsis> publish(const std::string& name, const PointTable& points, const Grid& grid, Epsilon epsilon,
                         Mechanisms& mechanisms) {
  const publishing::Publisher& publisher = publishing::named(name);
  if (points.columns.size() != grid.dimensions()) {
    throw Error(ErrorKind::internal, fmt::format("points of {} columns cannot be published on a grid of {} axes",
                                                 points.columns.size(), grid.dimensions()));
  }
  const Grid flat = in_positions(grid);
  const publishing::Plan plan = publisher.plan(flat, epsilon);
  const auto plain = [](const Axis& axis) { return axis.kind().is_plain(); };
  if (std::all_of(grid.axes().begin(), grid.axes().end(), plain)) return publisher.run(points, flat, plan, mechanisms);
  PointTable positions = points;
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    for (double& x : positions.columns[axis]) x = grid.axis(axis).position(x);
  }
  return publisher.run(positions, flat, plan, mechanisms);
}

std::vector<Spent> planned_publication(const std::string& name, const Grid& grid, Epsilon epsilon,
                                       const PrivacyUnit& unit) {
  std::vector<Spent> spent;
  for (const publishing::Share& share : publishing::named(name).plan(in_positions(grid), epsilon)) {
    spent.push_back({share.name, share.per_record * unit.records_changed(), share.epsilon});
  }
  require_rates(spent, unit);
  return spent;
}

}  // namespace shoal
