// What the noisy values themselves tell about |L|: where few cells lie near zero, no profile knows it as well.
#pragma once

#include <vector>

#include "release/privwave_profile.hpp"

namespace shoal {

// |L| and its deviation, as far as they are known.
struct PositiveCells {
  double count = 0;
  double deviation = 0;
};

// The profile's estimate, and with it what the values tell about the cells that hold nothing: W' is a mixture of the
// noise alone and of the noise on values that are spread as the profile says, and the number of empty cells is the one
// that fits both best. values: W' in records, one a cell; without the noise they would be whole.
PositiveCells positive_cells(const FilteredProfile& profile, const std::vector<double>& values,
                             const ValueNoise& noise);

}  // namespace shoal
