// Smooths values on a box by a Gaussian.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

struct Field {
  std::vector<double> values;
  std::vector<double> gain;  // per cell: variance of the smoothed value divided by the variance of a value
  double largest_weight = 1;
};

// values: must be dense. deviation: standard deviation of the Gaussian, in cells. The weights of the existing cells add
// up to 1, also at a border.
Field smoothed(const Cells<std::int64_t>& values, double deviation);

}  // namespace shoal
