// Axes as people declare them, in words:
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
  std::string name{};  // empty: it belongs to the column in the same place
  double lo = 0, hi = 0;
  AxisKind kind{};

  // At most so many cells; see Axis::fitted.
  [[nodiscard]] Axis fitted(std::uint64_t cells, const std::string& of = {}) const {
    return Axis::fitted(lo, hi, cells, of.empty() ? name : of, kind);
  }
};

// Refuses what is no declaration, or none that an axis can follow.
DeclaredAxis declared_axis(std::string_view text);
// Separated by commas. All have names or none; no name twice.
std::vector<DeclaredAxis> declared_axes(std::string_view text);

// Latitude and longitude, by name and range, in cells of equal areas; a longitude of 360 degrees becomes a circle.
// Refuses axes of which none are these.
void make_geographic(std::vector<DeclaredAxis>& axes);

}  // namespace shoal
