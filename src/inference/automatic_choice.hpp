// The threshold that --auto chooses: after the noise, from noised values alone.
#pragma once

#include "shoal/evidence.hpp"

namespace shoal {

// parts: of privwave with a profile of W. Sets the coverage of their options, and the stable range in `automatic`.
void choose_coverage(ReleaseParts& parts);

}  // namespace shoal
