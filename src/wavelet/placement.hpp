// Where a filter looks: how far its centre lies from where PyWavelets puts its output, and how many cells it spans.
// Both are public constants of the wavelet and the level. src/wavelet/axis_step.hpp derives the shift.
#pragma once

#include <cstdint>

#include "shoal/wavelet.hpp"

namespace shoal {

// The number of cells by which the grid is rolled (numpy.roll) so that a value of W describes the cells of its block
// (decimated) or its cell (stationary). 0 for decimated Haar at every level. level in [1, 60].
std::int64_t placement_shift(const Wavelet& wavelet, unsigned level, Transform transform);

// How many cells of an axis one value of W reads, from the first to the last. level in [1, 60].
std::uint64_t filter_span(const Wavelet& wavelet, unsigned level);

}  // namespace shoal
