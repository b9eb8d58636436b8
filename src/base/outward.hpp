// Rounds bounds for display. They are rounded outward, so the bound that is shown still holds.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace shoal {

// The largest multiple of `step` that is at most `value`.
inline double rounded_down(double value, double step = 1) { return std::floor(value / step) * step; }
// The smallest multiple of `step` that is at least `value`.
inline double rounded_up(double value, double step = 1) { return std::ceil(value / step) * step; }

// The ends of an interval, rounded outward to multiples of `step`.
struct OutwardEnds {
  double least, most;
};
inline OutwardEnds outward(double middle, double reach, double step = 1) {
  return {rounded_down(middle - reach, step), rounded_up(middle + reach, step)};
}

// The smallest number of this many significant digits that is at least `value`, which is positive.
inline double at_least(double value, int digits) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  constexpr double slack = 1e-9;  // 0.3 stays 0.3
  return std::ceil(value / unit - slack) * unit;
}

// 73.1 becomes "74"; values of 99 or more get up to four decimals. The text is never less than the value, and it stays
// below 100 as long as the decimals allow it.
inline std::string percent_at_most(double percent) {
  if (percent < 99) return fmt::format("{:.0f}", rounded_up(percent));
  return fmt::format("{:.6g}", rounded_up(percent, 1e-4));
}

}  // namespace shoal
