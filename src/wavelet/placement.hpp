// Tells where a filter looks: how far its centre lies from the place that PyWavelets gives its output, and how many
// cells it spans. Both depend only on the wavelet, the transform and the level, which are public.
// src/wavelet/axis_step.hpp derives the shift.
#pragma once

#include <cstdint>

#include "shoal/wavelet.hpp"

namespace shoal {

// Returns the number of cells by which the grid is rolled (as by numpy.roll) so that a value of W describes the cells
// of its block (decimated) or its own cell (stationary). It is 0 for decimated Haar at every level. level must be in
// [1, 60].
std::int64_t placement_shift(const Wavelet& wavelet, unsigned level, Transform transform);

// Returns how many cells of an axis one value of W reads, from the first to the last. level must be in [1, 60].
std::uint64_t filter_span(const Wavelet& wavelet, unsigned level);

}  // namespace shoal
