#include "inference/noise_share.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shoal {

namespace {

// Beyond m the sum of `terms` discrete Laplace has less than 2^-57 of its mass. Chernoff: P(S >= m) <= M^terms e^(-s m)
// with s = rate / 2 and M = E e^(s X).
double reach_of_sum(double rate, double terms) {
  const double q = std::exp(-rate);
  const double root = std::exp(-rate / 2);
  const double moment = (1 - q) * (1 - q) / ((1 - root) * (1 - q * root));
  return (40 + terms * std::log(moment)) / (rate / 2);
}

// P(X_1 + ... + X_terms = 0), X_i discrete Laplace of the given rate, or a Laplace that was rounded up or down at
// random: the mean of the characteristic function over a circle. On `points` points of it the mean is P(sum is a
// multiple of points), too large by less than 1/points, and by nothing that a double shows once the sum does not reach
// so far.
double chance_of_zero(double rate, double terms, bool rounded) {
  const int half = static_cast<int>(std::clamp(std::ceil(reach_of_sum(rate, terms) / 2), 8.0, 2048.0));
  const double q = std::exp(-rate);
  const auto at = [&](int i) {
    const double cosine = std::cos(std::numbers::pi * i / half);
    const double circle = 1 - 2 * q * cosine + q * q;
    if (!rounded) return std::pow((1 - q) * (1 - q) / circle, terms);
    return std::pow(1 - (1 - q) / rate * (1 - (1 - q) * (cosine - q) / circle), terms);
  };
  double sum = at(0) + at(half);  // the circle is symmetric: all others count twice
  for (int i = 1; i < half; ++i) sum += 2 * at(i);
  return sum / (2 * half);
}

}  // namespace

double positive_noise_share(const ReleaseParts& parts, const ClusterOptions& options) {
  if (!parts.counts() || !options.wavelet.is_haar()) return 0.5;
  const double cells = std::exp2(static_cast<double>(parts.grid.shape().pooled_axes()) * options.level);
  const std::optional<NoiseLaw>& law = parts.values()->law();
  if (!law) return 0.5;
  return (1 - chance_of_zero(Rate::of(law->epsilon, law->sensitivity).value(), cells, law->parts > 1)) / 2;
}

std::uint64_t positives_left(std::uint64_t positive, std::int64_t nonpositive, double share) {
  const std::int64_t made = std::llround(static_cast<double>(nonpositive) * share);
  return made <= 0 ? positive : positive - std::min(static_cast<std::uint64_t>(made), positive);
}

}  // namespace shoal
