#include "shoal/clusters.hpp"

#include "arrays.hpp"
#include "options.hpp"
#include "parameters.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal_python {

shoal::Adjacency adjacency_named(const std::string& name) {
  if (name == "full") return shoal::Adjacency::full;
  if (name == "face") return shoal::Adjacency::face;
  throw nb::value_error("adjacency must be 'full' or 'face'");
}

shoal::Transform transform_named(const std::string& name) {
  if (name == "decimated") return shoal::Transform::decimated;
  if (name == "stationary") return shoal::Transform::stationary;
  throw nb::value_error("transform must be 'decimated' or 'stationary'");
}

shoal::Assign assign_named(const std::string& name) {
  if (name == "none") return shoal::Assign::none;
  if (name == "halo") return shoal::Assign::halo;
  if (name == "nearest") return shoal::Assign::nearest;
  throw shoal::InputError("assign must be 'none', 'halo' or 'nearest'");
}

std::optional<shoal::Threshold> threshold_of(std::optional<double> percentile, std::optional<std::uint64_t> top,
                                             std::optional<double> density, std::optional<double> coverage) {
  if (percentile.has_value() + top.has_value() + density.has_value() + coverage.has_value() > 1) {
    throw nb::value_error("give only one of percentile, coverage, top and density");
  }
  if (percentile) return shoal::Percentile(*percentile);
  if (top) return shoal::Top(*top);
  if (density) return shoal::Density(*density);
  if (coverage) return shoal::Coverage(*coverage);
  return std::nullopt;
}

}  // namespace shoal_python

namespace {

using namespace shoal_python;

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;  // of bools or of 8-bit integers

// Exactly one says how the significant cells are chosen.
shoal::Threshold one_threshold(std::optional<double> percentile, std::optional<std::uint64_t> top,
                               std::optional<double> density, std::optional<double> coverage) {
  const std::optional<shoal::Threshold> given = threshold_of(percentile, top, density, coverage);
  if (!given) throw nb::value_error("give exactly one of percentile, coverage, top and density");
  return *given;
}

void bind_options(nb::module_& m) {
  nb::class_<shoal::ClusterOptions>(m, "ClusterOptions")
      .def(
          "__init__",
          [](shoal::ClusterOptions* self, nb::handle percentile, nb::handle top, nb::handle density,
             nb::handle coverage, nb::handle wavelet, nb::handle level, const std::string& transform,
             nb::handle adjacency, nb::handle min_cells, nb::handle threads, bool modes) {
            new (self) shoal::ClusterOptions{
                modes ? shoal::DensityModes{}
                      : one_threshold(number_or_none(percentile, "percentile"), whole_or_none(top, "top"),
                                      number_or_none(density, "density"), number_or_none(coverage, "coverage")),
                shoal::Wavelet::named(text_of(wavelet, "wavelet")),
                small_of(level, "level"),
                transform_named(transform),
                adjacency_named(text_of(adjacency, "adjacency")),
                whole_of(min_cells, "min_cells"),
                small_of(threads, "threads")};
          },
          nb::arg("percentile") = nb::none(), nb::arg("top") = nb::none(), nb::arg("density") = nb::none(),
          nb::arg("coverage") = nb::none(), nb::arg("wavelet").none() = "haar", nb::arg("level").none() = 1,
          nb::arg("transform") = "decimated", nb::arg("adjacency").none() = "full", nb::arg("min_cells").none() = 1,
          nb::arg("threads").none() = 0, nb::arg("modes") = false)
      .def_ro("level", &shoal::ClusterOptions::level)
      .def_prop_ro("transform", [](const shoal::ClusterOptions& options) {
        return options.transform == shoal::Transform::decimated ? "decimated" : "stationary";
      });
}

void bind_segmentation(nb::module_& m) {
  nb::class_<shoal::Clusters>(m, "Clusters")
      .def_prop_ro("shape", [](const shoal::Clusters& clusters) { return nb::tuple(nb::cast(clusters.shape())); })
      .def_prop_ro(
          "sizes",
          [](nb::handle self) { return view(std::span(nb::cast<const shoal::Clusters&>(self).sizes()), self); })
      .def_prop_ro(
          "cells",
          [](nb::handle self) { return view(std::span(nb::cast<const shoal::Clusters&>(self).cells()), self); })
      .def_prop_ro(
          "labels",
          [](nb::handle self) { return view(std::span(nb::cast<const shoal::Clusters&>(self).labels()), self); })
      .def("__len__", &shoal::Clusters::count)
      .def("label", &shoal::Clusters::label, nb::arg("cell"));
  nb::class_<shoal::Segmentation>(m, "Segmentation")
      .def_ro("positive", &shoal::Segmentation::positive)
      .def_ro("nonpositive", &shoal::Segmentation::nonpositive)
      .def_ro("k", &shoal::Segmentation::k)
      .def_ro("significant", &shoal::Segmentation::significant)
      .def_ro("threshold", &shoal::Segmentation::threshold)
      .def_ro("threshold_sum", &shoal::Segmentation::threshold_sum)
      .def_ro("clusters", &shoal::Segmentation::clusters);
  m.def("wavecluster", &shoal::wavecluster, nb::arg("counts"), nb::arg("options"),
        nb::call_guard<nb::gil_scoped_release>(), "Plain WaveCluster. Not private.");
}

nb::list ring_of(const shoal::Ring& ring) { return nb::cast<nb::list>(nb::cast(ring.points)); }

// [(exterior, [hole, ...]), ...], rings as lists of (x, y).
nb::list polygons_of(const std::vector<shoal::Polygon>& polygons) {
  nb::list result;
  for (const shoal::Polygon& polygon : polygons) {
    nb::list holes;
    for (const shoal::Ring& hole : polygon.holes) holes.append(ring_of(hole));
    result.append(nb::make_tuple(ring_of(polygon.exterior), holes));
  }
  return result;
}

nb::ndarray<nb::numpy, std::uint32_t> label_columns(const shoal::ClusterMap& map,
                                                    const std::vector<ColumnArray>& arrays) {
  if (arrays.size() != map.grid().dimensions()) throw nb::value_error("give one column for every axis of the grid");
  std::vector<std::uint32_t> labels(rows_of(arrays));
  {
    const nb::gil_scoped_release release;
    std::vector<std::vector<double>> copies(arrays.size());
    std::vector<std::span<const double>> columns;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].stride(0) == 1) {
        columns.emplace_back(arrays[i].data(), labels.size());
        continue;
      }
      copies[i].resize(labels.size());
      for (std::size_t row = 0; row < labels.size(); ++row) {
        copies[i][row] = arrays[i].data()[static_cast<std::ptrdiff_t>(row) * arrays[i].stride(0)];
      }
      columns.emplace_back(copies[i]);
    }
    map.label(columns, labels);
  }
  return to_numpy(std::move(labels));
}

void bind_map(nb::module_& m) {
  nb::class_<shoal::ClusterMap>(m, "ClusterMap")
      .def(
          "__init__",
          [](shoal::ClusterMap* self, const shoal::Grid& grid, const shoal::ClusterOptions& options,
             const shoal::Clusters& clusters) {
            new (self) shoal::ClusterMap(grid, options.level, options.transform, clusters);
          },
          nb::arg("grid"), nb::arg("options"), nb::arg("clusters"))
      .def("label", &label_columns, nb::arg("columns"), "Cluster of each row; 0: unclustered or outside the bounds.")
      .def(
          "assigned",
          [](const shoal::ClusterMap& map, const std::string& assign) { return map.assigned(assign_named(assign)); },
          nb::arg("assign"), "The same clusters, with labels that reach further.")
      .def_prop_ro("grid", &shoal::ClusterMap::grid)
      .def_prop_ro("clusters", &shoal::ClusterMap::clusters)
      .def(
          "outline",
          [](const shoal::ClusterMap& map, std::uint32_t cluster) { return polygons_of(shoal::outline(map, cluster)); },
          nb::arg("cluster"), "[(exterior, [hole, ...]), ...] of a cluster in the plane.")
      .def("cell_bounds", &shoal::ClusterMap::cell_bounds, nb::arg("axis"), nb::arg("coordinate"));
}

template <class T>
nb::tuple significant(const shoal::Cells<T>& cells, const shoal::Threshold& threshold) {
  shoal::Significant<T> found;
  {
    const nb::gil_scoped_release release;
    found = shoal::significant_cells(cells, threshold);
  }
  return nb::make_tuple(found.positive, found.nonpositive, found.k, found.threshold, to_numpy(std::move(found.cells)));
}

template <class T>
void bind_significant(nb::module_& m) {
  m.def(
      "significant_cells",
      [](const Array<T>& values, std::optional<double> percentile, std::optional<std::uint64_t> top,
         std::optional<double> density, std::optional<double> coverage) {
        shoal::Shape shape;
        for (std::size_t axis = 0; axis < values.ndim(); ++axis) shape.push_back(values.shape(axis));
        std::vector<T> copy(values.data(), values.data() + values.size());
        return significant(shoal::Cells<T>::dense(std::move(shape), std::move(copy)),
                           one_threshold(percentile, top, density, coverage));
      },
      nb::arg("values"), nb::arg("percentile") = nb::none(), nb::arg("top") = nb::none(),
      nb::arg("density") = nb::none(), nb::arg("coverage") = nb::none(),
      "(positive, nonpositive, k, threshold, linear indices of the significant cells)");
}

void bind_connect(nb::module_& m) {
  m.def(
      "connect_mask",
      [](const Bytes& mask, const std::string& adjacency, std::uint64_t min_cells, unsigned threads) {
        const shoal::Adjacency kind = adjacency_named(adjacency);
        if (mask.itemsize() != 1) throw nb::type_error("a mask must hold bools or 8-bit integers");
        std::vector<std::size_t> shape;
        for (std::size_t axis = 0; axis < mask.ndim(); ++axis) shape.push_back(mask.shape(axis));
        using Labels = shoal::Values<std::uint32_t>;
        auto labels = std::make_unique<Labels>(mask.size());
        std::vector<std::uint64_t> sizes;
        {
          const nb::gil_scoped_release release;
          sizes = shoal::connect_mask(std::vector<std::uint64_t>(shape.begin(), shape.end()),
                                      {static_cast<const std::uint8_t*>(mask.data()), mask.size()}, *labels, kind,
                                      min_cells, threads);
        }
        std::uint32_t* const data = labels->data();
        const nb::capsule owner(labels.release(), [](void* held) noexcept { delete static_cast<Labels*>(held); });
        return nb::make_tuple(nb::ndarray<nb::numpy, std::uint32_t>(data, shape.size(), shape.data(), owner),
                              to_numpy(std::move(sizes)));
      },
      nb::arg("mask"), nb::arg("adjacency") = "full", nb::arg("min_cells") = 1, nb::arg("threads") = 0,
      "(labels of the mask's shape, sizes): components numbered from the largest; the mask is bytes, not zero where "
      "set");
  m.def(
      "connect",
      [](const shoal::Shape& shape, const Array<std::uint64_t>& cells, const std::string& adjacency,
         std::uint64_t min_cells) {
        const shoal::Adjacency kind = adjacency_named(adjacency);
        const nb::gil_scoped_release release;
        return shoal::connect(shape, {cells.data(), cells.size()}, kind, min_cells);
      },
      nb::arg("shape"), nb::arg("cells"), nb::arg("adjacency") = "full", nb::arg("min_cells") = 1,
      "Clusters of the listed cells (linear indices, ascending).");
}

}  // namespace

void bind_clusters(nb::module_& m) {
  bind_options(m);
  bind_segmentation(m);
  bind_map(m);
  m.def(
      "significant_count",
      [](double percentile, std::uint64_t positives) {
        return shoal::significant_count(shoal::Percentile(percentile), positives);
      },
      nb::arg("percentile"), nb::arg("positives"));
  bind_significant<std::int64_t>(m);
  bind_significant<double>(m);
  bind_connect(m);
}
