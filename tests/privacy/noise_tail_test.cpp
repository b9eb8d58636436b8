#include "privacy/noise_tail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chi_square.hpp"

namespace shoal {
namespace {

using testing::accepted;
using testing::quick;

RandomBits bits_of(std::uint64_t seed) { return RandomBits::from_seed_not_private(StudyKey::of(seed, 0), 0); }

struct Case {
  Rate rate;
  std::int64_t floor;
};

const std::vector<Case> cases = {{{1, 1}, 1},   {{1, 1}, 4}, {{1, 10}, 7}, {{1, 2}, 1},
                                 {{7, 10}, 12}, {{3, 2}, 2}, {{2, 1}, 3},  {{1, 3}, 9}};

// P(X = x) and P(X >= x) of a discrete Laplace X, for x >= 1.
double chance_of(Rate rate, std::int64_t x) {
  const double q = std::exp(-rate.value());
  return (1 - q) / (1 + q) * std::pow(q, static_cast<double>(x));
}
double tail_of(Rate rate, std::int64_t x) {
  const double q = std::exp(-rate.value());
  return std::pow(q, static_cast<double>(x)) / (1 + q);
}

// Compares draws for `cells` values with the exact chance of every value at or above the floor.
double deviations_of(const std::vector<std::int64_t>& values, std::uint64_t cells, const Case& c) {
  const std::int64_t reach = 300;
  std::vector<double> observed(reach - c.floor + 1), expected(observed.size());
  for (std::int64_t x = c.floor; x <= reach; ++x) {
    expected[x - c.floor] = chance_of(c.rate, x) * static_cast<double>(cells);
  }
  for (const std::int64_t value : values) observed[std::min(value, reach) - c.floor] += 1;
  const double all = std::accumulate(expected.begin(), expected.end(), 0.0);
  const double hits =
      (static_cast<double>(values.size()) - all) / std::sqrt(all * (1 - all / static_cast<double>(cells)));
  return std::max(std::fabs(hits), testing::deviations(observed, expected));
}

TEST(NoiseTail, ValuesAndTheirNumberFollowTheDiscreteLaplace) {
  const std::uint64_t cells = quick() ? 20'000 : 150'000;
  for (const Case& c : cases) {
    RandomBits bits = bits_of(7);
    const LargeNoise found = NoiseTail(c.rate, c.floor).draw(cells, LaplaceSampler(c.rate), bits);
    EXPECT_TRUE(std::is_sorted(found.cells.begin(), found.cells.end()));
    EXPECT_TRUE(found.cells.empty() || found.cells.back() < cells);
    EXPECT_LT(deviations_of(found.values, cells, c), accepted) << c.rate.value() << ' ' << c.floor;
  }
}

TEST(NoiseTail, AHugeBoxCostsWhatComesOut) {
  const std::uint64_t cells = std::uint64_t{1} << 40;
  const Rate rate{1, 2};
  const std::int64_t floor = 36;
  RandomBits bits = bits_of(3);
  const LargeNoise found = NoiseTail(rate, floor).draw(cells, LaplaceSampler(rate), bits);
  const double expected = static_cast<double>(cells) * tail_of(rate, floor);  // about 10,000
  EXPECT_LT(std::fabs(static_cast<double>(found.cells.size()) - expected), accepted * std::sqrt(expected));
  std::vector<double> seen(64), awaited(64, static_cast<double>(found.cells.size()) / 64);
  for (const std::uint64_t cell : found.cells) seen[cell / (cells / 64)] += 1;
  EXPECT_LT(testing::deviations(seen, awaited), accepted);
  std::vector<double> low(64);
  for (const std::uint64_t cell : found.cells) low[cell % 64] += 1;
  EXPECT_LT(testing::deviations(low, awaited), accepted);
}

TEST(NoiseTail, AFloorThatNothingReachesGivesNothing) {
  RandomBits bits = bits_of(1);
  const LargeNoise found =
      NoiseTail({1, 1}, std::int64_t{1} << 56).draw(std::uint64_t{1} << 62, LaplaceSampler({1, 1}), bits);
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
  EXPECT_TRUE(edges.is_below(4, 0, bits));
  EXPECT_FALSE(edges.is_below(6, 0, bits));
  int below = 0;
  for (int i = 0; i < 10'000; ++i) below += edges.is_below(5, 0, bits) ? 1 : 0;
  EXPECT_NEAR(below, 4142, accepted * std::sqrt(10'000 * 0.414 * 0.586));
}

}  // namespace
}  // namespace shoal
