#include "privacy/noise_tail.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "chi_square.hpp"
#include "privacy/mechanisms.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::accepted;
using testing::caught;
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

// Draws from `tail` on `cells` values against the exact chance of every value from the floor on.
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
  const double beyond_two = std::erfc(std::sqrt(2.0));  // 0.0455: so many coins are as good as normal
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

// Not private: draws of another Noise; large sums one by one, as the default does.
class OneByOne : public Noise {
 public:
  explicit OneByOne(std::uint64_t seed) : inner_(seeded_noise_not_private(seed)) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override {
    inner_->add_laplace(values, rate, threads);
  }
  std::uint64_t below(std::uint64_t bound) override { return inner_->below(bound); }
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override {
    return inner_->choose(intervals, rate);
  }

 protected:
  std::unique_ptr<Noise> inner_;
};

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

// ---- the mechanism: sparse values have the distribution of dense ones ---------------------------------------------

const Epsilon one = Epsilon::parse("1");

// A floor is noised or public by its type; this one is public.
std::int64_t grid_cells(const Grid& grid) { return static_cast<std::int64_t>(grid.cell_count()); }
Noised<std::int64_t> floor_of(std::uint64_t value) {
  return PostProcessing::of(&grid_cells, Grid({Axis(0, 1, value)}));
}

// Groups of four cells, the second of which holds 2: independent copies of one small box.
constexpr std::uint64_t group = 4;

Cells<std::int64_t> groups(std::uint64_t count, bool dense) {
  std::vector<std::int64_t> all(group * count);
  std::vector<std::uint64_t> index;
  for (std::uint64_t i = 1; i < all.size(); i += group) {
    all[i] = 2;
    index.push_back(i);
  }
  if (dense) return Cells<std::int64_t>::dense({count, group}, all);
  std::vector<std::int64_t> values(index.size(), 2);
  return Cells<std::int64_t>::sparse({count, group}, std::move(index), values);
}

struct Seen {
  std::vector<std::int64_t> joint;   // of each group: for every cell nothing, the floor, one more, more
  std::vector<std::int64_t> values;  // what the empty cells hold; 0: left out
};

Seen seen_through(Noise& noise, const Cells<std::int64_t>& values, std::uint64_t floor, std::uint64_t terms) {
  Mechanisms mechanisms(noise, {}, one);
  const NoisyCounts noisy = mechanisms.values_above_floor(floor_of(floor), values, 1, one, "sums", terms, 1);
  EXPECT_FALSE(noisy.value().is_dense());
  Seen result{std::vector<std::int64_t>(values.shape()[0]), std::vector<std::int64_t>(values.cell_count())};
  for (std::size_t i = 0; i < noisy.value().stored(); ++i) {
    const std::uint64_t cell = noisy.value().index()[i];
    const std::int64_t value = noisy.value().values()[i];
    const std::int64_t kind = std::min<std::int64_t>(3, value - static_cast<std::int64_t>(floor) + 1);
    EXPECT_GE(kind, 1);
    result.joint[cell / group] += kind << (2 * (cell % group));
    if (cell % group != 1) result.values[cell] = value;
  }
  return result;
}

// p: the chance that an empty cell reaches the floor. The number of those that do sees a chance that is a little off.
double distance(const Seen& dense, const Seen& sparse, double p) {
  const auto hits = static_cast<double>(
      sparse.values.size() - static_cast<std::size_t>(std::count(sparse.values.begin(), sparse.values.end(), 0)));
  const double cells = 0.75 * static_cast<double>(sparse.values.size());
  const double off = std::fabs(hits - cells * p) / std::sqrt(cells * p * (1 - p));
  return std::max({off, testing::two_sample_deviations(dense.joint, sparse.joint),
                   testing::two_sample_deviations(dense.values, sparse.values)});
}

// Distributions, given the floor and the number of draws a value: dense values through the default, which draws all.
double distance_from_dense(Noise& noise, std::uint64_t floor, std::uint64_t terms, std::uint64_t seed) {
  const std::uint64_t count = quick() ? 20'000 : 200'000;
  const auto reference = seeded_noise_not_private(seed);
  return distance(seen_through(*reference, groups(count, true), floor, terms),
                  seen_through(noise, groups(count, false), floor, terms),
                  tail_chance({1, 1}, terms, static_cast<std::int64_t>(floor)));
}

TEST(ValuesFrom, SparseValuesGiveTheDistributionOfDenseOnes) {
  for (const auto& [floor, terms] : {std::pair{1, 1}, {3, 1}, {3, 4}}) {
    const auto noise = seeded_noise_not_private(21);
    EXPECT_LT(distance_from_dense(*noise, floor, terms, 22), accepted) << floor << ' ' << terms;
  }
}

// Not private: what comes of the empty cells is made wrong in one way.
class WrongTail final : public OneByOne {
 public:
  using Mend = std::function<void(LargeNoise&, std::uint64_t cells, Noise&)>;
  explicit WrongTail(Mend mend) : OneByOne(21), mend_(std::move(mend)) {}
  LargeNoise reaching(std::uint64_t cells, std::uint64_t terms, Rate rate, std::int64_t floor) override {
    LargeNoise found = inner_->reaching(cells, terms, rate, floor);
    mend_(found, cells, *inner_);
    return found;
  }

 private:
  Mend mend_;
};

// Keeps the hits for which keep(index, cell) holds.
void filter(LargeNoise& found, const std::function<bool(std::size_t, std::uint64_t)>& keep) {
  LargeNoise kept;
  for (std::size_t i = 0; i < found.cells.size(); ++i) {
    if (!keep(i, found.cells[i])) continue;
    kept.cells.push_back(found.cells[i]);
    kept.values.push_back(found.values[i]);
  }
  found = std::move(kept);
}

TEST(ValuesFrom, WrongDistributionsAreCaught) {
  const auto is_caught = [](const WrongTail::Mend& mend) {
    WrongTail noise(mend);
    const double distance = distance_from_dense(noise, 1, 1, 22);
    EXPECT_TRUE(quick() || distance > caught) << distance;
  };
  is_caught([](LargeNoise& found, std::uint64_t, Noise&) { found = {}; });  // noise on the stored cells only
  is_caught([](LargeNoise& found, std::uint64_t, Noise& noise) {            // a chance 2 % too small
    filter(found, [&](std::size_t, std::uint64_t) { return noise.below(50) != 0; });
  });
  is_caught([](LargeNoise& found, std::uint64_t, Noise&) {  // the tail starts one too high
    for (std::int64_t& value : found.values) ++value;
  });
  is_caught([](LargeNoise& found, std::uint64_t, Noise&) {  // one draw for all
    for (std::int64_t& value : found.values) value = found.values[0];
  });
  is_caught([](LargeNoise& found, std::uint64_t, Noise& noise) {  // positions: the first of four a little more often
    filter(found, [&](std::size_t, std::uint64_t cell) { return cell % group == 0 || noise.below(33) != 0; });
  });
  is_caught([](LargeNoise& found, std::uint64_t, Noise&) {  // no two hits side by side
    filter(found, [&](std::size_t i, std::uint64_t cell) { return i == 0 || found.cells[i - 1] + 1 != cell; });
  });
}

// ---- the mechanism: the largest of all noisy values ----------------------------------------------------------------

// A box of 40 cells of which three hold something, seen by its largest values.
Cells<std::int64_t> few(bool dense) {
  std::vector<std::int64_t> all(40);
  all[3] = all[21] = 2;
  all[30] = 6;
  if (dense) return Cells<std::int64_t>::dense({40}, all);
  return Cells<std::int64_t>::sparse({40}, {3, 21, 30}, std::vector<std::int64_t>{2, 2, 6});
}

// One number a run: what the run shows, in a few ways.
using Look = std::function<std::int64_t(const NoisyLargest&)>;
const std::vector<Look> looks = {
    [](const NoisyLargest& seen) { return seen.positive.value() * 1000 + seen.floor.value(); },
    [](const NoisyLargest& seen) { return static_cast<std::int64_t>(seen.values.value().stored()); },
    [](const NoisyLargest& seen) {  // where the largest value lies
      const auto values = seen.values.value().values();
      if (values.empty()) return std::int64_t{-1};
      return static_cast<std::int64_t>(seen.values.value().index_of(
          static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin())));
    },
    [](const NoisyLargest& seen) {  // what the empty cells among the first ten hold
      std::int64_t result = 0;
      for (std::uint64_t cell = 0; cell < 10; ++cell) result += cell == 3 ? 0 : seen.values.value().at(cell);
      return result;
    },
    [](const NoisyLargest& seen) {  // the largest on an empty cell over the floor
      std::int64_t result = 0;
      for (std::uint64_t cell = 0; cell < 40; ++cell) {
        if (few(true).at(cell) == 0) result = std::max(result, seen.values.value().at(cell) - seen.floor.value());
      }
      return result;
    },
};

// Ranks that were chosen beforehand, and as a share of the positive values.
std::uint64_t prepared = 0;
Noised<std::uint64_t> rank(std::uint64_t k) {
  prepared = k;
  return PostProcessing::of<std::uint64_t>(+[]() { return prepared; });
}
NoisyLargest from_share(LargestSession session, std::uint64_t share) {
  prepared = share;
  const auto rank = PostProcessing::of(
      +[](const Noised<std::int64_t>& positive) { return static_cast<std::uint64_t>(positive.value()) / prepared; },
      session.positive());
  return std::move(session).from(rank);
}

double distance_of_largest(Noise& noise, std::uint64_t share, std::uint64_t terms, Epsilon epsilon,
                           std::int64_t lowest = 1) {
  const auto reference = seeded_noise_not_private(41);
  const int runs = quick() ? 100 : 4000;
  std::vector<std::vector<std::int64_t>> dense(looks.size()), sparse(looks.size());
  for (int i = 0; i < 4 * runs; ++i) {
    const bool is_dense = i % 4 != 0;  // a run of them costs little
    Mechanisms mechanisms(is_dense ? *reference : noise, {}, epsilon);
    const NoisyLargest seen =
        from_share(mechanisms.largest(lowest, few(is_dense), 1, epsilon, "sums", terms, 1), share);
    for (std::size_t j = 0; j < looks.size(); ++j) (is_dense ? dense : sparse)[j].push_back(looks[j](seen));
  }
  double worst = 0;
  for (std::size_t j = 0; j < looks.size(); ++j) {
    worst = std::max(worst, testing::two_sample_deviations(dense[j], sparse[j]));
  }
  return worst;
}

TEST(Largest, SparseValuesGiveTheDistributionOfDenseOnes) {
  const auto noise = seeded_noise_not_private(42);
  EXPECT_LT(distance_of_largest(*noise, 2, 1, one), accepted);                       // many ties
  EXPECT_LT(distance_of_largest(*noise, 3, 4, Epsilon::parse("0.1")), accepted);     // few, and many levels
  EXPECT_LT(distance_of_largest(*noise, 1000, 2, Epsilon::parse("0.3")), accepted);  // the largest alone
  EXPECT_LT(distance_of_largest(*noise, 2, 1, one, 2), accepted);                    // often fewer than the rank
}

TEST(Largest, TheFloorIsTheKthLargestOrTheLowest) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::uint64_t k = seed % 20 + 1;
    const auto largest = [&](std::int64_t lowest) {  // a dense box: the same noise whatever is kept
      const auto noise = seeded_noise_not_private(seed);
      Mechanisms mechanisms(*noise, {}, one);
      return mechanisms.largest(lowest, few(true), 1, one, "sums", 1, 1).from(rank(k));
    };
    const NoisyLargest all = largest(1), some = largest(3);
    EXPECT_EQ(some.positive.value(), all.positive.value());
    EXPECT_EQ(some.floor.value(), std::max<std::int64_t>(3, all.floor.value()));
    std::size_t held = 0;
    for (std::uint64_t cell = 0; cell < 40; ++cell) {
      const std::int64_t value = all.values.value().at(cell);
      EXPECT_EQ(some.values.value().at(cell), value >= some.floor.value() ? value : 0);
      if (value >= some.floor.value()) ++held;
    }
    EXPECT_EQ(some.values.value().stored(), held);
  }
}

// Not private: what is drawn from the top downwards is made wrong in one way.
class WrongLevels final : public OneByOne {
 public:
  enum class Fault { unconditioned_count, unconditioned_values, positions, positives };
  explicit WrongLevels(Fault fault) : OneByOne(43), fault_(fault) {}
  std::uint64_t below(std::uint64_t bound) override {
    const std::uint64_t cell = inner_->below(bound);
    return fault_ == Fault::positions && bound == 40 && cell < 8 && inner_->below(3) == 0 ? cell + 8 : cell;
  }
  std::uint64_t count_reaching(std::uint64_t count, std::uint64_t terms, Rate rate, std::int64_t floor,
                               const std::optional<NoiseBand>& known) override {
    if (fault_ == Fault::unconditioned_count && known) {
      return inner_->count_reaching(count, terms, rate, floor, std::nullopt);
    }
    if (fault_ == Fault::positives && !known) return inner_->count_reaching(count - 3, terms, rate, floor, known);
    return inner_->count_reaching(count, terms, rate, floor, known);
  }
  double chance_reaching(std::uint64_t terms, Rate rate, std::int64_t floor) override {
    return inner_->chance_reaching(terms, rate, floor);
  }
  void fill_band(std::span<std::int64_t> values, std::uint64_t terms, Rate rate, const NoiseBand& band) override {
    const bool wrong = fault_ == Fault::unconditioned_values;
    inner_->fill_band(values, terms, rate, {band.from, wrong ? NoiseBand::unbounded : band.below});
  }

 private:
  Fault fault_;
};

TEST(Largest, WrongDistributionsAreCaught) {
  using Fault = WrongLevels::Fault;
  for (const Fault fault :
       {Fault::unconditioned_count, Fault::unconditioned_values, Fault::positions, Fault::positives}) {
    WrongLevels noise(fault);
    const double distance = distance_of_largest(noise, 2, 1, one);
    EXPECT_TRUE(quick() || distance > caught) << static_cast<int>(fault) << ' ' << distance;
  }
}

TEST(Largest, IsChargedLikeValuesAndKeepsTheBoxesLimits) {
  const auto noise = seeded_noise_not_private(1);
  Mechanisms mechanisms(*noise, {Neighbors::replace, "user", 3}, one);
  const Cells<std::int64_t> values = Cells<std::int64_t>::sparse({std::uint64_t{1} << 40}, {5, 77}, {9000, 8000});
  const NoisyLargest found = mechanisms.largest(1, values, 2, one, "sums").from(rank(10));
  EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"sums", 12, one}}));
  EXPECT_GE(found.values.value().stored(), 10U);
  EXPECT_NEAR(static_cast<double>(found.positive.value()) / 0x1p39, 1, 0.1);
  EXPECT_GT(found.values.value().at(77), 7000);
  const auto index = found.values.value().index();
  EXPECT_TRUE(std::is_sorted(index.begin(), index.end()) && index.back() < values.cell_count());
  Mechanisms other(*noise, {}, one);
  EXPECT_THROW(other.largest(0, values, 1, one, "sums"), Error);
  EXPECT_TRUE(other.spent().empty());
  const NoisyLargest bounded = from_share(other.largest(18, values, 1, one, "sums"), 2);  // 2^38 values
  EXPECT_EQ(bounded.floor.value(), 18);
  EXPECT_NEAR(static_cast<double>(bounded.values.value().stored()), 0x1p40 * tail_chance({1, 1}, 1, 18), 1000);
}

TEST(ValuesFrom, IsChargedLikeValuesAndRefusesBeforeItDraws) {
  const auto noise = seeded_noise_not_private(1);
  Mechanisms mechanisms(*noise, {Neighbors::replace, "user", 3}, one);
  const Cells<std::int64_t> values = Cells<std::int64_t>::sparse({std::uint64_t{1} << 40}, {5, 77}, {1000, 2000});
  const NoisyCounts noisy = mechanisms.values_above_floor(floor_of(500), values, 2, one, "sums");
  EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"sums", 12, one}}));
  EXPECT_EQ(noisy.value().shape(), values.shape());
  EXPECT_TRUE(std::is_sorted(noisy.value().index().begin(), noisy.value().index().end()));
  EXPECT_THROW(mechanisms.values_above_floor(floor_of(500), values, 1, one, "again"), Error);  // the budget is spent
  Mechanisms other(*noise, {}, one);
  EXPECT_THROW(other.values_above_floor(floor_of(1), values, 1, one, "sums", 0), Error);
  EXPECT_TRUE(other.spent().empty());
}

TEST(ValuesFrom, AStoredZeroIsACellLikeAnyOther) {
  const auto noise = seeded_noise_not_private(9);
  Mechanisms mechanisms(*noise, {}, one);
  std::vector<std::uint64_t> index(50'000);
  std::iota(index.begin(), index.end(), 0);
  const auto values = Cells<std::int64_t>::sparse({100'000}, index, std::vector<std::int64_t>(50'000, 0));
  const NoisyCounts noisy = mechanisms.values_above_floor(floor_of(1), values, 1, one, "sums", 1, 1);
  double halves[2] = {0, 0};
  for (const std::uint64_t cell : noisy.value().index()) halves[cell / 50'000] += 1;
  const double p = tail_chance({1, 1}, 1, 1);
  for (const double half : halves) EXPECT_NEAR(half, 50'000 * p, accepted * std::sqrt(50'000 * p * (1 - p)));
}

}  // namespace
}  // namespace shoal
