// The columns of an axis' low-pass matrix, over all its levels: what one input value does to the outputs.
// Wrap-around and the extension of odd sizes are part of the matrix. An axis with fewer cells than the filter has an
// input meet the same output several times; the weights of these meetings are added up.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/wavelet.hpp"

namespace shoal {

// How many outputs of one column rise with the input, and how many fall. Rising is about the computed value: an output
// rises if every path from the input to it, tap by tap through the levels, has a positive weight. Sums and products in
// floating point are monotone, so rounding cannot turn such an output around. An output with paths of both signs counts
// in both numbers, because rounding may decide.
struct MovedOutputs {
  std::uint64_t raised, lowered;
};

struct AxisColumns {
  Reach reach{0, 0, 0};
  double l1_raised = 0, l1_lowered = 0;  // largest sum of the positive weights of a column, and of the negative ones
  std::vector<MovedOutputs> outputs;     // of all columns, without those that another one exceeds in both numbers
};

// Throws on what Wavelet::reach refuses.
AxisColumns columns_of(const Wavelet& wavelet, std::uint64_t size, unsigned level, Transform transform);

// Without those that another one exceeds, or equals, in both numbers.
std::vector<MovedOutputs> undominated(std::vector<MovedOutputs> moved);

}  // namespace shoal
