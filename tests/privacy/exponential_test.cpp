#include "privacy/exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chi_square.hpp"
#include "privacy/base_measure.hpp"
#include "privacy/noise.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::accepted;
using testing::caught;

std::vector<double> exact_probabilities(const std::vector<WeightedInterval>& intervals, double rate) {
  std::uint64_t least = UINT64_MAX;
  for (const auto& interval : intervals) {
    if (interval.measure > 0) least = std::min(least, interval.cost);
  }
  std::vector<long double> weights;
  long double total = 0;
  for (const auto& [measure, cost] : intervals) {
    const long double weight =
        measure == 0 ? 0
                     : static_cast<long double>(measure) * std::exp(-static_cast<long double>(rate) * (cost - least));
    weights.push_back(weight);
    total += weight;
  }
  std::vector<double> result;
  for (const long double weight : weights) result.push_back(static_cast<double>(weight / total));
  return result;
}

double choose_deviations(const std::vector<WeightedInterval>& intervals, Rate rate, double assumed_rate, int count,
                         std::uint64_t seed) {
  const auto noise = seeded_noise_not_private(seed);
  std::vector<double> observed(intervals.size(), 0);
  for (int i = 0; i < count; ++i) observed[noise->choose(intervals, rate)] += 1;
  std::vector<double> expected = exact_probabilities(intervals, assumed_rate);
  for (double& e : expected) e *= count;
  return testing::deviations(observed, expected);
}

std::vector<WeightedInterval> random_intervals(std::uint64_t seed, std::size_t count, std::uint64_t measures,
                                               std::uint64_t costs) {
  std::mt19937_64 engine(seed);
  std::vector<WeightedInterval> intervals;
  for (std::size_t i = 0; i < count; ++i) intervals.push_back({engine() % measures, engine() % costs});
  return intervals;
}

TEST(Choose, FollowsTheExactProbabilities) {
  for (const Rate rate : {Rate{1, 1000}, Rate{1, 10}, Rate{1, 3}, Rate{1, 1}, Rate{5, 1}}) {
    for (const std::uint64_t costs : {3, 20, 3000}) {
      if (static_cast<double>(costs) * rate.value() > 500) continue;  // but one interval would be left
      const auto intervals = random_intervals(costs, 12, 1000, costs);
      EXPECT_LT(choose_deviations(intervals, rate, rate.value(), 20'000, 11), accepted) << rate.value() << " " << costs;
    }
  }
}

TEST(Choose, IsAsSensitiveAsItMustBe) {
  const auto intervals = random_intervals(20, 12, 1000, 20);
  EXPECT_GT(choose_deviations(intervals, {11, 100}, 0.1, 300'000, 12), caught);  // a rate 10 % too high
}

TEST(Choose, DependsOnlyOnCostDifferences) {
  std::vector<WeightedInterval> low = {{5, 0}, {7, 3}, {9, 1}};
  std::vector<WeightedInterval> high = low;
  for (auto& interval : high) interval.cost += UINT64_MAX - 10;
  const auto a = seeded_noise_not_private(3);
  const auto b = seeded_noise_not_private(3);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(a->choose(low, {1, 2}), b->choose(high, {1, 2}));
}

TEST(Choose, PassesOverMeasureZeroWhateverItsCost) {
  const auto noise = seeded_noise_not_private(4);
  const std::vector<WeightedInterval> intervals = {{0, 0}, {1, 1000}, {0, 0}, {1, 1000}, {0, 5}};
  for (int i = 0; i < 2000; ++i) {
    const std::size_t index = noise->choose(intervals, {1, 1});
    ASSERT_TRUE(index == 1 || index == 3);
  }
}

TEST(Choose, HugeMeasuresAndCostsAreExact) {
  const auto noise = seeded_noise_not_private(5);
  EXPECT_EQ(noise->choose(std::vector<WeightedInterval>{{UINT64_MAX, UINT64_MAX}}, {1'000'000, 1}), 0U);
  EXPECT_EQ(noise->choose(std::vector<WeightedInterval>{{UINT64_MAX, UINT64_MAX}, {1, 0}}, {1'000'000, 1}), 1U);
  // 2^64 - 1 times exp(-44.36...) against 1: even.
  const std::vector<WeightedInterval> even = {{UINT64_MAX, 44'361'420}, {1, 0}};
  EXPECT_LT(choose_deviations(even, {1, 1'000'000}, 1e-6, 20'000, 6), accepted);
}

TEST(Choose, RefusesWhenNothingHasMeasure) {
  const auto noise = seeded_noise_not_private(6);
  EXPECT_THROW(noise->choose({}, {1, 1}), InputError);
  EXPECT_THROW(noise->choose(std::vector<WeightedInterval>{{0, 1}, {0, 0}}, {1, 1}), InputError);
}

// The library's way once more in plain integers: intervals uniform by measure, kept with probability exp(-rate cost).
TEST(Choose, AgreesWithRejection) {
  const std::vector<WeightedInterval> intervals = {{3, 2}, {10, 0}, {20, 5}, {1, 0}, {6, 1}};
  const auto noise = seeded_noise_not_private(7);
  std::mt19937_64 engine(8);
  std::vector<std::int64_t> ours;
  std::vector<std::int64_t> theirs;
  for (int i = 0; i < 50'000; ++i) ours.push_back(static_cast<std::int64_t>(noise->choose(intervals, {1, 2})));
  std::discrete_distribution<int> by_measure({3, 10, 20, 1, 6});
  while (theirs.size() < ours.size()) {
    const int i = by_measure(engine);
    std::bernoulli_distribution keep(std::exp(-0.5 * static_cast<double>(intervals[i].cost)));
    if (keep(engine)) theirs.push_back(i);
  }
  EXPECT_LT(testing::two_sample_deviations(ours, theirs), accepted);
}

// Where the first bits of V hit a boundary between two intervals, further bits decide by the boundary's own digits.
TEST(Choose, SettlesABoundaryByFurtherBits) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(12, 0), 0);
  ExponentialSampler sampler({1, 3});
  const std::vector<WeightedInterval> intervals = {{1, 0}, {1, 1}};
  const long double boundary = 0x1p32L / (1 + std::exp(-1.0L / 3));
  const auto prefix = static_cast<std::uint64_t>(boundary);
  constexpr int count = 5'000;
  double first = 0;
  for (int i = 0; i < count; ++i) {
    LazyUniform uniform(prefix, 32);
    first += sampler.choose(intervals, uniform, bits) == 0 ? 1 : 0;
  }
  EXPECT_NEAR(first / count, static_cast<double>(boundary - static_cast<long double>(prefix)),
              5 * 0.5 / std::sqrt(count));
}

TEST(Choose, BoundariesAtDyadicNumbersAreSettledToo) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(13, 0), 0);
  ExponentialSampler sampler({1, 3});
  const std::vector<WeightedInterval> intervals = {{1, 4}, {1, 4}, {2, 4}};
  for (const auto& [prefix, outcome] : {std::pair{63U, 0U}, {64U, 1U}, {127U, 1U}, {128U, 2U}, {255U, 2U}, {0U, 0U}}) {
    LazyUniform uniform(prefix, 8);
    EXPECT_EQ(sampler.choose(intervals, uniform, bits), outcome) << prefix;
  }
}

TEST(Choose, HandlesAHundredThousandIntervals) {
  const auto intervals = random_intervals(9, 100'000, 1000, 100'000);
  const auto noise = seeded_noise_not_private(10);
  for (int i = 0; i < 3; ++i) EXPECT_LT(noise->choose(intervals, {1, 10}), intervals.size());
}

TEST(Measure, SumsItsOwnPoints) {
  for (const BaseMeasure base : {BaseMeasure::uniform, BaseMeasure::logarithmic}) {
    for (const std::uint64_t max : {1, 2, 3, 4, 7, 8, 100, 1000}) {
      const Measure measure(base, max);
      EXPECT_EQ(measure.up_to(0), 0U);
      std::uint64_t mass = 0;
      for (std::uint64_t x = 1; x <= max; ++x) {
        ASSERT_GT(measure.up_to(x), measure.up_to(x - 1));
        for (; mass < measure.up_to(x); ++mass) ASSERT_EQ(measure.at(mass), x) << max << " " << mass;
      }
    }
  }
}

TEST(Measure, LogarithmicGivesEveryOctaveTheSameMass) {
  const Measure measure(BaseMeasure::logarithmic, std::uint64_t{1} << 56);
  const std::uint64_t octave = measure.up_to(1);
  for (unsigned k = 0; k < 56; ++k) {
    EXPECT_EQ(measure.up_to((std::uint64_t{2} << k) - 1), (k + 1) * octave);
  }
  EXPECT_EQ(measure.at(measure.up_to(measure.max()) - 1), measure.max());
}

TEST(Measure, RefusesMaxOutOfRange) {
  EXPECT_THROW(Measure(BaseMeasure::uniform, 0), InputError);
  EXPECT_THROW(Measure(BaseMeasure::logarithmic, (std::uint64_t{1} << 56) + 1), InputError);
}

}  // namespace
}  // namespace shoal
