#include "shoal/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "base/wide.hpp"
#include "release/describe.hpp"
#include "release/release_json.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool is_longitude(const Axis& axis) {
  const std::string name = lower(axis.name());
  const bool named = name == "lon" || name == "lng" || name == "long" || name == "longitude";
  return named && axis.lo() >= -180 && axis.hi() <= 180;
}

bool is_latitude(const Axis& axis) {
  const std::string name = lower(axis.name());
  return (name == "lat" || name == "latitude") && axis.lo() >= -90 && axis.hi() <= 90;
}

// How many halvings lead from the shape of the values to the shape of the clusters.
unsigned levels_between(const Shape& fine, const Shape& coarse) {
  constexpr unsigned most = 63;
  Shape shape = fine;
  for (unsigned level = 0; shape.size() == coarse.size() && level <= most; ++level) {
    if (shape == coarse) return level;
    for (std::uint64_t& extent : shape) extent = (extent + 1) / 2;
  }
  throw Error(ErrorKind::internal, "the values are on other cells than the clusters");
}

// Adds the dense values of the cells from low to below high on every axis.
Int128 block_sum(const Cells<std::int64_t>& values, const std::vector<std::uint64_t>& stride,
                 const std::vector<std::uint64_t>& low, const std::vector<std::uint64_t>& high, std::size_t axis = 0,
                 std::uint64_t offset = 0) {
  Int128 sum = 0;
  if (axis + 1 == low.size()) {
    for (const std::int64_t value : values.values().subspan(offset + low[axis], high[axis] - low[axis])) sum += value;
    return sum;
  }
  for (std::uint64_t i = low[axis]; i < high[axis]; ++i) {
    sum += block_sum(values, stride, low, high, axis + 1, offset + i * stride[axis]);
  }
  return sum;
}

// A clustered cell covers 2^shift cells of `values` an axis, fewer at the upper end.
std::vector<std::int64_t> sums_of_dense(const Clusters& clusters, const Cells<std::int64_t>& values, unsigned shift,
                                        unsigned threads) {
  const std::vector<std::uint64_t>& cells = clusters.cells();
  std::vector<std::int64_t> sums(cells.size());
  const std::vector<std::uint64_t> stride = strides(values.shape());
  constexpr std::size_t part = std::size_t{1} << 14;
  parallel_for((cells.size() + part - 1) / part, threads, [&](std::uint64_t which) {
    std::vector<std::uint64_t> low(stride.size());
    std::vector<std::uint64_t> high(stride.size());
    for (std::size_t i = which * part; i < std::min(cells.size(), (which + 1) * part); ++i) {
      coordinates(cells[i], clusters.shape(), low);
      for (std::size_t axis = 0; axis < low.size(); ++axis) {
        high[axis] = std::min((low[axis] + 1) << shift, values.shape()[axis]);
        low[axis] <<= shift;
      }
      sums[i] = within_64_bits(block_sum(values, stride, low, high));
    }
  });
  return sums;
}

std::vector<std::int64_t> sums_of_sparse(const Clusters& clusters, const Cells<std::int64_t>& values, unsigned shift) {
  std::vector<Int128> sums(clusters.cells().size());
  const std::vector<std::uint64_t> stride = strides(clusters.shape());
  for (std::size_t i = 0; i < values.stored(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(values.index_of(i), values.shape());
    std::uint64_t cell = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) cell += (at[axis] >> shift) * stride[axis];
    const auto found = std::lower_bound(clusters.cells().begin(), clusters.cells().end(), cell);
    if (found == clusters.cells().end() || *found != cell) continue;
    sums[static_cast<std::size_t>(found - clusters.cells().begin())] += values.values()[i];
  }
  std::vector<std::int64_t> result;
  result.reserve(sums.size());
  for (const Int128 sum : sums) result.push_back(within_64_bits(sum));
  return result;
}

using nlohmann::ordered_json;

// Swapping the axes mirrors a ring, so it is run through backwards to keep its sense of rotation.
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

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n;") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string axis_name(const Grid& grid, std::size_t axis) {
  const std::string& name = grid.axis(axis).name();
  return name.empty() ? fmt::format("axis{}", axis + 1) : name;
}

}  // namespace

GeographicAxes geographic_axes(const Grid& grid) {
  if (grid.dimensions() != 2) return {};
  if (is_longitude(grid.axis(0)) && is_latitude(grid.axis(1))) return {true, 0, 1};
  if (is_latitude(grid.axis(0)) && is_longitude(grid.axis(1))) return {true, 1, 0};
  return {};
}

std::vector<std::int64_t> clustered_sums(const Clusters& clusters, const Cells<std::int64_t>& values,
                                         unsigned threads) {
  const unsigned shift = levels_between(values.shape(), clusters.shape());
  return values.is_dense() ? sums_of_dense(clusters, values, shift, threads) : sums_of_sparse(clusters, values, shift);
}

std::string clusters_geojson(const ClusterMap& map, std::span<const std::int64_t> sizes, const std::string& size_name,
                             const std::string& about, std::span<const ClusterConfidence> confidence) {
  if (map.grid().dimensions() != 2) {
    throw InputError(
        fmt::format("GeoJSON needs two axes, this grid has {}; write .json or .csv instead", map.grid().dimensions()));
  }
  const bool swapped = geographic_axes(map.grid()).longitude == 1;
  const std::vector<std::vector<double>> centres = centroids(map);
  const std::vector<std::vector<Polygon>> polygons = outlines(map);
  ordered_json collection{{"type", "FeatureCollection"}};
  if (!about.empty()) collection.update(ordered_json::parse(about));
  // Features are written one a line, as they come: a collection may have very many.
  std::string text = collection.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.pop_back();
  text += ",\n\"features\":[";
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    const ordered_json centre =
        swapped ? ordered_json::array({centres[i][1], centres[i][0]}) : ordered_json(centres[i]);
    ordered_json feature{
        {"type", "Feature"},
        {"id", id},
        {"properties",
         {{"cluster", id}, {"cells", map.clusters().sizes()[i]}, {size_name, sizes[i]}, {"centroid", centre}}},
        {"geometry", geometry_json(polygons[i], swapped)}};
    if (!confidence.empty()) feature["properties"].update(confidence_json(confidence[i]));
    text += fmt::format("{}\n{}", i == 0 ? "" : ",", feature.dump());
  }
  return text + "\n]}\n";
}

std::string cells_csv(const ClusterMap& map, const Cells<std::int64_t>* values, const std::string& value_name) {
  const Clusters& clusters = map.clusters();
  std::string text = "cluster";
  for (std::size_t axis = 0; axis < map.grid().dimensions(); ++axis) {
    const std::string name = axis_name(map.grid(), axis);
    text += fmt::format(",{},{}", csv_field(name + "_lo"), csv_field(name + "_hi"));
  }
  text += values == nullptr ? "\n" : fmt::format(",{}\n", csv_field(value_name));
  const std::vector<std::int64_t> sums =
      values == nullptr ? std::vector<std::int64_t>{} : clustered_sums(clusters, *values);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    text += fmt::format("{}", clusters.labels()[i]);
    const std::vector<std::uint64_t> at = coordinates(clusters.cells()[i], clusters.shape());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const auto [lo, hi] = map.cell_bounds(axis, at[axis]);
      text += fmt::format(",{},{}", lo, hi);
    }
    text += values == nullptr ? "\n" : fmt::format(",{}\n", sums[i]);
  }
  return text;
}

}  // namespace shoal
