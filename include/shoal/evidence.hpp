// The noised values of a release, each with the distribution of its noise and the receipts of its charges. Everything
// else in a release is computed from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/grid.hpp"
#include "shoal/noised.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Noisy counts of every cell of the grid. This is the first of the five forms of noisy values.
struct GridCounts {
  NoisyCounts counts;
};
// Noisy Haar sums of blocks of 2^level cells per axis. They are all values of W' at that level. Their law states the
// bound (censored_below) below which nothing is known.
struct BlockSums {
  NoisyCounts sums;
  unsigned level = 1;
};
// Noisy Haar sums for boxes that are too large to add noise to every value. The sums are sparse and include only the
// values that reach the floor of their law.
struct BlocksAboveFloor {
  NoisyCounts sums;
  unsigned level = 1;
};
// A box of values of W that no significant valley divides, and how surely it is apart from others.
struct CountedBox {
  // Per axis: the first value of W in it, and the one behind its last.
  std::vector<std::uint64_t> first, end;
  // Expected share of chance among cuts that are as strong as the weakest at its sides, and among falls of its records
  // towards them. At least the probability that it is a uniform area.
  double doubt = 1;
  // The box beyond that cut, counted from 1; 0 if there is none.
  std::uint32_t towards = 0;
  friend bool operator==(const CountedBox&, const CountedBox&) = default;
};
// The noisy numbers of records of disjoint boxes, which noisy histograms chose (--auto in more than four axes). They
// say nothing about single values of W, so values() is null.
struct BoxSums {
  Noised<std::vector<CountedBox>> boxes;
  NoisyCounts records;  // along one axis: one number per box
};
// No noisy values: the release was written without them. Only their receipts remain.
struct Withheld {
  Receipts paid;
};
// The noisy values of a release, in one of five forms.
using NoisyValues = std::variant<GridCounts, BlockSums, BlocksAboveFloor, BoxSums, Withheld>;

// The query of a technique about the transformed values W, in addition to the counts.
enum class Question {
  // |Z|: the number of values of W that are 0. If the wavelet has no negative weights, the number of values that are
  // not above 0 (privthr).
  nonpositive,
  threshold,  // d: the smallest value of W that is significant (privthr-em).
};

// The noised answer to a question, and the W that the question is about. The answer says nothing about the W of another
// wavelet, level or transform.
struct NoisyAnswer {
  Question question;
  Noised<std::int64_t> answer;
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
  // The percentile for which a threshold was drawn. Only for Question::threshold.
  double percentile = 0;
  // Only for Question::threshold: d = answer * unit. For Haar, d is a sum of counts, and `unit` is 1.
  double unit = 1;
};

// The noisy profile of privwave, and the W that it is about.
struct NoisyProfile {
  Noised<ProfileSums> sums;
  // Number of steps per record. The sums are in whole steps. 1 for Haar.
  std::uint64_t scale = 1;
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
};

// A share of the records whose values on an axis are rounded to multiples of a step.
struct RoundedValues {
  std::size_t axis = 0;
  double step = 0;   // Above 0.
  double share = 0;  // Above 0 and at most 1.
  friend bool operator==(const RoundedValues&, const RoundedValues&) = default;
};

// The values from which --auto chose the grid. The axes of the release hold the grid itself.
struct AutomaticChoice {
  Noised<std::int64_t> records;
  // The rounding that was found, ordered by axis and then by step.
  Noised<std::vector<RoundedValues>> rounded;
  // The axes with structure, ascending. Not set if they were not asked for. A grid divides these alone, unless there
  // are none or too many.
  std::optional<Noised<std::vector<std::size_t>>> structure = {};
};

// The origin of k', the number of significant cells. For the rules Top and Density, the rule itself determines k'.
enum class KSource {
  rule,  // k' follows from options.threshold, applied to W' without correction (privqt, baseline).
  // k' follows from |Z|'. Before the rule is applied, the smallest positive values are dropped, as many as noise makes
  // of |Z|' zeros, which is about half of |Z|' (privthr). For wavelets other than Haar, an estimate of that number from
  // the noisy counts is taken into account.
  nonpositive,
  // k' follows from |L| as estimated from the noisy profile, smoothed over its levels (privwave).
  profile,
  threshold,  // k' follows from d': it is the number of values that are at least d' (privthr-em).
  // k' follows from a d' that was drawn for percentile q instead of p: it is the k' of q times (100 - p) / (100 - q).
  scaled,
  // No answer applies to W. Noise is symmetric, so the number of positive values that are noise is estimated by the
  // number of negative values.
  negatives,
};

// The additional query of a technique that determines k: an answer, a profile, or nothing.
using NoisyHint = std::variant<std::monostate, NoisyAnswer, NoisyProfile>;

// Public text for the readers of a release. The owner writes it, and nothing in it is computed from the data. Empty
// fields are not shown.
struct Publication {
  static constexpr std::size_t longest = 500;               // bytes of a field
  static constexpr std::size_t longest_base_map = 300'000;  // bytes

  std::string title = {}, source = {}, date = {}, contact = {};
  // The owner's own base map, as JSON (docs/formats.md). Empty: the map that the program holds. In a set, the first
  // part holds it for all of them.
  std::string base_map = {};

  [[nodiscard]] bool empty() const noexcept {
    return title.empty() && source.empty() && date.empty() && contact.empty() && base_map.empty();
  }
  friend bool operator==(const Publication&, const Publication&) = default;
};

// Throws if a field has more than `longest` bytes or more than one line, or if the base map is too large.
void check_publication(const Publication& publication);

// What a technique passes to a release: noised values and public parameters.
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
  // Hash of the ledger entry that was charged for this release, as 64 hexadecimal digits. Empty if there was no ledger.
  std::string ledger_head = {};
  Publication publication = {};

  // Each returns null if the release does not hold the requested values.
  [[nodiscard]] const GridCounts* counts() const noexcept { return std::get_if<GridCounts>(&noisy); }
  [[nodiscard]] const BoxSums* boxes() const noexcept { return std::get_if<BoxSums>(&noisy); }
  // Returns the noisy values of any form, or null if they are withheld or numbers of boxes.
  [[nodiscard]] const NoisyCounts* values() const noexcept;
  [[nodiscard]] const NoisyAnswer* answer() const noexcept { return std::get_if<NoisyAnswer>(&hint); }
  [[nodiscard]] const NoisyProfile* profile() const noexcept { return std::get_if<NoisyProfile>(&hint); }
  // Returns the level of the noisy sums of blocks, or 0 if there are none.
  [[nodiscard]] unsigned blocks_level() const noexcept;
  [[nodiscard]] bool has_floor() const noexcept { return std::holds_alternative<BlocksAboveFloor>(noisy); }
  // Return the floor and the censoring bound that the law of the noisy values states, or 0 if there is none.
  [[nodiscard]] std::int64_t floor() const noexcept;
  [[nodiscard]] std::int64_t censored_below() const noexcept;
  // Return the receipts of all values, and the spending that follows from them. The spending adds up to epsilon.
  [[nodiscard]] Receipts paid() const;
  [[nodiscard]] std::vector<Spent> spent() const { return spent_of(paid()); }
};

}  // namespace shoal
