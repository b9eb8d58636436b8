// Points in groups of a public list, of which each unit keeps at most some. Raw side.
#pragma once

#include <cstdint>
#include <memory>

#include "base/uniform_source.hpp"
#include "grid/point_table.hpp"
#include "shoal/axis.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// The points of the source, whose first column says their group: instead of it stands the cell of `groups` that it lies
// in, a whole number from 0 on, or NaN for all else. Nothing is moved to a group that it does not lie in. The other
// columns are those of the grid: a point that lies in no cell of it, by `outside`, lies in no group either. The source
// outlives the result.
std::unique_ptr<Points> in_groups(Points& source, const Axis& groups, const Grid& grid,
                                  Outside outside = Outside::drop);

// Reads points whose first column is a group, as in_groups gives it, to their end. Keeps of every unit max_groups of
// the groups that it has records in, chosen uniformly at random (all when there are no more), and in each of these
// max_contributions of its records, chosen alike. Records with a NaN are left out beforehand; one with an empty unit is
// refused. Memory: units x max_groups x max_contributions records.
//
// Privacy: what is kept of a unit depends on that unit's records and on draws made for it alone, as in
// contributions.hpp. So the kept records of two datasets that differ by one unit's presence can be drawn alike for all
// other units; they differ in at most max_groups groups, and in each by at most max_contributions records.
PointTable bound_groups(Points& source, std::uint64_t max_groups, std::uint64_t max_contributions,
                        UniformSource& random);

}  // namespace shoal
