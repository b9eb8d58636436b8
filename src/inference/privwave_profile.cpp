#include "inference/privwave_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/laplace_law.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

namespace {

// docs/studies/decisions.md states what each constant is worth.

// The prior of the filter: how smooth profiles are. docs/studies/privwave-figures.md names the sets that these and the
// following constants were chosen on.
constexpr double step_decay = 0.7;          // factor of the step from one level to the next
constexpr double step_change_share = 0.6;   // standard deviation of the change of a step, as a share of it
constexpr double least_step_change = 0.25;  // smallest variance of the change of a step, in cells squared
// Deviations above the prediction at which a level counts as a jump. A larger value takes few records for none, at
// small budgets. Profiles rise towards the sparse end, so a level below the prediction is noise.
constexpr double jump_deviations = 3.5;

// A censoring point too near the threshold ruins single sets, and leaves a reshape no lower thresholds.
constexpr double k_margin_deviations = 2;         // of the k of a first view, whose threshold may be too high
constexpr double least_threshold_over_point = 4;  // smallest threshold, as a multiple of the censoring point

// Share of the cells that the noise carries across the threshold by which fewer cells are kept: a false cell joins
// clusters, a missing cell rarely splits one.
constexpr double dropped_share = 0.125;

constexpr double octave_error_share = 0.05;    // error of a straight line inside an octave, as a share of its cells
constexpr double negligible_deviation = 0.25;  // of a value or of k: below it, whole numbers are practically known

// Covariance of (mean, step) in the filter.
struct Covariance {
  double a = 0, b = 0, c = 0;

  void predict(double change) {
    a = a + 2 * step_decay * b + step_decay * step_decay * c + change;
    b = step_decay * b + step_decay * step_decay * c + change;
    c = step_decay * step_decay * c + change;
  }
  // More freedom than was predicted.
  void widen(double change) {
    a += change;
    b += change;
    c += change;
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

double kept_part(double percentile) { return (100 - percentile) / 100; }

// Adds up each level and all denser ones, up to the densest that noise alone does not explain.
void add_up_levels(FilteredProfile& profile, const ProfileSums& seen, double scale) {
  const double least = out_of_reach * std::sqrt(profile.variance);
  const auto records = [&](std::size_t j) { return static_cast<double>(seen[j]) / scale; };
  profile.levels = profile_levels;
  while (profile.levels > 0 && !(records(profile.levels - 1) > least)) --profile.levels;
  double sum = 0;
  for (std::size_t j = profile.levels; j-- > 0;) {
    sum += records(j);
    profile.above[j] = sum;
  }
}

// The octave in which the cells at or above some value hold the wanted records, and where in it.
struct Covered {
  std::size_t level = 0;
  double k = 0, threshold = 1;
};

// Cells with W >= 2^j hold (2^j - 1) H_j + above_j records. Inside an octave H is a straight line, so that the records
// grow with the square of the value.
Covered covered(const FilteredProfile& profile, const Survival& survival, double coverage) {
  const double wanted = coverage / 100 * profile.above[0];
  double more = std::max(0.0, profile.above[0]);  // in cells of at least 2^j
  double cells = survival.at_level(0);
  for (std::size_t j = 0; j < profile.levels; ++j) {
    const bool last = j + 1 == profile.levels;
    const double fewer_cells = last ? 0 : survival.at_level(j + 1);
    const double fewer = last ? 0 : std::clamp((width_of(j + 1) - 1) * fewer_cells + profile.above[j + 1], 0.0, more);
    if (wanted >= fewer) {
      const double part = more > fewer ? std::clamp((wanted - fewer) / (more - fewer), 0.0, 1.0) : 1;
      const double threshold = width_of(j) * std::sqrt(4 - 3 * part);
      return {j, cells + (fewer_cells - cells) * (threshold / width_of(j) - 1), threshold};
    }
    more = fewer;
    cells = fewer_cells;
  }
  return {0, cells, 1};
}

// Returns the standard deviation of the k of a coverage. The noise of the records above an octave, minus the wanted
// share of all, is that of the levels with their weights, and of H. A cell there holds `threshold` records.
double covered_deviation(const FilteredProfile& profile, const Survival& survival, const Covered& at, double coverage,
                         double variance) {
  const double share = coverage / 100;
  const double below = static_cast<double>(at.level), from = static_cast<double>(profile.levels - at.level);
  const double records = std::sqrt(variance * (1 + square(share) * below + square(1 - share) * from));
  const double octave = survival.at_level(at.level) - survival.at_level(at.level + 1);
  return std::hypot(records / at.threshold, octave_error_share * octave);
}

// WaveCluster's count for the profile's |L|, which is a whole number.
std::uint64_t count_of(const FilteredProfile& profile, std::uint64_t cells, const Threshold& rule,
                       const CountEstimate& estimate) {
  const auto rounded = [all = static_cast<double>(cells)](double count) {
    return static_cast<std::uint64_t>(std::clamp(std::nearbyint(count), 1.0, all));
  };
  const auto* percentile = std::get_if<Percentile>(&rule);
  return percentile == nullptr ? rounded(estimate.k) : significant_count(*percentile, rounded(profile.mean[0]));
}

}  // namespace

ValueNoise laplace_noise(double rate) {
  rate = std::min(rate, largest_rate);
  return {rate, LaplaceLaw{rate}.variance()};
}

ValueNoise noise_of_variance(double variance) { return {std::min(rate_of_variance(variance), largest_rate), variance}; }

FilteredProfile filter_profile(const ProfileSums& seen, double scale, const ProfileNoise& noise) {
  FilteredProfile result;
  Covariance covariance;
  double mean = 0, step = 0;
  for (std::size_t j = profile_levels; j-- > 0;) {
    result.change[j] = square(step_change_share * step) + least_step_change;
    step *= step_decay;
    mean += step;
    covariance.predict(result.change[j]);
    const double off = static_cast<double>(seen[j]) / scale / width_of(j) - mean;
    const double variance = noise.of_level(j) / square(width_of(j));
    const double predicted = covariance.a + variance;
    if (off > jump_deviations * std::sqrt(predicted)) {  // a faint background of one or two records per cell, say
      result.change[j] += square(off) - predicted;
      covariance.widen(square(off) - predicted);
    }
    const auto [gain_of_mean, gain_of_step] = covariance.observe(variance);
    mean = std::max(0.0, mean + gain_of_mean * off);
    step = std::max(0.0, step + gain_of_step * off);
    result.mean[j] = mean;
  }
  result.deviation = std::sqrt(std::max(0.0, covariance.a));
  result.variance = noise.variance;
  add_up_levels(result, seen, scale);
  return result;
}

double predicted_deviation(const ProfileLevels& change, const ProfileNoise& noise) {
  Covariance covariance;
  for (std::size_t j = profile_levels; j-- > 0;) {
    covariance.predict(change[j]);
    covariance.observe(noise.of_level(j) / square(width_of(j)));
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

double Survival::below(double d, const ValueNoise& noise) const {
  const LaplaceLaw law{noise.rate};
  const auto censored = static_cast<std::size_t>(std::ilogb(noise.censored_below + 1));
  double cells = std::max(0.0, cells_ - at_least_[censored]) * law.tail(d - noise.censored_below);
  for (std::size_t j = censored; j < profile_levels && width_of(j) < d; ++j) {
    const double reach = law.tails_up_to(d - width_of(j)) - law.tails_up_to(std::max(d - width_of(j + 1), 0.0));
    cells += std::max(0.0, at_least_[j] - at_least_[j + 1]) / width_of(j) * reach;
  }
  return cells;
}

double Survival::wrong_side(double d, const ValueNoise& noise) const {
  if (d <= noise.censored_below) return cells_;
  const LaplaceLaw law{noise.rate};
  double missing = 0;
  for (std::size_t j = 0; j < profile_levels; ++j) {
    const double low = std::max(width_of(j), d), high = width_of(j + 1);
    if (high <= low) continue;
    const double reach = law.tails_up_to(high - d) - law.tails_up_to(low - d);
    missing += std::max(0.0, at_least_[j] - at_least_[j + 1]) / width_of(j) * reach;
  }
  return below(d, noise) + missing;
}

ProfileNoise PrivwaveBudget::profile_noise(unsigned share, unsigned censored) const {
  const auto variance = [this](unsigned tenths) {
    const Epsilon spent = Epsilon::from_units(epsilon.units() / 10 * tenths);
    return laplace_noise(spent.value() / static_cast<double>(profile_sensitivity)).variance / square(profile_scale);
  };
  return {variance(share), censored, censored > 0 ? variance(10) : 0};
}

ValueNoise PrivwaveBudget::value_noise(unsigned share, unsigned censored) const {
  const Epsilon left = Epsilon::from_units(epsilon.units() - epsilon.units() / 10 * share);
  ValueNoise result = laplace_noise(left.value() / static_cast<double>(value_sensitivity));
  if (value_gain != 1) result = noise_of_variance(result.variance * value_gain);
  result.censored_below = static_cast<double>(censoring_point(censored));
  return result;
}

CountEstimate estimate_count(const FilteredProfile& profile, const Survival& survival, const Threshold& rule) {
  if (const auto* coverage = std::get_if<Coverage>(&rule)) {
    const Covered at = covered(profile, survival, coverage->percent());
    return {at.k, at.threshold, covered_deviation(profile, survival, at, coverage->percent(), profile.variance)};
  }
  const double kept = kept_part(std::get<Percentile>(rule).percent());
  return {kept * std::max(1.0, survival.at_level(0)), survival.threshold(std::max(1.0, kept * profile.mean[0])),
          kept * profile.deviation};
}

ProfileChoice choose_share(const ProfileSums& coarse, const PrivwaveBudget& budget, std::uint64_t cells,
                           const Threshold& rule) {
  const FilteredProfile profile =
      filter_profile(coarse, budget.profile_scale, budget.profile_noise(least_profile_share));
  const Survival survival(profile.mean, cells);
  const CountEstimate estimate = estimate_count(profile, survival, rule);
  const double low = survival.threshold(estimate.k + k_margin_deviations * estimate.deviation);
  const auto* percentile = std::get_if<Percentile>(&rule);
  const bool by_percentile = percentile != nullptr;
  const double coverage = by_percentile ? 0 : std::get<Coverage>(rule).percent();
  const Covered at = by_percentile ? Covered{} : covered(profile, survival, coverage);
  ProfileChoice best{0, 0};
  double least_cost = 0;
  for (unsigned censored = 0; censored <= (budget.may_censor && by_percentile ? most_censored_levels : 0); ++censored) {
    if (censored > 0 && least_threshold_over_point * static_cast<double>(censoring_point(censored)) >= low) break;
    for (unsigned share = least_profile_share; share <= most_profile_share; ++share) {
      const ProfileNoise noise = budget.profile_noise(share, censored);
      const double deviation = by_percentile
                                   ? kept_part(percentile->percent()) * predicted_deviation(profile.change, noise)
                                   : covered_deviation(profile, survival, at, coverage, noise.variance);
      const double cost = survival.wrong_side(estimate.threshold, budget.value_noise(share, censored)) + deviation;
      if (best.share == 0 || cost < least_cost) {
        best = {share, censored};
        least_cost = cost;
      }
    }
  }
  return best;
}

bool is_negligible(const ValueNoise& noise) { return noise.variance < square(negligible_deviation); }

bool is_clear(const CountEstimate& estimate, const ValueNoise& noise) {
  return estimate.threshold > out_of_reach * std::sqrt(noise.variance);
}

CountEstimate combined(const CountEstimate& estimate, std::uint64_t k_of_values, const Survival& survival,
                       const ValueNoise& noise) {
  const double crossing = survival.wrong_side(estimate.threshold, noise);
  const double variance = square(estimate.deviation);
  const double weight = variance / (variance + crossing + 1e-9);
  return {estimate.k + weight * (static_cast<double>(k_of_values) - estimate.k), estimate.threshold,
          std::sqrt(variance * (1 - weight))};
}

CellsToKeep cells_to_keep(const FilteredProfile& profile, std::uint64_t cells, const Threshold& rule,
                          const CountEstimate& estimate, const ValueNoise& noise, bool whole) {
  const bool empty = std::holds_alternative<Coverage>(rule)
                         ? !(profile.above[0] > out_of_reach * std::sqrt(profile.variance))
                         : profile.mean[0] < 0.5;  // rounds to no cell that holds anything
  if (empty) return {};
  const std::uint64_t count = count_of(profile, cells, rule, estimate);
  if (std::holds_alternative<Percentile>(rule) && whole && is_negligible(noise) &&
      estimate.deviation < negligible_deviation) {
    return {count, count, true};
  }
  const Survival survival(profile.mean, cells);
  const auto k = static_cast<double>(count);
  const double d = survival.threshold(k);
  // Half the cells that tie with the k-th, which WaveCluster takes as well.
  // At most k of the k cells are false.
  const double crossing = std::min(survival.wrong_side(d, noise), k);
  const double keep = std::nearbyint(k + survival.density(d) / 2 - dropped_share * crossing);
  return {count, static_cast<std::uint64_t>(std::clamp(keep, 1.0, static_cast<double>(cells))), false};
}

}  // namespace shoal
