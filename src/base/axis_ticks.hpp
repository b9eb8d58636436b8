// Ticks of the axes of a grid, by their kind.
#pragma once

#include <string>
#include <vector>

#include "base/scale.hpp"
#include "shoal/axis.hpp"

namespace shoal {

// At most about `wanted` round values of the axis, or of its part between two shares. Tick::value is the share of the
// axis before it, in [0, 1].
std::vector<Tick> axis_ticks(const Axis& axis, double wanted, const std::string& suffix = {}, double from = 0,
                             double to = 1);

}  // namespace shoal
