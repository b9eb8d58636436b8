// Private synthetic points.

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "options.hpp"
#include "parameters.hpp"
#include "points.hpp"
#include "shoal/privacy.hpp"
#include "shoal/synthesis.hpp"

namespace {

shoal::Synthesis synthesize(nb::handle batches, const shoal::Grid& grid, const std::string& epsilon,
                            const shoal::PrivateOptions& options, nb::handle outside, nb::handle seed,
                            std::optional<std::string> ledger, std::string dataset) {
  const shoal::SynthesisRequest request{
      .grid = grid,
      .epsilon = shoal::Epsilon::parse(epsilon),
      .publisher = options.publisher,
      .unit = options.unit,
      .outside = shoal_python::outside_named(shoal_python::text_of(outside, "outside")),
      .ledger = std::move(ledger),
      .dataset = std::move(dataset),
      .seed = shoal_python::whole_or_none(seed, "random_state")};
  const auto points = shoal_python::python_points(grid.dimensions(), batches);
  const nb::gil_scoped_release unlocked;
  return shoal::synthesize(*points, request);
}

// Rows, and the share that was drawn.
std::pair<nb::ndarray<nb::numpy, double>, double> draw(const shoal::Synthesis& synthesis, std::uint64_t most) {
  std::vector<double> rows;
  const std::size_t dimensions = synthesis.dimensions();
  double share = 1;
  {
    const nb::gil_scoped_release unlocked;
    share = synthesis.draw(
        [&](const shoal::PointBlock& block) {
          for (std::size_t row = 0; row < block.rows(); ++row) {
            for (const auto& column : block.columns) rows.push_back(column[row]);
          }
        },
        most);
  }
  const std::size_t count = rows.size() / dimensions;
  return {shoal_python::to_numpy(std::move(rows), {count, dimensions}), share};
}

void bind_synthesis(nb::module_& m) {
  nb::class_<shoal::Synthesis>(m, "Synthesis")
      .def("spent",
           [](const shoal::Synthesis& synthesis) {
             std::vector<std::tuple<std::string, std::uint64_t, std::string>> shares;
             for (const shoal::Spent& share : synthesis.spent()) {
               shares.emplace_back(share.mechanism, share.sensitivity, share.epsilon.text());
             }
             return shares;
           })
      .def_prop_ro("is_private", &shoal::Synthesis::is_private)
      .def_prop_ro("boxes", &shoal::Synthesis::boxes)
      .def("draw", &draw, nb::arg("most"),
           nb::sig("def draw(self, most: int) -> tuple[NDArray[numpy.float64], float]"));
  m.def("synthesize", &synthesize, nb::arg("batches"), nb::arg("grid"), nb::arg("epsilon"), nb::arg("options"),
        nb::kw_only(), nb::arg("outside").none() = "drop", nb::arg("seed") = nb::none(), nb::arg("ledger") = nb::none(),
        nb::arg("dataset") = "", "Private synthetic points of batches (columns, units or None).");
}

}  // namespace

void bind_publishing(nb::module_& m) { bind_synthesis(m); }
