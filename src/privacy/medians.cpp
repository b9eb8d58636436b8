// Private medians of the groups of a partition, by the exponential mechanism on a public integer lattice.
//
// The quality of a cut x in a group of n values is -|2 rank(x) - n|, an integer. A record that joins adds 0 or 2 to 2
// rank(x) and 1 to n; one that leaves subtracts them. So 2 rank(x) - n moves by 1 either way. A neighbour that changes
// r records, r_g of them in group g, moves the quality of group g by at most r_g at every x, so a draw with weights
// exp(-epsilon |2 rank(x) - n| / (2 r)) changes its probabilities there by a factor of at most exp(epsilon r_g / r). No
// record is in two groups: the r_g add up to r, and all draws together to epsilon (parallel composition). Where units
// share their weight, the same holds for its parts: a part is in one group, and r is in parts.
// (Cormode et al., ICDE 2012, take the quality |rank(x) - n/2| with sensitivity 1; it is 1/2, which is used here.)
#include <algorithm>

#include "privacy/mechanisms.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
// Cuts of equal quality: x in (from, to].
struct CutInterval {
  std::uint64_t from;
  WeightedInterval weight;
};

std::vector<CutInterval> cut_intervals(const MedianQuery& group) {
  std::uint64_t n = 0;
  for (const WeightedValue& value : group.values) n += value.weight;
  std::vector<CutInterval> intervals;
  std::uint64_t from = group.lo;  // cuts up to here are listed
  std::uint64_t rank = 0;
  auto next = group.values.begin();  // the first value that is not counted in the rank
  while (from < group.hi - 1) {
    for (; next != group.values.end() && next->value <= from; ++next) rank += next->weight;
    const bool any = next != group.values.end();
    const std::uint64_t to = any ? std::min<std::uint64_t>(next->value, group.hi - 1) : group.hi - 1;
    const std::uint64_t cost = 2 * rank > n ? 2 * rank - n : n - 2 * rank;
    intervals.push_back({from, {to - from, cost}});
    from = to;
  }
  return intervals;
}

std::int64_t private_cut(const MedianQuery& group, Rate rate, Noise& noise) {
  const std::vector<CutInterval> intervals = cut_intervals(group);
  std::vector<WeightedInterval> weights;
  weights.reserve(intervals.size());
  for (const CutInterval& interval : intervals) weights.push_back(interval.weight);
  const CutInterval& chosen = intervals[noise.choose(weights, rate)];
  return static_cast<std::int64_t>(chosen.from + 1 + noise.below(chosen.weight.measure));
}
}  // namespace

Noised<std::vector<std::int64_t>> Mechanisms::medians(std::span<const MedianQuery> groups, Epsilon epsilon,
                                                      std::string name) {
  for (const MedianQuery& group : groups) {
    if (group.hi < group.lo + 2) throw Error(ErrorKind::internal, "a median needs a range of at least two steps");
  }
  const std::uint64_t sensitivity = unit_.records_changed();
  const Rate rate = Rate::of(epsilon, 2 * sensitivity * unit_.parts_per_weight());
  const Charge paid = charge(std::move(name), sensitivity, epsilon);
  std::vector<std::int64_t> cuts;
  cuts.reserve(groups.size());
  for (const MedianQuery& group : groups) cuts.push_back(private_cut(group, rate, noise_));
  return {NoisedKey(), std::move(cuts), {paid}};
}

}  // namespace shoal
