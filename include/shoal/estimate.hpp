// An estimate from noised values and its standard deviation.
#pragma once

namespace shoal {

struct Estimate {
  double mean = 0;
  double deviation = 0;  // Standard deviation of the estimate.
};

}  // namespace shoal
