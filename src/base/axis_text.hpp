// Coordinates and cells as text, by the kind of their axis.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shoal/grid.hpp"

namespace shoal {

// The number that a text says and nothing else, with or without a plus; nothing when it says none.
std::optional<double> number_of(std::string_view text);

// For a data file: what a reader of that kind reads back. A value in steps is the nearest step.
std::string written(const Axis& axis, double x);
// The first and the last value between two edges where values are counted (steps, days, months, names), else the edges.
std::pair<std::string, std::string> range_texts(const Axis& axis, double lower, double upper);
// For people: 0.25, 2026-03-01, A.
std::vector<std::string> place_texts(const Grid& grid, const std::vector<double>& place);
// The same with commas between them.
std::string place_text(const Grid& grid, const std::vector<double>& place);
// A way along the axis: 0.25, 3 cm, 14 days.
std::string way_text(const Axis& axis, double way);
// The same, rounded up. Requires a positive way.
std::string way_at_least(const Axis& axis, double way);
// "31 x 31 km": a cell in the middle of geographic axes; empty on others.
std::string kilometres_a_cell(const Grid& grid);

}  // namespace shoal
