// Ticks of the axes of a grid, by their kind.
#pragma once

#include <string>
#include <vector>

#include "base/scale.hpp"
#include "shoal/axis.hpp"

namespace shoal {

// At most about `wanted` round values of the axis. Tick::value is the share of the axis before it, in [0, 1].
std::vector<Tick> axis_ticks(const Axis& axis, double wanted, const std::string& suffix = {});

}  // namespace shoal
