#include "base/geographic_axes.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace shoal {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

}  // namespace

bool is_longitude(const std::string& given, double lo, double hi) {
  const std::string name = lower(given);
  const bool named = name == "lon" || name == "lng" || name == "long" || name == "longitude";
  return named && lo >= -180 && hi <= 180;
}

bool is_latitude(const std::string& given, double lo, double hi) {
  const std::string name = lower(given);
  return (name == "lat" || name == "latitude") && lo >= -90 && hi <= 90;
}

GeographicAxes geographic_axes(const Grid& grid) {
  if (grid.dimensions() != 2) return {};
  const Axis &x = grid.axis(0), &y = grid.axis(1);
  if (is_longitude(x.name(), x.lo(), x.hi()) && is_latitude(y.name(), y.lo(), y.hi())) return {true, 0, 1};
  if (is_latitude(x.name(), x.lo(), x.hi()) && is_longitude(y.name(), y.lo(), y.hi())) return {true, 1, 0};
  return {};
}

}  // namespace shoal
