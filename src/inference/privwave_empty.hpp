// What the noisy values themselves tell about the number of cells that hold more than the lowest value: where few cells
// lie near it, no profile knows that as well. The lowest value is 0, so that these are all cells that hold anything, or
// what smaller ones were raised to.
#pragma once

#include <cstdint>
#include <vector>

#include "inference/privwave_profile.hpp"

namespace shoal {

// The number of cells with W > noise.lowest, by what was foreseen of it and by the values: W' is a mixture of the noise
// on the lowest value and of the noise on values that are spread as `survival` says, and the number is the one that
// fits both best. values: W' in records, one per cell; without the noise they would be whole.
Estimate cells_above(const Survival& survival, const Estimate& foreseen, const std::vector<double>& values,
                     const ValueNoise& noise);

}  // namespace shoal
