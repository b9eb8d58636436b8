// Bounds for people to read. Rounded away from what they bound: what is shown still holds.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace shoal {

// The largest multiple of `step` that is at most `value`.
inline double rounded_down(double value, double step = 1) { return std::floor(value / step) * step; }
// The smallest multiple of `step` that is at least `value`.
inline double rounded_up(double value, double step = 1) { return std::ceil(value / step) * step; }

// The smallest number of this many significant digits that is at least `value`, which is positive.
inline double at_least(double value, int digits) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  constexpr double slack = 1e-9;  // 0.3 stays 0.3
  return std::ceil(value / unit - slack) * unit;
}

// "74" for 73.1; four digits behind the point near 100. Never less than the value, and below 100 as long as it fits.
inline std::string percent_at_most(double percent) {
  if (percent < 99) return fmt::format("{:.0f}", rounded_up(percent));
  return fmt::format("{:.6g}", rounded_up(percent, 1e-4));
}

// A probability that is at least what is shown: "0.973". At most 0.999.
inline std::string probability_at_least(double probability) {
  constexpr double slack = 1e-12;  // 0.95 stays 0.950
  return fmt::format("{:.3f}", std::fmin(rounded_down(probability + slack, 0.001), 0.999));
}

}  // namespace shoal
