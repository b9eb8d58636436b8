// Places ticks on the axes of a grid, according to their kind.
#pragma once

#include <string>
#include <vector>

#include "base/scale.hpp"
#include "shoal/grid.hpp"

namespace shoal {

// Returns about `wanted` ticks at most, at round values. `from` and `to` limit them to a part of the axis; both are
// fractions of its length, and so is Tick::value: 0 is the lower end and 1 the upper.
std::vector<Tick> axis_ticks(const Axis& axis, double wanted, const std::string& suffix = {}, double from = 0,
                             double to = 1);

}  // namespace shoal
