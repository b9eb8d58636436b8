#include "inference/privwave_noise.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "wavelet/axis_step.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

// The weights with which the middle output of an axis reads the inputs.
std::vector<double> middle_row(const std::vector<double>& low_pass, std::uint64_t size, unsigned level,
                               Transform transform) {
  const std::vector<AxisStep> steps = axis_steps(low_pass, size, level, transform);
  std::vector<double> row(steps.back().outputs);
  row[row.size() / 2] = 1;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const AxisStep& step = steps[i];
    std::vector<double> inputs(step.size);
    for (std::uint64_t output = 0; output < row.size(); ++output) {
      if (row[output] == 0) continue;
      for (std::size_t tap = 0; tap < step.offsets.size(); ++tap) {
        const std::uint64_t at = (step.stride * output + step.offsets[tap]) % step.period;
        inputs[std::min(at, step.size - 1)] += row[output] * step.weights[tap];
      }
    }
    row = std::move(inputs);
  }
  return row;
}

double norm_squared(std::span<const double> row) {
  double sum = 0;
  for (const double weight : row) sum += weight * weight;
  return sum;
}

std::vector<double> filter_of(const Wavelet& wavelet) {
  return wavelet.is_haar() ? std::vector<double>{1, 1} : wavelet.low_pass();
}

// The correlation along one axis of shared_noise().
double shared_along(const std::vector<double>& filter, std::uint64_t size, unsigned level, Transform transform) {
  const std::vector<double> row = middle_row(filter, size, level, transform);
  std::uint64_t first = size / 2, end = first + 1;
  if (transform == Transform::decimated) {
    const std::uint64_t outputs = axis_steps(filter, size, level, transform).back().outputs;
    const std::uint64_t block = level < 62 ? std::uint64_t{1} << level : size;
    first = outputs / 2 < size / block ? outputs / 2 * block : 0;
    end = std::min(size, first + block);
  }
  double own = 0;
  for (std::uint64_t i = first; i < end; ++i) own += row[i];
  return std::clamp(own / std::sqrt(static_cast<double>(end - first) * norm_squared(row)), 0.0, 1.0);
}

}  // namespace

NoisePlace privwave_place(const ClusterOptions& options) {
  const bool blocks = options.wavelet.is_haar() && options.transform == Transform::decimated;
  return blocks ? NoisePlace::sums : NoisePlace::counts;
}

ValueScale value_scale(const Shape& grid, const ClusterOptions& options, NoisePlace place) {
  const double unit = std::exp2(-static_cast<double>(grid.pooled_axes()) * options.level / 2);
  const bool haar = options.wavelet.is_haar();
  const bool blocks = haar && options.transform == Transform::decimated;
  ValueScale result{};
  const bool whole_blocks = has_whole_blocks(grid, options.level);
  result.record = blocks && !whole_blocks ? record_weight(haar_pieces(grid, options.level)) : haar ? 1 : unit;
  result.threshold = result.record * (haar ? unit : 1);
  result.gain = 1;
  if (place == NoisePlace::sums) return result;
  const std::vector<double> filter = filter_of(options.wavelet);
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    if (grid.side(axis).pooled) {
      result.gain *= norm_squared(middle_row(filter, grid[axis], options.level, options.transform));
    }
  }
  result.gain /= result.record * result.record;
  return result;
}

double shared_noise(const Shape& grid, const ClusterOptions& options, NoisePlace place) {
  if (place == NoisePlace::sums) return 1;
  double result = 1;
  const std::vector<double> filter = filter_of(options.wavelet);
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    if (grid.side(axis).pooled) result *= shared_along(filter, grid[axis], options.level, options.transform);
  }
  return result;
}

}  // namespace shoal
