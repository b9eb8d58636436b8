#include "privacy/threshold_costs.hpp"

#include <algorithm>

#include "base/capped.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

namespace {

// All x up to `end` and above the end before have this cost.
struct CostStep {
  std::uint64_t end, cost;
};

// The values of W by size. Cells that are not listed hold zero.
class RankedValues {
 public:
  explicit RankedValues(const ThresholdQuery& query) : percentile_(query.percentile) {
    for (const std::int64_t value : query.values) {
      if (value > 0) positive_.push_back(static_cast<std::uint64_t>(value));
      if (value < 0 && query.each) negative_.push_back(std::uint64_t{0} - static_cast<std::uint64_t>(value));
    }
    std::sort(positive_.begin(), positive_.end());
    std::sort(negative_.begin(), negative_.end());
    zeros_ = capped_difference(query.cells, positive_.size() + negative_.size());
  }

  [[nodiscard]] const std::vector<std::uint64_t>& ascending() const noexcept { return positive_; }
  [[nodiscard]] std::uint64_t positives() const noexcept { return positive_.size(); }
  [[nodiscard]] std::uint64_t k() const { return significant_count(percentile_, positives()); }
  // Returns the threshold of WaveCluster if the number of positive values were `positives`; 0 if the k-th largest value
  // is not positive.
  [[nodiscard]] std::uint64_t threshold(std::uint64_t positives) const {
    const std::uint64_t k = std::max<std::uint64_t>(1, significant_count(percentile_, positives));
    return k > positive_.size() ? 0 : positive_[positive_.size() - k];
  }
  // Returns the number of values above y, and of values above -y.
  [[nodiscard]] std::uint64_t above(std::uint64_t y) const {
    return static_cast<std::uint64_t>(positive_.end() - std::upper_bound(positive_.begin(), positive_.end(), y));
  }
  [[nodiscard]] std::uint64_t above_minus(std::uint64_t y) const {
    if (y == 0) return positives();
    const auto end = std::lower_bound(negative_.begin(), negative_.end(), y);
    return positives() + zeros_ + static_cast<std::uint64_t>(end - negative_.begin());
  }

 private:
  Percentile percentile_;
  std::vector<std::uint64_t> positive_, negative_;  // ascending; negative ones without their sign
  std::uint64_t zeros_ = 0;
};

// The cost of a rank. above: number of values > x. from: number of values >= x. Moving n values changes both, less k,
// by at most n each. The cost is the least n that could make x a threshold of WaveCluster (above < k <= from), or one
// that separates the same cells (above = from = k).
std::uint64_t rank_cost(std::uint64_t above, std::uint64_t from, std::uint64_t k) {
  if (from < k) return k - from;
  return above < k ? 0 : std::min(above + 1, from) - k;
}

std::vector<CostStep> rank_steps(const RankedValues& ranked, std::uint64_t max) {
  const std::vector<std::uint64_t>& values = ranked.ascending();
  const std::uint64_t k = ranked.k();
  std::vector<CostStep> steps;
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < values.size() && start < max;) {
    const std::uint64_t value = std::min(values[i], max), from = values.size() - i;
    while (i < values.size() && values[i] == value) ++i;
    const std::uint64_t above = values.size() - i;
    const std::uint64_t below_value = rank_cost(from, from, k), at_value = rank_cost(above, from, k);
    if (at_value != below_value && value - 1 > start) steps.push_back({value - 1, below_value});
    steps.push_back({value, at_value});
    start = value;
  }
  if (start < max) steps.push_back({max, rank_cost(0, 0, k)});
  return steps;
}

// The cost of a value, in changes of a unit. After t of them no value has moved by more than t `value`, and |L| has
// moved by at most t `positives`. What x can then be a threshold of WaveCluster lies in an interval that grows with t.
std::vector<CostStep> value_steps(const RankedValues& ranked, const ValueBounds& bounds, std::uint64_t max,
                                  std::uint64_t most_steps) {
  std::vector<CostStep> falling,
      rising;  // below the threshold of WaveCluster, where the cost falls with x, and above it
  for (std::uint64_t t = 0; t < most_steps; ++t) {
    const std::uint64_t moved = capped_product(t, bounds.value), turned = capped_product(t, bounds.positives);
    const std::uint64_t fewest = std::max(capped_difference(ranked.positives(), turned), ranked.above(moved));
    const std::uint64_t most = std::min(capped_sum(ranked.positives(), turned), ranked.above_minus(moved));
    const std::uint64_t low = capped_difference(ranked.threshold(most), moved);
    const std::uint64_t high = std::min(max, capped_sum(ranked.threshold(fewest), moved));
    if (low > 1) falling.push_back({std::min(max, low - 1), t + 1});
    rising.push_back({high, t});
    if (low <= 1 && high == max) break;
  }
  std::vector<CostStep> steps;
  const auto add = [&](CostStep step) {
    if (step.end > (steps.empty() ? 0 : steps.back().end)) steps.push_back(step);
  };
  std::for_each(falling.rbegin(), falling.rend(), add);
  std::for_each(rising.begin(), rising.end(), add);
  add({max, most_steps});
  return steps;
}

// Returns the larger of both costs, the second one times `weight`. Both end at the same x.
std::vector<CostStep> larger_cost(const std::vector<CostStep>& a, const std::vector<CostStep>& b,
                                  std::uint64_t weight) {
  std::vector<CostStep> steps;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t end = std::min(a[i].end, b[j].end);
    steps.push_back({end, std::max(a[i].cost, capped_product(weight, b[j].cost))});
    if (a[i].end == end) ++i;
    if (b[j].end == end) ++j;
  }
  return steps;
}

}  // namespace

ThresholdRuns threshold_runs(const ThresholdQuery& query, const Measure& measure, std::uint64_t most_steps) {
  const RankedValues ranked(query);
  std::vector<CostStep> steps = rank_steps(ranked, measure.max());
  if (query.each) {
    steps = larger_cost(steps, value_steps(ranked, *query.each, measure.max(), most_steps), query.per_neighbor);
  }
  ThresholdRuns runs;
  std::uint64_t start = 0;
  for (const auto& [end, cost] : steps) {
    runs.ends.push_back(end);
    runs.intervals.push_back({measure.up_to(end) - measure.up_to(start), cost});
    start = end;
  }
  return runs;
}

}  // namespace shoal
