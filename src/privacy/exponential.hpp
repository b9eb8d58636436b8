// The exponential mechanism's draw: an index with probability exactly proportional to measure * exp(-rate cost).
#pragma once

#include <cstddef>
#include <span>

#include "privacy/random_bits.hpp"
#include "shoal/noise.hpp"

namespace shoal {

// By inversion: V uniform on [0, 1), the outcome is the first index whose weights so far exceed V times all weights.
// Sums are known between certified bounds; where these and the bits of V known so far leave the outcome open, both are
// made finer. So the outcome is always the one that V's infinitely many bits define. Refuses when no measure is
// positive.
std::size_t choose_exactly(std::span<const WeightedInterval> intervals, Rate rate, RandomBits& bits);

}  // namespace shoal
