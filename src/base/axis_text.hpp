// Converts coordinates and cells to text and back, according to the kind of their axis.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shoal/grid.hpp"

namespace shoal {

// Parses a number that fills the whole text, with or without a leading plus sign. Returns nothing for any other text.
std::optional<double> number_of(std::string_view text);

// Returns the text of a coordinate for a data file; a reader of that kind of axis reads it back. On an axis with steps,
// the value is rounded to the nearest step.
std::string written(const Axis& axis, double x);
// Returns the range between two edges as text. On axes of discrete values (steps, days, months, names) these are the
// first and the last value between the edges; on all others they are the edges themselves.
std::pair<std::string, std::string> range_texts(const Axis& axis, double lower, double upper);
// Returns the coordinates of a place as text for people, one per axis: 0.25, 2026-03-01, A.
std::vector<std::string> place_texts(const Grid& grid, const std::vector<double>& place);
// The same texts, separated by commas.
std::string place_text(const Grid& grid, const std::vector<double>& place);
// Returns a distance along the axis as text, with its unit: 0.25, 3 cm, 14 days.
std::string way_text(const Axis& axis, double way);
// The same in kilometres where the grid is a map of at most five degrees of latitude.
std::string way_text(const Grid& grid, std::size_t axis, double way);
// Returns the length of a degree along an axis of such a map, in its middle, or 0 for any other axis.
double kilometres_a_unit(const Grid& grid, std::size_t axis);
// Returns the same, rounded up. The distance must be positive.
std::string way_at_least(const Axis& axis, double way);
// Returns the size of a cell in the middle of the map, such as "31 x 31 km". Empty unless the axes are geographic.
std::string kilometres_a_cell(const Grid& grid);

}  // namespace shoal
