// The noised values of a release, each with the distribution of its noise and the receipts of its charges.
// Everything else in a release is computed from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shoal/grid.hpp"
#include "shoal/noised.hpp"
#include "shoal/options.hpp"
#include "shoal/privacy.hpp"
#include "shoal/profile.hpp"

namespace shoal {

// The noisy values, one of:
// Every cell of the grid.
struct GridCounts {
  NoisyCounts counts;
};
// Haar sums of blocks of 2^level cells an axis: W' of that level, every value of it. Their law states the value
// (censored_below) below which nothing is known.
struct BlockSums {
  NoisyCounts sums;
  unsigned level = 1;
};
// The same for boxes too large for noise on every value: sparse, only values that reach the floor of their law.
struct BlocksAboveFloor {
  NoisyCounts sums;
  unsigned level = 1;
};
// None: the file was written without them.
struct Withheld {
  Receipts paid;
};
using NoisyValues = std::variant<GridCounts, BlockSums, BlocksAboveFloor, Withheld>;

// The query of a technique about the transformed values W, besides the counts.
enum class Question {
  nonpositive,  // |Z|: how many values of W are 0; without negative weights, how many are not above 0 (privthr)
  positive,     // |L|: how many are
  threshold,    // d: from where on values of W are significant (privthr-em)
};

// The noised answer, and the W it is about: with another wavelet, level or transform it says nothing.
struct NoisyAnswer {
  Question question;
  Noised<std::int64_t> answer;
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
  double percentile = 0;  // threshold only: the one it was drawn for
  double unit = 1;        // threshold only: d = answer * unit; under Haar d is a sum of counts and unit stays 1
};

// privwave's noisy profile, and the W it is about.
struct NoisyProfile {
  Noised<ProfileSums> sums;
  std::uint64_t scale = 1;  // steps to a record: the sums are in whole steps; 1 under Haar
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
};

// Values of an axis of which this share of the records is rounded to multiples of the step.
struct RoundedValues {
  std::size_t axis = 0;
  double step = 0;   // above 0
  double share = 0;  // above 0, at most 1
  friend bool operator==(const RoundedValues&, const RoundedValues&) = default;
};

// The values from which --auto chose the grid. The grid itself is in the axes.
struct AutomaticChoice {
  Noised<std::int64_t> records;
  Noised<std::vector<RoundedValues>> rounded;  // the rounding that was found, by axis, then by step
};

// Where k' came from. Under the rules top and density it is the rule's own.
enum class KSource {
  rule,         // options.threshold alone, on W' as it is (privqt, baseline)
  nonpositive,  // |Z|': as many of the smallest positives as noise made of it, about half, went first (privthr)
  positive,     // |L|'
  profile,      // |L| as the noisy profile has it, made smooth over its levels (privwave)
  threshold,    // d': k' is the number of values at or above it (privthr-em)
  scaled,       // d' was drawn for percentile q, not p: its k' times (100 - p) / (100 - q)
  negatives,    // no answer fits W: noise is symmetric, so as many positives are noise as there are negatives
};

// The further query of a technique, to know k: an answer, a profile, or nothing.
using NoisyHint = std::variant<std::monostate, NoisyAnswer, NoisyProfile>;

// What a technique hands over: noised values and public parameters.
struct ReleaseParts {
  std::string technique;
  Grid grid;
  ClusterOptions options;
  PrivacyUnit unit;
  Epsilon epsilon;
  bool is_private = false;
  NoisyValues noisy;
  NoisyHint hint = {};
  std::optional<AutomaticChoice> automatic = {};
  // The hash of the ledger's entry that was charged for this release, 64 hexadecimal digits; empty: no ledger.
  std::string ledger_head = {};

  // Null where the release does not hold it.
  [[nodiscard]] const GridCounts* counts() const noexcept { return std::get_if<GridCounts>(&noisy); }
  [[nodiscard]] const NoisyCounts* values() const noexcept;  // whichever there are
  [[nodiscard]] const NoisyAnswer* answer() const noexcept { return std::get_if<NoisyAnswer>(&hint); }
  [[nodiscard]] const NoisyProfile* profile() const noexcept { return std::get_if<NoisyProfile>(&hint); }
  // Level of the noisy sums of blocks; 0: there are none.
  [[nodiscard]] unsigned blocks_level() const noexcept;
  [[nodiscard]] bool has_floor() const noexcept { return std::holds_alternative<BlocksAboveFloor>(noisy); }
  // As the law of the noisy values has them; 0: none.
  [[nodiscard]] std::int64_t floor() const noexcept;
  [[nodiscard]] std::int64_t censored_below() const noexcept;
  // Receipts of all values, and the spending that follows from them, which adds up to epsilon.
  [[nodiscard]] Receipts paid() const;
  [[nodiscard]] std::vector<Spent> spent() const { return spent_of(paid()); }
};

}  // namespace shoal
