// Parses axes from the text in which people declare them:
//
//   [NAME=]LOWER:UPPER[:WORD...]      age=0:110:int   dose=0:500:step=12.5   income=1:1e6:log   height=0:250:cm
//                                     hour=0:24:circle   day=2026-01-01:2026-12-31   day=...:month day=...:zone=+02:00
//   [NAME=]A|B|C:category             ward=A|B|C:category   weekday=Mon|Tue|...|Sun:circle
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shoal/axis.hpp"

namespace shoal {

struct DeclaredAxis {
  // Name of the axis. If empty, the axis belongs to the column at the same position.
  std::string name{};
  double lo = 0, hi = 0;
  AxisKind kind{};

  // Returns the axis with at most `cells` cells (Axis::fitted). A name in `column` replaces the declared name.
  [[nodiscard]] Axis fitted(std::uint64_t cells, const std::string& column = {}) const {
    return Axis::fitted(lo, hi, cells, column.empty() ? name : column, kind);
  }
  // Throws if no grid can have this axis.
  void check() const;
};

// Parses one declaration. Throws if the text is not a valid declaration.
DeclaredAxis declared_axis(std::string_view text);
// Parses declarations that are separated by commas. Throws if only some axes are named, or if a name occurs twice.
std::vector<DeclaredAxis> declared_axes(std::string_view text);

// Turns axes of latitude into cells of equal area, and axes of longitude that span 360 degrees into circles. The axes
// are recognised by their name and range. Throws if no axis is a latitude.
void make_geographic(std::vector<DeclaredAxis>& axes);

}  // namespace shoal
