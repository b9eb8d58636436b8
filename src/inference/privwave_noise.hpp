// What privwave's noise does to the values of W', from public parameters alone.
#pragma once

#include <cstdint>

#include "shoal/options.hpp"

namespace shoal {

// Where the noise of the values lies.
enum class NoisePlace {
  sums,    // on Haar's block sums: one draw a value of W'
  counts,  // on the counts: W' mixes many draws
};
// Decimated Haar: its blocks share no cell. All others: counts.
NoisePlace privwave_place(const ClusterOptions& options);

struct ValueScale {
  double record;  // what one record adds to a value of W, in the units of the stored values (sums under Haar, else W)
  double threshold;  // from records to the units of W
  double gain;       // variance of a value of W' in records over the variance of one draw
};
ValueScale value_scale(const Shape& grid, const ClusterOptions& options, NoisePlace place);

}  // namespace shoal
