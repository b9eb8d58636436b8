// Values on a box, smoothed by a Gaussian.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

struct Field {
  std::vector<double> values;
  std::vector<double> gain;  // variance of the smoothed value to that of a value, by cell
  double largest_weight = 1;
};

// values: dense. deviation: of the Gaussian, in cells. Weights of the cells that are there add up to 1, also at a
// border.
Field smoothed(const Cells<std::int64_t>& values, double deviation);

}  // namespace shoal
