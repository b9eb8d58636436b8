// At most m records per unit (a person, a device): what makes a unit's influence bounded. Raw side.
#pragma once

#include <cstdint>
#include <memory>

#include "base/uniform_source.hpp"
#include "shoal/points.hpp"

namespace shoal {

// Reads the source to its end and keeps, of every unit, max_contributions records chosen uniformly at random (all of
// them when there are no more). Units are told apart by their keys' exact bytes (PointBlock::units; unit_key() says
// what a key is); a record with an empty one is refused. Records with a NaN coordinate lie in no cell and are left out
// beforehand. Memory: units x max_contributions records.
//
// Privacy: which records of a unit are kept depends on that unit's records and on draws made for it alone. So the
// kept records of two datasets that differ by one unit's presence can be drawn alike for all other units, and
// differ by at most max_contributions records: a release that is epsilon-private when that many records come or go
// is epsilon-private for the unit. The order of the rows carries nothing: counts do not depend on it.
//
// The source needs a unit column. The result can be scanned many times and no longer needs the source.
std::unique_ptr<Points> bound_contributions(Points& source, std::uint64_t max_contributions, UniformSource& random);

}  // namespace shoal
