#include "privacy/noise_tail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "chi_square.hpp"
#include "one_by_one_noise.hpp"

namespace shoal {
namespace {

using testing::accepted;
using testing::OneByOne;
using testing::quick;

RandomBits bits_of(std::uint64_t seed) { return RandomBits::from_seed_not_private(StudyKey::of(seed, 0), 0); }

// P(S = s) for s = -reach, ..., reach, S a sum of `terms` discrete Laplace: convolution, brute force.
std::vector<long double> chances_of_sum(double rate, std::uint64_t terms, std::int64_t reach) {
  const long double q = std::exp(-static_cast<long double>(rate));
  std::vector<long double> one(2 * reach + 1);
  for (std::int64_t x = -reach; x <= reach; ++x) one[x + reach] = (1 - q) / (1 + q) * std::pow(q, std::abs(x));
  std::vector<long double> sum = one;
  for (std::uint64_t i = 1; i < terms; ++i) {
    std::vector<long double> next(sum.size());
    for (std::int64_t a = -reach; a <= reach; ++a) {
      for (std::int64_t b = std::max(-reach, a - reach); b <= std::min(reach, a + reach); ++b) {
        next[a + reach] += sum[b + reach] * one[a - b + reach];
      }
    }
    sum = std::move(next);
  }
  return sum;
}

struct Case {
  Rate rate;
  std::uint64_t terms;
  std::int64_t floor;
};

const std::vector<Case> cases = {{{1, 1}, 1, 1},  {{1, 1}, 1, 4}, {{1, 10}, 1, 7},  {{1, 2}, 2, 1},  {{1, 2}, 4, 6},
                                 {{7, 10}, 4, 1}, {{1, 1}, 8, 5}, {{3, 2}, 16, 12}, {{2, 1}, 64, 3}, {{1, 3}, 3, 9}};

TEST(NoiseTail, ChanceIsThatOfTheSumByConvolution) {
  for (const auto& [rate, terms, floor] : cases) {
    const std::int64_t reach = terms > 8 ? 120 : 300;
    const std::vector<long double> exact = chances_of_sum(rate.value(), terms, reach);
    const long double tail = std::accumulate(exact.begin() + reach + floor, exact.end(), 0.0L);
    EXPECT_NEAR(tail_chance(rate, terms, floor) / static_cast<double>(tail), 1, 1e-9) << terms << ' ' << floor;
  }
}

TEST(NoiseTail, ChanceOfOneTermIsTheTextbooks) {
  for (const std::int64_t floor : {1, 2, 20, 500}) {
    const double expected = std::exp(-0.6 * static_cast<double>(floor)) / (1 + std::exp(-0.6));
    EXPECT_NEAR(tail_chance({3, 5}, 1, floor) / expected, 1, 1e-11);
  }
  EXPECT_EQ(tail_chance({1000, 1}, 1, std::int64_t{1} << 60), 0);  // far below any double
}

TEST(NoiseTail, LargeBlocksAreReckonedThroughCancellation) {
  // Half of the sums that are not zero are positive; and Chebyshev's inequality holds far out.
  for (const std::uint64_t terms : {std::uint64_t{256}, std::uint64_t{4096}}) {
    const double half = tail_chance({1, 2}, terms, 1);
    EXPECT_GT(half, 0.49);
    EXPECT_LT(half, 0.5);
    const double q = std::exp(-0.5);
    const double deviation = std::sqrt(static_cast<double>(terms) * 2 * q) / (1 - q);
    const double at_three = tail_chance({1, 2}, terms, std::llround(3 * deviation));
    EXPECT_NEAR(at_three, 0.00135, 0.0002);  // nearly normal
  }
}

// Compares draws for `cells` values with the exact chance of every value at or above the floor.
double deviations_of(const std::vector<std::int64_t>& values, std::uint64_t cells, const Case& c) {
  const std::int64_t reach = c.terms > 8 ? 120 : 300;
  const std::vector<long double> exact = chances_of_sum(c.rate.value(), c.terms, reach);
  std::vector<double> observed(reach - c.floor + 1), expected(observed.size());
  for (std::int64_t s = c.floor; s <= reach; ++s) {
    expected[s - c.floor] = static_cast<double>(exact[s + reach]) * static_cast<double>(cells);
  }
  for (const std::int64_t value : values) observed[std::min(value, reach) - c.floor] += 1;
  const double all = std::accumulate(expected.begin(), expected.end(), 0.0);
  const double hits =
      (static_cast<double>(values.size()) - all) / std::sqrt(all * (1 - all / static_cast<double>(cells)));
  return std::max(std::fabs(hits), testing::deviations(observed, expected));
}

TEST(NoiseTail, ValuesAndTheirNumberFollowTheSum) {
  const std::uint64_t cells = quick() ? 20'000 : 150'000;
  for (const Case& c : cases) {
    RandomBits bits = bits_of(7);
    const LargeNoise found = NoiseTail(c.rate, c.terms, c.floor).draw(cells, LaplaceSampler(c.rate), bits);
    EXPECT_TRUE(std::is_sorted(found.cells.begin(), found.cells.end()));
    EXPECT_TRUE(found.cells.empty() || found.cells.back() < cells);
    EXPECT_LT(deviations_of(found.values, cells, c), accepted) << c.terms << ' ' << c.floor;
  }
}

TEST(NoiseTail, AHugeBoxCostsWhatComesOut) {
  const std::uint64_t cells = std::uint64_t{1} << 40;
  const Rate rate{1, 2};
  const std::int64_t floor = 36;
  RandomBits bits = bits_of(3);
  const LargeNoise found = NoiseTail(rate, 1, floor).draw(cells, LaplaceSampler(rate), bits);
  const double expected = static_cast<double>(cells) * tail_chance(rate, 1, floor);  // about 10,000
  EXPECT_LT(std::fabs(static_cast<double>(found.cells.size()) - expected), accepted * std::sqrt(expected));
  std::vector<double> seen(64), awaited(64, static_cast<double>(found.cells.size()) / 64);
  for (const std::uint64_t cell : found.cells) seen[cell / (cells / 64)] += 1;
  EXPECT_LT(testing::deviations(seen, awaited), accepted);
  std::vector<double> low(64);
  for (const std::uint64_t cell : found.cells) low[cell % 64] += 1;
  EXPECT_LT(testing::deviations(low, awaited), accepted);
}

TEST(NoiseTail, WeightsThatAreNearlyAllOfTheWholeAreCertain) {
  for (std::int64_t floor = 1; floor <= 2000; floor = floor * 4 / 3 + 1) {
    EXPECT_NO_THROW(NoiseTail({7, 10}, 64, floor)) << floor;  // ends at all
  }
}

TEST(NoiseTail, AFloorThatNothingReachesGivesNothing) {
  RandomBits bits = bits_of(1);
  const LargeNoise found =
      NoiseTail({1, 1}, 1, std::int64_t{1} << 56).draw(std::uint64_t{1} << 62, LaplaceSampler({1, 1}), bits);
  EXPECT_TRUE(found.cells.empty());
}

TEST(GeometricGaps, FollowTheGeometric) {
  for (const double rate : {3.0, 0.5, 0.01}) {
    const Rate exact{static_cast<std::uint64_t>(std::llround(rate * 100)), 100};
    const GeometricGaps gaps([exact](mpfr_prec_t precision) { return exp_of_minus(bounds_of(exact, precision)); });
    RandomBits bits = bits_of(5);
    const int draws = quick() ? 20'000 : 200'000;
    const auto width = static_cast<std::uint64_t>(std::max(1.0, 0.1 / rate));
    std::vector<double> seen(2000), awaited(2000);
    for (int i = 0; i < draws; ++i) seen[std::min<std::uint64_t>(gaps.draw(bits) / width, 1999)] += 1;
    const double step = std::exp(-rate * static_cast<double>(width));
    for (std::size_t i = 0; i < 2000; ++i) awaited[i] = draws * std::pow(step, i) * (1 - step);
    EXPECT_LT(testing::deviations(seen, awaited), accepted) << rate;
  }
}

TEST(CertifiedEdges, AWordThatIsTheEdgeItselfIsSettledByFurtherBits) {
  // C = (5 + sqrt(2) - 1) / 2^64: a V that begins with 5 lies below it with chance 0.414.
  const CertifiedEdges edges([](mpfr_prec_t precision) {
    Bounds edge(precision);
    mpfr_sqrt_ui(edge.lo, 2, MPFR_RNDD);
    mpfr_sqrt_ui(edge.hi, 2, MPFR_RNDU);
    mpfr_add_ui(edge.lo, edge.lo, 4, MPFR_RNDD);
    mpfr_add_ui(edge.hi, edge.hi, 4, MPFR_RNDU);
    mpfr_div_2ui(edge.lo, edge.lo, 64, MPFR_RNDD);
    mpfr_div_2ui(edge.hi, edge.hi, 64, MPFR_RNDU);
    return std::vector<Bounds>{edge};
  });
  ASSERT_EQ(edges.words(), std::vector<std::uint64_t>{5});
  RandomBits bits = bits_of(11);
  EXPECT_EQ(edges.passed(4, 0, 1, bits), 0U);
  EXPECT_EQ(edges.passed(6, 0, 1, bits), 1U);
  int below = 0;
  for (int i = 0; i < 10'000; ++i) below += edges.passed(5, 0, 1, bits) == 0 ? 1 : 0;
  EXPECT_NEAR(below, 4142, accepted * std::sqrt(10'000 * 0.414 * 0.586));
}

// ---- how many of many ----------------------------------------------------------------------------------------------

std::vector<double> binomial_chances(std::uint64_t n, double p) {
  std::vector<double> result(n + 1);
  for (std::uint64_t x = 0; x <= n; ++x) {
    const auto all = static_cast<double>(n), some = static_cast<double>(x);
    result[x] = std::exp(std::lgamma(all + 1) - std::lgamma(some + 1) - std::lgamma(all - some + 1) +
                         some * std::log(p) + (all - some) * std::log1p(-p));
  }
  return result;
}

double deviations_from_binomial(int draws, std::uint64_t n, double p, const std::function<std::uint64_t()>& draw) {
  std::vector<double> seen(n + 1), awaited = binomial_chances(n, p);
  for (double& chance : awaited) chance *= draws;
  for (int i = 0; i < draws; ++i) seen[draw()] += 1;
  return testing::deviations(seen, awaited);
}

TEST(Binomial, HeadsFollowTheirLawTossedOrNot) {
  RandomBits bits = bits_of(31);
  const int draws = quick() ? 100 : 1500;
  EXPECT_LT(deviations_from_binomial(20 * draws, 70, 0.5, [&] { return heads(70, bits); }), accepted);
  EXPECT_LT(deviations_from_binomial(20 * draws, 128, 0.5, [&] { return heads(128, bits); }), accepted);
  EXPECT_LT(deviations_from_binomial(draws, 130, 0.5, [&] { return heads(130, bits, 128); }), accepted);
  RandomBits same = bits_of(36), again = bits_of(36);
  for (int i = 0; i < 20; ++i) {  // an odd coin comes first
    const std::uint64_t coin = again.next() & 1;
    EXPECT_EQ(heads(1001, same, 128), coin + heads(1000, again, 128));
  }
  EXPECT_EQ(heads(0, bits), 0U);
}

TEST(Binomial, HeadsOfManyCoinsHaveTheirMeanAndSpread) {
  RandomBits bits = bits_of(32);
  const int draws = quick() ? 50 : 3000;
  const std::uint64_t coins = (std::uint64_t{1} << 62) - 1;
  double sum = 0, squares = 0, far = 0;
  for (int i = 0; i < draws; ++i) {
    const double off = static_cast<double>(static_cast<std::int64_t>(heads(coins, bits) - coins / 2)) / 0x1p30;
    sum += off;
    squares += off * off;
    far += std::fabs(off) >= 2 ? 1 : 0;
  }
  const double beyond_two = std::erfc(std::sqrt(2.0));  // 0.0455: with this many coins the sum is nearly normal
  EXPECT_LT(std::fabs(far - draws * beyond_two), accepted * std::sqrt(draws * beyond_two));
  EXPECT_LT(std::fabs(sum), accepted * std::sqrt(draws));
  EXPECT_LT(std::fabs(squares - draws), accepted * std::sqrt(2 * draws));
}

TEST(Binomial, SuccessesFollowTheirLaw) {
  RandomBits bits = bits_of(33);
  const int draws = quick() ? 1000 : 20'000;
  for (const Rate rate : {Rate{1, 1}, {1, 20}, {4, 1}}) {
    const Binomial binomial([rate](mpfr_prec_t precision) { return exp_of_minus(bounds_of(rate, precision)); });
    EXPECT_LT(deviations_from_binomial(draws, 40, std::exp(-rate.value()), [&] { return binomial.draw(40, bits); }),
              accepted);
  }
}

TEST(NoiseBand, CountsAndValuesFollowTheSumGivenTheBand) {
  constexpr std::int64_t reach = 300;
  const std::uint64_t terms = 3;
  const Rate rate{1, 2};
  const std::vector<long double> exact = chances_of_sum(rate.value(), terms, reach);
  const auto between = [&](std::int64_t from, std::int64_t below) {
    return static_cast<double>(
        std::accumulate(exact.begin() + reach + from, exact.begin() + reach + std::min(below, reach), 0.0L));
  };
  const auto exact_noise = seeded_noise_not_private(35);
  OneByOne one_by_one(34);
  for (Noise* noise : std::initializer_list<Noise*>{exact_noise.get(), &one_by_one}) {
    const int draws = quick() ? 200 : 2000;
    for (const NoiseBand band : {NoiseBand{1, 7}, {2, NoiseBand::unbounded}, {1, NoiseBand::unbounded}}) {
      const double p = between(4, band.below) / between(band.from, band.below);
      const auto count = [&] { return noise->count_reaching(9, terms, rate, 4, band); };
      EXPECT_LT(deviations_from_binomial(draws, 9, p, count), accepted) << band.from;
      std::vector<std::int64_t> values(static_cast<std::size_t>(5 * draws));
      noise->fill_band(values, terms, rate, band);
      std::vector<double> seen(60), awaited(60);
      for (const std::int64_t value : values) seen[static_cast<std::size_t>(std::min<std::int64_t>(value, 59))] += 1;
      for (std::int64_t x = band.from; x < std::min<std::int64_t>(band.below, 59); ++x) {
        awaited[static_cast<std::size_t>(x)] = 5 * draws * between(x, x + 1) / between(band.from, band.below);
      }
      EXPECT_LT(testing::deviations(seen, awaited), accepted) << band.from;
    }
    const double positive = between(1, reach);
    const auto count = [&] { return noise->count_reaching(9, terms, rate, 1, std::nullopt); };
    EXPECT_LT(deviations_from_binomial(draws, 9, positive, count), accepted);
  }
}

}  // namespace
}  // namespace shoal
