#pragma once

#include <cstddef>
#include <string>

#include "shoal/grid.hpp"

namespace shoal {

// Which axes are longitude and latitude, by name (lon, lng, long, longitude; lat, latitude; any case) and range. Both
// or none.
bool is_longitude(const std::string& name, double lo, double hi);
bool is_latitude(const std::string& name, double lo, double hi);
struct GeographicAxes {
  bool found = false;
  std::size_t longitude = 0, latitude = 1;
};
GeographicAxes geographic_axes(const Grid& grid);

}  // namespace shoal
