// Which releases can be compared.
#pragma once

#include "shoal/evidence.hpp"

namespace shoal {

// Refuses releases of different planes, grids or units: what they count is not the same.
void check_comparable(const ReleaseParts& before, const ReleaseParts& after);

}  // namespace shoal
