#include "inference/laplace_law.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <vector>

namespace shoal {

namespace {

constexpr double most_exact_draws = 32;

// The absolute sum of n Laplace draws of scale 1 is a mixture of Gamma distributions: of shape n - j with weight
// C(n - 1 + j, j) / 2^(n - 1 + j). The chance that it exceeds x is then exp(-x) times a polynomial.
class LaplaceSum {
 public:
  explicit LaplaceSum(unsigned draws) : at_least_(draws) {
    double weight = std::exp2(1.0 - draws), all = 0;
    for (unsigned j = 0; j < draws; ++j) {
      all += weight;
      at_least_[draws - 1 - j] = all;
      weight *= (draws + j) / (2.0 * (j + 1));
    }
  }
  [[nodiscard]] double beyond(double x) const {
    double power = 1, sum = 0;
    for (std::size_t i = 0; i < at_least_.size(); ++i) {
      sum += power * at_least_[i];
      power *= x / static_cast<double>(i + 1);
    }
    return std::exp(-x) * sum;
  }

 private:
  std::vector<double> at_least_;  // [i]: weight of the shapes above i
};

// Beyond m the sum of `draws` discrete Laplace has less than 2^-57 of its mass. Chernoff: P(S >= m) <= M^draws e^(-s m)
// with s = rate / 2 and M = E e^(s X).
double reach_of_sum(double rate, double draws) {
  const double q = std::exp(-rate);
  const double root = std::exp(-rate / 2);
  const double moment = (1 - q) * (1 - q) / ((1 - root) * (1 - q * root));
  return (40 + draws * std::log(moment)) / (rate / 2);
}

// A tail is exp(-rate (value - from)) / divisor. The rounded noise reaches d where the continuous one reaches d - u, u
// uniform on [0, 1): the mean of exp(-rate (d - u)) / 2.
struct Tail {
  double from, divisor;
};
Tail tail_of(const LaplaceLaw& law) {
  return law.rounded ? Tail{1, 2 * law.rate / -std::expm1(-law.rate)} : Tail{0, 1 + std::exp(-law.rate)};
}

}  // namespace

// Without long double: the same bits on every machine. Without exceptions: their texts would be a tenth of the page.
double normal_quantile(double outside) {
  using namespace boost::math::policies;
  using Policy = policy<promote_double<false>, domain_error<ignore_error>, pole_error<ignore_error>,
                        overflow_error<ignore_error>, underflow_error<ignore_error>, denorm_error<ignore_error>,
                        evaluation_error<ignore_error>, indeterminate_result_error<ignore_error>>;
  return std::numbers::sqrt2 * boost::math::erfc_inv(outside, Policy());
}

double normal_tail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

double reach_of_noise(double variance, double draws, double outside) {
  if (draws > most_exact_draws) {
    const double z = normal_quantile(outside);
    return (z + (z * z * z - 3 * z) / (8 * draws)) * std::sqrt(draws * variance);
  }
  const LaplaceSum sum(static_cast<unsigned>(std::lround(std::max(draws, 1.0))));
  double low = 0, high = 1;
  while (sum.beyond(high) > outside) high *= 2;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    (sum.beyond(middle) > outside ? low : high) = middle;
  }
  return high * scale_of_draw(variance);
}

double scale_of_draw(double variance, double draws) { return std::sqrt(variance / (2 * draws)); }

double draws_of(double variance, double scale) { return variance / (2 * scale * scale); }

double rate_of_variance(double variance) { return std::sqrt(2 / variance); }

double excess_by(double variance, double scale, double value_over_threshold) {
  return variance > 0 ? variance / (2 * scale) * std::exp(-std::fabs(value_over_threshold) / scale) : 0;
}

LaplaceLaw draw_law(const NoiseLaw& law) { return {law.rate(), law.parts_per_unit > 1}; }

double LaplaceLaw::variance() const {
  if (rounded) return 1 / (rate * std::tanh(rate / 2));
  const double stop = std::expm1(-rate);
  return 2 * std::exp(-rate) / (stop * stop);
}

double LaplaceLaw::tail(double value) const {
  const Tail bound = tail_of(*this);
  return std::exp(-rate * (value - bound.from)) / bound.divisor;
}

double LaplaceLaw::tails_up_to(double value) const { return -std::expm1(-rate * value) / rate * tail(0); }

double LaplaceLaw::value_of_tail(double chance) const {
  const Tail bound = tail_of(*this);
  return bound.from + std::log(1 / (chance * bound.divisor)) / rate;
}

// The mean of the characteristic function over a circle. On `points` points of it the mean is P(the sum is a multiple
// of points): too large by less than 1 / points, and exact to a double once the sum does not reach so far.
double LaplaceLaw::chance_of_zero(double draws) const {
  const int half = static_cast<int>(std::clamp(std::ceil(reach_of_sum(rate, draws) / 2), 8.0, 2048.0));
  const double q = std::exp(-rate);
  const auto at = [&](int i) {
    const double cosine = std::cos(std::numbers::pi * i / half);
    const double circle = 1 - 2 * q * cosine + q * q;
    if (!rounded) return std::pow((1 - q) * (1 - q) / circle, draws);
    return std::pow(1 - (1 - q) / rate * (1 - (1 - q) * (cosine - q) / circle), draws);
  };
  double sum = at(0) + at(half);  // the circle is symmetric: all others count twice
  for (int i = 1; i < half; ++i) sum += 2 * at(i);
  return sum / (2 * half);
}

// Discrete: K(s) = 2 log(1 - q) - log(1 - q e^s) - log(1 - q e^-s). Rounded: the moment generating function is
// 1 - (1 - q) / rate + (1 - q)^2 / (2 rate) (e^s / (1 - q e^s) + e^-s / (1 - q e^-s)).
Cumulants LaplaceLaw::cumulants(double s) const {
  const double q = std::exp(-rate), up = q * std::exp(s), down = q * std::exp(-s);
  const auto first = [](double u) { return u / ((1 - u) * (1 - u)); };
  if (!rounded) {
    return {2 * std::log1p(-q) - std::log1p(-up) - std::log1p(-down), up / (1 - up) - down / (1 - down),
            first(up) + first(down)};
  }
  const double stop = -std::expm1(-rate), factor = stop * stop / (2 * rate);
  const double rise = std::exp(s), fall = std::exp(-s);
  const double moment = 1 - stop / rate + factor * (rise / (1 - up) + fall / (1 - down));
  const double mean = factor * (rise / ((1 - up) * (1 - up)) - fall / ((1 - down) * (1 - down))) / moment;
  const auto second = [](double e, double u) { return e * (1 + u) / ((1 - u) * (1 - u) * (1 - u)); };
  return {std::log(moment), mean, factor * (second(rise, up) + second(fall, down)) / moment - mean * mean};
}

double LaplaceLaw::reach(double draws, double outside) const { return reach_of_noise(variance(), draws, outside); }

double LaplaceLaw::half_width(double draws, double outside) const {
  return std::max(0.0, std::ceil(reach(draws, outside) - 0.5));
}

}  // namespace shoal
