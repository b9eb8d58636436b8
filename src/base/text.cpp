#include "shoal/text.hpp"

#ifndef __EMSCRIPTEN__
#include <fast_float/fast_float.h>
#endif
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/dates.hpp"
#include "base/geographic_axes.hpp"
#include "base/outward.hpp"

namespace shoal {

namespace {

constexpr double kilometres_a_degree = 111.195;  // on a sphere with the Earth's mean radius, 6,371 km
constexpr double degree = 3.14159265358979323846 / 180;

// Returns the nearest step as text, without the digits that binary fractions add to decimal steps.
std::string step_text(const Axis& axis, double step, double x) {
  const double first = axis.lo() + step / 2, last = axis.hi() - step / 2;
  const double at = std::clamp(std::round((x - first) / step), 0.0, std::round((last - first) / step));
  return fmt::format("{:.12g}", first + at * step);
}

double seconds_a_cell(const Axis& axis) { return (axis.hi() - axis.lo()) / static_cast<double>(axis.cells()); }

}  // namespace

std::string counted(std::uint64_t number, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string counted(std::uint64_t number, const std::string& noun) { return counted(number, noun, noun + "s"); }

std::string grouped(double value) {
  if (std::fabs(value) >= 1e15) return fmt::format("{:.3g}", value);
  std::string digits = fmt::format("{:.0f}", std::fabs(value));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return fmt::format("{}{}", value <= -0.5 ? "\u2212" : "", digits);
}

std::string signed_grouped(double value) {
  return fmt::format("{}{}", value < 0 ? "\u2212" : "+", grouped(std::fabs(std::round(value))));
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

std::string probability_at_least(double probability) {
  constexpr double slack = 1e-12;  // keeps 0.95 at 0.950 despite rounding
  return fmt::format("{:.3f}", std::fmin(rounded_down(probability + slack, 0.001), 0.999));
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
#ifdef __EMSCRIPTEN__  // the tables of fast_float would be a twentieth of the page; here strtod ignores the locale
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  const std::string copy(text);
  char* stopped = nullptr;
  value = std::strtod(copy.c_str(), &stopped);
  if (*stopped != '\0' || !std::isfinite(value)) return std::nullopt;
#else
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
#endif
  return value;
}

// Numbers have 15 digits, because an edge is computed: it may lie one step of a double beside a short decimal.
std::string coordinate_text(const Axis& axis, double x) {
  if (const auto* numbers = std::get_if<Numbers>(&axis.kind().scale); numbers != nullptr && numbers->step > 0) {
    return step_text(axis, numbers->step, x);
  }
  if (const auto* instants = std::get_if<Instants>(&axis.kind().scale)) {
    const double day = seconds_a_day;
    const double local = x + instants->offset;
    if (instants->least != Instants::Least::second) return date_text(std::floor(local / day) * day);
    std::string text = date_text(std::floor(local));
    std::replace(text.begin(), text.end(), ' ', 'T');
    if (text.size() == 10) text += "T00:00";
    return text + zone_text(instants->offset);
  }
  return std::holds_alternative<Names>(axis.kind().scale) ? axis.text(x) : fmt::format("{:.15g}", x);
}

std::pair<std::string, std::string> range_texts(const Axis& axis, double lower, double upper) {
  if (const auto* numbers = std::get_if<Numbers>(&axis.kind().scale); numbers != nullptr && numbers->step > 0) {
    return {step_text(axis, numbers->step, lower + numbers->step / 2),
            step_text(axis, numbers->step, upper - numbers->step / 2)};
  }
  if (std::holds_alternative<Names>(axis.kind().scale)) return {axis.text(lower + 0.5), axis.text(upper - 0.5)};
  const auto* instants = std::get_if<Instants>(&axis.kind().scale);
  const bool days = instants != nullptr && instants->least != Instants::Least::second;
  return {coordinate_text(axis, lower), coordinate_text(axis, days ? upper - 1 : upper)};
}

std::vector<std::string> place_texts(const Grid& grid, const std::vector<double>& place) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const bool dates = std::holds_alternative<Instants>(grid.axis(i).kind().scale);
    parts.push_back(grid.axis(i).text(place[i], dates ? seconds_a_cell(grid.axis(i)) : 0));
  }
  return parts;
}

std::string place_text(const Grid& grid, const std::vector<double>& place) {
  return fmt::format("{}", fmt::join(place_texts(grid, place), ", "));
}

namespace {

// The unit in which a way along an axis is written.
struct WayUnit {
  double each;
  std::string name;
};

WayUnit way_unit(const Axis& axis, double way) {
  if (!std::holds_alternative<Instants>(axis.kind().scale)) return {1, axis.kind().unit};
  const double size = std::fabs(way);
  if (size >= seconds_a_day) return {static_cast<double>(seconds_a_day), "days"};
  if (size >= 3600) return {3600, "hours"};
  if (size >= 60) return {60, "minutes"};
  return {1, "seconds"};
}

}  // namespace

std::string distance_text(const Axis& axis, double way) {
  const auto [each, name] = way_unit(axis, way);
  return fmt::format("{:.3g}{}{}", way / each, name.empty() ? "" : " ", name);
}

std::string distance_text(const Grid& grid, std::size_t axis, double way) {
  const double kilometres = kilometres_per_degree(grid, axis);
  return kilometres > 0 ? fmt::format("{:.2g} km", way * kilometres) : distance_text(grid.axis(axis), way);
}

double kilometres_per_degree(const Grid& grid, std::size_t axis) {
  constexpr double widest = 5;  // degrees of latitude; a degree of longitude is nearly the same length across them
  const GeographicAxes geographic = geographic_axes(grid);
  if (!geographic.found || (axis != geographic.longitude && axis != geographic.latitude)) return 0;
  const Axis& up = grid.axis(geographic.latitude);
  if (up.hi() - up.lo() > widest) return 0;
  return kilometres_a_degree * (axis == geographic.latitude ? 1 : std::cos((up.lo() + up.hi()) / 2 * degree));
}

std::string distance_at_least(const Axis& axis, double way) {
  const auto [each, name] = way_unit(axis, way);
  return fmt::format("{:.3g}{}{}", at_least(way / each, 3), name.empty() ? "" : " ", name);
}

std::string cell_kilometres(const Grid& grid) {
  const GeographicAxes geographic = geographic_axes(grid);
  if (!geographic.found) return {};
  const Axis &x = grid.axis(geographic.longitude), &y = grid.axis(geographic.latitude);
  const std::uint64_t middle = y.cells() / 2;
  const double south = y.edge(middle), north = y.edge(middle + 1);
  const double across = (x.hi() - x.lo()) / static_cast<double>(x.cells()) * std::cos((south + north) / 2 * degree);
  return fmt::format("{:.3g} x {:.3g} km", across * kilometres_a_degree, (north - south) * kilometres_a_degree);
}

}  // namespace shoal
