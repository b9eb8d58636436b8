#include "privacy/mechanisms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "chi_square.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::accepted;

// Not private: writes down what it is asked for and adds nothing.
class RecordingNoise final : public Noise {
 public:
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned) override {
    drawn += values.size();
    last = rate;
  }
  std::uint64_t below(std::uint64_t) override { return 0; }
  std::size_t choose(std::span<const WeightedInterval> asked, Rate rate) override {
    intervals.assign(asked.begin(), asked.end());
    last = rate;
    drawn += 1;
    return 0;
  }
  std::size_t drawn = 0;
  Rate last{0, 1};
  std::vector<WeightedInterval> intervals;
};

Counts three_counts() { return Counts(Grid({Axis(0, 1, 3)}), Cells<std::int64_t>::dense({3}, {5, 0, 2}), 7, 0); }

std::vector<std::int64_t> as_vector(const Counts& counts) {
  return {counts.raw().values().begin(), counts.raw().values().end()};
}

const Epsilon one = Epsilon::parse("1");

ThresholdQuery query_of(std::span<const std::int64_t> values, double percentile, std::uint64_t max) {
  return {.values = values,
          .cells = values.size(),
          .percentile = Percentile(percentile),
          .per_neighbor = 1,
          .max = max,
          .base = BaseMeasure::uniform};
}

TEST(Mechanisms, CountsNoiseEveryCellAlsoTheEmptyOnes) {
  RecordingNoise noise;
  Mechanisms mechanisms(noise, {}, one);
  const NoisyCounts noisy = mechanisms.counts(three_counts(), one);
  EXPECT_EQ(noise.drawn, 3U);
  EXPECT_EQ(noisy.value(), three_counts().raw());
}

// With every kind of transform, and rows that lie across the stretches in which noise is drawn.
TEST(Mechanisms, TheTransformMadeOnTheWayIsThatOfTheNoisyCounts) {
  const Grid grid({Axis(0, 1, 301), Axis(0, 1, 703)});
  std::mt19937_64 random(3);
  std::vector<std::int64_t> raw(301 * 703);
  for (std::int64_t& value : raw) value = static_cast<std::int64_t>(random() % 50);
  const Counts counts(grid, Cells<std::int64_t>::dense(grid.shape(), raw), 0, 0);
  for (const auto& [wavelet, level, kind] : {std::tuple("haar", 1U, Transform::decimated),
                                             {"haar", 3U, Transform::decimated},
                                             {"haar", 1U, Transform::stationary},
                                             {"bior2.2", 1U, Transform::decimated}}) {
    for (const unsigned threads : {1U, 3U}) {
      ClusterOptions options{.threshold = Percentile(0)};
      options.wavelet = Wavelet::named(wavelet);
      options.level = level;
      options.transform = kind;
      options.threads = threads;
      const auto first = seeded_noise_not_private(5), second = seeded_noise_not_private(5);
      Mechanisms together(*first, {}, one), apart(*second, {}, one);
      const NoisyTransform noisy = together.transformed_counts(counts, one, options);
      EXPECT_EQ(noisy.counts.value(), apart.counts(counts, one).value());
      const Transformed expected = transform(noisy.counts.value(), options);
      ASSERT_TRUE(noisy.w);
      EXPECT_EQ(noisy.w->value(), expected);
      EXPECT_EQ(together.spent(), apart.spent());
    }
  }
  EXPECT_EQ(as_vector(counts), raw);
}

TEST(Mechanisms, SensitivityFollowsUnitAndRelation) {
  struct Case {
    Neighbors neighbors;
    std::uint64_t contributions, per_record, sensitivity;
  };
  for (const Case& c : {Case{Neighbors::add_remove, 1, 1, 1},
                        {Neighbors::replace, 1, 1, 2},
                        {Neighbors::add_remove, 4, 1, 4},
                        {Neighbors::replace, 4, 3, 24}}) {
    RecordingNoise noise;
    Mechanisms mechanisms(noise, {c.neighbors, "user", c.contributions}, one);
    mechanisms.values(three_counts().raw(), c.per_record, one, "sums");
    EXPECT_EQ(noise.last, (Rate{1, c.sensitivity}));
    EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"sums", c.sensitivity, one}}));
  }
}

TEST(Mechanisms, NumberTakesItsSensitivityAsStated) {
  RecordingNoise noise;
  Mechanisms mechanisms(noise, {Neighbors::replace, "user", 3}, one);
  EXPECT_EQ(mechanisms.number(42, 4, one, "nonpositive cells").value(), 42);
  EXPECT_EQ(noise.last, (Rate{1, 4}));
  EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"nonpositive cells", 4, one}}));
}

TEST(Mechanisms, MoreThanTheBudgetIsRefusedBeforeAnythingIsDrawn) {
  RecordingNoise noise;
  Mechanisms mechanisms(noise, {}, one);
  mechanisms.number(1, 1, Epsilon::parse("0.75"), "first");
  const std::size_t drawn = noise.drawn;
  const Epsilon more = Epsilon::parse("0.250000000001");
  const std::vector<std::int64_t> positives = {1};
  EXPECT_THROW(mechanisms.number(1, 1, more, "second"), Error);
  EXPECT_THROW(mechanisms.counts(three_counts(), more), Error);
  EXPECT_THROW(mechanisms.threshold(query_of(positives, 0, 9), more, "threshold"), Error);
  EXPECT_THROW(mechanisms.number(1, 1, Epsilon::zero(), "nothing"), Error);
  EXPECT_EQ(noise.drawn, drawn);
  EXPECT_EQ(mechanisms.spent().size(), 1U);
  EXPECT_NO_THROW(mechanisms.number(1, 1, Epsilon::parse("0.25"), "second"));
}

TEST(Mechanisms, RefusalsCostNothing) {
  RecordingNoise noise;
  Mechanisms mechanisms(noise, {}, one);
  const auto sparse = Cells<std::int64_t>::sparse({1000}, {3}, {1});
  EXPECT_THROW(mechanisms.values(sparse, 1, one, "sums"), InputError);
  EXPECT_THROW(mechanisms.number(1, 0, one, "no sensitivity"), Error);
  EXPECT_THROW(mechanisms.number(1, UINT64_MAX, Epsilon::from_units(1), "overflow"), InputError);
  EXPECT_THROW(mechanisms.threshold(query_of({}, 0, 0), one, "no max"), InputError);
  EXPECT_TRUE(mechanisms.spent().empty());
  EXPECT_EQ(noise.drawn, 0U);
}

TEST(Mechanisms, AMalformedUnitIsRefusedAtOnce) {
  RecordingNoise noise;
  EXPECT_THROW(Mechanisms(noise, {Neighbors::add_remove, "user", 0}, one), InputError);
}

TEST(Threshold, IntervalsAreRunsOfEqualCost) {
  RecordingNoise noise;
  Mechanisms mechanisms(noise, {}, one);
  const std::vector<std::int64_t> values = {7, 3, 3, 20, -4, 0};
  mechanisms.threshold(query_of(values, 50, 10), one, "threshold");
  EXPECT_EQ(noise.last, (Rate{1, 2}));
  // k = 2. x in 1..2: rank 4; 3: the same, but two of its cells tie, and one more would do; 4..7: rank 2; 8..10: rank 1
  // (the 20 counts at every x).
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {{2, 2}, {1, 1}, {4, 0}, {3, 1}};
  ASSERT_EQ(noise.intervals.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(noise.intervals[i].measure, expected[i].first);
    EXPECT_EQ(noise.intervals[i].cost, expected[i].second);
  }
}

// Probabilities of every x by the definition, point by point. The values have no ties: the cost is |rank - k|.
std::vector<double> exact_threshold(const std::vector<std::int64_t>& values, std::int64_t k, std::int64_t max,
                                    BaseMeasure base, double epsilon, double sensitivity) {
  std::vector<double> weights;
  double total = 0;
  for (std::int64_t x = 1; x <= max; ++x) {
    const auto rank = std::count_if(values.begin(), values.end(), [x](std::int64_t v) { return v >= x; });
    const double measure = base == BaseMeasure::uniform ? 1 : std::exp2(-std::floor(std::log2(x)));
    weights.push_back(measure * std::exp(-epsilon * static_cast<double>(std::abs(rank - k)) / (2 * sensitivity)));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

TEST(Threshold, FollowsTheDefinitionPointByPoint) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 8; ++i) {
    const std::int64_t max = 1 + static_cast<std::int64_t>(engine() % 40);
    std::vector<std::int64_t> values(50);
    std::iota(values.begin(), values.end(), 0);
    std::shuffle(values.begin(), values.end(), engine);
    values.resize(engine() % 12);
    ThresholdQuery query = query_of(values, static_cast<double>(engine() % 100), static_cast<std::uint64_t>(max));
    query.per_neighbor = 1 + engine() % 3;
    query.base = i % 2 == 0 ? BaseMeasure::uniform : BaseMeasure::logarithmic;
    constexpr int count = 20'000;
    const auto noise = seeded_noise_not_private(100 + static_cast<std::uint64_t>(i));
    std::vector<double> observed(static_cast<std::size_t>(max), 0);
    for (int run = 0; run < count; ++run) {
      Mechanisms mechanisms(*noise, {}, one);
      const auto x = mechanisms.threshold(query, one, "threshold");
      ASSERT_GE(x.value(), 1);
      ASSERT_LE(x.value(), max);
      observed[static_cast<std::size_t>(x.value() - 1)] += 1;
    }
    const auto positives = std::count_if(values.begin(), values.end(), [](std::int64_t v) { return v > 0; });
    const auto k = significant_count(query.percentile, static_cast<std::uint64_t>(positives));
    auto expected = exact_threshold(values, static_cast<std::int64_t>(k), max, query.base, 1,
                                    static_cast<double>(query.per_neighbor));
    for (double& e : expected) e *= count;
    EXPECT_LT(max == 1 ? 0 : testing::deviations(observed, expected), accepted) << i;
  }
}

TEST(Threshold, NoPositivesLeaveTheBaseMeasure) {
  const auto noise = seeded_noise_not_private(5);
  ThresholdQuery query = query_of({}, 0, std::uint64_t{1} << 56);
  query.base = BaseMeasure::logarithmic;
  for (int i = 0; i < 100; ++i) {
    Mechanisms mechanisms(*noise, {}, one);
    const auto x = mechanisms.threshold(query, one, "threshold");
    EXPECT_GE(x.value(), 1);
    EXPECT_LE(x.value(), std::int64_t{1} << 56);
  }
}

TEST(Mechanisms, PrivateOnlyWithSecureNoise) {
  const auto secure = secure_noise();
  EXPECT_TRUE(Mechanisms(*secure, {}, one).is_private());
  RecordingNoise recording;
  EXPECT_FALSE(Mechanisms(recording, {}, one).is_private());
}

TEST(Mechanisms, CountsAreSpreadAsEpsilonSays) {
  const auto noise = seeded_noise_not_private(6);
  std::vector<std::int64_t> raw(200'000, 17);
  Mechanisms mechanisms(*noise, {Neighbors::replace, "", 1}, one);
  const Counts counts(Grid({Axis(0, 1, raw.size())}), Cells<std::int64_t>::dense({raw.size()}, raw), 0, 0);
  const NoisyCounts noisy = mechanisms.counts(counts, one);
  std::vector<std::int64_t> draws(noisy.value().values().begin(), noisy.value().values().end());
  for (auto& x : draws) x -= 17;
  EXPECT_LT(testing::laplace_deviations(draws, 0.5), accepted);  // sensitivity 2
}

}  // namespace
}  // namespace shoal
