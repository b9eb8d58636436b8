// The costs of thresholds: they are what their definition says at every x, and neighbours change none of them by more
// than the sensitivity.
#include "privacy/threshold_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "neighbouring_counts.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/clusters.hpp"

namespace shoal {
namespace {

using testing::to_neighbor;
using Random = std::mt19937_64;
using Values = std::vector<std::int64_t>;

// The cost of each x from 1 to max, as the runs state it.
std::vector<std::uint64_t> costs_by_runs(const ThresholdQuery& query, std::uint64_t most_steps) {
  const Measure measure(query.base, query.max, query.shift);
  const ThresholdRuns runs = threshold_runs(query, measure, most_steps);
  std::vector<std::uint64_t> costs;
  for (std::size_t i = 0; i < runs.ends.size(); ++i) {
    const std::uint64_t start = costs.size();
    EXPECT_GT(runs.ends[i], start);
    EXPECT_EQ(runs.intervals[i].measure, measure.up_to(runs.ends[i]) - measure.up_to(start));
    costs.resize(runs.ends[i], runs.intervals[i].cost);
  }
  EXPECT_EQ(costs.size(), query.max);
  return costs;
}

// ---- by the definition, one x at a time
// ------------------------------------------------------------------------------

std::int64_t count_above(const Values& values, std::int64_t y) {
  return std::count_if(values.begin(), values.end(), [y](std::int64_t value) { return value > y; });
}

// Returns the k-th largest value, k for this number of positives; 0 if it is not positive.
std::int64_t threshold_of(const Values& values, std::int64_t positives, Percentile percentile) {
  Values descending = values;
  std::sort(descending.rbegin(), descending.rend());
  const std::uint64_t k = std::max<std::uint64_t>(
      1, significant_count(percentile, static_cast<std::uint64_t>(std::max<std::int64_t>(0, positives))));
  return k > descending.size() ? 0 : std::max<std::int64_t>(0, descending[k - 1]);
}

std::uint64_t cost_by_definition(const ThresholdQuery& query, std::int64_t x, std::uint64_t most_steps) {
  Values values(query.values.begin(), query.values.end());
  values.resize(query.cells);
  const std::int64_t positives = count_above(values, 0);
  const auto k = static_cast<std::int64_t>(significant_count(query.percentile, static_cast<std::uint64_t>(positives)));
  // The distance of (above, from) to the pairs that are right, in the larger of both coordinates.
  const std::int64_t above = count_above(values, x) - k, from = count_above(values, x - 1) - k;
  std::int64_t rank = std::max(std::abs(above), std::abs(from));
  for (std::int64_t a = -50; a < 0; ++a) {
    for (std::int64_t b = 0; b <= 50; ++b) rank = std::min(rank, std::max(std::abs(above - a), std::abs(from - b)));
  }
  if (!query.each) return static_cast<std::uint64_t>(rank);
  std::uint64_t t = 0;
  for (; t < most_steps; ++t) {
    const auto moved = static_cast<std::int64_t>(t * query.each->value);
    const auto turned = static_cast<std::int64_t>(t * query.each->positives);
    const std::int64_t fewest = std::max(positives - turned, count_above(values, moved));
    const std::int64_t most = std::min(positives + turned, count_above(values, -moved));
    if (x >= threshold_of(values, most, query.percentile) - moved &&
        x <= threshold_of(values, fewest, query.percentile) + moved) {
      break;
    }
  }
  return std::max(static_cast<std::uint64_t>(rank), query.per_neighbor * t);
}

TEST(ThresholdCosts, FollowTheirDefinitionAtEveryThreshold) {
  Random random(5);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    Values values(random() % 16);
    const std::uint64_t most = 1 + random() % 30;  // few values: many ties
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % (2 * most)) - 10;
    ThresholdQuery query{.values = values,
                         .cells = values.size() + random() % 3,
                         .percentile = Percentile(static_cast<double>(random() % 100)),
                         .per_neighbor = 1 + random() % 4,
                         .max = 1 + random() % 60,
                         .base = i % 2 == 0 ? BaseMeasure::uniform : BaseMeasure::logarithmic};
    if (i % 3 != 0) query.each = {.value = random() % 4, .positives = 1 + random() % 4};
    const std::uint64_t most_steps = 1 + random() % 20;
    const std::vector<std::uint64_t> costs = costs_by_runs(query, most_steps);
    for (std::uint64_t x = 1; x <= query.max; ++x) {
      ASSERT_EQ(costs[x - 1], cost_by_definition(query, static_cast<std::int64_t>(x), most_steps)) << x;
    }
  }
}

TEST(ThresholdCosts, OnlyThresholdsThatGiveTheCellsOfWaveClusterCostNothing) {
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    Values values(1 + random() % 20);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 12) - 3;
    ThresholdQuery query{.values = values,
                         .cells = values.size(),
                         .percentile = Percentile(static_cast<double>(random() % 100)),
                         .per_neighbor = 2,
                         .max = 20};
    if (i % 2 == 0) query.each = {.value = 2, .positives = 2};
    const std::int64_t positives = count_above(values, 0);
    if (positives == 0) continue;
    const std::int64_t threshold = threshold_of(values, positives, query.percentile);
    const std::vector<std::uint64_t> costs = costs_by_runs(query, 9);
    EXPECT_EQ(costs[static_cast<std::size_t>(threshold - 1)], 0U);
    for (std::int64_t x = 1; x <= 20; ++x) {
      if (costs[static_cast<std::size_t>(x - 1)] > 0) continue;
      EXPECT_EQ(count_above(values, x - 1), count_above(values, threshold - 1)) << x << " of " << threshold;
    }
  }
}

// ---- neighbours
// ------------------------------------------------------------------------------------------------------

struct Case {
  Shape shape;
  ClusterOptions options;
  PrivacyUnit unit;
};

Values w_of(const Case& at, const std::vector<std::int64_t>& counts) {
  const Transformed w = transform(Cells<std::int64_t>::dense(at.shape, counts), at.options);
  const double step = w.is_haar() ? 1 : tie_step(at.shape.pooled_axes(), at.options.level);
  Values values;
  w.visit([&](const auto& cells) {
    for (const auto value : cells.values()) {
      values.push_back(static_cast<std::int64_t>(std::llround(static_cast<double>(value) / step)));
    }
  });
  return values;
}

ThresholdQuery query_of(const Case& at, const Values& w) {
  return {.values = w,
          .cells = w.size(),
          .percentile = std::get<Percentile>(at.options.threshold),
          .per_neighbor = rank_sensitivity(at.shape, at.options, at.unit),
          .each = ValueBounds{value_sensitivity(at.shape, at.options, at.unit)->steps,
                              nonpositive_sensitivity(at.shape, at.options, at.unit)},
          .max = std::uint64_t{1} << 26};
}

// Costs of two datasets, run by run. Returns the largest difference at any x.
std::uint64_t largest_difference(const ThresholdRuns& a, const ThresholdRuns& b) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0, j = 0; i < a.ends.size() && j < b.ends.size();) {
    const std::uint64_t one = a.intervals[i].cost, other = b.intervals[j].cost;
    largest = std::max(largest, one > other ? one - other : other - one);
    const std::uint64_t end = std::min(a.ends[i], b.ends[j]);
    if (a.ends[i] == end) ++i;
    if (b.ends[j] == end) ++j;
  }
  return largest;
}

TEST(ThresholdCosts, NoNeighbourChangesACostByMoreThanTheSensitivity) {
  Random random(8);
  std::size_t reached = 0;
  for (const std::string& name : Wavelet::names()) {
    for (const Shape& shape : {Shape{11}, Shape{5, 6}, Shape{3, 4, 2}}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        Case at{shape, {.threshold = Percentile(static_cast<double>(random() % 100))}, {}};
        at.options.wavelet = Wavelet::named(name);
        at.options.level = 1 + random() % 2;
        at.options.transform = transform;
        at.unit.neighbors = random() % 2 == 0 ? Neighbors::add_remove : Neighbors::replace;
        at.unit.max_contributions = 1 + random() % 2;
        if (at.unit.max_contributions > 1) at.unit.column = "user";
        for (int i = 0; i < 6; ++i) {
          std::vector<std::int64_t> counts(cell_count(shape)), other;
          for (std::int64_t& count : counts) count = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 40);
          if (i % 3 == 0) std::fill(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2), 0);
          other = counts;
          if (!to_neighbor(random, at.unit, other)) continue;
          const Values w = w_of(at, counts), v = w_of(at, other);
          const ThresholdQuery one = query_of(at, w), two = query_of(at, v);
          const Measure measure(one.base, one.max, one.shift);
          const std::uint64_t found =
              largest_difference(threshold_runs(one, measure, 50), threshold_runs(two, measure, 50));
          ASSERT_LE(found, one.per_neighbor) << name << " level " << at.options.level;
          reached += found == one.per_neighbor ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(reached, 500U);  // the bound is not loose
}

}  // namespace
}  // namespace shoal
