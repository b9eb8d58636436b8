// What privwave makes of its noisy profile: an estimate of how many values of W lie at or above every power of two, and
// from it the budget's split, k and the number of cells to keep. Public side: noised and public values only. All values
// are in records: W over what one record adds to it. docs/privwave.md explains the steps and shows why they are so.
#pragma once

#include <array>
#include <cstdint>

#include "privacy/profile.hpp"
#include "shoal/clusters.hpp"
#include "shoal/noised.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Standard deviations that Laplace noise exceeds once in 5,000 draws: P = exp(-6 sqrt 2).
inline constexpr double out_of_reach = 6;

inline constexpr double largest_rate = 500;  // larger rates are practically without noise

// Noise on one value: discrete Laplace of this rate, or something else that is treated as if it were.
struct ValueNoise {
  double rate;
  double variance;
  double censored_below = 0;  // smaller values were raised to this before the noise, 2^n - 1
};
ValueNoise laplace_noise(double rate);
// Returns the noise of a sum of independent draws, approximated by the Laplace distribution of the same variance.
ValueNoise noise_of_variance(double variance);

using ProfileLevels = std::array<double, profile_levels>;

// Noise on the sums of a profile, in records.
struct ProfileNoise {
  double variance;
  unsigned refined = 0;         // number of first levels that were seen with less noise
  double refined_variance = 0;  // variance of these levels

  [[nodiscard]] double of_level(std::size_t j) const { return j < refined ? refined_variance : variance; }
};

struct FilteredProfile {
  ProfileLevels mean{};    // level j: the mean of #{W >= w} over w in [2^j, 2^(j+1)); level 0 estimates |L|
  ProfileLevels change{};  // level j: the variance that was granted to the change from level j + 1
  double deviation = 0;    // of the estimate of |L|
  // Level j: the sums of level j and all denser ones added up, which is the records that lie on top of the first
  // 2^j - 1 of their cell. Not made smooth: there a sum of many levels is sure by itself. 0 past the densest level.
  ProfileLevels above{};
  std::size_t levels = 0;  // that hold something: those denser are nothing but noise
  double variance = 0;     // of the noise of a sum, in records
};

// Kalman filter from the densest level down. seen: the noisy sums, in steps of 1 / scale.
FilteredProfile filter_profile(const ProfileSums& seen, double scale, const ProfileNoise& noise);
// The deviation that the filter would have with other noise.
double predicted_deviation(const ProfileLevels& change, const ProfileNoise& noise);

// H_j, about the number of cells with W >= 2^j: not increasing, H_0 = |L|.
class Survival {
 public:
  Survival(const ProfileLevels& mean, std::uint64_t cells);
  // H_j; j up to profile_levels, where it is 0.
  [[nodiscard]] double at_level(std::size_t j) const { return at_least_[j]; }
  // The value that about k cells reach.
  [[nodiscard]] double threshold(double k) const;
  // About how many cells hold one particular value near d.
  [[nodiscard]] double density(double d) const;
  // About how many cells the noise carries across d.
  [[nodiscard]] double wrong_side(double d, const ValueNoise& noise) const;

 private:
  // Cells that hold less than d and show at least d.
  [[nodiscard]] double below(double d, const ValueNoise& noise) const;

  std::array<double, profile_levels + 1> at_least_{};
  double cells_;
};

// WaveCluster's k as the profile has it, before rounding.
struct CountEstimate {
  double k = 0;
  double threshold = 1;  // about the k-th largest value
  double deviation = 0;  // of k
};
// rule: a percentile or a coverage.
CountEstimate estimate_count(const FilteredProfile& profile, const Survival& survival, const Threshold& rule);
// Whether the noise of the empty cells hardly reaches the threshold: then the largest noisy values tell a coverage's k
// too, and octaves no longer limit how well it is known.
bool is_clear(const CountEstimate& estimate, const ValueNoise& noise);
// Both, weighted by their variances.
CountEstimate combined(const CountEstimate& estimate, std::uint64_t k_of_values, const Survival& survival,
                       const ValueNoise& noise);

// How the noise of both answers follows from the tenths of epsilon that the profile gets. Public.
struct PrivwaveBudget {
  Epsilon epsilon;
  std::uint64_t profile_sensitivity = 1;  // in steps
  double profile_scale = 1;               // steps to a record
  std::uint64_t value_sensitivity = 1;
  double value_gain = 1;  // variance of a value of W' over the variance of one draw; 1: the draw is on W' itself

  bool may_censor = false;  // values are blocks of whole records, one draw each

  [[nodiscard]] ProfileNoise profile_noise(unsigned share, unsigned censored = 0) const;
  [[nodiscard]] ValueNoise value_noise(unsigned share, unsigned censored = 0) const;
};

// Share and censored levels that balance cells on the wrong side of the threshold against the error of k, by the first
// view.
ProfileChoice choose_share(const ProfileSums& coarse, const PrivwaveBudget& budget, std::uint64_t cells,
                           const Threshold& rule);

struct CellsToKeep {
  std::uint64_t k = 0;     // estimate of the k of WaveCluster; 0: there seem to be no data
  std::uint64_t keep = 0;  // number of cells to take, with ties and without the dropped share
  bool exact = false;      // noise is too small to matter: the k-th value and its ties, as WaveCluster takes them
};
// whole: values are whole records but for the noise, so that small noise leaves no doubt about them.
CellsToKeep cells_to_keep(const FilteredProfile& profile, std::uint64_t cells, const Threshold& rule,
                          const CountEstimate& estimate, const ValueNoise& noise, bool whole);
// Noise so small that whole values are as good as known.
bool is_negligible(const ValueNoise& noise);

}  // namespace shoal
