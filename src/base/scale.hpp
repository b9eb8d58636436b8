// Chooses ticks for axes, and the steps of grey and colour that stand for density.
#pragma once

#include <string>
#include <vector>

#include "shoal/text.hpp"

namespace shoal {

// Returns about `wanted` round values in [lo, hi] at most. `suffix` follows each number.
std::vector<Tick> ticks(double lo, double hi, double wanted, const std::string& suffix = {});

// Maps values to 16 steps. Step 0 is reserved for values of 0. The others follow log(1 + v / typical), where `typical`
// is the median of the positive values: linear for typical values, logarithmic for values far above.
class DensityScale {
 public:
  static constexpr int steps = 16;
  // values: each at least 0.
  explicit DensityScale(const std::vector<double>& values);
  [[nodiscard]] int step(double value) const;     // 0 .. steps - 1
  [[nodiscard]] double value(double step) const;  // the inverse: the value at a (fractional) step
  [[nodiscard]] double largest() const noexcept { return largest_; }

 private:
  double typical_ = 1, largest_ = 0;
};

}  // namespace shoal
