// Ticks of axes, and the steps of grey and colour that stand for density.
#pragma once

#include <string>
#include <vector>

namespace shoal {

struct Tick {
  double value;
  std::string text;
};

// At most about `wanted` round values in [lo, hi]. `suffix` follows each number.
std::vector<Tick> ticks(double lo, double hi, double wanted, const std::string& suffix = {});

// 1234567 as "1,234,567"; from a million on in a sentence's way: "1.2 million".
std::string grouped(double value);
// The same of a difference, rounded: "+1,234", "−12".
std::string signed_grouped(double value);

// 16 steps; 0 is reserved for nothing at all. Between them as log(1 + v / typical): linear for what is typical,
// logarithmic for what is far above.
class DensityScale {
 public:
  static constexpr int steps = 16;
  // values: at least 0 each.
  explicit DensityScale(const std::vector<double>& values);
  [[nodiscard]] int step(double value) const;     // 0 .. steps - 1
  [[nodiscard]] double value(double step) const;  // the reverse: the value at a (fractional) step
  [[nodiscard]] double largest() const noexcept { return largest_; }

 private:
  double typical_ = 1, largest_ = 0;
};

}  // namespace shoal
