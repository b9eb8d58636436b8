// The distribution of one draw of noise. Variances, tails, intervals and the chance of zero are computed here and
// nowhere else.
#pragma once

#include "shoal/noised.hpp"

namespace shoal {

// Logarithm of the moment generating function, and its first two derivatives.
struct Cumulants {
  double value = 0, first = 0, second = 0;
};

// Discrete Laplace of this rate. With `rounded`, the continuous Laplace of this rate, rounded up or down at random to
// a whole number so that the mean is kept: k with probability (cosh(rate) - 1) / rate exp(-rate |k|) for k not 0.
struct LaplaceLaw {
  double rate = 1;
  bool rounded = false;

  [[nodiscard]] double variance() const;
  // P(X >= value), value at least 1, or 0 without `rounded`. Whole numbers; exponential in between.
  [[nodiscard]] double tail(double value) const;
  // The value whose tail is `chance`: the inverse of tail. May lie below 1, where tail is not defined.
  [[nodiscard]] double value_of_tail(double chance) const;
  // P(X_1 + ... + X_draws = 0), within 1/4096, and within the accuracy of a double where the sum does not reach 4096.
  [[nodiscard]] double chance_of_zero(double draws) const;
  // Requires |s| < rate.
  [[nodiscard]] Cumulants cumulants(double s) const;
  // The sum of `draws` lies farther than this from 0 with probability `outside`.
  [[nodiscard]] double reach(double draws = 1, double outside = 0.05) const;
  // The same as a whole number.
  [[nodiscard]] double half_width(double draws = 1, double outside = 0.05) const;
};

// Of one draw on one value.
LaplaceLaw draw_law(const NoiseLaw& law);

// A standard normal value lies farther than this from 0 with probability `outside`.
double normal_quantile(double outside);

// The noise of a sum of independent Laplace draws, each of this variance, lies farther than this from 0 with
// probability `outside`. Exact up to 32 draws; above, by the normal distribution and the kurtosis (Cornish and Fisher
// 1938). Of discrete Laplace noise a whole number t is as rarely exceeded as t + 1/2 of the continuous.
double reach_of_noise(double variance, double draws, double outside = 0.05);

}  // namespace shoal
