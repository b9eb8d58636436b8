#include "drawing/base_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/geographic_axes.hpp"
#include "base/packed.hpp"
#include "drawing/page_data.hpp"
#include "drawing/palette.hpp"
#include "shoal/error.hpp"

namespace shoal {

bool BaseMap::empty() const noexcept {
  return land.empty() && lakes.empty() && rivers.empty() && borders.empty() && states.empty() && places.empty();
}

// Cuts a ring at a line (Sutherland and Hodgman).
std::vector<double> cut_ring(const std::vector<double>& ring, const HalfPlane& half) {
  std::vector<double> result;
  for (std::size_t i = 0; i < ring.size(); i += 2) {
    const std::size_t before = i == 0 ? ring.size() - 2 : i - 2;
    const double from = ring[before + half.axis], to = ring[i + half.axis];
    const bool was_inside = from * half.sign <= half.limit * half.sign;
    const bool is_inside = to * half.sign <= half.limit * half.sign;
    if (was_inside != is_inside) {
      const double share = (half.limit - from) / (to - from);
      result.push_back(ring[before] + share * (ring[i] - ring[before]));
      result.push_back(ring[before + 1] + share * (ring[i + 1] - ring[before + 1]));
    }
    if (is_inside) result.insert(result.end(), {ring[i], ring[i + 1]});
  }
  return result;
}

// Adds the parts of a line that are near the bounds.
void add_near(BaseMap::Lines& lines, const std::vector<double>& whole, double west, double east, double south,
              double north) {
  std::vector<double> line;
  for (std::size_t i = 2; i < whole.size(); i += 2) {
    const double last_x = whole[i - 2], last_y = whole[i - 1], x = whole[i], y = whole[i + 1];
    const bool near = std::abs(x - last_x) < 180 && std::max(x, last_x) >= west && std::min(x, last_x) <= east &&
                      std::max(y, last_y) >= south && std::min(y, last_y) <= north;
    if (near && line.empty()) line = {last_x, last_y};
    if (near) line.insert(line.end(), {x, y});
    if (!near && !line.empty()) lines.push_back(std::exchange(line, {}));
  }
  if (!line.empty()) lines.push_back(std::move(line));
}

#ifndef SHOAL_HAS_PAGE
BaseMap base_map(double, double, double, double) { return {}; }
#else
namespace {

constexpr double per_degree = 1000;

std::vector<std::int64_t> unpacked(const page_data::Packed& data) {
  const Cells<std::int64_t> cells = unpack(data.text, {data.numbers}, true, data.numbers);
  return {cells.values().begin(), cells.values().end()};
}

// Countries are named on maps that may show several. A town that lies too close to a larger one is left out, so that a
// map of the world has towns everywhere.
std::vector<BaseMap::Place> places_within(double west, double east, double south, double north, bool countries) {
  constexpr std::size_t most = 300;
  constexpr double apart = 1.0 / 80;  // of the extent
  const double least = apart * std::max(east - west, north - south);
  const std::vector<std::int64_t> numbers = unpacked(page_data::places);
  std::vector<BaseMap::Place> named, towns;
  const auto degrees = [&](std::size_t i) { return static_cast<double>(numbers[i]) / per_degree; };
  for (std::size_t i = 0; i < numbers.size();) {
    BaseMap::Place place{"", degrees(i), degrees(i + 1)};
    const bool is_country = numbers[i + 2] < 0;  // then its width follows
    const auto length = static_cast<std::size_t>(std::abs(numbers[i + 2]));
    if (is_country) place.room = degrees(i + 3);
    i += is_country ? 4 : 3;
    for (std::size_t letter = 0; letter < length; ++letter) {
      place.name += static_cast<char>(static_cast<unsigned char>(numbers[i + letter]));
    }
    i += length;
    const double x = place.longitude, y = place.latitude;
    if (x <= west || x >= east || y <= south || y >= north) continue;
    const auto is_close = [&](const BaseMap::Place& other) {
      return std::max(std::abs(other.longitude - x), std::abs(other.latitude - y)) < least;
    };
    if (is_country) {
      if (countries) named.push_back(std::move(place));
    } else if (towns.size() < most && std::none_of(towns.begin(), towns.end(), is_close)) {
      towns.push_back(std::move(place));
    }
  }
  named.insert(named.end(), std::make_move_iterator(towns.begin()), std::make_move_iterator(towns.end()));
  return named;
}

// What a line is; web/coast.mjs knows the same numbers.
enum class Kind { land = 0, lake = 1, river = 2, border = 3, state = 4 };

BaseMap::Lines& lines_of(BaseMap& map, Kind kind) {
  switch (kind) {
    case Kind::land:
      return map.land;
    case Kind::lake:
      return map.lakes;
    case Kind::river:
      return map.rivers;
    case Kind::border:
      return map.borders;
    case Kind::state:
      return map.states;
  }
  return map.states;
}

}  // namespace

BaseMap base_map(double west, double east, double south, double north) {
  constexpr double continent = 60, country = 8;  // in degrees
  const double extent = std::max(east - west, north - south), rim = extent / 100;
  const HalfPlane sides[] = {{0, west - rim, -1}, {0, east + rim, 1}, {1, south - rim, -1}, {1, north + rim, 1}};
  const std::vector<std::int64_t> numbers = unpacked(extent > continent ? page_data::coast_110m
                                                     : extent > country ? page_data::coast_50m
                                                                        : page_data::coast_10m);
  BaseMap map;
  for (std::size_t i = 0; i < numbers.size();) {
    const auto kind = static_cast<Kind>(numbers[i++]);
    const std::int64_t points = numbers[i++];
    std::vector<double> line;
    double x = 0, y = 0;
    for (std::int64_t point = 0; point < points; ++point) {
      x += static_cast<double>(numbers[i++]) / per_degree;
      y += static_cast<double>(numbers[i++]) / per_degree;
      line.insert(line.end(), {x, y});
    }
    BaseMap::Lines& lines = lines_of(map, kind);
    if (kind != Kind::land && kind != Kind::lake) {
      add_near(lines, line, west, east, south, north);
      continue;
    }
    for (const HalfPlane& side : sides) line = cut_ring(line, side);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  map.places = places_within(west, east, south, north, extent > country);
  map.credits = "Base map: Natural Earth.";
  if (!map.places.empty()) map.credits += " Names of places: GeoNames, CC BY 4.0.";
  return map;
}
#endif

BaseMap base_map_of(const Grid& grid) {
  const GeographicAxes axes = geographic_axes(grid);
  if (!axes.found) return {};
  const Axis& across = grid.axis(axes.longitude);
  const Axis& up = grid.axis(axes.latitude);
  return base_map(across.lo(), across.hi(), up.lo(), up.hi());
}

BaseMap base_map_of(const Grid& grid, const Publication& publication) {
  const bool own = !publication.base_map.empty() && geographic_axes(grid).found;
  return own ? read_base_map(publication.base_map) : base_map_of(grid);
}

namespace {

std::string lines_json(const BaseMap::Lines& lines) {
  std::string text = "[";
  for (const std::vector<double>& line : lines) {
    text += fmt::format("{}[{:.7g}]", text.size() == 1 ? "" : ",", fmt::join(line, ","));
  }
  return text + "]";
}

using Json = nlohmann::ordered_json;

constexpr double most_degrees = 400;  // a map is cut a little outside its bounds

BaseMap::Lines read_lines(const Json& document, const char* name) {
  auto lines = document.value(name, BaseMap::Lines{});
  for (const std::vector<double>& line : lines) {
    const bool fits =
        std::all_of(line.begin(), line.end(), [](double value) { return std::abs(value) <= most_degrees; });
    if (line.size() % 2 != 0 || line.size() < 4 || !fits) {
      throw InputError(fmt::format("a line of '{}' is not x, y, ... in degrees", name));
    }
  }
  return lines;
}

}  // namespace

std::string base_map_json(const BaseMap& map) {
  if (map.empty()) return "{}";
  Json places = Json::array();
  for (const BaseMap::Place& place : map.places) {
    places.push_back({place.name, place.longitude, place.latitude});
    if (place.room > 0) places.back().push_back(place.room);
  }
  const auto text = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
  return fmt::format(R"({{"land":{},"lakes":{},"rivers":{},"borders":{},"states":{},"places":{},"credits":{}}})",
                     lines_json(map.land), lines_json(map.lakes), lines_json(map.rivers), lines_json(map.borders),
                     lines_json(map.states), text(places), text(map.credits));
}

BaseMap read_base_map(const std::string& json) {
  try {
    const Json document = Json::parse(json);
    BaseMap map;
    map.land = read_lines(document, "land");
    map.lakes = read_lines(document, "lakes");
    map.rivers = read_lines(document, "rivers");
    map.borders = read_lines(document, "borders");
    map.states = read_lines(document, "states");
    for (const Json& place : document.value("places", Json::array())) {
      map.places.push_back({place.at(0).get<std::string>(), place.at(1).get<double>(), place.at(2).get<double>()});
      const BaseMap::Place& read = map.places.back();
      if (place.size() > 3) map.places.back().room = place.at(3).get<double>();
      if (!(std::abs(read.longitude) <= most_degrees && std::abs(read.latitude) <= most_degrees)) {
        throw InputError(fmt::format("the place '{}' has no degrees", read.name));
      }
    }
    map.credits = document.value("credits", "");
    return map;
  } catch (const Json::exception& failure) {
    throw InputError(fmt::format("this is not a base map: {}", failure.what()));
  }
}

namespace {

const Axis& axis_of(const Grid& grid, bool longitude) {
  const GeographicAxes axes = geographic_axes(grid);
  if (!axes.found) throw Error(ErrorKind::internal, "a map needs longitude and latitude");
  return grid.axis(longitude ? axes.longitude : axes.latitude);
}

// Drops points that are less than half a pixel from the last one.
Loop drawn(const MapFrame& on, const std::vector<double>& line) {
  constexpr double least = 0.5;
  Loop points;
  for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
    const Point point = on.place(line[i], line[i + 1]);
    const bool is_last = i + 3 >= line.size();
    if (!points.empty() && !is_last &&
        std::abs(point.x - points.back().x) + std::abs(point.y - points.back().y) < least) {
      continue;
    }
    points.push_back(point);
  }
  return points;
}

// Cuts a segment at the sides of the box (Liang and Barsky). Returns false if nothing is left.
bool cut_to(const Box& box, Segment& segment) {
  double from = 0, to = 1;
  const double dx = segment.x2 - segment.x1, dy = segment.y2 - segment.y1;
  const double steps[] = {-dx, dx, -dy, dy};
  const double rooms[] = {segment.x1 - box.x, box.right() - segment.x1, segment.y1 - box.y, box.bottom() - segment.y1};
  for (int i = 0; i < 4; ++i) {
    if (steps[i] == 0) {
      if (rooms[i] < 0) return false;
    } else if (steps[i] < 0) {
      from = std::max(from, rooms[i] / steps[i]);
    } else {
      to = std::min(to, rooms[i] / steps[i]);
    }
  }
  if (from >= to) return false;
  const Segment whole = segment;
  if (from > 0) {
    segment.x1 = whole.x1 + from * dx;
    segment.y1 = whole.y1 + from * dy;
  }
  if (to < 1) {
    segment.x2 = whole.x1 + to * dx;
    segment.y2 = whole.y1 + to * dy;
  }
  return true;
}

std::vector<Segment> segments(const MapFrame& on, const BaseMap::Lines& lines) {
  std::vector<Segment> result;
  for (const std::vector<double>& line : lines) {
    const Loop points = drawn(on, line);
    for (std::size_t i = 1; i < points.size(); ++i) {
      Segment piece{points[i - 1].x, points[i - 1].y, points[i].x, points[i].y};
      if (cut_to(on.box(), piece)) result.push_back(piece);
    }
  }
  return result;
}

std::vector<Loop> loops(const MapFrame& on, const BaseMap::Lines& rings) {
  std::vector<Loop> result;
  for (const std::vector<double>& ring : rings) {
    Loop loop = drawn(on, ring);
    if (loop.size() > 2) result.push_back(std::move(loop));
  }
  return result;
}

bool touch(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

}  // namespace

std::string near_place(const BaseMap& map, const Grid& grid, const std::vector<double>& at) {
  constexpr double degree = 3.14159265358979 / 180, share = 1.0 / 20;
  constexpr double walk = 0.045;  // degrees of latitude: 5 km
  const GeographicAxes axes = geographic_axes(grid);
  if (!axes.found) return {};
  const Axis& across = grid.axis(axes.longitude);
  const Axis& up = grid.axis(axes.latitude);
  const double narrow = std::cos(at[axes.latitude] * degree);  // of a degree of longitude there
  double nearest = std::max(walk, share * std::max((across.hi() - across.lo()) * narrow, up.hi() - up.lo()));
  std::string name;
  for (const BaseMap::Place& place : map.places) {
    if (place.room > 0) continue;
    const double distance =
        std::hypot((place.longitude - at[axes.longitude]) * narrow, place.latitude - at[axes.latitude]);
    if (distance >= nearest) continue;
    nearest = distance;
    name = place.name;
  }
  return name.empty() ? name : "near " + name;
}

MapFrame::MapFrame(const Grid& grid, const Box& box)
    : across_(axis_of(grid, true)), up_(axis_of(grid, false)), box_(box) {}

Point MapFrame::place(double longitude, double latitude) const {
  const auto share = [](const Axis& axis, double value) {
    const double first = axis.position(axis.lo());
    return (axis.position(value) - first) / (axis.position(axis.hi()) - first);
  };
  return {box_.x + share(across_, longitude) * box_.width, box_.bottom() - share(up_, latitude) * box_.height};
}

void draw_ground(Canvas& canvas, const MapFrame& on, const BaseMap& map) {
  canvas.fill(on.box(), map.land.empty() && !map.lakes.empty() ? land_color : water_color);
  canvas.area(loops(on, map.land), on.box(), land_color);
  canvas.lines(segments(on, map.rivers), river_color, 0.8);
  canvas.area(loops(on, map.lakes), on.box(), water_color);
}

void draw_shores(Canvas& canvas, const MapFrame& on, const BaseMap& map) {
  BaseMap::Lines shores = map.land;
  shores.insert(shores.end(), map.lakes.begin(), map.lakes.end());
  canvas.lines(segments(on, shores), shore_color, 0.6);
  canvas.lines(segments(on, map.states), state_color, 0.6);
  canvas.lines(segments(on, map.borders), border_color, 0.9);
}

void draw_places(Canvas& canvas, const MapFrame& on, const BaseMap& map, std::vector<Box>& taken) {
  constexpr double size = 10.5, dot = 2.4;
  constexpr std::size_t most = 40;
  const Box& box = on.box();
  std::size_t drawn_count = 0;
  const auto is_taken = [&](const Box& room) {
    return std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return touch(room, other); });
  };
  for (const BaseMap::Place& place : map.places) {
    if (drawn_count == most) return;
    const Point at = on.place(place.longitude, place.latitude);
    const double width = text_width(place.name, size);
    if (place.room > 0) {
      const Box room{at.x - width / 2, at.y - 8, width, 16};
      const double wide = on.place(place.longitude + place.room, place.latitude).x - at.x;
      const bool fits = width < wide && room.x > box.x && room.right() < box.right() && room.y > box.y &&
                        room.bottom() < box.bottom();
      if (!fits || is_taken(room)) continue;
      taken.push_back(room);
      canvas.text(at.x, at.y + size * 0.36, place.name,
                  {.size = size, .color = country_color, .anchor = Anchor::middle, .halo = true});
      continue;
    }
    const Box room{at.x - 10, at.y - 13, width + 26, 26};  // with air around it
    const bool inside =
        at.x - dot > box.x && at.x + width + 10 < box.right() && at.y - 8 > box.y && at.y + 8 < box.bottom();
    if (!inside || is_taken(room)) continue;
    taken.push_back(room);
    const Segment point{at.x, at.y, at.x, at.y};
    canvas.lines({&point, 1}, place_color, dot);
    canvas.text(at.x + 5, at.y + size * 0.36, place.name, {.size = size, .color = place_color, .halo = true});
    ++drawn_count;
  }
}

}  // namespace shoal
