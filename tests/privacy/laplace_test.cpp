#include "privacy/laplace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chi_square.hpp"
#include "independent_laplace.hpp"
#include "privacy/noise.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::accepted;
using testing::caught;
using testing::laplace_deviations;

constexpr std::size_t ten_million = 10'000'000;

// Wrong samplers need all ten million draws to be told from right ones.
class LaplaceMutants : public ::testing::Test {
  void SetUp() override {
    if (testing::quick()) GTEST_SKIP();
  }
};

std::vector<std::int64_t> draws(Rate rate, std::size_t count, std::uint64_t seed) {
  std::vector<std::int64_t> values(count, 0);
  seeded_noise_not_private(seed)->add_laplace(values, rate, 2);
  return values;
}

class LaplaceOfRate : public ::testing::TestWithParam<Rate> {};

TEST_P(LaplaceOfRate, FollowsTheExactDistribution) {
  const Rate rate = GetParam();
  const std::size_t count = testing::quick() ? ten_million / 20 : ten_million;
  EXPECT_LT(laplace_deviations(draws(rate, count, 20150301), rate.value()), accepted);
}

INSTANTIATE_TEST_SUITE_P(FromTinyToLarge, LaplaceOfRate,
                         ::testing::Values(Rate{1, 5000}, Rate{1, 1000}, Rate{1, 100}, Rate{1, 10}, Rate{1, 3},
                                           Rate{7, 11}, Rate{1, 1}, Rate{22, 7}, Rate{10, 1}),
                         [](const auto& which) {
                           return std::to_string(which.param.numerator) + "_over_" +
                                  std::to_string(which.param.denominator);
                         });

TEST(Laplace, AgreesWithAnIndependentSampler) {
  for (const Rate rate : {Rate{1, 4000}, Rate{1, 50}, Rate{2, 7}, Rate{1, 1}, Rate{19, 5}}) {
    const std::size_t count = testing::quick() ? 100'000 : 1'000'000;
    const auto ours = draws(rate, count, 7);
    testing::IndependentLaplace independent(8);
    std::vector<std::int64_t> theirs(count);
    for (auto& x : theirs) x = independent.draw(rate.numerator, rate.denominator);
    EXPECT_LT(testing::two_sample_deviations(ours, theirs), accepted) << rate.value();
  }
}

// The statistic above must tell a wrong sampler from a right one, at every rate where the mutation matters.
TEST_F(LaplaceMutants, ScaleOffByTwoPercentIsCaught) {
  for (const Rate rate : {Rate{1, 1000}, Rate{1, 10}, Rate{1, 1}, Rate{4, 1}}) {
    const Rate mutant{rate.numerator * 98, rate.denominator * 100};
    EXPECT_GT(laplace_deviations(draws(mutant, ten_million, 1), rate.value()), caught) << rate.value();
  }
}

TEST_F(LaplaceMutants, WrongSignWeightIsCaught) {
  for (const Rate rate : {Rate{1, 1000}, Rate{1, 10}, Rate{1, 1}, Rate{4, 1}}) {
    auto values = draws(rate, ten_million, 2);
    for (std::size_t i = 0; i < values.size(); i += 50) values[i] = std::abs(values[i]);  // 51 % positive
    EXPECT_GT(laplace_deviations(values, rate.value()), caught) << rate.value();
  }
}

TEST_F(LaplaceMutants, LostOrDoubledZeroIsCaught) {
  for (const Rate rate : {Rate{1, 1000}, Rate{1, 10}, Rate{1, 1}, Rate{4, 1}}) {
    auto lost = draws(rate, ten_million, 3);
    std::erase(lost, 0);
    EXPECT_GT(laplace_deviations(lost, rate.value()), caught) << rate.value();
    auto doubled = draws(rate, ten_million, 3);  // as when -0 is kept: zero gets twice its weight
    std::vector<std::int64_t> zeros(static_cast<std::size_t>(std::count(doubled.begin(), doubled.end(), 0)), 0);
    doubled.insert(doubled.end(), zeros.begin(), zeros.end());
    EXPECT_GT(laplace_deviations(doubled, rate.value()), caught) << rate.value();
  }
}

TEST_F(LaplaceMutants, TruncatedTailIsCaught) {
  for (const Rate rate : {Rate{1, 1000}, Rate{1, 10}, Rate{1, 1}}) {
    auto values = draws(rate, ten_million, 4);
    const auto limit = static_cast<std::int64_t>(10 / rate.value());  // a mass of 4.5e-5 lies beyond
    std::erase_if(values, [limit](std::int64_t x) { return std::abs(x) > limit; });
    EXPECT_GT(laplace_deviations(values, rate.value()), caught) << rate.value();
  }
}

// 2^48 S_m in long double, for comparison with the certified edges.
long double survival(Rate rate, SurvivalTable::Kind kind, std::uint64_t m) {
  const long double r = static_cast<long double>(rate.numerator) / static_cast<long double>(rate.denominator);
  const long double scale = kind == SurvivalTable::Kind::geometric ? 1 : 2 / (1 + std::exp(-r));
  return 0x1p48L * scale * std::exp(-r * static_cast<long double>(m));
}

TEST(SurvivalTable, EdgesAreTheSurvivalFunction) {
  for (const auto kind : {SurvivalTable::Kind::laplace_magnitude, SurvivalTable::Kind::geometric}) {
    for (const Rate rate : {Rate{1, 2048}, Rate{1, 100}, Rate{1, 3}, Rate{1, 1}, Rate{20, 1}, Rate{1'000'000, 1}}) {
      const SurvivalTable table(rate, kind);
      for (std::size_t i = 0; i < table.edges().size(); ++i) {
        const long double exact = survival(rate, kind, i + 1);
        ASSERT_NEAR(static_cast<double>(table.edges()[i]), static_cast<double>(std::floor(exact)),
                    static_cast<double>(1 + exact * 0x1p-50L));
      }
    }
  }
}

TEST(SurvivalTable, IsOpenSoSeldomThatTimeTellsNothing) {
  for (const Rate rate : {Rate{1, 2048}, Rate{1, 100}, Rate{1, 3}, Rate{1, 1}, Rate{20, 1}, Rate{1'000'000, 1}}) {
    const SurvivalTable table(rate, SurvivalTable::Kind::laplace_magnitude);
    std::uint64_t first_closed = 0;
    while (table.is_open(first_closed)) ++first_closed;
    EXPECT_LT(first_closed, 1U << 15) << rate.value();  // of 2^48
  }
}

// What the table says is what the definition says, on every side of every edge: settle() computes it from scratch.
TEST(SurvivalTable, LooksUpWhatTheDefinitionGives) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(5, 0), 0);
  for (const Rate rate : {Rate{1, 100}, Rate{1, 3}, Rate{1, 1}, Rate{20, 1}}) {
    const SurvivalTable table(rate, SurvivalTable::Kind::laplace_magnitude);
    std::vector<std::uint64_t> prefixes;
    for (std::size_t i = 0; i < table.edges().size(); i += 1 + table.edges().size() / 200) {
      const std::uint64_t edge = table.edges()[i];
      for (const std::uint64_t prefix : {edge - 1, edge, edge + 1}) {
        if (prefix < std::uint64_t{1} << 48) prefixes.push_back(prefix);
      }
    }
    for (std::uint64_t prefix = 0; prefix < 600; ++prefix) prefixes.push_back(prefix);  // several edges a bucket
    for (int i = 0; i < 300; ++i) prefixes.push_back(bits.next() >> (16 + static_cast<unsigned>(i) % 40));
    for (const std::uint64_t prefix : prefixes) {
      const std::uint64_t word = prefix << 16 | 1;
      std::int64_t value = 0;
      const bool open = table.draw({&word, 1}, SurvivalTable::Sign::lowest_bit, &value);
      ASSERT_EQ(open, table.is_open(prefix));
      if (open) continue;
      ASSERT_EQ(-value, static_cast<std::int64_t>(table.settle(prefix, bits))) << prefix;
    }
  }
}

// A prefix that equals an edge is settled by the digits of 2^48 S_m beyond the point.
TEST(SurvivalTable, SettlesTheEdgeByFurtherBits) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(6, 0), 0);
  const Rate rate{1, 3};
  const SurvivalTable table(rate, SurvivalTable::Kind::laplace_magnitude);
  for (const std::uint64_t m : {1, 2, 5, 20}) {
    const std::uint64_t edge = table.edges()[m - 1];
    ASSERT_TRUE(table.is_open(edge));
    const auto fraction =
        static_cast<double>(survival(rate, SurvivalTable::Kind::laplace_magnitude, m) - static_cast<long double>(edge));
    constexpr int count = 5'000;
    double reached = 0;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t magnitude = table.settle(edge, bits);
      ASSERT_TRUE(magnitude == m || magnitude == m - 1);
      reached += magnitude == m ? 1 : 0;
    }
    EXPECT_NEAR(reached / count, fraction, 5 * 0.5 / std::sqrt(count)) << m;
  }
}

// Given u = 0, V is uniform below 2^-48: beyond the table, where the distribution must go on without memory.
TEST(SurvivalTable, ContinuesBeyondTheTable) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(7, 0), 0);
  for (const Rate rate : {Rate{1, 100}, Rate{1, 3}, Rate{1, 1}, Rate{20, 1}}) {
    const SurvivalTable table(rate, SurvivalTable::Kind::laplace_magnitude);
    ASSERT_TRUE(table.is_open(0));
    constexpr int count = 5'000;
    std::map<std::uint64_t, double> seen;
    for (int i = 0; i < count; ++i) seen[table.settle(0, bits)] += 1;
    std::vector<double> observed;
    std::vector<double> expected;
    const std::uint64_t last = seen.rbegin()->first + 1;
    for (std::uint64_t m = seen.begin()->first; m <= last; ++m) {
      const auto reach = [&](std::uint64_t n) {
        return std::min(1.0L, survival(rate, SurvivalTable::Kind::laplace_magnitude, n));
      };
      observed.push_back(seen[m]);
      expected.push_back(count * static_cast<double>(reach(m) - reach(m + 1)));
    }
    EXPECT_LT(testing::deviations(observed, expected), accepted) << rate.value();
  }
}

// Words whose first 27 bits are zero: V is uniform below 2^-27, where a rate of 20 has something to show.
TEST(SurvivalTable, TailOfLargeRatesIsExact) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(8, 0), 0);
  for (const Rate rate : {Rate{1, 10}, Rate{1, 1}, Rate{13, 2}, Rate{20, 1}}) {
    const SurvivalTable table(rate, SurvivalTable::Kind::laplace_magnitude);
    constexpr std::size_t count = 1'000'000;
    std::vector<std::uint64_t> words(count);
    bits.fill(words);
    for (auto& word : words) word >>= 27;
    std::vector<std::int64_t> values(count);
    static_cast<void>(table.draw(words, SurvivalTable::Sign::lowest_bit, values.data()));
    std::map<std::int64_t, double> seen;
    for (std::size_t i = 0; i < count; ++i) {
      if (table.is_open(words[i] >> 16)) values[i] = static_cast<std::int64_t>(table.settle(words[i] >> 16, bits));
      seen[std::abs(values[i])] += 1;
    }
    std::vector<double> observed;
    std::vector<double> expected;
    const std::int64_t last = seen.rbegin()->first + 1;
    for (std::int64_t m = seen.begin()->first; m <= last; ++m) {
      const auto reach = [&](std::int64_t n) {
        return std::min(1.0L, survival(rate, SurvivalTable::Kind::laplace_magnitude, n) * 0x1p-21L);
      };
      observed.push_back(seen[m]);
      expected.push_back(count * static_cast<double>((m == 0 ? 1 : reach(m)) - reach(m + 1)));
    }
    EXPECT_LT(testing::deviations(observed, expected), accepted) << rate.value();
  }
}

TEST(Laplace, LargeRatesGiveZeroNearlyAlways) {
  for (const Rate rate : {Rate{20, 1}, Rate{1'000'000, 1}}) {
    const auto values = draws(rate, 10'000'000, 20150301);
    EXPECT_LE(10'000'000 - std::count(values.begin(), values.end(), 0), 3);  // 0.04 expected
  }
}

// Too small a bias for statistics: the decision itself, on both sides of its edge.
TEST(LowDigits, AreAcceptedBelowTheirExponential) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(9, 0), 0);
  for (const auto& [rate, j] :
       {std::pair{Rate{1, 1U << 20}, 9U}, {Rate{3, 1'000'000'007}, 18U}, {Rate{1, 1ULL << 40}, 29U}}) {
    const LowDigits digits(rate, j);
    const auto accepted_at = [&, j = j](std::uint64_t low, long double v) {
      const auto prefix = static_cast<std::uint64_t>(v * std::exp2(64.0L - j));
      return digits.is_accepted(low << (64 - j) | prefix, bits);
    };
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t low = i == 0 ? (1U << j) - 1 : bits.below(1U << j);
      const long double x = static_cast<long double>(low) * rate.numerator / rate.denominator;
      const long double step = std::exp2(3.0L - (64.0L - j));
      for (const long double gap : {step, 1e-9L, x * x / 4, x * x, 1e-4L, 0.5L}) {
        if (gap < step) continue;
        ASSERT_TRUE(accepted_at(low, std::exp(-x) - gap)) << low;
        ASSERT_TRUE(std::exp(-x) + gap >= 1 || !accepted_at(low, std::exp(-x) + gap)) << low;
      }
    }
  }
}

TEST(LowDigits, OnTheEdgeFurtherBitsDecide) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(10, 0), 0);
  const LowDigits digits({1, std::uint64_t{1} << 40}, 29);
  const std::uint64_t low = 400'000'000;
  const long double edge = std::exp(-static_cast<long double>(low) * 0x1p-40L) * 0x1p35L;
  const auto prefix = static_cast<std::uint64_t>(edge);
  constexpr int count = 5'000;
  double accepted_count = 0;
  for (int i = 0; i < count; ++i) accepted_count += digits.is_accepted(low << 35 | prefix, bits) ? 1 : 0;
  EXPECT_NEAR(accepted_count / count, static_cast<double>(edge - static_cast<long double>(prefix)),
              5 * 0.5 / std::sqrt(count));
}

TEST(Laplace, TinyRatesHaveTheRightSpread) {
  for (const Rate rate : {Rate{1, 1'000'000}, Rate{3, 1'000'000'000}, Rate{1, 1'000'000'000'000}}) {
    const auto values = draws(rate, 1'000'000, 9);
    double absolute = 0;
    double positive = 0;
    double odd = 0;
    for (const std::int64_t x : values) {
      absolute += static_cast<double>(std::abs(x)) * rate.value();
      positive += x > 0 ? 1 : 0;
      odd += x % 2 != 0 ? 1 : 0;
    }
    EXPECT_NEAR(absolute / 1e6, 1.0, 5e-3);  // E|X| rate = 1, standard deviation 1e-3
    EXPECT_NEAR(positive / 1e6, 0.5, 2.5e-3);
    EXPECT_NEAR(odd / 1e6, 0.5, 2.5e-3);
  }
}

TEST(Laplace, RatesBelowTwoToTheMinusFortyAreRefused) {
  std::int64_t value = 0;
  const auto noise = seeded_noise_not_private(1);
  EXPECT_NO_THROW(noise->add_laplace({&value, 1}, {1, std::uint64_t{1} << 40}, 1));
  EXPECT_THROW(noise->add_laplace({&value, 1}, {1, (std::uint64_t{1} << 40) + 1}, 1), InputError);
  EXPECT_THROW(noise->add_laplace({&value, 1}, {1, UINT64_MAX}, 1), InputError);
  EXPECT_NO_THROW(noise->add_laplace({&value, 1}, {UINT64_MAX / 4096, UINT64_MAX}, 1));
}

TEST(Laplace, SumsAreClampedAtTwoToTheSixtyTwo) {
  const auto noise = seeded_noise_not_private(1);
  std::vector<std::int64_t> values = {INT64_MAX, INT64_MIN, largest_noised, -largest_noised, 0, 5};
  noise->add_laplace(values, {1, 1'000'000}, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t end = i % 2 == 0 ? largest_noised : -largest_noised;
    EXPECT_LE(std::abs(values[i]), largest_noised);
    EXPECT_LT(std::abs(static_cast<double>(values[i] - end)), 1e8);  // clamped first, so still near the end
  }
  EXPECT_LT(std::abs(values[4]), 100'000'000);
  // The value is clamped before the noise: half of the sums lie below the end.
  std::vector<std::int64_t> largest(1000, INT64_MAX);
  noise->add_laplace(largest, {1, 1'000'000}, 1);
  EXPECT_NEAR(static_cast<double>(std::count(largest.begin(), largest.end(), largest_noised)), 500, 100);
}

TEST(Laplace, SeededDrawsAreTheSameForAnyNumberOfThreads) {
  for (const Rate rate : {Rate{1, 2}, Rate{1, 100'000}}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{65'536}, std::size_t{500'001}}) {
      std::vector<std::vector<std::int64_t>> results;
      for (const unsigned threads : {1U, 2U, 3U, 8U}) {
        const auto noise = seeded_noise_not_private(42);
        std::vector<std::int64_t> values(count, 0);
        noise->add_laplace(values, rate, threads);
        noise->add_laplace(values, rate, threads);
        results.push_back(values);
      }
      for (const auto& result : results) EXPECT_EQ(result, results.front());
    }
  }
}

TEST(Laplace, ValuesThatComeToBeOnTheWayGetTheSameDrawsOnceEach) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{65'536}, std::size_t{500'001}}) {
    std::vector<std::int64_t> expected(count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<std::int64_t>(i % 100);
    seeded_noise_not_private(42)->add_laplace(expected, {1, 2}, 1);
    for (const unsigned threads : {1U, 3U}) {
      std::vector<std::int64_t> values(count, -1'000'000), seen(count, -1'000'000);
      const auto make = [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) values[i] = static_cast<std::int64_t>(i % 100);
      };
      const auto read = [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) seen[i] = values[i];
      };
      seeded_noise_not_private(42)->add_laplace_fused(values, {1, 2}, threads, make, read);
      EXPECT_EQ(values, expected);
      EXPECT_EQ(seen, expected);
    }
  }
}

TEST(Laplace, SecureDrawsReachEveryValueOfALargeCall) {
  const auto noise = secure_noise();
  for (const unsigned threads : {1U, 3U}) {
    std::vector<std::int64_t> noised(300'001, 7);
    noise->add_laplace(noised, {1, 1000}, threads);
    // Each chunk has its own draws: none is left out, and about a 2000th of them are zero.
    for (std::size_t first = 0; first + 50'000 <= noised.size(); first += 50'000) {
      EXPECT_LT(std::count(noised.begin() + static_cast<std::ptrdiff_t>(first),
                           noised.begin() + static_cast<std::ptrdiff_t>(first) + 50'000, 7),
                200);
    }
  }
}

TEST(Laplace, LargeCallsDoNotRepeatEachOther) {
  const auto noise = seeded_noise_not_private(42);
  std::vector<std::int64_t> first(200'000, 0);
  std::vector<std::int64_t> second(200'000, 0);
  noise->add_laplace(first, {1, 1000}, 1);
  noise->add_laplace(second, {1, 1000}, 1);
  int same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) same += first[i] == second[i] ? 1 : 0;
  EXPECT_LT(same, 200);  // 50 expected
  for (std::size_t i = 65'536; i < 131'072; ++i) same += first[i] == first[i - 65'536] ? 1 : 0;
  EXPECT_LT(same, 300);
}

TEST(Laplace, SecureDrawsFollowTheDistributionToo) {
  std::vector<std::int64_t> values(1'000'000, 0);
  secure_noise()->add_laplace(values, {1, 2}, 2);
  EXPECT_LT(laplace_deviations(values, 0.5), accepted + 1);  // fresh bits each time: a false alarm in 1e9 runs
}

TEST(Noise, OnlySecureNoiseIsPrivate) {
  EXPECT_TRUE(secure_noise()->is_private());
  EXPECT_FALSE(seeded_noise_not_private(1)->is_private());
}

}  // namespace
}  // namespace shoal
