// What reshape() refuses.
#pragma once

#include "shoal/release.hpp"

namespace shoal {

// Throws InputError where reshape() would, without computing anything.
void check_reshape(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
