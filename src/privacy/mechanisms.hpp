// The only way from raw values to noised values. Each method states its sensitivity, charges the budget, then draws.
// Where units share their weight (PrivacyUnit::share), raw values are in parts of a weight, and a weight stands for a
// record. Noise is drawn on the parts, and the result is rounded to whole weights, up or down at random. Floors refer
// to the rounded result. Proofs: docs/proofs.md, one section per method.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "privacy/noise.hpp"
#include "privacy/profile.hpp"
#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"
#include "shoal/noised.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

class ProfileQueries;
struct ProfileQuery;
class Mechanisms;

// A record on a public lattice, and what it adds to a count: 1, or its parts of a weight.
struct WeightedValue {
  std::uint32_t value, weight = 1;
};

// A group of records whose median is requested: the position of each on the lattice, ascending, all in [lo, hi).
struct MedianQuery {
  std::span<const WeightedValue> values;
  std::uint64_t lo, hi;  // lo + 2 <= hi; public
};

// What neighbours can change about single values of W.
struct ValueBounds {
  std::uint64_t value;      // largest change of one value, in steps of the lattice
  std::uint64_t positives;  // largest change of |L|, the number of positive values
};

// The values whose k-th largest a threshold is to match, k = significant_count(|L|). All but `values` is public.
struct ThresholdQuery {
  std::span<const std::int64_t> values;  // W in whole steps of a public lattice; cells that are not listed hold 0
  std::uint64_t cells;                   // number of cells of W
  Percentile percentile;
  std::uint64_t per_neighbor;            // largest number of values that differ between neighbours
  std::optional<ValueBounds> each = {};  // if known: limits the threshold by its value as well as by its rank
  std::uint64_t max;                     // thresholds are 1 to max, at most 2^56
  BaseMeasure base = BaseMeasure::logarithmic;
  std::uint64_t shift = 0;  // of the logarithmic base
};

// A noised profile, and the share of epsilon that was chosen for it.
struct ChosenProfile {
  Noised<ProfileSums> sums;
  unsigned share;   // tenths of epsilon
  Epsilon epsilon;  // what was charged: the share times a tenth, rounded down to a unit
};

// Noisy counts, and their wavelet transform if it was computed together with the noise.
struct NoisyTransform {
  NoisyCounts counts;
  std::optional<Noised<Transformed>> w = {};
};

// A profile, and the values that it describes if both were requested together.
struct RefinedProfile {
  ChosenProfile profile;
  std::optional<NoisyCounts> values;  // law().censored_below: 2^censored_levels - 1
};

// The state of Mechanisms::profile and profiled_values after their first view. Can be used once. The mechanisms must
// outlive it.
class ProfileSession {
 public:
  [[nodiscard]] const Noised<ProfileSums>& first() const noexcept { return first_; }
  // The type of `choice` ensures that it was computed from the first view and from public values. share: `first` to 6
  // tenths. If levels are censored (only with profiled_values), values below censoring_point(censored) are raised to
  // it, and the levels of the profile that count the records up to there are seen with the noise of all ten tenths.
  // Nothing is charged for that: a record that moves one of these levels moves no raised value, and one that moves a
  // value moves none of these levels. Only the share is charged: the first view can be computed from the second by
  // adding noise, so it costs nothing more.
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
  // Spends at most `budget`. A request for more throws before anything is drawn (ErrorKind::internal, because it is a
  // fault of the technique).
  Mechanisms(Noise& noise, PrivacyUnit unit, Epsilon budget);

  // Adds discrete Laplace noise to every cell of the grid, empty or not. L1 sensitivity: unit.records_changed(). Throws
  // for sparse counts, as values() does.
  NoisyCounts counts(Counts counts, Epsilon epsilon, unsigned threads = 0);
  // Returns the same counts and their transform, which is post-processing. It is computed while the noisy counts are
  // still in the cache.
  NoisyTransform transformed_counts(Counts counts, Epsilon epsilon, const ClusterOptions& options);
  // Adds noise to any integers that one record's presence moves by at most `per_record` in L1, such as Haar block sums
  // (1).
  NoisyCounts values(Cells<std::int64_t> values, std::uint64_t per_record, Epsilon epsilon, std::string name,
                     unsigned threads = 0);
  // The same for boxes of any size: adds noise to every value and returns, as sparse cells, those that reach `floor`
  // (at least 1). All other cells are omitted, empty or not. The distribution does not depend on how `values` are
  // stored, but the cost does: for sparse values, time and memory grow with what is stored and what is returned.
  NoisyCounts values_above_floor(const Noised<std::int64_t>& floor, const Cells<std::int64_t>& values,
                                 std::uint64_t per_record, Epsilon epsilon, std::string name, unsigned threads = 0);
  // Adds noise to one integer that changes by at most `per_neighbor` between any two neighbours. The caller states this
  // bound for the unit.
  Noised<std::int64_t> number(std::int64_t value, std::uint64_t per_neighbor, Epsilon epsilon, std::string name);
  // Draws a threshold x in {1, ..., query.max} with probability proportional to
  //   base(x) exp(-epsilon cost(x) / (2 query.per_neighbor)).
  // The cost states how many values of W would have to change for x to be the threshold of WaveCluster, at least
  // (src/privacy/threshold_costs.cpp). Values above query.max count at every x.
  Noised<std::int64_t> threshold(const ThresholdQuery& query, Epsilon epsilon, std::string name);
  // Draws a private median of each group, for groups that share no record (the cells of a partition): a cut x in
  // {lo + 1, ..., hi - 1} with probability proportional to exp(-epsilon |2 rank(x) - n| / (2 records_changed)), where
  // rank(x) is the number of the group's n values below x, by their weights. There is one charge for all groups, and
  // one result that holds its receipt, even if there are no groups. Proof: src/privacy/medians.cpp.
  Noised<std::vector<std::int64_t>> medians(std::span<const MedianQuery> groups, Epsilon epsilon, std::string name);

  // Returns the profile (ProfileSums) of values in two calls: a first view with the noise of `first` tenths of epsilon,
  // then the same profile with the noise of the chosen share. One record's presence must move the profile by at most
  // per_record in L1, all levels together. The largest share that may be chosen is reserved before anything is drawn;
  // the second call returns the rest to the budget. Proof: src/privacy/refinable_noise.hpp and docs/proofs.md.
  ProfileSession profile(const ProfileSums& sums, std::uint64_t per_record, Epsilon epsilon, unsigned first,
                         std::string name);
  // Returns a profile and the values that it describes, for epsilon in total: the profile as above, and the values with
  // the epsilon that it left. A record must move one value by 1.
  ProfileSession profiled_values(Cells<std::int64_t> values, Epsilon epsilon, unsigned first, std::string profile_name,
                                 std::string values_name, unsigned threads = 0);

  [[nodiscard]] std::vector<Spent> spent() const { return spent_of(receipts_); }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return unit_; }
  [[nodiscard]] bool is_private() const noexcept { return noise_.is_private(); }
  [[nodiscard]] Noise& noise() noexcept { return noise_; }

 private:
  using SeeNoised = std::function<void(std::span<const std::int64_t> values, std::uint64_t begin, std::uint64_t end)>;
  // Charges, then adds noise to all cells of the place. Each stretch is passed to `see` as soon as it is noised.
  NoisyCounts noised(Counts::Place place, std::uint64_t per_record, Epsilon epsilon, std::string name, unsigned threads,
                     const SeeNoised& see);
  // Throws where units share their weight. For mechanisms that count cells, which do not support parts.
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
