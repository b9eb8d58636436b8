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

bool is_longitude(const Axis& axis) {
  const std::string name = lower(axis.name());
  const bool named = name == "lon" || name == "lng" || name == "long" || name == "longitude";
  return named && axis.lo() >= -180 && axis.hi() <= 180;
}

bool is_latitude(const Axis& axis) {
  const std::string name = lower(axis.name());
  return (name == "lat" || name == "latitude") && axis.lo() >= -90 && axis.hi() <= 90;
}

}  // namespace

GeographicAxes geographic_axes(const Grid& grid) {
  if (grid.dimensions() != 2) return {};
  if (is_longitude(grid.axis(0)) && is_latitude(grid.axis(1))) return {true, 0, 1};
  if (is_latitude(grid.axis(0)) && is_longitude(grid.axis(1))) return {true, 1, 0};
  return {};
}

}  // namespace shoal
