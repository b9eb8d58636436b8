#pragma once

#include <cstddef>
#include <string>

#include "shoal/grid.hpp"

namespace shoal {

// Recognise longitude and latitude by the name of the axis (lon, lng, long, longitude; lat, latitude; in any case) and
// by its range. geographic_axes() finds both axes or neither; only grids with exactly two axes qualify.
bool is_longitude(const std::string& name, double lo, double hi);
bool is_latitude(const std::string& name, double lo, double hi);
struct GeographicAxes {
  bool found = false;
  std::size_t longitude = 0, latitude = 1;
};
GeographicAxes geographic_axes(const Grid& grid);

}  // namespace shoal
