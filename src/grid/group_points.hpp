// Assigns points to the groups of a public list. Raw side.
#pragma once

#include <memory>

#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// Returns the points of `source`, whose first column says their group. The result has, in its place, the index of the
// cell of `groups` in which the value lies (a whole number starting at 0), or NaN for any other value. No value is
// moved to a group in which it does not lie. The source must outlive the result.
std::unique_ptr<Points> in_groups(Points& source, const Axis& groups);

}  // namespace shoal
