#include "formats/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/geographic_axes.hpp"
#include "clusters/clustered_sums.hpp"
#include "formats/release_json.hpp"
#include "release/describe.hpp"
#include "shoal/error.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

using nlohmann::ordered_json;

// Swapping the axes mirrors a ring, so its points are reversed to keep its orientation.
ordered_json ring_json(const Ring& ring, bool swapped) {
  ordered_json points = ordered_json::array();
  const std::size_t count = ring.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [first, second] = ring.points[swapped ? count - 1 - i : i];
    points.push_back(swapped ? ordered_json::array({second, first}) : ordered_json::array({first, second}));
  }
  return points;
}

ordered_json geometry_json(const std::vector<Polygon>& polygons, bool swapped) {
  ordered_json all = ordered_json::array();
  for (const Polygon& polygon : polygons) {
    ordered_json rings = ordered_json::array({ring_json(polygon.exterior, swapped)});
    for (const Ring& hole : polygon.holes) rings.push_back(ring_json(hole, swapped));
    all.push_back(std::move(rings));
  }
  const bool single = all.size() == 1;
  return {{"type", single ? "Polygon" : "MultiPolygon"}, {"coordinates", single ? all.front() : all}};
}

// The bounds of cells as CSV fields. Each cell of an axis is written once.
class BoundsTexts {
 public:
  explicit BoundsTexts(const ClusterMap& map) : map_(map), texts_(map.grid().dimensions()) {}

  const std::string& at(std::size_t axis, std::uint64_t cell) {
    std::string& text = texts_[axis][cell];
    if (text.empty()) {
      const auto [lo, hi] = map_.cell_bounds(axis, cell);
      const auto [first, last] = range_texts(map_.grid().axis(axis), lo, hi);
      text = fmt::format(",{},{}", csv_field(first), csv_field(last));
    }
    return text;
  }

 private:
  const ClusterMap& map_;
  std::vector<std::unordered_map<std::uint64_t, std::string>> texts_;
};

std::string axis_name(const Grid& grid, std::size_t axis) {
  const std::string& name = grid.axis(axis).name();
  return name.empty() ? fmt::format("axis{}", axis + 1) : name;
}

}  // namespace

void require_two_axes(const Grid& grid) {
  if (grid.dimensions() == 2) return;
  throw InputError(
      fmt::format("GeoJSON needs two axes, this grid has {}; write .json or .csv instead", grid.dimensions()));
}

std::string feature_collection(const std::string& about, const std::string& features) {
  ordered_json collection{{"type", "FeatureCollection"}};
  if (!about.empty()) collection.update(ordered_json::parse(about));
  std::string text = collection.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.pop_back();
  return text + ",\n\"features\":[" + features + "\n]}\n";
}

// Features are written one per line as they are computed, because a collection may have very many.
std::string clusters_features(const ClusterMap& map, std::span<const std::int64_t> sizes, const std::string& size_name,
                              std::span<const ClusterConfidence> confidence, std::span<const std::uint32_t> left_out,
                              const std::optional<PartName>& part, std::span<const std::string> colors) {
  require_two_axes(map.grid());
  const bool swapped = geographic_axes(map.grid()).longitude == 1;
  const std::vector<std::vector<double>> centres = centroids(map);
  const std::vector<std::vector<Polygon>> polygons = outlines(map);
  std::string text;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    if (std::binary_search(left_out.begin(), left_out.end(), id)) continue;
    const ordered_json centre =
        swapped ? ordered_json::array({centres[i][1], centres[i][0]}) : ordered_json(centres[i]);
    ordered_json properties = ordered_json::object();
    if (part) properties[part->key] = part->name;
    properties.update({{"cluster", id}, {"cells", map.clusters().sizes()[i]}, {size_name, sizes[i]}});
    properties["centroid"] = centre;
    if (!confidence.empty()) {
      properties.update(confidence_json(confidence[i]));
      add_size(properties, confidence[i]);
    }
    // The names of simplestyle, which QGIS and web maps read.
    if (!colors.empty()) {
      properties.update({{"fill", colors[i]}, {"fill-opacity", 0.6}, {"stroke", "#1d2126"}, {"stroke-width", 1}});
    }
    ordered_json feature{{"type", "Feature"}};
    if (part) {
      feature["id"] = fmt::format("{}/{}", part->name, id);
    } else {
      feature["id"] = id;
    }
    feature["properties"] = std::move(properties);
    feature["geometry"] = geometry_json(polygons[i], swapped);
    text += fmt::format("{}\n{}", text.empty() ? "" : ",",
                        feature.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  return text;
}

std::string cells_csv(const ClusterMap& map, const Cells<std::int64_t>* values, const std::string& value_name,
                      bool is_private, const std::optional<CellIntervals>& intervals,
                      const std::optional<PartName>& part, bool header) {
  const Clusters& clusters = map.clusters();
  const std::string part_field = part ? csv_field(part->name) + "," : "";
  std::string text = part ? part->key + ",cluster" : "cluster";
  for (std::size_t axis = 0; axis < map.grid().dimensions(); ++axis) {
    const std::string name = axis_name(map.grid(), axis);
    text += fmt::format(",{},{}", csv_field(name + "_lo"), csv_field(name + "_hi"));
  }
  const char* const end = is_private ? "\n" : ",false\n";
  if (values != nullptr) text += fmt::format(",{}", csv_field(value_name));
  if (intervals) text += ",lower_95,upper_95";
  text += is_private ? "\n" : ",private\n";
  if (!header) text.clear();
  const std::vector<std::int64_t> sums =
      values == nullptr ? std::vector<std::int64_t>{} : clustered_sums(clusters, *values);
  BoundsTexts bounds(map);
  std::vector<std::uint64_t> at(clusters.shape().size());
  const auto write = std::back_inserter(text);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    fmt::format_to(write, "{}{}", part_field, clusters.labels()[i]);
    coordinates(clusters.cells()[i], clusters.shape(), at);
    for (std::size_t axis = 0; axis < at.size(); ++axis) text += bounds.at(axis, at[axis]);
    if (values != nullptr) fmt::format_to(write, ",{}", sums[i]);
    if (intervals) {
      const auto [least, most] = intervals->around(sums[i]);
      fmt::format_to(write, ",{},{}", least, most);
    }
    text += end;
  }
  return text;
}

}  // namespace shoal
