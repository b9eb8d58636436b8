// The distribution of one draw of noise, and of sums of draws. Variances, tails, intervals and the chance of zero are
// computed here and nowhere else.
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
  // The integral of tail over [0, value]. Requires a law without `rounded`.
  [[nodiscard]] double tails_up_to(double value) const;
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

// Returns the distribution of one draw on one value.
LaplaceLaw draw_law(const NoiseLaw& law);

// A standard normal value lies farther than this from 0 with probability `outside`.
double normal_quantile(double outside);
// Returns the probability that a standard normal value exceeds z.
double normal_tail(double z);

// The noise of a sum of independent Laplace draws, each of this variance, lies farther than this from 0 with
// probability `outside`. Exact up to 32 draws; above, by the normal distribution and the kurtosis (Cornish and Fisher
// 1938). For discrete Laplace noise, P(X > t) at a whole number t is that of the continuous law at t + 1/2.
double reach_of_noise(double variance, double draws, double outside = 0.05);

// The scale of one draw: its tail falls by the factor e over this distance. variance: of the sum of all draws.
double scale_of_draw(double variance, double draws = 1);
// The number of draws of this scale whose sum has this variance: the inverse of scale_of_draw.
double draws_of(double variance, double scale);
// The rate of the Laplace distribution of this variance.
double rate_of_variance(double variance);

// The mean noise in the sum of the values that reach a threshold, which is not 0 since the noise helped them over it:
//   variance / (2 scale) times the sum of exp(-|value - threshold| / scale) over all values, also those below,
// exactly, whatever the values are without their noise, if the noise of each is a sum of Laplace draws of this scale.
// Proof: let f be the density of the values, k that of the noise, g that of the values without it, so that f = g * k.
// The mean noise above t is (m * g)(t) with m(t) the integral of x k(x) over x > t. By Fourier transforms, m = p * k
// with p^ = -(k^)' / (w k^). For k^ = (1 + scale^2 w^2)^-draws this is variance / (1 + scale^2 w^2): variance times the
// Laplace density. So the mean noise is (p * f)(t). (Tweedie's formula, Robbins 1956, for sums and for Laplace noise.)
// Here the part of one value:
double excess_by(double variance, double scale, double value_over_threshold);

}  // namespace shoal
