// How far apart the values of a column lie: whole numbers, two decimals, quarter hours. Raw side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace shoal {

// The step of most values, and the share of values that are multiples of it.
struct ValueStep {
  double step = 0, share = 0;
};

// Counts, for each of a fixed list of steps, how many values are multiples of it. A value counts by itself alone.
class StepCounts {
 public:
  // seconds: the values are times, of which also minutes, quarter hours, hours and days are steps.
  explicit StepCounts(bool seconds = false) : seconds_(seconds) {}

  // NaN and infinities are ignored.
  void add(double value);
  // The largest step of which at least `least_share` of the values are multiples; none: they have no step down to
  // 10^-9, or all are equal.
  [[nodiscard]] std::optional<ValueStep> step(double least_share = 0.95) const;

  static constexpr std::array steps = {86400.0, 3600.0, 1000.0, 900.0, 500.0, 300.0, 100.0, 60.0,
                                       50.0,    10.0,   5.0,    1.0,   0.5,   0.25,  0.1,   0.05,
                                       0.01,    1e-3,   1e-4,   1e-5,  1e-6,  1e-7,  1e-8,  1e-9};

 private:
  bool seconds_;
  std::array<std::uint64_t, steps.size()> multiples_{};
  std::uint64_t values_ = 0;
  double first_ = 0;
  bool differ_ = false;
};

// Whether a double is the nearest to a whole number of steps.
bool is_multiple(double value, double step);

}  // namespace shoal
