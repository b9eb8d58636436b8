#include "drawing/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
std::vector<std::vector<double>> coastlines(double, double, double, double) { return {}; }
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

// Returns the coastlines as a list of lists of numbers.
std::string coast_json(const Grid& grid) {
  const GeographicAxes axes = geographic_axes(grid);
  if (!axes.found) return "[]";
  const Axis& across = grid.axis(axes.longitude);
  const Axis& up = grid.axis(axes.latitude);
  std::string text = "[";
  for (const std::vector<double>& line : coastlines(across.lo(), across.hi(), up.lo(), up.hi())) {
    text += fmt::format("{}[{:.7g}]", text.size() == 1 ? "" : ",", fmt::join(line, ","));
  }
  return text + "]";
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

// Adds to a static report what is needed to explore it: the JSON, the coastlines of its grid, and the code.
std::string explorable(std::string page, const std::string& json, const Grid& grid) {
  insert_before(page, "</head>", page_data::head);
  insert_before(page, "<ul class=\"facts\">", "<div id=\"shoal-app\" hidden></div>\n");
  std::string end =
      fmt::format("<script type=\"application/json\" id=\"shoal-release\">{}</script>\n", inside_script(json));
  end += fmt::format("<script type=\"application/json\" id=\"shoal-coast\">{}</script>\n", coast_json(grid));
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

std::vector<std::vector<double>> coastlines(double west, double east, double south, double north) {
  constexpr double continent = 60, country = 8;  // in degrees
  const double extent = std::max(east - west, north - south);
  const page_data::Packed& data = extent > continent ? page_data::coast_110m
                                  : extent > country ? page_data::coast_50m
                                                     : page_data::coast_10m;
  const Cells<std::int64_t> numbers_in_a_row = unpack(data.text, {data.numbers}, true, data.numbers);
  const auto& numbers = numbers_in_a_row.values();
  std::vector<std::vector<double>> lines;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::int64_t points = numbers[i++];
    std::vector<double> line;
    double x = 0, y = 0;
    for (std::int64_t point = 0; point < points; ++point) {
      const double last_x = x, last_y = y;
      x += static_cast<double>(numbers[i++]) / per_degree;
      y += static_cast<double>(numbers[i++]) / per_degree;
      if (point == 0) continue;
      const bool near = std::abs(x - last_x) < 180 && std::max(x, last_x) >= west && std::min(x, last_x) <= east &&
                        std::max(y, last_y) >= south && std::min(y, last_y) <= north;
      if (near && line.empty()) line = {last_x, last_y};
      if (near) line.insert(line.end(), {x, y});
      if (!near && !line.empty()) lines.push_back(std::exchange(line, {}));
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
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
