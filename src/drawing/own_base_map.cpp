#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/geographic_axes.hpp"
#include "drawing/base_map.hpp"
#include "shoal/error.hpp"
#include "shoal/release.hpp"

namespace shoal {

namespace {

using Json = nlohmann::json;
using Line = std::vector<double>;  // x, y, x, y, ...

constexpr std::size_t longest_name = 100, most_places = 300;
constexpr double finest = 4000;  // steps of a simplified line along the longer side of the bounds

// What lies within the bounds of a release.
struct Bounds {
  double west, east, south, north;
  [[nodiscard]] double extent() const { return std::max(east - west, north - south); }
  [[nodiscard]] bool holds(double x, double y) const { return x >= west && x <= east && y >= south && y <= north; }
};

// Returns the distance of a point from a segment, with a degree of longitude as long as one of latitude.
double distance(const Line& line, std::size_t point, std::size_t from, std::size_t to) {
  const double x = line[2 * from], y = line[2 * from + 1];
  const double dx = line[2 * to] - x, dy = line[2 * to + 1] - y;
  const double length = dx * dx + dy * dy;
  const double px = line[2 * point] - x, py = line[2 * point + 1] - y;
  const double share = length == 0 ? 0 : std::clamp((px * dx + py * dy) / length, 0.0, 1.0);
  return std::hypot(px - share * dx, py - share * dy);
}

// Drops points that lie closer than `least` to the line through those that stay (Douglas and Peucker). A ring keeps its
// first point and the one that is farthest from it.
Line simplified(const Line& line, double least) {
  const std::size_t count = line.size() / 2;
  if (count < 3) return line;
  std::vector<bool> kept(count, false);
  kept.front() = kept.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, count - 1}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    std::size_t farthest = from;
    double most = 0;
    for (std::size_t i = from + 1; i < to; ++i) {
      const double far = distance(line, i, from, to);
      if (far > most) {
        most = far;
        farthest = i;
      }
    }
    if (most < least) continue;
    kept[farthest] = true;
    open.emplace_back(from, farthest);
    open.emplace_back(farthest, to);
  }
  Line result;
  for (std::size_t i = 0; i < count; ++i) {
    if (kept[i]) result.insert(result.end(), {line[2 * i], line[2 * i + 1]});
  }
  return result;
}

// The area of a ring and its centre of gravity.
struct Area {
  double area = 0, x = 0, y = 0;
};
Area area_of(const Line& ring) {
  Area sum;
  const double x0 = ring[0], y0 = ring[1];  // near the ring, so that little is lost to rounding
  for (std::size_t i = 0; i < ring.size(); i += 2) {
    const std::size_t next = (i + 2) % ring.size();
    const double ax = ring[i] - x0, ay = ring[i + 1] - y0, bx = ring[next] - x0, by = ring[next + 1] - y0;
    const double cross = ax * by - bx * ay;
    sum.area += cross / 2;
    sum.x += cross * (ax + bx) / 6;
    sum.y += cross * (ay + by) / 6;
  }
  if (sum.area == 0) return {0, x0, y0};
  return {std::abs(sum.area), x0 + sum.x / sum.area, y0 + sum.y / sum.area};
}

class GeoJsonReader {
 public:
  explicit GeoJsonReader(const Bounds& bounds) : bounds_(bounds) {}

  BaseMap read(const Json& document) {
    map_.credits = text_in(document, "attribution", Publication::longest);
    if (map_.credits.empty()) map_.credits = "Base map: supplied by the publisher.";
    check_reference_system(document);
    const std::string type = text_in(document, "type", longest_name);
    if (type == "FeatureCollection") {
      const Json& features = list_in(document, "features");
      for (std::size_t i = 0; i < features.size(); ++i) feature(features[i], fmt::format("feature {}", i + 1));
    } else {
      feature(document, "the file");
    }
    std::stable_sort(named_.begin(), named_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [area, place] : named_) {
      if (map_.places.size() < most_places) map_.places.push_back(std::move(place));
    }
    if (map_.empty()) {
      throw InputError(fmt::format(
          "nothing of it lies within the bounds, longitude {} to {} and latitude {} to {}; is it of another place?",
          bounds_.west, bounds_.east, bounds_.south, bounds_.north));
    }
    return std::move(map_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw InputError(fmt::format("{}: {}", where_, what)); }

  [[nodiscard]] std::string text_in(const Json& object, const char* key, std::size_t longest) const {
    if (!object.is_object() || !object.contains(key) || object[key].is_null()) return {};
    if (!object[key].is_string()) refuse(fmt::format("'{}' must be text", key));
    auto text = object[key].get<std::string>();
    if (text.size() > longest) refuse(fmt::format("'{}' has more than {} bytes", key, longest));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    return text;
  }

  [[nodiscard]] const Json& list_in(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key) || !object[key].is_array()) {
      refuse(fmt::format("has no list '{}'", key));
    }
    return object[key];
  }

  // GeoJSON is in degrees. Older files name other systems.
  void check_reference_system(const Json& document) const {
    if (!document.is_object() || !document.contains("crs")) return;
    const std::string name = document["crs"].dump();
    for (const char* degrees : {"CRS84", "4326", "4258"}) {
      if (name.find(degrees) != std::string::npos) return;
    }
    refuse("its coordinates are not in degrees; export it in WGS 84 (EPSG:4326)");
  }

  void feature(const Json& item, std::string where) {
    where_ = std::move(where);
    if (!item.is_object()) refuse("must be an object");
    const bool is_feature = text_in(item, "type", longest_name) == "Feature";
    const Json none = Json::object();
    const Json& properties = is_feature && item.contains("properties") ? item["properties"] : none;
    kind_ = text_in(properties, "kind", longest_name);
    name_ = text_in(properties, "name", longest_name);
    if (is_feature && (!item.contains("geometry") || item["geometry"].is_null())) return;
    geometry(is_feature ? item["geometry"] : item, 0);
  }

  void geometry(const Json& item, int depth) {
    const std::string type = text_in(item, "type", longest_name);
    if (type == "GeometryCollection" && depth < 4) {
      for (const Json& part : list_in(item, "geometries")) geometry(part, depth + 1);
      return;
    }
    static constexpr std::array known{"Point",           "MultiPoint", "LineString",
                                      "MultiLineString", "Polygon",    "MultiPolygon"};
    if (std::none_of(known.begin(), known.end(), [&](const char* each) { return type == each; })) {
      refuse(type.empty() ? "is no GeoJSON: it has no type"
                          : fmt::format("'{}' is no geometry of a base map; use points, lines and polygons", type));
    }
    const Json& coordinates = list_in(item, "coordinates");
    if (type == "Point") point(coordinates);
    if (type == "MultiPoint") each(coordinates, [this](const Json& one) { point(one); });
    if (type == "LineString") line(coordinates);
    if (type == "MultiLineString") each(coordinates, [this](const Json& one) { line(one); });
    if (type == "Polygon") polygon(coordinates);
    if (type == "MultiPolygon") each(coordinates, [this](const Json& one) { polygon(one); });
  }

  void each(const Json& items, const auto& take) const {
    for (const Json& item : items) {
      if (!item.is_array()) refuse("its coordinates must be nested lists of numbers");
      take(item);
    }
  }

  [[nodiscard]] std::pair<double, double> position(const Json& item) const {
    if (!item.is_array() || item.size() < 2 || !item[0].is_number() || !item[1].is_number()) {
      refuse("a position must be a list of longitude and latitude");
    }
    const auto x = item[0].get<double>(), y = item[1].get<double>();
    if (!(std::abs(x) <= 180 && std::abs(y) <= 90)) {
      refuse(fmt::format("{}, {} is not a place in degrees; export the file in WGS 84 (EPSG:4326)", x, y));
    }
    return {x, y};
  }

  [[nodiscard]] Line positions(const Json& items) const {
    if (!items.is_array()) refuse("its coordinates must be nested lists of numbers");
    Line line;
    for (const Json& item : items) {
      const auto [x, y] = position(item);
      line.insert(line.end(), {x, y});
    }
    return line;
  }

  // Returns the lines for this kind. The first of the list is that of features without a kind.
  BaseMap::Lines& lines_for(std::initializer_list<std::pair<const char*, BaseMap::Lines*>> kinds) const {
    std::vector<const char*> words;
    for (const auto& [word, lines] : kinds) {
      if (kind_.empty() || kind_ == word) return *lines;
      words.push_back(word);
    }
    refuse(fmt::format("its kind is '{}', but must be one of {}; or leave it out", kind_, fmt::join(words, ", ")));
  }

  void point(const Json& item) {
    const auto [x, y] = position(item);
    if (!name_.empty() && bounds_.holds(x, y) && map_.places.size() < most_places) map_.places.push_back({name_, x, y});
  }

  void line(const Json& items) {
    BaseMap::Lines& lines = lines_for({{"border", &map_.borders}, {"river", &map_.rivers}, {"state", &map_.states}});
    const Line whole = positions(items);
    if (whole.size() < 4) refuse("a line has at least two positions");
    BaseMap::Lines near;
    add_near(near, whole, bounds_.west, bounds_.east, bounds_.south, bounds_.north);
    for (const Line& each : near) lines.push_back(simplified(each, bounds_.extent() / finest));
  }

  void polygon(const Json& rings) {
    BaseMap::Lines& lines = lines_for({{"land", &map_.land}, {"water", &map_.lakes}});
    const double rim = bounds_.extent() / 100;
    const HalfPlane sides[] = {{0, bounds_.west - rim, -1},
                               {0, bounds_.east + rim, 1},
                               {1, bounds_.south - rim, -1},
                               {1, bounds_.north + rim, 1}};
    bool is_outer = true;
    for (const Json& items : rings) {
      Line ring = positions(items);
      const bool closes = ring.size() >= 8 && ring[0] == ring[ring.size() - 2] && ring[1] == ring[ring.size() - 1];
      if (!closes) refuse("a ring has at least four positions, and its last is its first");
      for (const HalfPlane& side : sides) ring = cut_ring(ring, side);
      if (ring.empty()) {
        if (is_outer) return;
        continue;
      }
      ring.insert(ring.end(), {ring[0], ring[1]});
      const Area area = area_of(ring);
      if (is_outer && !name_.empty() && bounds_.holds(area.x, area.y)) {
        named_.push_back({area.area, {name_, area.x, area.y}});
      }
      is_outer = false;
      ring = simplified(ring, bounds_.extent() / finest);
      if (ring.size() >= 8) lines.push_back(std::move(ring));
    }
  }

  const Bounds bounds_;
  BaseMap map_;
  std::vector<std::pair<double, BaseMap::Place>> named_;  // of polygons, with their areas
  std::string where_ = "the file", kind_, name_;          // of the feature that is read
};

}  // namespace

BaseMap own_base_map(const std::string& geojson, const Grid& grid) {
  const GeographicAxes axes = geographic_axes(grid);
  if (!axes.found) {
    throw InputError("a base map needs axes of longitude and latitude, such as --columns lon,lat");
  }
  const Axis& across = grid.axis(axes.longitude);
  const Axis& up = grid.axis(axes.latitude);
  const Json document = Json::parse(geojson, nullptr, false);
  if (document.is_discarded()) throw InputError("it is not JSON; a base map is a GeoJSON file");
  return GeoJsonReader({across.lo(), across.hi(), up.lo(), up.hi()}).read(document);
}

std::string published_base_map(const std::string& geojson, const Grid& grid) {
  return base_map_json(own_base_map(geojson, grid));
}

}  // namespace shoal
