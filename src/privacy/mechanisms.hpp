// The only way through the wall. Each method names its sensitivity, charges the budget, then draws.
// Where units share their weight (PrivacyUnit::share) raw values come in parts of it and a weight stands for a record:
// noise is drawn on the parts, and what comes out is rounded to whole weights: up or down at random, in largest()
// to the nearest. Floors and ranks are about what comes out.
// Proofs: docs/proofs.md, one section per method.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

class LargestSearch;
class ProfileQueries;
struct ProfileQuery;
class Mechanisms;

// A record on a public lattice, and what it adds to a count: 1, or its parts of a weight.
struct WeightedValue {
  std::uint32_t value, weight = 1;
};

// A group of records whose median is asked for: where each lies on the lattice, ascending, all in [lo, hi).
struct MedianQuery {
  std::span<const WeightedValue> values;
  std::uint64_t lo, hi;  // lo + 2 <= hi; public
};

// A noised profile, and the share of epsilon that was chosen for it.
struct ChosenProfile {
  Noised<ProfileSums> sums;
  unsigned share;   // tenths of epsilon
  Epsilon epsilon;  // what was charged: the share times a tenth, rounded down to a unit
};

// The largest of all noisy values of a box.
struct NoisyLargest {
  Noised<std::int64_t> positive;  // how many noisy values are positive
  Noised<std::int64_t> floor;     // the k-th largest of these, or `least` if that is larger or there is none
  NoisyCounts values;             // all that reach the floor, ties included: sparse
};

// Noisy counts, and what the wavelet transform makes of them where that was done together with the noise.
struct NoisyTransform {
  NoisyCounts counts;
  std::optional<Noised<Transformed>> w = {};
};

// Mechanisms::largest after its first call. One use.
class LargestSession {
 public:
  // How many noisy values are positive.
  [[nodiscard]] const Noised<std::int64_t>& positive() const noexcept { return positive_; }
  // The k-th largest for a floor, k moved into 1, ..., positive(), but none below `least`; and all that reach it.
  // rank: made of noised and public values, by its type.
  NoisyLargest from(const Noised<std::uint64_t>& rank) &&;

 private:
  friend class Mechanisms;
  LargestSession(std::unique_ptr<LargestSearch> search, Noised<std::int64_t> positive, NoiseLaw law);
  std::unique_ptr<LargestSearch> search_;
  Noised<std::int64_t> positive_;
  NoiseLaw law_;

 public:
  ~LargestSession();
  LargestSession(LargestSession&&) noexcept;
};

// A profile, and the values it is about where it was asked for together with them.
struct RefinedProfile {
  ChosenProfile profile;
  std::optional<NoisyCounts> values;  // law().censored_below: 2^censored_levels - 1
};

// Mechanisms::profile and profiled_values after their first view. One use; the mechanisms outlive it.
class ProfileSession {
 public:
  [[nodiscard]] const Noised<ProfileSums>& first() const noexcept { return first_; }
  // choice: made of the first view and of public values, by its type. share: first to 6 tenths. When levels are
  // censored (profiled_values alone), values below censoring_point(censored) are raised to it, and the levels of the
  // profile that count the records up to there are seen with the noise of all ten tenths. Nothing is charged for that:
  // a record that moves one of these levels moves no raised value, and one that moves a value moves none of these
  // levels. Charged is the share: the first view can be made of the second by adding noise, and so costs nothing more.
  RefinedProfile refine(const Noised<ProfileChoice>& choice) &&;

  ~ProfileSession();
  ProfileSession(ProfileSession&&) noexcept;

 private:
  friend class Mechanisms;
  struct Values {
    Cells<std::int64_t> cells;
    std::string name;
    unsigned threads;
  };
  ProfileSession(Mechanisms& mechanisms, const ProfileSums& sums, std::uint64_t sensitivity, Epsilon epsilon,
                 unsigned first, std::string name, std::optional<Values> values);
  [[nodiscard]] Epsilon price(unsigned share) const { return Epsilon::from_units(share * tenth_); }
  [[nodiscard]] Noised<ProfileSums> view(unsigned share, bool is_first);
  [[nodiscard]] ProfileSums asked(const ProfileQuery& query);

  Mechanisms& mechanisms_;
  ProfileSums sums_;
  Epsilon epsilon_;
  std::uint64_t tenth_, sensitivity_;
  Rate rate_;  // of a tenth
  unsigned first_share_;
  std::string name_;
  std::optional<Values> values_;
  std::size_t order_;
  std::unique_ptr<ProfileQueries> queries_;
  Noised<ProfileSums> first_;
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
  NoisyCounts values_above_floor(const Noised<std::int64_t>& floor, const Cells<std::int64_t>& values,
                                 std::uint64_t per_record, Epsilon epsilon, std::string name, std::uint64_t terms = 1,
                                 unsigned threads = 0);
  // The largest noisy values of a box, in two calls: how many are positive, then those from a rank on. least: public,
  // 1 to 2^55 / unit.parts(); nothing below it comes out, and so no more than the stored values and the noise that
  // reaches it.
  LargestSession largest(std::int64_t least, Cells<std::int64_t> values, std::uint64_t per_record, Epsilon epsilon,
                         std::string name, std::uint64_t terms = 1, unsigned threads = 0);
  // One integer that changes by at most `per_neighbor` between any two neighbours (the caller states it for the unit).
  Noised<std::int64_t> number(std::int64_t value, std::uint64_t per_neighbor, Epsilon epsilon, std::string name);
  // A threshold x in {1, ..., max} with probability proportional to base(x) exp(-epsilon |rank(x) - k| / (2
  // per_neighbor)), rank(x) = how many of `positives` are >= x. Positives above max count at every x. per_neighbor: how
  // far |rank(x) - k| moves between neighbours at most. max: public, 1 to 2^56. shift: of the logarithmic base, public.
  // The law of the result is about its rank: geometric on both sides of k, at half that rate.
  Noised<std::int64_t> threshold(std::span<const std::int64_t> positives, std::uint64_t k, std::uint64_t max,
                                 BaseMeasure base, std::uint64_t per_neighbor, Epsilon epsilon, std::string name,
                                 std::uint64_t shift = 0);
  // A private median of each group, for groups that share no record (the cells of a partition): a cut x in
  // {lo + 1, ..., hi - 1} with probability proportional to exp(-epsilon |2 rank(x) - n| / (2 records_changed)), rank(x)
  // = how many of the group's n values are below x, by their weights. One charge for all groups, and one result that
  // holds its receipt, also where there are no groups; proof: src/privacy/medians.cpp.
  Noised<std::vector<std::int64_t>> medians(std::span<const MedianQuery> groups, Epsilon epsilon, std::string name);

  // The profile of values (profile.hpp), of which one record's presence moves at most per_record in L1, all levels
  // together, in two calls: a first view with the noise of `first` tenths of epsilon, then the same profile with the
  // noise of the share that was chosen. All that may be chosen is set aside before anything is drawn; the rest goes
  // back to the budget with the second call. Proof: src/privacy/refinable_noise.hpp and docs/proofs.md.
  ProfileSession profile(const ProfileSums& sums, std::uint64_t per_record, Epsilon epsilon, unsigned first,
                         std::string name);
  // The profile of values of which a record moves one by 1, and the values, for epsilon in all: the profile as above,
  // the values with what it left.
  ProfileSession profiled_values(Cells<std::int64_t> values, Epsilon epsilon, unsigned first, std::string profile_name,
                                 std::string values_name, unsigned threads = 0);

  [[nodiscard]] std::vector<Spent> spent() const { return spent_of(receipts_); }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return unit_; }
  [[nodiscard]] bool is_private() const noexcept { return noise_.is_private(); }
  [[nodiscard]] Noise& noise() noexcept { return noise_; }

 private:
  using SeeNoised = std::function<void(std::span<const std::int64_t> values, std::uint64_t begin, std::uint64_t end)>;
  // Charges, then draws noise on all cells of the place; each stretch is shown as soon as it is noised.
  NoisyCounts noised(Counts::Place place, std::uint64_t per_record, Epsilon epsilon, std::string name, unsigned threads,
                     const SeeNoised& see);
  // Of mechanisms that count cells: they know no parts.
  void require_records(const std::string& name) const;
  using Charge = std::shared_ptr<const Receipt>;
  Charge charge(std::string name, std::uint64_t sensitivity, Epsilon epsilon);
  friend class ProfileSession;
  Noise& noise_;
  PrivacyUnit unit_;
  Epsilon left_;
  Receipts receipts_;
};

}  // namespace shoal
