#include "shoal/grid.hpp"

#include "arrays.hpp"
#include "base/simd.hpp"
#include "options.hpp"
#include "shoal/counts.hpp"

namespace {

using shoal_python::ColumnArray;
using shoal_python::outside_named;
using shoal_python::points_of;
using shoal_python::view;

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

void bind_axes(nb::module_& m) {
  nb::class_<shoal::Axis>(m, "Axis")
      .def(nb::init<double, double, std::uint64_t, std::string>(), nb::arg("lo"), nb::arg("hi"), nb::arg("cells"),
           nb::arg("name") = "")
      .def_prop_ro("lo", &shoal::Axis::lo)
      .def_prop_ro("hi", &shoal::Axis::hi)
      .def_prop_ro("cells", &shoal::Axis::cells)
      .def_prop_ro("name", &shoal::Axis::name)
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
      .def(
          "__eq__", [](const shoal::Grid& a, const shoal::Grid& b) { return a == b; },
          nb::sig("def __eq__(self, other: object, /) -> bool"));
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

// Many sums side by side: one alone would wait for its own additions, not for the memory.
SHOAL_CLONES double plain_sum(const double* values, std::size_t count) {
  double sums[32] = {};
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    for (std::size_t j = 0; j < 32; ++j) sums[j] += values[i + j];
  }
  double sum = 0;
  for (; i < count; ++i) sum += values[i];
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace

void bind_grid(nb::module_& m) {
  bind_axes(m);
  bind_counts(m);
  nb::module_ internal =
      nb::hasattr(m, "internal") ? nb::cast<nb::module_>(m.attr("internal")) : m.def_submodule("internal");
  internal.def(
      "sum",
      [](const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
        const nb::gil_scoped_release release;
        return plain_sum(values.data(), values.size());
      },
      nb::arg("values"), "The plain sum that the quantization benchmark measures itself against.");
}
