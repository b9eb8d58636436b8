#include "drawing/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/geographic_axes.hpp"
#include "base/packed.hpp"
#include "drawing/page_data.hpp"
#include "drawing/report.hpp"

namespace shoal {

#ifndef SHOAL_HAS_PAGE
bool has_page() { return false; }
std::string release_page_html(const Release& release) { return release_report(release); }
std::string set_page_html(const ReleaseSet& set) { return set.report(); }
std::string page_policy() {
  return "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
}
std::string linked_page(std::string page, const std::string& /*facts*/) { return page; }
std::string linked_policy() { return page_policy() + "; img-src data:"; }
BaseMap base_map(double, double, double, double) { return {}; }
#else

namespace {

constexpr std::uint64_t most_cells = std::uint64_t{1} << 24;  // a browser can easily hold this many
constexpr double per_degree = 1000;

// Escapes text for a <script>, which ends at the first "</script". JSON needs no "<" outside its strings.
std::string inside_script(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (const char character : text) {
    if (character == '<') {
      result += "\\u003c";
    } else {
      result += character;
    }
  }
  return result;
}

void insert_before(std::string& page, const std::string& mark, const std::string& text) {
  page.insert(page.find(mark), text);
}

std::string lines_json(const std::vector<std::vector<double> >& lines) {
  std::string text = "[";
  for (const std::vector<double>& line : lines) {
    text += fmt::format("{}[{:.7g}]", text.size() == 1 ? "" : ",", fmt::join(line, ","));
  }
  return text + "]";
}

// Returns the base map as an object of lists of numbers. Empty unless the grid is a map.
std::string base_map_json(const Grid& grid) {
  const GeographicAxes axes = geographic_axes(grid);
  if (!axes.found) return "{}";
  const Axis& across = grid.axis(axes.longitude);
  const Axis& up = grid.axis(axes.latitude);
  const BaseMap map = base_map(across.lo(), across.hi(), up.lo(), up.hi());
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (const BaseMap::Place& place : map.places) places.push_back({place.name, place.longitude, place.latitude});
  return fmt::format(R"({{"land":{},"borders":{},"places":{}}})", lines_json(map.land), lines_json(map.borders),
                     inside_script(places.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

std::uint64_t cells_of(const Release& release) {
  const NoisyCounts* values = release.parts().values();
  return std::max(cell_count(release.cluster_cells().shape()),
                  values == nullptr ? 0 : cell_count(values->value().shape()));
}

void drop_claim(std::string& page) {
  const std::string claim = " and runs no scripts";
  if (const std::size_t at = page.rfind(claim); at != std::string::npos) page.erase(at, claim.size());
}

// Adds to a static report what is needed to explore it: the JSON, the base map of its grid, and the code.
std::string explorable(std::string page, const std::string& json, const Grid& grid) {
  insert_before(page, "</head>", page_data::head);
  insert_before(page, "<p class=\"privacy ", "<div id=\"shoal-app\" hidden></div>\n");
  std::string end =
      fmt::format("<script type=\"application/json\" id=\"shoal-release\">{}</script>\n", inside_script(json));
  end += fmt::format("<script type=\"application/json\" id=\"shoal-coast\">{}</script>\n", base_map_json(grid));
  end += fmt::format("<script type=\"text/plain\" id=\"shoal-wasm\">{}</script>\n", page_data::wasm);
  end += fmt::format("<script>{}</script>\n", page_data::script);
  insert_before(page, "</body>", end);
  drop_claim(page);
  return page;
}

}  // namespace

bool has_page() { return true; }
std::string page_policy() { return page_data::policy; }
std::string linked_policy() { return page_data::compare_policy; }

std::string linked_page(std::string page, const std::string& facts) {
  insert_before(page, "</head>",
                fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", linked_policy()));
  insert_before(page, "</body>",
                fmt::format("<script type=\"application/json\" id=\"shoal-changes\">{}</script>\n<script>{}</script>\n",
                            inside_script(facts), page_data::compare_script));
  drop_claim(page);
  return page;
}

namespace {

std::vector<std::int64_t> unpacked(const page_data::Packed& data) {
  const Cells<std::int64_t> cells = unpack(data.text, {data.numbers}, true, data.numbers);
  return {cells.values().begin(), cells.values().end()};
}

// The half of the plane on one side of a line along an axis: coordinate * sign <= limit * sign.
struct HalfPlane {
  std::size_t axis;  // 0: x, 1: y
  double limit, sign;
};

// Cuts a ring at a line (Sutherland and Hodgman).
std::vector<double> cut(const std::vector<double>& ring, const HalfPlane& half) {
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
void add_near(std::vector<std::vector<double> >& lines, const std::vector<double>& whole, double west, double east,
              double south, double north) {
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

std::vector<BaseMap::Place> places_within(double west, double east, double south, double north) {
  constexpr std::size_t most = 300;
  const std::vector<std::int64_t> numbers = unpacked(page_data::places);
  std::vector<BaseMap::Place> result;
  for (std::size_t i = 0; i < numbers.size() && result.size() < most;) {
    const double x = static_cast<double>(numbers[i]) / per_degree, y = static_cast<double>(numbers[i + 1]) / per_degree;
    const auto length = static_cast<std::size_t>(numbers[i + 2]);
    i += 3;
    if (x > west && x < east && y > south && y < north) {
      result.push_back({"", x, y});
      for (std::size_t letter = 0; letter < length; ++letter) {
        result.back().name += static_cast<char>(static_cast<unsigned char>(numbers[i + letter]));
      }
    }
    i += length;
  }
  return result;
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
    const bool is_ring = numbers[i] > 0;
    const std::int64_t points = std::abs(numbers[i++]);
    std::vector<double> line;
    double x = 0, y = 0;
    for (std::int64_t point = 0; point < points; ++point) {
      x += static_cast<double>(numbers[i++]) / per_degree;
      y += static_cast<double>(numbers[i++]) / per_degree;
      line.insert(line.end(), {x, y});
    }
    if (!is_ring) {
      add_near(map.borders, line, west, east, south, north);
      continue;
    }
    for (const HalfPlane& side : sides) line = cut(line, side);
    if (!line.empty()) map.land.push_back(std::move(line));
  }
  map.places = places_within(west, east, south, north);
  return map;
}

std::string release_page_html(const Release& release) {
  if (cells_of(release) > most_cells) return release_report(release);
  return explorable(release_report(release), release.json(), release.parts().grid);
}

std::string set_page_html(const ReleaseSet& set) {
  std::uint64_t cells = 0;
  for (const NamedRelease& part : set.parts()) cells += cells_of(part.release);
  if (cells > most_cells) return set.report();
  return explorable(set.report(), set.json(), set.parts().front().release.parts().grid);
}

#endif

}  // namespace shoal
