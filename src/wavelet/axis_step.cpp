#include "wavelet/axis_step.hpp"

#include <algorithm>
#include <cmath>

#include "wavelet/placement.hpp"

namespace shoal {

namespace {

// After this many levels at most, one cell of an axis is left. Doubles are exact enough up to there.
constexpr unsigned most_placed_levels = 32;

// Returns how far ahead of its own place a filter without shifts looks in one level: F/2 - c, where c is its centre of
// gravity.
double centre_ahead(std::span<const double> low_pass) {
  double sum = 0;
  double moment = 0;
  for (std::size_t j = 0; j < low_pass.size(); ++j) {
    sum += low_pass[j];
    moment += static_cast<double>(j) * low_pass[j];
  }
  return static_cast<double>(low_pass.size() / 2) - moment / sum;
}

// Returns the nearest whole number. If two are equally near, returns the one nearer to 0. Symmetric filters have such
// delays, up to rounding.
std::int64_t nearest_whole(double value) {
  constexpr double rounding = 1e-4;
  const double size = std::max(0.0, std::ceil(std::fabs(value) - 0.5 - rounding));
  return static_cast<std::int64_t>(value < 0 ? -size : size);
}

AxisStep axis_step(std::span<const double> low_pass, std::uint64_t size, unsigned q, std::int64_t shift,
                   Transform transform) {
  const bool decimated = transform == Transform::decimated;
  AxisStep step{};
  step.size = size;
  step.period = decimated ? size + size % 2 : size;
  step.stride = decimated ? 2 : 1;
  step.outputs = step.period / step.stride;
  const std::uint64_t spread = decimated ? 1 : std::uint64_t{1} << (q - 1);
  const std::uint64_t unit = spread % step.period;  // products of residues below 2^32 do not overflow
  const auto period = static_cast<std::int64_t>(step.period);
  const auto back = static_cast<std::uint64_t>(((-shift) % period + period) % period);
  const std::size_t half = low_pass.size() / 2;
  for (std::size_t j = 0; j < low_pass.size(); ++j) {
    if (low_pass[j] == 0) continue;
    const std::uint64_t ahead = (j <= half ? half - j : j - half) * unit % step.period;
    const std::uint64_t plain = j <= half || ahead == 0 ? ahead : step.period - ahead;
    step.offsets.push_back((plain + back) % step.period);
    step.weights.push_back(low_pass[j]);
  }
  return step;
}

}  // namespace

std::vector<std::int64_t> level_shifts(std::span<const double> low_pass, unsigned level, Transform transform) {
  std::vector<std::int64_t> shifts(level);
  if (level == 0) return shifts;
  const bool decimated = transform == Transform::decimated;
  const double delay = centre_ahead(low_pass) - (decimated ? 0.5 : 0.0);
  const unsigned known = std::min(level, most_placed_levels);
  std::int64_t left = nearest_whole(std::ldexp(delay, static_cast<int>(known)) - delay);
  for (unsigned q = known; decimated && q > 1; --q) {
    const double cell = std::ldexp(1.0, static_cast<int>(q) - 1);
    shifts[q - 1] = nearest_whole((static_cast<double>(left) - (cell - 1) * delay) / cell);
    left -= shifts[q - 1] << (q - 1);
  }
  shifts[0] = left;
  return shifts;
}

std::vector<AxisStep> axis_steps(std::span<const double> low_pass, std::uint64_t size, unsigned level,
                                 Transform transform) {
  std::vector<AxisStep> steps;
  unsigned q = 1;
  for (const std::int64_t shift : level_shifts(low_pass, level, transform)) {
    steps.push_back(axis_step(low_pass, size, q++, shift, transform));
    size = steps.back().outputs;
  }
  return steps;
}

std::int64_t placement_shift(const Wavelet& wavelet, unsigned level, Transform transform) {
  std::int64_t sum = 0;
  unsigned q = 0;
  for (const std::int64_t shift : level_shifts(wavelet.low_pass(), level, transform)) sum += shift << q++;
  return sum;
}

std::uint64_t filter_span(const Wavelet& wavelet, unsigned level) {
  const std::vector<double>& low_pass = wavelet.low_pass();
  const auto set = [](double weight) { return weight != 0; };
  const auto first = std::find_if(low_pass.begin(), low_pass.end(), set);
  const auto last = std::find_if(low_pass.rbegin(), low_pass.rend(), set);
  const auto taps = static_cast<std::uint64_t>(last.base() - first);
  return (taps - 1) * ((std::uint64_t{1} << level) - 1) + 1;
}

}  // namespace shoal
