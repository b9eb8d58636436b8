// What the estimators call: counting, clustering, labelling and releasing points that Python holds.
#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "points.hpp"
#include "releases.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/owner.hpp"
#include "workers.hpp"

namespace shoal_python {

shoal::Outside outside_named(const std::string& name) {
  if (name == "drop") return shoal::Outside::drop;
  if (name == "clamp") return shoal::Outside::clamp;
  throw nb::value_error("outside must be 'drop' or 'clamp'");
}

}  // namespace shoal_python

namespace {

using namespace shoal;
using namespace shoal_python;

PrivacyUnit unit_of(const std::string& neighbors, const std::string& unit,
                    std::optional<std::uint64_t> max_contributions, const std::optional<std::string>& contribution) {
  PrivacyUnit result;
  if (neighbors != "add-remove" && neighbors != "replace") {
    throw nb::value_error("neighbors must be 'add-remove' or 'replace'");
  }
  result.neighbors = neighbors == "replace" ? Neighbors::replace : Neighbors::add_remove;
  if (unit == "record") {
    if (max_contributions || contribution) {
      throw nb::value_error(contribution
                                ? "contribution needs unit, the name of a column; a record contributes one row"
                                : "max_contributions needs unit, the name of a column; a record contributes one row");
    }
    return result;
  }
  if (contribution && *contribution != "share") throw nb::value_error("contribution must be 'share' or None");
  if (max_contributions && contribution) {
    throw nb::value_error("contribution='share' keeps all rows of a unit; remove max_contributions");
  }
  if (!max_contributions && !contribution) {
    throw nb::value_error(
        "unit needs max_contributions, the maximum rows kept per unit, or contribution='share', by which each unit "
        "counts once");
  }
  result.column = unit;
  result.max_contributions = max_contributions.value_or(1);
  result.share = contribution.has_value();
  result.check();
  return result;
}

BaseMeasure base_named(const std::string& name) {
  if (name == "logarithmic") return BaseMeasure::logarithmic;
  if (name == "uniform") return BaseMeasure::uniform;
  throw nb::value_error("base_measure must be 'logarithmic' or 'uniform'");
}

void bind_private_options(nb::module_& m) {
  nb::class_<PrivateOptions>(m, "PrivateOptions")
      .def(
          "__init__",
          [](PrivateOptions* self, const ClusterOptions& cluster, nb::handle neighbors, nb::handle unit,
             nb::handle max_contributions, nb::handle contribution, nb::handle alpha, nb::handle max_density,
             nb::handle base_measure, nb::handle publisher) {
            new (self) PrivateOptions{
                cluster,
                unit_of(text_of(neighbors, "neighbors"), text_of(unit, "unit"),
                        whole_or_none(max_contributions, "max_contributions"),
                        contribution.is_none() ? std::optional<std::string>() : text_of(contribution, "contribution")),
                number_or_none(alpha, "alpha"),
                number_or_none(max_density, "max_density"),
                base_named(text_of(base_measure, "base_measure")),
                text_of(publisher, "publisher")};
          },
          nb::arg("cluster"), nb::kw_only(), nb::arg("neighbors").none() = "add-remove",
          nb::arg("unit").none() = "record", nb::arg("max_contributions") = nb::none(),
          nb::arg("contribution") = nb::none(), nb::arg("alpha") = nb::none(), nb::arg("max_density") = nb::none(),
          nb::arg("base_measure").none() = "logarithmic", nb::arg("publisher").none() = "adaptive-grid");
  m.def("technique_names", [] { return technique_names(); });
  m.def(
      "planned_spending",
      [](nb::handle technique, const Grid& grid, const std::string& epsilon, const PrivateOptions& options,
         bool automatic, nb::handle layout) {
        std::vector<nb::tuple> shares;
        for (const Spent& share : planned_spending(request_of(grid, technique, epsilon, options, automatic, layout))) {
          shares.push_back(nb::make_tuple(share.mechanism, share.sensitivity, share.epsilon.text()));
        }
        return shares;
      },
      nb::arg("technique").none(), nb::arg("grid"), nb::arg("epsilon"), nb::arg("options"),
      nb::arg("automatic") = false, nb::arg("layout") = nb::none(),
      "(mechanism, sensitivity, epsilon) of every share, from public parameters alone.");
}

// Calls visit(first, block) for parts of the rows, on several threads. `clamp` moves the points into the bounds.
template <class Visit>
void each_part(const Grid& grid, const NumberColumns& columns, bool clamp, unsigned threads, const Visit& visit) {
  constexpr std::size_t part = 1U << 15;
  const std::size_t rows = columns.rows(), parts = (rows + part - 1) / part;
  on_threads(parts < 2 ? 1 : threads, parts, [&](std::size_t i) {  // to ask how many cores there are takes a while
    std::vector<std::vector<double>> copies;
    std::vector<std::span<const double>> block;
    const std::size_t first = i * part;
    columns.read(first, std::min(part, rows - first), copies, block);
    for (std::size_t axis = 0; clamp && axis < block.size(); ++axis) {
      copies[axis].assign(block[axis].begin(), block[axis].end());
      for (double& x : copies[axis]) x = grid.axis(axis).clamp(x);
      block[axis] = copies[axis];
    }
    visit(first, block);
  });
}

// Least and greatest finite value of every column; of none: +infinity and -infinity.
std::vector<std::pair<double, double>> extent(nb::handle batches, std::size_t dimensions) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, double>> ends(dimensions, {infinity, -infinity});
  const auto points = python_points(dimensions, batches);
  const nb::gil_scoped_release unlocked;
  points->scan(1, [&](unsigned, const PointBlock& block) {
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      for (const double x : block.columns[axis]) {
        if (!std::isfinite(x)) continue;
        ends[axis] = {std::min(ends[axis].first, x), std::max(ends[axis].second, x)};
      }
    }
  });
  return ends;
}

void check_axes(const HeldColumns& columns, const Grid& grid) {
  if ((*columns).size() != grid.dimensions()) throw nb::value_error("give one column for every axis of the grid");
}

// Returns labels as scikit-learn does: clusters start at 0, -1 is noise.
nb::ndarray<nb::numpy, std::int64_t> label(const ClusterMap& map, nb::handle batches, bool clamp, unsigned threads) {
  std::vector<std::int64_t> labels;
  for (const nb::handle batch : nb::iter(batches)) {
    const HeldColumns columns(batch[0]);
    check_axes(columns, map.grid());
    const std::size_t before = labels.size();
    labels.resize(before + (*columns).rows());
    const nb::gil_scoped_release unlocked;
    each_part(map.grid(), *columns, clamp, threads, [&](std::size_t first, const auto& block) {
      std::vector<std::uint32_t> found(block.front().size());
      map.label(block, found);
      for (std::size_t row = 0; row < found.size(); ++row) {
        labels[before + first + row] = std::int64_t{found[row]} - 1;
      }
    });
  }
  return to_numpy(std::move(labels));
}

// Returns the strength of every row, from 0 to 1.
nb::ndarray<nb::numpy, double> strength_of(const Release& release, const ClusterMap& map, nb::handle batches,
                                           bool clamp, unsigned threads) {
  const Labeller labeller(map, &release);
  std::vector<double> strengths;
  for (const nb::handle batch : nb::iter(batches)) {
    const HeldColumns columns(batch[0]);
    check_axes(columns, map.grid());
    const std::size_t before = strengths.size();
    strengths.resize(before + (*columns).rows());
    const nb::gil_scoped_release unlocked;
    each_part(map.grid(), *columns, clamp, threads, [&](std::size_t first, const auto& block) {
      const std::vector<double> found = labeller.label(block).strengths;
      std::copy(found.begin(), found.end(), strengths.begin() + static_cast<std::ptrdiff_t>(before + first));
    });
  }
  return to_numpy(std::move(strengths));
}

void bind_fitting(nb::module_& m) {
  m.def(
      "counted_grid",
      [](const Grid& grid, const PrivateOptions& options, bool automatic, nb::handle layout) {
        return counted_grid(request_of(grid, nb::str("privwave"), "1", options, automatic, layout));
      },
      nb::arg("grid"), nb::arg("options"), nb::arg("automatic"), nb::arg("layout").none(),
      "The grid on which counts for a release must lie.");
  m.def(
      "automatic_counts",
      [](nb::handle batches, const Grid& bounds, nb::handle outside, unsigned threads) {
        const QuantizeOptions options{.outside = outside_named(text_of(outside, "outside")), .threads = threads};
        const auto points = python_points(bounds.dimensions(), batches);
        const nb::gil_scoped_release unlocked;
        return automatic_counts(*points, bounds, options).counts;
      },
      nb::arg("batches"), nb::arg("bounds"), nb::arg("outside").none() = "drop", nb::arg("threads") = 0,
      "The counts on the grid that is chosen where there is no noise. Not private.");
  m.def("strength", &strength_of, nb::arg("release"), nb::arg("map"), nb::arg("batches"), nb::arg("clamp") = false,
        nb::arg("threads") = 0, "How strongly every row belongs to its cluster, from 0 to 1.");
  m.def(
      "count",
      [](nb::handle batches, const Grid& grid, nb::handle outside, unsigned threads) {
        const QuantizeOptions options{.outside = outside_named(text_of(outside, "outside")), .threads = threads};
        const auto points = python_points(grid.dimensions(), batches);
        const nb::gil_scoped_release unlocked;
        return quantize(*points, grid, options);
      },
      nb::arg("batches"), nb::arg("grid"), nb::arg("outside").none() = "drop", nb::arg("threads") = 0,
      "Counts of the points of batches (columns, None).");
  m.def(
      "release",
      [](nb::handle batches, const Grid& grid, nb::handle technique, const std::string& epsilon,
         const PrivateOptions& options, nb::handle outside, nb::handle seed, std::optional<std::string> ledger,
         std::string dataset, bool automatic, nb::handle layout, bool counted) {
        ReleaseRequest request = request_of(grid, technique, epsilon, options, automatic, layout);
        request.outside = outside_named(text_of(outside, "outside"));
        request.ledger = std::move(ledger);
        request.dataset = std::move(dataset);
        request.seed = whole_or_none(seed, "random_state");
        const bool groups = request.grouping() != nullptr;
        const auto points = python_points(grid.dimensions() + (groups ? 1 : 0) + (counted ? 1 : 0), batches);
        if (!counted) {
          const nb::gil_scoped_release unlocked;
          return private_release(*points, request);
        }
        check(request);
        const nb::gil_scoped_release unlocked;
        const Grid cells = counted_grid(request);
        const std::unique_ptr<Points> grouped = groups ? in_groups(*points, request.grouping()->axis) : nullptr;
        return private_release(given_counts(groups ? *grouped : *points, cells, cells.dimensions(), groups), request);
      },
      nb::arg("batches"), nb::arg("grid"), nb::arg("technique").none(), nb::arg("epsilon"), nb::arg("options"),
      nb::kw_only(), nb::arg("outside").none() = "drop", nb::arg("seed") = nb::none(), nb::arg("ledger") = nb::none(),
      nb::arg("dataset") = "", nb::arg("automatic") = false, nb::arg("layout") = nb::none(), nb::arg("counted") = false,
      "A private release of the points of batches (columns, units or None). layout: None, a Grouping (the first column "
      "says the group) or the maximum number of insets. counted: the columns are cell indices of each axis, then "
      "counts.");
  m.def(
      "check_budget",
      [](const std::optional<std::string>& ledger, std::string dataset, const std::string& epsilon) {
        check_budget(ledger, std::move(dataset), Epsilon::parse(epsilon));
      },
      nb::arg("ledger").none(), nb::arg("dataset"), nb::arg("epsilon"), "Refuses what the ledger would refuse now.");
  m.def("extent", &extent, nb::arg("batches"), nb::arg("dimensions"),
        "(least, greatest) finite value of every column; (inf, -inf) where there is none.");
  m.def("label", &label, nb::arg("map"), nb::arg("batches"), nb::arg("clamp") = false, nb::arg("threads") = 0,
        "Cluster of each row of all batches, from 0; -1: unclustered or outside the bounds.");
}

ClusterOptions changed(const Release& release, const nb::kwargs& changes) {
  ClusterOptions options = release.parts().options;
  const auto given = [&](const char* name) { return changes.contains(name) && !changes[name].is_none(); };
  const auto number = [&](const char* name) {
    return given(name) ? std::optional(nb::cast<double>(changes[name])) : std::nullopt;
  };
  const auto top = given("top") ? std::optional(nb::cast<std::uint64_t>(changes["top"])) : std::nullopt;
  const std::optional<Threshold> threshold =
      threshold_of(number("percentile"), top, number("density"), number("coverage"));
  if (threshold) options.threshold = *threshold;
  if (given("wavelet")) options.wavelet = Wavelet::named(nb::cast<std::string>(changes["wavelet"]));
  if (given("level")) options.level = nb::cast<unsigned>(changes["level"]);
  if (given("transform")) options.transform = transform_named(nb::cast<std::string>(changes["transform"]));
  if (given("adjacency")) options.adjacency = adjacency_named(nb::cast<std::string>(changes["adjacency"]));
  if (given("min_cells")) options.min_cells = nb::cast<std::uint64_t>(changes["min_cells"]);
  if (given("threads")) options.threads = nb::cast<unsigned>(changes["threads"]);
  return options;
}

// Noisy counts or sums as an array of their shape; None without them, or when they are sparse.
nb::object noisy_values(const Release& release) {
  const ReleaseParts& parts = release.parts();
  if (parts.values() == nullptr) return nb::none();
  const Cells<std::int64_t>& cells = parts.values()->value();
  if (!cells.is_dense()) return nb::none();
  return nb::cast(to_numpy(std::vector<std::int64_t>(cells.values().begin(), cells.values().end()),
                           {cells.shape().begin(), cells.shape().end()}));
}

void bind_release_views(nb::module_& m) {
  m.def(
      "reshaped",
      [](const Release& release, const nb::kwargs& changes) {
        const ClusterOptions options = changed(release, changes);
        const nb::gil_scoped_release unlocked;
        return reshape(release, options);
      },
      nb::arg("release"), nb::arg("changes"), nb::sig("def reshaped(release: Release, **changes: object) -> Release"),
      "Cluster the noisy values with other options. Spends no budget.");
  m.def(
      "clusters_of",
      [](const Shape& shape, const nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& cells,
         const nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& labels) {
        return Clusters(shape, {cells.data(), cells.data() + cells.size()},
                        {labels.data(), labels.data() + labels.size()});
      },
      nb::arg("shape"), nb::arg("cells"), nb::arg("labels"), "Clusters of listed cells, as they were.");
  m.def(
      "map_of",
      [](const Release& release, const std::optional<std::string>& assign, bool doubtful) {
        const ClusterMap map = release.labelling(doubtful ? Doubtful::keep : Doubtful::leave_out);
        return map.assigned(assign ? assign_named(*assign) : release.usual_assign());
      },
      nb::arg("release"), nb::arg("assign") = nb::none(), nb::arg("doubtful") = false);
  m.def("cells_of", &Release::cluster_cells, nb::arg("release"));
  m.def("noisy_values", &noisy_values, nb::arg("release"),
        nb::sig("def noisy_values(release: Release) -> NDArray[numpy.int64] | None"));
  m.def("colors", &cluster_colors_of, nb::arg("release"), "Colours of the clusters as every picture of ours has them.");
}

}  // namespace

void bind_private(nb::module_& m) {
  bind_private_options(m);
  bind_fitting(m);
  bind_release_views(m);
}
