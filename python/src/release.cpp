#include "shoal/release.hpp"

#include <nanobind/stl/tuple.h>

#include <utility>

#include "bindings.hpp"
#include "options.hpp"
#include "shoal/compare.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/levels.hpp"
#include "shoal/notices.hpp"
#include "shoal/private_release.hpp"
#include "shoal/tree.hpp"

using namespace shoal;

namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

ClusterOptions reshaped(const Release& release, std::optional<double> percentile, std::optional<std::string> wavelet,
                        std::optional<unsigned> level, std::optional<std::string> adjacency,
                        std::optional<std::uint64_t> min_cells, std::optional<std::uint64_t> top,
                        std::optional<double> density, std::optional<double> coverage) {
  ClusterOptions options = release.parts().options;
  const std::optional<Threshold> threshold = shoal_python::threshold_of(percentile, top, density, coverage);
  if (threshold) options.threshold = *threshold;
  if (wavelet) options.wavelet = Wavelet::named(*wavelet);
  if (level) options.level = *level;
  if (min_cells) options.min_cells = *min_cells;
  if (adjacency) {
    if (*adjacency != "full" && *adjacency != "face") throw InputError("adjacency must be 'full' or 'face'");
    options.adjacency = *adjacency == "full" ? Adjacency::full : Adjacency::face;
  }
  return options;
}

nb::object predicted(const Release& release, const Table& points, bool doubtful) {
  const std::size_t rows = points.shape(0);
  const std::size_t dimensions = release.parts().grid.dimensions();
  if (points.shape(1) != dimensions) {
    throw InputError("the points have " + std::to_string(points.shape(1)) + " columns, the release has " +
                     std::to_string(dimensions) + " axes");
  }
  auto labels = std::make_unique<std::vector<std::uint32_t>>(rows);
  {
    nb::gil_scoped_release unlocked;
    std::vector<std::vector<double>> columns(dimensions, std::vector<double>(rows));
    std::vector<std::span<const double>> views;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      for (std::size_t row = 0; row < rows; ++row) {
        columns[axis][row] = points.data()[static_cast<std::int64_t>(row) * points.stride(0) +
                                           static_cast<std::int64_t>(axis) * points.stride(1)];
      }
      views.emplace_back(columns[axis]);
    }
    release.labelling(doubtful ? Doubtful::keep : Doubtful::leave_out)
        .assigned(release.usual_assign())
        .label(views, *labels);
  }
  std::uint32_t* data = labels->data();
  nb::capsule owner(labels.release(),
                    [](void* held) noexcept { delete static_cast<std::vector<std::uint32_t>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(data, {rows}, owner));
}

}  // namespace

void bind_release(nb::module_& m) {
  nb::class_<Release>(m, "Release")
      .def_static("load", &Release::load, nb::arg("path"))
      .def_static("parse", &Release::parse, nb::arg("text"), nb::arg("where") = "the text")
      .def(
          "save",
          [](const Release& release, const std::string& path, bool overwrite, bool doubtful) {
            release.save(path, overwrite ? Existing::replace : Existing::refuse,
                         doubtful ? Doubtful::keep : Doubtful::leave_out);
          },
          nb::arg("path"), nb::arg("overwrite") = false, nb::arg("doubtful") = false)
      .def("json", &Release::json)
      .def(
          "geojson",
          [](const Release& release, bool doubtful) {
            return release.geojson(doubtful ? Doubtful::keep : Doubtful::leave_out);
          },
          nb::arg("doubtful") = false)
      .def("csv", &Release::csv)
      .def("html", &Release::html)
      .def(
          "svg",
          [](const Release& release, std::uint32_t first_number) {
            return release.picture(".svg", {.first_number = first_number});
          },
          nb::arg("first_number") = 1)
      .def(
          "png",
          [](const Release& release, double scale) {
            const std::string bytes = release.picture(".png", {.scale = scale});
            return nb::bytes(bytes.data(), bytes.size());
          },
          nb::arg("scale") = 2.0)
      .def("predict", &predicted, nb::arg("points"), nb::arg("doubtful") = false)
      .def(
          "reshape",
          [](const Release& release, std::optional<double> percentile, std::optional<std::string> wavelet,
             std::optional<unsigned> level, std::optional<std::string> adjacency,
             std::optional<std::uint64_t> min_cells, std::optional<std::uint64_t> top, std::optional<double> density,
             std::optional<double> coverage) {
            return reshape(release, reshaped(release, percentile, std::move(wavelet), level, std::move(adjacency),
                                             min_cells, top, density, coverage));
          },
          nb::kw_only(), nb::arg("percentile") = nb::none(), nb::arg("wavelet") = nb::none(),
          nb::arg("level") = nb::none(), nb::arg("adjacency") = nb::none(), nb::arg("min_cells") = nb::none(),
          nb::arg("top") = nb::none(), nb::arg("density") = nb::none(), nb::arg("coverage") = nb::none())
      .def("confidence",
           [](const Release& release) {
             std::vector<std::tuple<double, double, double, std::uint32_t, double>> result;
             for (const ClusterConfidence& confidence : release.confidence()) {
               result.emplace_back(confidence.real, confidence.connected, confidence.separate, confidence.joined_with,
                                   confidence.plain);
             }
             return result;
           })
      .def("doubtful", &Release::doubtful)
      .def("headline", [](const Release& release) { return counted_clusters(release); })
      .def("notice_of_uniform_area", [](const Release& release) { return notice_of_uniform_area(release); })
      .def("tree_json", [](const Release& release) { return tree_json(release, ClusterTree(release)); })
      .def("tree_svg", [](const Release& release) { return tree_svg(release, ClusterTree(release)); })
      .def("without_noisy_values", &Release::without_noisy_values)
      .def(
          "levels",
          [](const Release& release, const std::vector<unsigned>& levels) {
            return ReleaseLevels(release, release.parts().options, levels);
          },
          nb::arg("levels"), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("level", [](const Release& release) { return release.parts().options.level; })
      .def_prop_ro("k", &Release::k)
      .def_prop_ro("threshold", &Release::threshold)
      .def_prop_ro("n_clusters", [](const Release& release) { return release.cluster_cells().count(); })
      .def(
          "describe", [](const Release& release) { static_cast<void>(release.clusters()); },
          nb::call_guard<nb::gil_scoped_release>(),
          "Computes centroids, sizes and outlines now, not when they are first asked for.")
      .def_prop_ro("technique", [](const Release& release) { return release.parts().technique; })
      .def_prop_ro("ledger_head", [](const Release& release) { return release.parts().ledger_head; })
      .def_prop_ro("epsilon", [](const Release& release) { return release.parts().epsilon.value(); })
      .def("notices", [](const Release& release) { return notices(release); })
      .def("rounding", [](const Release& release) { return rounding_in_words(release.parts()); })
      .def_prop_ro("is_private", [](const Release& release) { return release.parts().is_private; });

  nb::class_<ReleaseLevels>(m, "ReleaseLevels")
      .def(
          "save",
          [](const ReleaseLevels& levels, const std::string& path, bool overwrite) {
            write_file(path, levels.contents(path), overwrite ? Existing::replace : Existing::refuse);
          },
          nb::arg("path"), nb::arg("overwrite") = false)
      .def_prop_ro("releases", &ReleaseLevels::releases, nb::rv_policy::copy)
      .def_prop_ro("held_by",
                   [](const ReleaseLevels& levels) {
                     std::vector<std::vector<std::pair<std::uint32_t, double>>> result;
                     for (const std::vector<Holder>& holders : levels.held_by()) {
                       result.emplace_back();
                       for (const Holder& holder : holders) result.back().emplace_back(holder.cluster, holder.share);
                     }
                     return result;
                   })
      .def(
          "contents",
          [](const ReleaseLevels& levels, const std::string& path) {
            const std::string bytes = levels.contents(path);
            return nb::bytes(bytes.data(), bytes.size());
          },
          nb::arg("path"));

  m.def(
      "compare_contents",
      [](const std::vector<const Release*>& releases, const std::vector<std::string>& names, const std::string& path) {
        std::vector<Release> all;
        for (const Release* release : releases) all.push_back(*release);
        const std::string bytes = compare_contents(all, names, path);
        return nb::bytes(bytes.data(), bytes.size());
      },
      nb::arg("releases"), nb::arg("names"), nb::arg("path"));
}
