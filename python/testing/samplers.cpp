// For the tests and benchmarks alone: samplers, mechanisms and publishers with a seed, and the measures of the
// evaluation. They may include private headers of the library. Everything here is in the submodule `internal`, which is
// not part of the interface.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "arrays.hpp"
#include "base/simd.hpp"
#include "grid/contributions.hpp"
#include "points.hpp"
#include "privacy/mechanisms.hpp"
#include "privacy/noise.hpp"
#include "privacy/random_bits.hpp"
#include "publishing/count_tree.hpp"
#include "publishing/haar_tree.hpp"
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "shoal/tree.hpp"

using namespace shoal;
using namespace shoal_python;

namespace {

using Values = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

std::unique_ptr<shoal::Noise> noise_of(std::optional<std::uint64_t> seed) {
  return seed ? shoal::seeded_noise_not_private(*seed) : shoal::secure_noise();
}

// For oracle tests and benchmarks.
void bind_noise(nb::module_& internal) {
  internal.def(
      "add_laplace",
      [](const nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values, std::uint64_t numerator,
         std::uint64_t denominator, std::optional<std::uint64_t> seed, unsigned threads) {
        const std::span<std::int64_t> span(values.data(), values.shape(0));
        const nb::gil_scoped_release released;
        noise_of(seed)->add_laplace(span, {numerator, denominator}, threads);
      },
      nb::arg("values"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("seed") = nb::none(),
      nb::arg("threads") = 1);
  internal.def(
      "choose",
      [](const std::vector<std::pair<std::uint64_t, std::uint64_t>>& intervals, std::uint64_t numerator,
         std::uint64_t denominator, std::uint64_t seed, std::size_t draws) {
        std::vector<shoal::WeightedInterval> weighted;
        for (const auto& [measure, cost] : intervals) weighted.push_back({measure, cost});
        const auto noise = noise_of(seed);
        std::vector<std::uint64_t> chosen(draws);
        for (auto& index : chosen) index = noise->choose(weighted, {numerator, denominator});
        return shoal_python::to_numpy(std::move(chosen));
      },
      nb::arg("intervals"), nb::arg("numerator"), nb::arg("denominator"), nb::arg("seed"), nb::arg("draws"));
  internal.def("raw_words", &shoal::raw_words, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>());
}

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

Cells<std::int64_t> cells_of(const Values& values) {
  Shape shape;
  for (std::size_t i = 0; i < values.ndim(); ++i) shape.push_back(values.shape(i));
  return Cells<std::int64_t>::dense(shape, std::vector<std::int64_t>(values.data(), values.data() + values.size()));
}

Grid grid_of(const Shape& shape, const std::vector<std::pair<double, double>>& bounds,
             const std::vector<std::string>& names) {
  if (bounds.size() != shape.size() || names.size() != shape.size()) {
    throw InputError("give a pair of bounds and a name for every axis");
  }
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    axes.emplace_back(bounds[i].first, bounds[i].second, shape[i], names[i]);
  }
  return Grid(std::move(axes));
}

// For tests: counts through the mechanism with seeded noise, so that it is never private.
Release seeded_release(const Values& counts, const std::vector<std::pair<double, double>>& bounds,
                       const std::vector<std::string>& names, const std::string& epsilon, std::uint64_t seed,
                       double percentile) {
  const Cells<std::int64_t> cells = cells_of(counts);
  Grid grid = grid_of(cells.shape(), bounds, names);
  const Epsilon budget = Epsilon::parse(epsilon);
  const std::unique_ptr<Noise> noise = seeded_noise_not_private(seed);
  Mechanisms mechanisms(*noise, {}, budget);
  NoisyCounts noisy = mechanisms.counts(Counts(grid, cells, 0, 0), budget);
  return Release({.technique = "privqt",
                  .grid = std::move(grid),
                  .options = {.threshold = Percentile(percentile)},
                  .unit = {},
                  .epsilon = budget,
                  .is_private = mechanisms.is_private(),
                  .noisy = GridCounts{std::move(noisy)}});
}

// For tests: any technique with seeded noise, so that it is never private.
Release seeded_technique(const std::string& technique, const Values& counts, const std::string& epsilon,
                         std::uint64_t seed, double percentile, unsigned level, const std::string& adjacency) {
  const Cells<std::int64_t> cells = cells_of(counts);
  std::vector<Axis> axes;
  for (const std::uint64_t extent : cells.shape()) axes.emplace_back(0, 1, extent);
  const Grid grid(std::move(axes));
  ClusterOptions cluster{.threshold = Percentile(percentile), .level = level};
  cluster.adjacency = adjacency == "face" ? Adjacency::face : Adjacency::full;
  return private_release(Counts(grid, cells, 0, 0), {.grid = grid,
                                                     .epsilon = Epsilon::parse(epsilon),
                                                     .options = {.cluster = cluster},
                                                     .technique = technique,
                                                     .seed = seed})
      .first();
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

void bind_samplers(nb::module_& internal) {
  bind_noise(internal);
  internal.def("tree_least_squares", &shoal::publishing::least_squares, nb::arg("levels"), nb::arg("budget"),
               nb::arg("fanout"));
  internal.def("haar_coefficients", &shoal::publishing::haar_coefficients, nb::arg("values"), nb::arg("shape"));
  internal.def("haar_inverse", &shoal::publishing::haar_inverse, nb::arg("coefficients"), nb::arg("shape"));
  internal.def("publish_seeded", &publish_seeded, nb::arg("publisher"), nb::arg("columns"), nb::arg("bounds"),
               nb::arg("cells"), nb::arg("epsilon"), nb::arg("seed"));
  // For tests: the branch of every cell at a threshold, all positive values taken; 0: none.
  internal.def("tree_cut", [](const Release& release, double threshold) {
    const ClusterTree::Cut cut = ClusterTree(release, {.least_deviations = 0}).cut(threshold);
    return std::pair(cut.cells, cut.branch);
  });
  internal.def("seeded_release", &seeded_release, nb::arg("counts"), nb::arg("bounds"), nb::arg("names"),
               nb::arg("epsilon") = "1", nb::arg("seed") = 1, nb::arg("percentile") = 50.0);
  internal.def("seeded_technique", &seeded_technique, nb::arg("technique"), nb::arg("counts"), nb::arg("epsilon"),
               nb::arg("seed"), nb::arg("percentile"), nb::arg("level") = 1, nb::arg("adjacency") = "full");
  internal.def(
      "sum",
      [](const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
        const nb::gil_scoped_release release;
        return plain_sum(values.data(), values.size());
      },
      nb::arg("values"), "The plain sum that the quantization benchmark measures itself against.");
  internal.def(
      "bounded_counts",
      [](nb::handle batches, const Grid& grid, std::uint64_t most, const std::string& key, std::uint64_t parts,
         unsigned threads) {
        ContributionKey digits{};
        if (key.size() != digits.digits.size()) throw nb::value_error("a key has 32 hexadecimal digits");
        std::copy(key.begin(), key.end(), digits.digits.begin());
        const auto points = python_points(grid.dimensions(), batches);
        const nb::gil_scoped_release unlocked;
        return bounded_counts(*points, grid, {.threads = threads}, {most, parts}, digits);
      },
      nb::arg("batches"), nb::arg("grid"), nb::arg("most"), nb::arg("key"), nb::arg("parts") = 1,
      nb::arg("threads") = 0,
      "Counts at most that many records of each unit, chosen by this key. With `parts` above 1, each unit shares that "
      "weight among its records.");
}
