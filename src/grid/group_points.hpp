// Points in groups of a public list. Raw side.
#pragma once

#include <memory>

#include "shoal/axis.hpp"
#include "shoal/points.hpp"

namespace shoal {

// The points of the source, whose first column says their group: instead of it stands the cell of `groups` that it lies
// in, a whole number from 0 on, or NaN for all else. Nothing is moved to a group that it does not lie in. The source
// outlives the result.
std::unique_ptr<Points> in_groups(Points& source, const Axis& groups);

}  // namespace shoal
