#include "points/value_step.hpp"

#include <cmath>

namespace shoal {

bool is_multiple(double value, double step) {
  const double steps = value / step, whole = std::round(steps);
  constexpr double exact = 0x1p50;  // every double of at least this size is a multiple
  if (std::fabs(steps) > exact) return false;
  return std::fabs(steps - whole) <= 4e-16 * std::fabs(steps);  // the rounding of a decimal and of the division
}

void StepCounts::add(double value) {
  if (!std::isfinite(value)) return;
  if (values_++ == 0) first_ = value;
  differ_ = differ_ || value != first_;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (is_multiple(value, steps[i])) ++multiples_[i];
  }
}

std::optional<ValueStep> StepCounts::step(double least_share) const {
  if (!differ_) return std::nullopt;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool of_time = steps[i] == 86400 || steps[i] == 3600 || steps[i] == 900 || steps[i] == 300 || steps[i] == 60;
    const bool of_numbers = steps[i] > 1 && !of_time;
    if (seconds_ ? of_numbers : of_time) continue;
    const double share = static_cast<double>(multiples_[i]) / static_cast<double>(values_);
    if (share >= least_share) return ValueStep{steps[i], share};
  }
  return std::nullopt;
}

}  // namespace shoal
