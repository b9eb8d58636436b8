// For the oracle tests only: the inference steps of the publishers, and synopses made with seeded noise.
#include "publishing/publishing.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"
#include "publishing/count_tree.hpp"
#include "publishing/haar_tree.hpp"

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

}  // namespace

void bind_publishing(nb::module_& m) {
  nb::module_ internal =
      nb::hasattr(m, "internal") ? nb::cast<nb::module_>(m.attr("internal")) : m.def_submodule("internal");
  internal.def("tree_least_squares", &shoal::publishing::least_squares, nb::arg("levels"), nb::arg("budget"),
               nb::arg("fanout"));
  internal.def("haar_coefficients", &shoal::publishing::haar_coefficients, nb::arg("values"), nb::arg("shape"));
  internal.def("haar_inverse", &shoal::publishing::haar_inverse, nb::arg("coefficients"), nb::arg("shape"));
  internal.def("publish_seeded", &publish_seeded, nb::arg("publisher"), nb::arg("columns"), nb::arg("bounds"),
               nb::arg("cells"), nb::arg("epsilon"), nb::arg("seed"));
}
