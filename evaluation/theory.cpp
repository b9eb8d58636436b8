#include "evaluation/theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {

void check(const Profile& profile, double percentile, double epsilon, double alpha, double omega) {
  if (profile.positives.empty()) throw InputError("the theorems need a positive value: no cell holds a point");
  if (!(percentile >= 0 && percentile < 100)) {
    throw InputError(fmt::format("percentile is {}; choose [0, 100)", percentile));
  }
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    throw InputError(fmt::format("epsilon is {}; choose a number above 0", epsilon));
  }
  if (!(alpha > 0 && alpha < 1)) throw InputError(fmt::format("alpha is {}; choose between 0 and 1", alpha));
  if (!(omega > 0 && omega < 1)) throw InputError(fmt::format("omega is {}; choose between 0 and 1", omega));
}

// With probability 1 - omega no noise on a value of W exceeds gamma / 2. The paper's 2-D form is
// 8 / epsilon ln(4(|L| + |Z|) / omega); `block` draws are added and divided by sqrt(block), so that 8 is 4 sqrt(4).
double noise_bound(const Profile& profile, double epsilon, double omega) {
  const auto block = static_cast<double>(profile.block);
  const auto values = static_cast<double>(profile.positives.size() + profile.nonpositives);
  return 4 * std::sqrt(block) / epsilon * std::log(block * values / omega);
}

// W at a rank of L that need not be whole; the side to round to keeps the claim true. Above rank 1 nothing is
// promised (infinite), below rank |L| come the zeros.
double value_at(const std::vector<double>& positives, double rank) {
  if (rank < 1) return std::numeric_limits<double>::infinity();
  if (rank > static_cast<double>(positives.size())) return 0;
  return positives[static_cast<std::size_t>(rank) - 1];
}

// Fills in what follows from k_min, k_max and gamma.
void cover(TheoryBounds& bounds, const Profile& profile) {
  bounds.kept_above = value_at(profile.positives, std::floor(bounds.k_min)) + bounds.gamma;
  bounds.dropped_below = value_at(profile.positives, std::ceil(bounds.k_max)) - bounds.gamma;
  for (const double value : profile.positives) {
    bounds.surely_kept += value > bounds.kept_above ? 1 : 0;
    bounds.surely_dropped += value < bounds.dropped_below ? 1 : 0;
  }
}

// eta1 and eta2 of theorems 4 and 5: where Binomial(|Z|, 1/2) lies, by Hoeffding's inequality.
void bound_new_positives(TheoryBounds& bounds, const Profile& profile, double omega) {
  const auto z = static_cast<double>(profile.nonpositives);
  const double spread = std::sqrt(z * std::log(1 / omega) / 2);
  bounds.eta1 = z / 2 - spread;
  bounds.eta2 = z / 2 + spread;
}

}  // namespace

Profile profile_of(const Counts& counts, const ClusterOptions& options) {
  const Transformed transformed = transform(counts.raw(), options);
  if (!transformed.is_haar() || options.transform != Transform::decimated) {
    throw InputError("the theorems are stated for Haar, decimated; use --wavelet haar");
  }
  Profile profile;
  for (const std::int64_t sum : transformed.sums()->values()) {
    if (sum > 0) profile.positives.push_back(static_cast<double>(sum) * transformed.unit());
  }
  std::sort(profile.positives.begin(), profile.positives.end(), std::greater<>());
  profile.nonpositives = transformed.sums()->cell_count() - profile.positives.size();
  profile.block = std::uint64_t{1} << (counts.grid().dimensions() * options.level);
  return profile;
}

TheoryBounds theorem4(const Profile& profile, double percentile, double epsilon, double omega) {
  check(profile, percentile, epsilon, 0.5, omega);
  const double share = 1 - percentile / 100;
  TheoryBounds bounds;
  bounds.k = share * static_cast<double>(profile.positives.size());
  bounds.theta = expected_lost(profile, epsilon);
  bound_new_positives(bounds, profile, omega);
  bounds.gamma = noise_bound(profile, epsilon, omega);
  bounds.k_min = bounds.k + share * (bounds.eta1 - bounds.theta);
  bounds.k_max = bounds.k + share * (bounds.eta2 - bounds.theta);
  bounds.probability = std::pow(1 - omega, 2);
  cover(bounds, profile);
  return bounds;
}

TheoryBounds theorem5(const Profile& profile, double percentile, double epsilon, double alpha, double omega) {
  check(profile, percentile, epsilon, alpha, omega);
  const double share = 1 - percentile / 100;
  const double half = static_cast<double>(profile.nonpositives) / 2;
  TheoryBounds bounds;
  bounds.k = share * static_cast<double>(profile.positives.size());
  bounds.theta = expected_lost(profile, alpha * epsilon);
  bound_new_positives(bounds, profile, omega);
  bounds.gamma = noise_bound(profile, alpha * epsilon, omega);
  const double beta = 2 / ((1 - alpha) * epsilon) * std::log(1 / omega);
  bounds.beta = beta;
  bounds.k_min = bounds.k + share * (bounds.eta1 - bounds.theta - half - beta);
  bounds.k_max = bounds.k + share * (bounds.eta2 - bounds.theta - half + beta);
  bounds.probability = std::pow(1 - omega, 3);
  cover(bounds, profile);
  return bounds;
}

TheoryBounds theorem6(const Profile& profile, double percentile, double epsilon, double alpha, double omega) {
  check(profile, percentile, epsilon, alpha, omega);
  const auto positives = static_cast<double>(profile.positives.size());
  const double epsilon2 = (1 - alpha) * epsilon;
  TheoryBounds bounds;
  bounds.k = (1 - percentile / 100) * positives;
  const double w_k = value_at(profile.positives, std::ceil(bounds.k));
  const double above = profile.positives.front() - w_k;  // |W_max - W_k|
  if (above > 0) {
    bounds.eta1 = positives - bounds.k - 1 + 2 / epsilon2 * std::log(above / (w_k * omega));
    bounds.eta2 = bounds.k - 2 + 2 / epsilon2 * std::log(w_k / (above * omega));
  } else {
    bounds.eta2 = positives - bounds.k;
  }
  bounds.gamma = noise_bound(profile, alpha * epsilon, omega);
  bounds.k_min = bounds.k - bounds.eta1;
  bounds.k_max = bounds.k + bounds.eta2;
  bounds.probability = std::pow(1 - omega, 2);
  cover(bounds, profile);
  return bounds;
}

namespace {

// P(S = s) at index s + reach, for the sum S of `block` discrete Laplace draws. Adding a draw to a distribution is a
// pass with the geometric one in each direction. Independent of the library's LaplaceLaw on purpose: it checks the
// paper's theorems.
std::vector<double> noise_distribution(std::uint64_t block, double epsilon, std::size_t reach) {
  const double q = std::exp(-epsilon);
  const double stop = -std::expm1(-epsilon);  // 1 - q
  std::vector<double> chance(2 * reach + 1, 0);
  chance[reach] = 1;
  for (std::uint64_t draw = 0; draw < block; ++draw) {
    double carried = 0;
    for (double& value : chance) value = carried = stop * value + q * carried;
    carried = 0;
    for (std::size_t i = chance.size(); i-- > 0;) chance[i] = carried = stop * chance[i] + q * carried;
  }
  return chance;
}

}  // namespace

double expected_lost(const Profile& profile, double epsilon) {
  const auto block = static_cast<double>(profile.block);
  // Chernoff: past this the tail of the sum is below e^-30.
  const double reach = std::ceil((60 + 12 * std::sqrt(block)) / epsilon + block);
  if (reach * block > 1e9) {
    throw InputError(fmt::format("epsilon {} is too small for the theorems on this grid", epsilon));
  }
  const auto most = static_cast<std::size_t>(reach);
  std::vector<std::uint64_t> values(most + 1, 0);  // how many values of L are this sum of counts
  for (const double value : profile.positives) {
    const double sum = std::round(value * std::sqrt(block));
    if (sum <= reach) ++values[static_cast<std::size_t>(sum)];
  }
  const std::vector<double> chance = noise_distribution(profile.block, epsilon, most);
  double tail = 0;  // P(S <= -s)
  double lost = 0;
  for (std::size_t s = most; s > 0; --s) {
    tail += chance[most - s];
    lost += static_cast<double>(values[s]) * tail;
  }
  return lost;
}

}  // namespace shoal::evaluation
