// The only door through the wall. Each method names its sensitivity, charges the budget, then draws.
// Proofs: docs/privacy.md, one section a method.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "privacy/noise.hpp"
#include "shoal/cells.hpp"
#include "shoal/counts.hpp"
#include "shoal/noised.hpp"
#include "shoal/privacy.hpp"
#include "shoal/private_options.hpp"
#include "shoal/profile.hpp"

namespace shoal {

// A group of records whose median is asked for: where each lies on a public lattice, ascending, all in [lo, hi).
struct MedianQuery {
  std::span<const std::uint32_t> values;
  std::uint64_t lo, hi;  // lo + 2 <= hi; public
};

// A profile as it was let through, and the share that its reader chose.
struct ChosenProfile {
  Noised<ProfileSums> sums;
  unsigned share;   // tenths of epsilon
  Epsilon epsilon;  // what was charged: the share times a tenth, rounded down to a unit
};

// A profile and the values it is about, of decimated Haar's blocks.
struct ProfiledValues {
  ChosenProfile profile;
  unsigned lift;
  NoisyCounts values;
};

// The largest of all noisy values of a box.
struct NoisyLargest {
  Noised<std::int64_t> positive;  // how many noisy values are positive
  Noised<std::int64_t> floor;     // the k-th largest of these, or `lowest` if that is larger or there is none
  NoisyCounts values;             // all that reach the floor, ties included: sparse
};

// Noisy counts, and what the wavelet transform makes of them where that was done together with the noise.
struct NoisyTransform {
  NoisyCounts counts;
  std::optional<Noised<Transformed>> w = {};
};

class Mechanisms {
 public:
  // Spends at most `budget`; asking for more is refused (ErrorKind::internal: a technique's fault) before anything is
  // drawn.
  Mechanisms(Noise& noise, PrivacyUnit unit, Epsilon budget);

  // Every cell of the grid, empty or not, plus discrete Laplace. L1 sensitivity: unit.records_changed(). Refuses sparse
  // counts, as values() does.
  NoisyCounts counts(Counts counts, Epsilon epsilon, unsigned threads = 0);
  // The same counts, and their transform: post-processing, made while the noisy counts are still in the cache.
  NoisyTransform transformed_counts(Counts counts, Epsilon epsilon, const ClusterOptions& options);
  // Any integers of which one record's presence moves at most `per_record` in L1: e.g. Haar block sums (1).
  NoisyCounts values(Cells<std::int64_t> values, std::uint64_t per_record, Epsilon epsilon, std::string name,
                     unsigned threads = 0);
  // The same for boxes of any size: values plus the sum of `terms` discrete Laplace draws, of which those that reach
  // `floor` (at least 1) come out, as sparse cells; all others are left out, empty or not. The distribution does not
  // depend on how `values` are stored, the cost does: sparse values take time and memory of what is stored and of what
  // comes out. terms: 1; or m where a value is the sum of m cells that get noise each, and only the sum is wanted.
  NoisyCounts values_from(const Noised<std::int64_t>& floor, const Cells<std::int64_t>& values,
                          std::uint64_t per_record, Epsilon epsilon, std::string name, std::uint64_t terms = 1,
                          unsigned threads = 0);
  // As values_from, with the k-th largest noisy value for a floor: k = rank(number of positive noisy values), at least
  // 1 and at most that number. rank: a function of that number and of noised and public values alone. lowest: public,
  // 1 to 2^55; the floor is not below it, and so what comes out is no more than the stored values and the noise that
  // reaches it.
  NoisyLargest largest(const std::function<std::uint64_t(std::uint64_t)>& rank, std::int64_t lowest,
                       const Cells<std::int64_t>& values, std::uint64_t per_record, Epsilon epsilon, std::string name,
                       std::uint64_t terms = 1, unsigned threads = 0);
  // One integer that changes by at most `per_neighbor` between any two neighbours (the caller states it for the unit).
  Noised<std::int64_t> number(std::int64_t value, std::uint64_t per_neighbor, Epsilon epsilon, std::string name);
  // A threshold x in {1, ..., max} with probability proportional to base(x) exp(-epsilon |rank(x) - k| / (2
  // per_neighbor)), rank(x) = how many of `positives` are >= x. Positives above max count at every x. per_neighbor: how
  // far |rank(x) - k| moves between neighbours at most. max: public, 1 to 2^56. shift: of the logarithmic base, public.
  Noised<std::int64_t> threshold(std::span<const std::int64_t> positives, std::uint64_t k, std::uint64_t max,
                                 BaseMeasure base, std::uint64_t per_neighbor, Epsilon epsilon, std::string name,
                                 std::uint64_t shift = 0);
  // A private median of each group, for groups that share no record (the cells of a partition): a cut x in
  // {lo + 1, ..., hi - 1} with probability proportional to exp(-epsilon |2 rank(x) - n| / (2 records_changed)), rank(x)
  // = how many of the group's n values are below x. One charge for all groups; proof: src/publishing/medians.cpp.
  std::vector<Noised<std::int64_t>> medians(std::span<const MedianQuery> groups, Epsilon epsilon, std::string name);

  // The profile of values (profile.hpp), of which one record's presence moves at most per_record in L1, all levels
  // together. It is seen first with the noise of `first` tenths of epsilon; `choose`, a function of that view and of
  // public values alone, says how many tenths to spend (first to 6), and the profile is seen with the noise of those.
  // Charged is what was chosen: the first view can be made of the second by adding noise, and so costs nothing more.
  // The unspent rest of epsilon stays in the budget. Proof: src/privacy/profile.hpp and docs/privacy.md.
  ChosenProfile profile(const ProfileSums& sums, std::uint64_t per_record, Epsilon epsilon, unsigned first,
                        const std::function<unsigned(const Noised<ProfileSums>&)>& choose, std::string name);
  // The profile of values of which a record moves one by 1, and the values, for epsilon in all: the profile as above,
  // the values with what it left. When a lift is chosen, values below lowest = lowest_of(lift) are raised to it, and
  // the levels of the profile that count the records up to there are seen with the noise of all ten tenths. Nothing is
  // charged for that: a record that moves one of these levels moves no raised value, and one that moves a value moves
  // none of these levels. Proof: docs/privacy.md.
  ProfiledValues profiled_values(Cells<std::int64_t> values, Epsilon epsilon, unsigned first,
                                 const std::function<ProfileChoice(const Noised<ProfileSums>&)>& choose,
                                 std::string profile_name, std::string values_name, unsigned threads = 0);

  [[nodiscard]] const std::vector<Spent>& spent() const noexcept { return spent_; }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return unit_; }
  [[nodiscard]] bool is_private() const noexcept { return noise_.is_private(); }
  [[nodiscard]] Noise& noise() noexcept { return noise_; }

 private:
  using SeeNoised = std::function<void(std::span<const std::int64_t> values, std::uint64_t begin, std::uint64_t end)>;
  // Charges, then draws noise on all cells of the place; each stretch is shown as soon as it is noised.
  NoisyCounts noised(Counts::Place place, std::uint64_t per_record, Epsilon epsilon, std::string name, unsigned threads,
                     const SeeNoised& see);
  class ProfileLooks;
  ChosenProfile profile(ProfileLooks& looks, unsigned first,
                        const std::function<unsigned(const Noised<ProfileSums>&)>& choose, std::string name);
  void charge(std::string name, std::uint64_t sensitivity, Epsilon epsilon);
  Noise& noise_;
  PrivacyUnit unit_;
  Epsilon left_;
  std::vector<Spent> spent_;
};

}  // namespace shoal
