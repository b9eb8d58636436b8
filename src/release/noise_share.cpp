#include "release/noise_share.hpp"

#include <cmath>
#include <numbers>

namespace shoal {

namespace {

// P(X_1 + ... + X_terms = 0), X_i discrete Laplace of the given rate: the mean of the characteristic function over a
// circle. On `points` points of it the mean is P(sum is a multiple of points), too large by less than 1/points.
double chance_of_zero(double rate, double terms) {
  constexpr int points = 4096;
  const double q = std::exp(-rate);
  double sum = 0;
  for (int i = 0; i < points; ++i) {
    const double cosine = std::cos(2 * std::numbers::pi * i / points);
    sum += std::pow((1 - q) * (1 - q) / (1 - 2 * q * cosine + q * q), terms);
  }
  return sum / points;
}

}  // namespace

double positive_noise_share(const ReleaseParts& parts, const ClusterOptions& options) {
  if (!parts.noisy_counts || !Wavelet::named(options.wavelet).is_haar()) return 0.5;
  const double cells = std::exp2(static_cast<double>(parts.grid.dimensions()) * options.level);
  for (const Spent& spent : parts.spent) {
    if (spent.mechanism != "counts") continue;
    return (1 - chance_of_zero(Rate::of(spent.epsilon, spent.sensitivity).value(), cells)) / 2;
  }
  return 0.5;
}

}  // namespace shoal
