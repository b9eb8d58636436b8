#include "shoal/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "arrays.hpp"
#include "options.hpp"
#include "parameters.hpp"
#include "shoal/counts.hpp"
#include "shoal/private_release.hpp"
#include "shoal/release.hpp"
#include "shoal/text.hpp"

namespace {

using namespace shoal_python;

shoal::Grid make_grid(const std::vector<std::pair<double, double>>& bounds, const std::vector<std::uint64_t>& cells,
                      const std::vector<std::string>& names) {
  if (bounds.size() != cells.size()) throw nb::value_error("give as many bounds as numbers of cells");
  if (!names.empty() && names.size() != bounds.size()) throw nb::value_error("give as many names as bounds");
  std::vector<shoal::Axis> axes;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    axes.emplace_back(bounds[i].first, bounds[i].second, cells[i], names.empty() ? std::string() : names[i]);
  }
  return shoal::Grid(std::move(axes));
}

// Reads (lower, upper); false, with Python's error set, where it is no such pair.
bool read_pair(nb::handle value, std::pair<double, double>& pair) {
  const nb::object items = nb::steal(PySequence_Tuple(value.ptr()));
  if (!items.is_valid()) return false;
  if (PyTuple_Size(items.ptr()) != 2) {
    PyErr_SetString(PyExc_ValueError, "a pair is two numbers");
    return false;
  }
  pair.first = PyFloat_AsDouble(PyTuple_GetItem(items.ptr(), 0));
  if (PyErr_Occurred() == nullptr) pair.second = PyFloat_AsDouble(PyTuple_GetItem(items.ptr(), 1));
  return PyErr_Occurred() == nullptr;
}

// Ends with the error that is set, as one of bounds.
[[noreturn]] void refuse_bounds() {
  const char* const message = "bounds must be a pair (lower, upper), or one pair for every column";
  const bool wrong_type = PyErr_ExceptionMatches(PyExc_TypeError) != 0;
  if (!wrong_type && PyErr_ExceptionMatches(PyExc_ValueError) == 0) throw nb::python_error();
  PyErr_Clear();
  if (wrong_type) throw nb::type_error(message);
  throw nb::value_error(message);
}

// found: the columns' own names, where they have any.
std::vector<std::pair<double, double>> bounds_of(nb::handle bounds, std::size_t dimensions,
                                                 const std::vector<std::string>& found) {
  const nb::object items = nb::steal(PySequence_Tuple(bounds.ptr()));
  if (!items.is_valid()) refuse_bounds();
  std::vector<std::pair<double, double>> pairs(1);
  if (read_pair(items, pairs.front())) return {dimensions, pairs.front()};
  PyErr_Clear();
  pairs.clear();
  for (const nb::handle item : nb::borrow<nb::tuple>(items)) {
    if (!read_pair(item, pairs.emplace_back())) refuse_bounds();
  }
  if (pairs.size() == dimensions) return pairs;
  if (!found.empty()) {
    throw nb::value_error(fmt::format("bounds has {} pairs, but there are {} columns ({}); name the coordinates, "
                                      "with columns or with bounds as a dict of names to pairs",
                                      pairs.size(), dimensions, fmt::join(found, ", "))
                              .c_str());
  }
  throw nb::value_error(fmt::format("bounds has {} pairs, but the points have {} columns; give one pair for every "
                                    "column, or one for all",
                                    pairs.size(), dimensions)
                            .c_str());
}

std::vector<std::uint64_t> cells_of(nb::handle grid, std::size_t dimensions) {
  if (PyLong_Check(grid.ptr())) return std::vector(dimensions, whole_of(grid, "grid"));
  const bool listed = !PyUnicode_Check(grid.ptr()) && PyObject_HasAttrString(grid.ptr(), "__iter__") != 0;
  if (!listed && !is_whole(grid)) throw nb::type_error("grid must be a whole number, or one for every column");
  if (is_whole(grid)) return std::vector(dimensions, whole_of(grid, "grid"));
  std::vector<std::uint64_t> cells;
  for (const nb::handle item : nb::iter(grid)) cells.push_back(whole_of(item, "grid"));
  if (cells.size() == dimensions) return cells;
  throw nb::value_error(
      fmt::format("grid has {} numbers for {} columns; give one, or one for every column", cells.size(), dimensions)
          .c_str());
}

// The grid of columns that have names, or are called as the program calls them.
shoal::Grid grid_over(nb::handle bounds, nb::handle grid, std::vector<std::string> names,
                      const std::vector<std::string>& found) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = "axis " + std::to_string(i + 1);
  }
  const auto pairs = bounds_of(bounds, names.size(), found);
  return make_grid(pairs, cells_of(grid, pairs.size()), names);
}

shoal::DeclaredAxis declared(const std::string& text, std::string name, bool latitude) {
  shoal::DeclaredAxis axis = shoal::declared_axis(text);
  if (!name.empty()) axis.name = std::move(name);
  if (latitude) axis.kind.scale = shoal::Latitude{};
  axis.check();
  return axis;
}

shoal::DeclaredAxis declared_names(std::string name, std::vector<std::string> names, bool circle) {
  shoal::DeclaredAxis axis{.name = std::move(name), .kind = {.scale = shoal::Names{std::move(names)}}};
  axis.kind.border = circle ? shoal::Border::circle : shoal::Border::apart;
  axis.check();
  return axis;
}

// grid: as cells_of takes it, or "auto".
shoal::Grid grid_of_axes(const std::vector<shoal::DeclaredAxis>& declared, nb::handle grid) {
  const auto pooled =
      std::count_if(declared.begin(), declared.end(), [](const auto& axis) { return axis.kind.is_pooled(); });
  const std::vector<std::uint64_t> cells =
      PyUnicode_Check(grid.ptr()) != 0 && nb::cast<std::string>(grid) == "auto"
          ? std::vector(declared.size(), shoal::cells_of_automatic_bounds(static_cast<std::size_t>(pooled)))
          : cells_of(grid, declared.size());
  std::vector<shoal::Axis> axes;
  for (std::size_t i = 0; i < declared.size(); ++i) axes.push_back(declared[i].fitted(cells[i]));
  return shoal::Grid(std::move(axes));
}

const shoal::Instants* instants_of(const shoal::Axis& axis) { return std::get_if<shoal::Instants>(&axis.kind().scale); }

void bind_axes(nb::module_& m) {
  nb::class_<shoal::DeclaredAxis>(m, "DeclaredAxis")
      .def(
          "__init__",
          [](shoal::DeclaredAxis* self, const std::string& text, const std::string& name, bool latitude) {
            new (self) shoal::DeclaredAxis(declared(text, name, latitude));
          },
          nb::arg("text"), nb::arg("name") = "", nb::arg("latitude") = false)
      .def_static("of_names", &declared_names, nb::arg("name"), nb::arg("names"), nb::arg("circle"))
      .def_ro("name", &shoal::DeclaredAxis::name)
      .def(
          "fitted", [](const shoal::DeclaredAxis& axis, std::uint64_t cells) { return axis.fitted(cells); },
          nb::arg("cells"));
  m.def("grid_of_axes", &grid_of_axes, nb::arg("axes"), nb::arg("grid").none(),
        "The grid of declared axes, with at most `grid` cells per axis. \"auto\": the finest that may be chosen.");
  nb::class_<shoal::Axis>(m, "Axis")
      .def(nb::init<double, double, std::uint64_t, std::string>(), nb::arg("lo"), nb::arg("hi"), nb::arg("cells"),
           nb::arg("name") = "")
      .def_prop_ro("lo", &shoal::Axis::lo)
      .def_prop_ro("hi", &shoal::Axis::hi)
      .def_prop_ro("cells", &shoal::Axis::cells)
      .def_prop_ro("name", &shoal::Axis::name)
      .def_prop_ro("label", &shoal::Axis::label)
      .def_prop_ro(
          "is_plain",
          [](const shoal::Axis& axis) { return axis.kind() == shoal::AxisKind{.scale = {}, .unit = axis.kind().unit}; })
      .def(
          "ticks",
          [](const shoal::Axis& axis, double wanted) {
            std::vector<std::pair<double, std::string>> result;
            for (const shoal::Tick& tick : shoal::axis_ticks(axis, wanted)) result.emplace_back(tick.value, tick.text);
            return result;
          },
          nb::arg("wanted"), "Round values of it: the share of the axis before each, and its text.")
      .def_prop_ro("reads_text", [](const shoal::Axis& axis) { return axis.kind().reads_text(); })
      .def_prop_ro("is_time", [](const shoal::Axis& axis) { return instants_of(axis) != nullptr; })
      .def_prop_ro("offset", [](const shoal::Axis& axis) { return instants_of(axis) ? instants_of(axis)->offset : 0; })
      .def_prop_ro("a_second",
                   [](const shoal::Axis& axis) { return instants_of(axis) ? instants_of(axis)->a_second : 1; })
      .def(
          "text", [](const shoal::Axis& axis, double x) { return axis.text(x); }, nb::arg("x"))
      .def("position", &shoal::Axis::position, nb::arg("x"))
      .def("cell", &shoal::Axis::cell, nb::arg("x"))
      .def("edge", &shoal::Axis::edge, nb::arg("j"));
  nb::class_<shoal::Grid>(m, "Grid")
      .def(
          "__init__",
          [](shoal::Grid* self, const std::vector<std::pair<double, double>>& bounds,
             const std::vector<std::uint64_t>& cells,
             const std::vector<std::string>& names) { new (self) shoal::Grid(make_grid(bounds, cells, names)); },
          nb::arg("bounds"), nb::arg("cells"), nb::arg("names") = std::vector<std::string>())
      .def_prop_ro("axes", &shoal::Grid::axes)
      .def_prop_ro("shape", [](const shoal::Grid& grid) { return nb::tuple(nb::cast(grid.shape())); })
      .def_prop_ro("cell_count", &shoal::Grid::cell_count)
      .def_prop_ro("json", [](const shoal::Grid& grid) { return shoal::axes_json(grid); })
      .def(
          "__eq__", [](const shoal::Grid& a, const shoal::Grid& b) { return a == b; },
          nb::sig("def __eq__(self, other: object, /) -> bool"));
  m.def(
      "grid_over", &grid_over, nb::arg("bounds").none(), nb::arg("grid").none(), nb::arg("names"),
      nb::arg("found") = std::vector<std::string>(),
      "The grid of as many columns as names ('': axis 1, axis 2, ...): a pair of bounds and a number of cells, or one "
      "for every column. found: the columns' own names, for what is said where their number is wrong.");
}

void bind_counts(nb::module_& m) {
  nb::class_<shoal::Counts>(m, "Counts")
      .def_prop_ro("grid", &shoal::Counts::grid)
      .def_prop_ro("points", &shoal::Counts::points)
      .def_prop_ro("outside", &shoal::Counts::outside)
      .def_prop_ro("is_dense", [](const shoal::Counts& counts) { return counts.raw().is_dense(); })
      // Dense: an array of the grid's shape. Sparse: one value for every entry of index.
      .def_prop_ro("values",
                   [](nb::handle self) {
                     const auto& cells = nb::cast<const shoal::Counts&>(self).raw();
                     const auto& shape = cells.shape();
                     return view(cells.values(), self,
                                 cells.is_dense() ? std::vector<std::size_t>(shape.begin(), shape.end())
                                                  : std::vector<std::size_t>());
                   })
      .def_prop_ro("index",
                   [](nb::handle self) { return view(nb::cast<const shoal::Counts&>(self).raw().index(), self); });
  m.def(
      "quantize",
      [](const std::vector<ColumnArray>& columns, const shoal::Grid& grid, const std::string& outside,
         std::uint64_t dense_limit, unsigned threads) {
        const shoal::QuantizeOptions options{outside_named(outside), dense_limit, threads};
        const auto points = points_of(columns);
        const nb::gil_scoped_release release;
        return shoal::quantize(*points, grid, options);
      },
      nb::arg("columns"), nb::arg("grid"), nb::arg("outside") = "drop", nb::arg("dense_limit") = shoal::dense_limit,
      nb::arg("threads") = 0, "Counts of points per cell. columns: one float64 array an axis.");
}

}  // namespace

void bind_grid(nb::module_& m) {
  bind_axes(m);
  bind_counts(m);
}
