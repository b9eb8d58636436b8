#include "base/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shoal {

namespace {

// Returns the round step (1, 2 or 5 times a power of ten) that gives at most `wanted` ticks.
double round_step(double width, double wanted) {
  const double least = width / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * 0.999) return factor * power;
  }
  return 10 * power;
}

std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// Formats a tick. All ticks of an axis have one form: as they are, in thousands (k), in millions (M), or with
// exponents.
std::string tick_text(double value, double step, double largest) {
  const char* minus = value < 0 ? "\u2212" : "";
  const double magnitude = std::fabs(value);
  if (magnitude < step * 1e-6) return "0";
  if (largest >= 1e9 || largest < 1e-4) return fmt::format("{}{:.4g}", minus, magnitude);
  const double unit = largest >= 1e6 ? 1e6 : (largest >= 1e4 ? 1e3 : 1);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 9);
  const char* sign = unit == 1e6 ? "M" : (unit == 1e3 ? "k" : "");
  return fmt::format("{}{}{}", minus, trimmed(fmt::format("{:.{}f}", magnitude / unit, decimals)), sign);
}

}  // namespace

std::vector<Tick> ticks(double lo, double hi, double wanted, const std::string& suffix) {
  const double step = round_step(hi - lo, std::max(wanted, 1.0));
  const double largest = std::max(std::fabs(lo), std::fabs(hi));
  std::vector<Tick> result;
  if (!(step > 0) || !std::isfinite(step)) return result;
  const double first = std::ceil(lo / step - 1e-9), last = std::floor(hi / step + 1e-9);
  for (double i = first; i <= last && result.size() < 100; i += 1) {
    result.push_back({std::clamp(i * step, lo, hi), tick_text(i * step, step, largest) + suffix});
  }
  return result;
}

DensityScale::DensityScale(const std::vector<double>& values) {
  std::vector<double> positive;
  std::copy_if(values.begin(), values.end(), std::back_inserter(positive), [](double value) { return value > 0; });
  if (positive.empty()) return;
  const auto middle = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
  std::nth_element(positive.begin(), middle, positive.end());
  typical_ = *middle;
  largest_ = *std::max_element(positive.begin(), positive.end());
}

int DensityScale::step(double value) const {
  if (!(value > 0) || largest_ <= 0) return 0;
  const double share = std::log1p(value / typical_) / std::log1p(largest_ / typical_);
  return std::clamp(static_cast<int>(std::ceil(share * (steps - 1))), 1, steps - 1);
}

double DensityScale::value(double step) const {
  return typical_ * std::expm1(step / (steps - 1) * std::log1p(largest_ / typical_));
}

}  // namespace shoal
