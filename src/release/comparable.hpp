// Checks which releases can be compared.
#pragma once

#include "shoal/evidence.hpp"

namespace shoal {

// Throws if the releases have different planes, grids or units, because they do not count the same.
void check_comparable(const ReleaseParts& before, const ReleaseParts& after);

}  // namespace shoal
