// Describes the levels of the low-pass filter along one axis. Dense, sparse and column-wise code share these rules. A
// level is
//
//   output o = sum over taps t, in order, of weight[t] * x[(stride * o + offset[t]) mod period]
//
// Decimated: stride 2. An odd axis is extended by its last value, so the period is even. Filter tap j of F has the
// offset F/2 - j - shift. This is PyWavelets' alignment in mode "periodization" on an axis rolled by `shift` cells:
//
//   x0 x1 | x2 x3 | x4 x4     size 5, period 6: Haar's outputs are the three pairs
//
// Stationary (a trous), level q = 1, 2, ...: stride 1, offset 2^(q-1) (F/2 - j) - shift, period = size. This is the
// alignment of PyWavelets' swt on a rolled axis. swt is defined only for sizes divisible by 2^level; here every size
// wraps around in the same way.
//
// The shifts place W: output o of the last level describes the cells of the grid under the centre of its filter. Let c
// be the centre of gravity of the filter, sum of j h[j] / sum of h[j]: on values that change linearly, a filtered value
// is the value at its centre of gravity, times a constant. Without shifts, output o of level L has its centre at
//
//   decimated    2^L o + (2^L - 1) (F/2 - c)   and its block [2^L o, 2^L (o + 1)) has its middle at 2^L o + (2^L - 1)/2
//   stationary       o + (2^L - 1) (F/2 - c)   and its cell is o
//
// so the filter looks D = (2^L - 1) d cells ahead, with d = F/2 - c - 1/2 (decimated) or F/2 - c (stationary). Rolling
// the grid by the whole number S nearest to D (of two equally near, the one nearer to 0) leaves an offset of at most
// half a cell of the grid, at every level. Decimated Haar has d = 0. S depends on public parameters only.
//
// Stationary: the first level has the shift S. Decimated: S is written as the sum of 2^(q-1) shift[q], such that the
// outputs of every level lie within half an output of their own blocks. On an axis whose size is a multiple of 2^L,
// this equals one roll of the grid by S. On other axes, it keeps the values that extend an odd level at the end of the
// axis.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/wavelet.hpp"

namespace shoal {

struct AxisStep {
  std::uint64_t size, period, outputs, stride;
  std::vector<std::uint64_t> offsets;  // in [0, period), one per tap; taps with weight zero are omitted
  std::vector<double> weights;
};

// Returns the shift of each level, in inputs of that level. The first entry belongs to level 1.
std::vector<std::int64_t> level_shifts(std::span<const double> low_pass, unsigned level, Transform transform);

// Returns the levels 1 to `level`, in order, on an axis of `size` cells.
std::vector<AxisStep> axis_steps(std::span<const double> low_pass, std::uint64_t size, unsigned level,
                                 Transform transform);

// Calls visit(output, tap) for every pair of output and tap that reads input i.
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
