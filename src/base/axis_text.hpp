// Coordinates and cells as text, by the kind of their axis.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shoal/grid.hpp"

namespace shoal {

// For a data file: what a reader of that kind reads back. A value in steps is the nearest step.
std::string written(const Axis& axis, double x);
// The first and the last value between two edges where values are counted (steps, days, months, names), else the edges.
std::pair<std::string, std::string> range_texts(const Axis& axis, double lower, double upper);
// For people: 0.25, 2026-03-01, A.
std::vector<std::string> place_texts(const Grid& grid, const std::vector<double>& place);
// The same with commas between them.
std::string place_text(const Grid& grid, const std::vector<double>& place);
// "31 x 31 km": a cell in the middle of geographic axes; empty on others.
std::string kilometres_a_cell(const Grid& grid);

}  // namespace shoal
