// The effect of privwave's noise on the values of W', computed from public parameters only.
#pragma once

#include <cstdint>

#include "shoal/clusters.hpp"

namespace shoal {

// The values to which noise is added.
enum class NoisePlace {
  sums,    // Haar's block sums: one draw per value of W'
  counts,  // counts: W' mixes many draws
};
// Returns sums for decimated Haar, whose blocks share no cell, otherwise counts.
NoisePlace privwave_place(const ClusterOptions& options);

struct ValueScale {
  double record;  // what one record adds to a value of W, in the units of the stored values (sums under Haar, else W)
  double threshold;  // from records to the units of W
  double gain;       // variance of a value of W' in records over the variance of one draw
};
ValueScale value_scale(const Shape& grid, const ClusterOptions& options, NoisePlace place);

// Returns the correlation between the noise of a value of W' and the noise in the sum of the counts of the cells that
// it stands for: 1 for decimated Haar, less for filters that also read other cells.
double shared_noise(const Shape& grid, const ClusterOptions& options, NoisePlace place);

}  // namespace shoal
