// The columns of the low-pass matrix of an axis, over all its levels. A column says what one input value does to the
// outputs. The matrix includes the wrap-around and the extension of odd sizes. On an axis with fewer cells than the
// filter has taps, one input can reach the same output several times; the weights of these paths are added up.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/wavelet.hpp"

namespace shoal {

// How many outputs of one column rise with the input, and how many fall. This is about the computed value: an output
// rises if every path from the input to it, tap by tap through the levels, has a positive weight. Sums and products in
// floating point are monotone, so rounding cannot reverse such an output. An output with paths of both signs counts in
// both numbers, because rounding may decide.
struct MovedOutputs {
  std::uint64_t raised, lowered;
};

struct AxisColumns {
  Reach reach{0, 0, 0};
  double l1_raised = 0, l1_lowered = 0;  // largest sum of the positive weights of a column, and of the negative weights
  double largest_raised = 0, largest_lowered = 0;  // largest positive weight of all columns, and largest negative one
  std::vector<MovedOutputs> outputs;  // of all columns, without those that another column exceeds in both numbers
};

// Throws if Wavelet::reach throws for these parameters.
AxisColumns columns_of(const Wavelet& wavelet, std::uint64_t size, unsigned level, Transform transform);

// Returns the entries without those that another entry exceeds or equals in both numbers.
std::vector<MovedOutputs> undominated(std::vector<MovedOutputs> moved);

}  // namespace shoal
