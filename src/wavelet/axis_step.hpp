// One level of the low-pass filter along one axis, as a rule that dense, sparse and column-wise code share.
//
//   output o = sum over taps t, in order, of weight[t] * x[(stride * o + offset[t]) mod period]
//
// Decimated: stride 2; an odd axis is extended by its last value, so period is even. Filter tap j of F sits at offset
// F/2 - j, PyWavelets' alignment in mode "periodization":
//
//   x0 x1 | x2 x3 | x4 x4     size 5, period 6: Haar's outputs are the three pairs
//
// Stationary (a trous), level q = 1, 2, ...: stride 1, offset 2^(q-1) (F/2 - j), period = size: the alignment of
// PyWavelets' swt, which defines it for sizes divisible by 2^level only; here any size wraps alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/wavelet.hpp"

namespace shoal {

struct AxisStep {
  std::uint64_t size, period, outputs, stride;
  std::vector<std::uint64_t> offsets;  // in [0, period), one per tap; taps of weight zero are left out
  std::vector<double> weights;
};

// The step of level q in [1, level] on an axis that has `size` cells before it.
AxisStep axis_step(std::span<const double> low_pass, std::uint64_t size, unsigned q, Transform transform);

// Calls visit(output, tap) for every output and tap that read input i.
template <class Visit>
void for_each_reader(const AxisStep& step, std::uint64_t i, const Visit& visit) {
  const std::uint64_t last = i + 1 == step.size ? step.period - 1 : i;  // the extension repeats the last input
  for (std::size_t tap = 0; tap < step.offsets.size(); ++tap) {
    for (std::uint64_t position = i; position <= last; ++position) {
      const std::uint64_t offset = step.offsets[tap];
      const std::uint64_t distance = position >= offset ? position - offset : position + step.period - offset;
      if (distance % step.stride == 0) visit(distance / step.stride, tap);
    }
  }
}

}  // namespace shoal
