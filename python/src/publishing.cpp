// Private synthetic points. For the oracle tests: the inference steps of the publishers, and synopses made with seeded
// noise.
#include "publishing/publishing.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "options.hpp"
#include "parameters.hpp"
#include "points.hpp"
#include "publishing/count_tree.hpp"
#include "publishing/haar_tree.hpp"
#include "shoal/privacy.hpp"
#include "shoal/synthesis.hpp"

namespace {

using Bounds = std::vector<std::pair<double, double>>;

// Boxes as rows of lo, hi per axis, and their counts.
std::tuple<std::vector<std::vector<double>>, std::vector<double>> publish_seeded(
    const std::string& name, std::vector<std::vector<double>> columns, const Bounds& bounds, std::uint64_t cells,
    const std::string& epsilon, std::uint64_t seed) {
  std::vector<shoal::Axis> axes;
  for (const auto& [lo, hi] : bounds) axes.emplace_back(lo, hi, cells);
  const shoal::Grid grid(std::move(axes));
  const auto noise = shoal::seeded_noise_not_private(seed);
  const shoal::Epsilon budget = shoal::Epsilon::parse(epsilon);
  shoal::Mechanisms mechanisms(*noise, {}, budget);
  const auto published = shoal::publish(name, {std::move(columns)}, grid, budget, mechanisms);
  const shoal::Synopsis& synopsis = published.value();
  std::vector<std::vector<double>> boxes;
  std::vector<double> counts;
  for (std::size_t box = 0; box < synopsis.boxes(); ++box) {
    boxes.emplace_back(synopsis.bounds(box).begin(), synopsis.bounds(box).end());
    counts.push_back(synopsis.count(box));
  }
  return {std::move(boxes), std::move(counts)};
}

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

void bind_publishing(nb::module_& m) {
  bind_synthesis(m);
  nb::module_ internal =
      nb::hasattr(m, "internal") ? nb::cast<nb::module_>(m.attr("internal")) : m.def_submodule("internal");
  internal.def("tree_least_squares", &shoal::publishing::least_squares, nb::arg("levels"), nb::arg("budget"),
               nb::arg("fanout"));
  internal.def("haar_coefficients", &shoal::publishing::haar_coefficients, nb::arg("values"), nb::arg("shape"));
  internal.def("haar_inverse", &shoal::publishing::haar_inverse, nb::arg("coefficients"), nb::arg("shape"));
  internal.def("publish_seeded", &publish_seeded, nb::arg("publisher"), nb::arg("columns"), nb::arg("bounds"),
               nb::arg("cells"), nb::arg("epsilon"), nb::arg("seed"));
}
