// An estimate from noised values, with its deviation.
#pragma once

namespace shoal {

struct Estimate {
  double mean = 0;
  double deviation = 0;  // standard deviation
};

}  // namespace shoal
