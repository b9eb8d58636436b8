// An estimate from noised values and its standard deviation.
#pragma once

namespace shoal {

struct Estimate {
  double mean = 0;
  double deviation = 0;  // Standard deviation of the estimate.
  // Number of independent draws of Laplace noise, each of the same variance, whose sum has the same tails.
  double draws = 1;
};

}  // namespace shoal
