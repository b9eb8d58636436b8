// Estimate of the number of cells above the censoring point from the noisy values themselves: where few cells lie near
// it, it is better than the profile's. Without censoring the point is 0, and these are all cells that hold anything.
#pragma once

#include <cstdint>
#include <vector>

#include "inference/privwave_profile.hpp"

namespace shoal {

// The number of cells with W > noise.censored_below, by its prediction and by the values: W' is a mixture of the noise
// on the censoring point and of the noise on values that are spread as `survival` says, and the number is the one that
// fits both best. values: W' in records, one per cell; without the noise they would be whole.
Estimate cells_above(const Survival& survival, const Estimate& predicted, const std::vector<double>& values,
                     const ValueNoise& noise);

}  // namespace shoal
