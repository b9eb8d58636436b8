#include "release/privwave_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shoal/clusters.hpp"

namespace shoal {

namespace {

// How smooth profiles are: the step from level to level decays by `decay` and may change by the given shares.
constexpr double decay = 0.7;
constexpr double change_of_step = 0.6;
constexpr double change_of_mean = 0.005;
constexpr double least_change = 0.25;

constexpr double weight_of_k = 0.7;      // of the error of k against cells on the wrong side, when the share is chosen
constexpr double given_up = 0.125;       // cells given up per cell on the wrong side: false cells join clusters
constexpr double deviations_low = 0.25;  // by which k errs low, for the same reason
constexpr double window_deviations = 0.5;  // half-width of the window of ranks

// Below these the values and k are as good as known.
constexpr double exact_variance = 1.0 / 16;
constexpr double exact_deviation = 0.25;

constexpr double largest_rate = 1e9;  // stands for no noise at all

// Covariance of (mean, step) in the filter.
struct Covariance {
  double a = 0, b = 0, c = 0;

  void predict(double change) {
    a = a + 2 * decay * b + decay * decay * c + change;
    b = decay * b + decay * decay * c + change;
    c = decay * decay * c + change;
  }
  // Observes the mean; gives the gains of mean and step.
  std::pair<double, double> observe(double variance) {
    const double total = a + variance;
    const double gain_of_mean = a / total, gain_of_step = b / total;
    c -= gain_of_step * b;
    b -= gain_of_mean * b;
    a -= gain_of_mean * a;
    return {gain_of_mean, gain_of_step};
  }
};

double width_of(std::size_t level) { return std::ldexp(1.0, static_cast<int>(level)); }
double square(double x) { return x * x; }

// Integral of exp(-rate z) over [0, z].
double decayed(double rate, double z) { return -std::expm1(-rate * z) / rate; }

double kept_part(double percentile) { return (100 - percentile) / 100; }

}  // namespace

ValueNoise laplace_noise(double rate) {
  rate = std::min(rate, largest_rate);
  return {rate, 2 * std::exp(-rate) / square(std::expm1(-rate))};
}

ValueNoise noise_of_variance(double variance) { return {std::min(std::sqrt(2 / variance), largest_rate), variance}; }

FilteredProfile filter_profile(const ProfileSums& seen, double scale, double variance) {
  FilteredProfile result;
  Covariance covariance;
  double mean = 0, step = 0;
  for (std::size_t j = profile_levels; j-- > 0;) {
    result.change[j] = square(change_of_step * step) + square(change_of_mean * mean) + least_change;
    step *= decay;
    mean += step;
    covariance.predict(result.change[j]);
    const double off = static_cast<double>(seen[j]) / scale / width_of(j) - mean;
    const auto [gain_of_mean, gain_of_step] = covariance.observe(variance / square(width_of(j)));
    mean = std::max(0.0, mean + gain_of_mean * off);
    step = std::max(0.0, step + gain_of_step * off);
    result.mean[j] = mean;
  }
  result.deviation = std::sqrt(std::max(0.0, covariance.a));
  return result;
}

double predicted_deviation(const ProfileLevels& change, double variance) {
  Covariance covariance;
  for (std::size_t j = profile_levels; j-- > 0;) {
    covariance.predict(change[j]);
    covariance.observe(variance / square(width_of(j)));
  }
  return std::sqrt(std::max(0.0, covariance.a));
}

Survival::Survival(const ProfileLevels& mean, std::uint64_t cells) : cells_(static_cast<double>(cells)) {
  double least = cells_;
  for (std::size_t j = 0; j < profile_levels; ++j) {
    const double here = j == 0 ? mean[0] : (mean[j - 1] + mean[j]) / 2;
    least = std::min(least, std::max(0.0, here));
    at_least_[j] = least;
  }
  at_least_[profile_levels] = 0;
}

double Survival::threshold(double k) const {
  if (k >= at_least_[0]) return 1;
  for (std::size_t j = 0; j < profile_levels; ++j) {
    if (at_least_[j + 1] <= k && k <= at_least_[j]) {
      return width_of(j) * (1 + (at_least_[j] - k) / std::max(at_least_[j] - at_least_[j + 1], 1e-9));
    }
  }
  return 1;
}

double Survival::density(double d) const {
  const int level = std::clamp(std::ilogb(std::max(d, 1.0)), 0, static_cast<int>(profile_levels) - 1);
  const auto j = static_cast<std::size_t>(level);
  return std::max(0.0, at_least_[j] - at_least_[j + 1]) / width_of(j);
}

double Survival::wrong_side(double d, const ValueNoise& noise) const {
  double cells = std::max(0.0, cells_ - at_least_[0]) * std::exp(-noise.rate * d);
  for (std::size_t j = 0; j < profile_levels; ++j) {
    const double inside = at_least_[j] - at_least_[j + 1];
    if (inside <= 0) continue;
    const double low = width_of(j), high = width_of(j + 1);
    double reach = 0;
    if (low < d) reach += decayed(noise.rate, d - low) - decayed(noise.rate, std::max(d - high, 0.0));
    if (high > d) reach += decayed(noise.rate, high - d) - decayed(noise.rate, std::max(low - d, 0.0));
    cells += inside / low * reach;
  }
  return cells / (1 + std::exp(-noise.rate));
}

double PrivwaveBudget::profile_variance(unsigned share) const {
  const Epsilon spent = Epsilon::from_units(epsilon.units() / 10 * share);
  return laplace_noise(spent.value() / static_cast<double>(profile_sensitivity)).variance / square(profile_scale);
}

ValueNoise PrivwaveBudget::value_noise(unsigned share) const {
  const Epsilon left = Epsilon::from_units(epsilon.units() - epsilon.units() / 10 * share);
  const ValueNoise one = laplace_noise(left.value() / static_cast<double>(value_sensitivity));
  return value_gain == 1 ? one : noise_of_variance(one.variance * value_gain);
}

unsigned choose_share(const ProfileSums& coarse, const PrivwaveBudget& budget, std::uint64_t cells, double percentile) {
  const FilteredProfile profile =
      filter_profile(coarse, budget.profile_scale, budget.profile_variance(least_profile_share));
  const Survival survival(profile.mean, cells);
  const double kept = kept_part(percentile);
  const double d = survival.threshold(std::max(1.0, kept * profile.mean[0]));
  unsigned best = least_profile_share;
  double least_cost = 0;
  for (unsigned share = least_profile_share; share <= most_profile_share; ++share) {
    const double cost = survival.wrong_side(d, budget.value_noise(share)) +
                        weight_of_k * kept * predicted_deviation(profile.change, budget.profile_variance(share));
    if (share == least_profile_share || cost < least_cost) {
      best = share;
      least_cost = cost;
    }
  }
  return best;
}

CellsToKeep cells_to_keep(const FilteredProfile& profile, std::uint64_t cells, double percentile,
                          const ValueNoise& noise, bool whole) {
  if (profile.mean[0] < 0.5) return {};  // rounds to no cell that holds anything
  const auto all = static_cast<double>(cells);
  const double kept = kept_part(percentile);
  const double deviation = kept * profile.deviation;  // of k
  const double positive = std::clamp(profile.mean[0], 1.0, all);
  if (whole && noise.variance < exact_variance && deviation < exact_deviation) {
    const std::uint64_t count = significant_count(percentile, static_cast<std::uint64_t>(std::llround(positive)));
    return {count, count, 0, true};
  }
  const double k =
      std::clamp(std::ceil(kept * positive - std::min(0.5, deviation) - deviations_low * deviation - 1e-6), 1.0, all);
  const Survival survival(profile.mean, cells);
  const double d = survival.threshold(k);
  // Half the cells that tie with the k-th, which WaveCluster takes as well.
  const double keep = std::nearbyint(k + survival.density(d) / 2 - given_up * survival.wrong_side(d, noise));
  const double window = std::min(all, std::ceil(window_deviations * deviation));
  return {static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(std::clamp(keep, 1.0, all)),
          static_cast<std::uint64_t>(window), false};
}

}  // namespace shoal
