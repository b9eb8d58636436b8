// Mechanisms on boxes too large to noise every value: what comes out has the distribution of a dense box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "chi_square.hpp"
#include "inference/floor.hpp"
#include "one_by_one_noise.hpp"
#include "privacy/largest.hpp"
#include "privacy/mechanisms.hpp"
#include "privacy/noise_tail.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::accepted;
using testing::caught;
using testing::OneByOne;
using testing::quick;

// ---- the mechanism: sparse values have the distribution of dense ones ---------------------------------------------

const Epsilon one = Epsilon::parse("1");

// A floor is noised or public by its type; this one is public.
std::int64_t grid_cells(const Grid& grid) { return static_cast<std::int64_t>(grid.cell_count()); }
Noised<std::int64_t> floor_of(std::uint64_t value) {
  return PostProcessing::of(&grid_cells, Grid({Axis(0, 1, value)}));
}

// Groups of four cells, the second of which holds 2: independent copies of one small box.
constexpr std::uint64_t group = 4;

Cells<std::int64_t> groups(std::uint64_t count, bool dense, std::int64_t held = 2) {
  std::vector<std::int64_t> all(group * count);
  std::vector<std::uint64_t> index;
  for (std::uint64_t i = 1; i < all.size(); i += group) {
    all[i] = held;
    index.push_back(i);
  }
  if (dense) return Cells<std::int64_t>::dense({count, group}, all);
  std::vector<std::int64_t> values(index.size(), held);
  return Cells<std::int64_t>::sparse({count, group}, std::move(index), values);
}

struct Seen {
  std::vector<std::int64_t> joint;   // of each group: for every cell nothing, the floor, one more, more
  std::vector<std::int64_t> values;  // what the empty cells hold; 0: left out
};

// Returns the noisy values that reach the floor.
Seen seen_in(const Cells<std::int64_t>& noisy, std::uint64_t floor) {
  Seen result{std::vector<std::int64_t>(noisy.shape()[0]), std::vector<std::int64_t>(noisy.cell_count())};
  for (std::size_t i = 0; i < noisy.stored(); ++i) {
    const std::uint64_t cell = noisy.index_of(i);
    const std::int64_t value = noisy.values()[i];
    const std::int64_t kind = std::min<std::int64_t>(3, value - static_cast<std::int64_t>(floor) + 1);
    if (kind < 1) continue;
    result.joint[cell / group] += kind << (2 * (cell % group));
    if (cell % group != 1) result.values[cell] = value;
  }
  return result;
}

Seen seen_through(Noise& noise, const Cells<std::int64_t>& values, std::uint64_t floor, std::uint64_t terms) {
  Mechanisms mechanisms(noise, {}, one);
  const NoisyCounts noisy = mechanisms.values_above_floor(floor_of(floor), values, 1, one, "sums", terms, 1);
  EXPECT_FALSE(noisy.value().is_dense());
  for (const std::int64_t value : noisy.value().values()) EXPECT_GE(value, static_cast<std::int64_t>(floor));
  return seen_in(noisy.value(), floor);
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

// ---- units that share their weight: noise is drawn on parts, floors and ranks are about whole weights --------------

const PrivacyUnit shared{.column = "who", .share = true};

// What comes out of sparse parts, beside noise on every cell of which a reader keeps what reaches the floor. A cell of
// each group holds one and a half weights.
double distance_in_parts(Noise& noise, std::uint64_t floor, Epsilon epsilon) {
  const std::uint64_t count = quick() ? 20'000 : 100'000;
  const auto held = static_cast<std::int64_t>(shared.parts() / 2 * 3);
  const auto reference = seeded_noise_not_private(22);
  Mechanisms all(*reference, shared, epsilon), some(noise, shared, epsilon);
  const NoisyCounts dense = all.values(groups(count, true, held), 1, epsilon, "sums", 1);
  const NoisyCounts sparse =
      some.values_above_floor(floor_of(floor), groups(count, false, held), 1, epsilon, "sums", 1, 1);
  EXPECT_EQ(some.spent(), all.spent());
  EXPECT_EQ(sparse.law()->parts, shared.parts());
  EXPECT_EQ(sparse.law()->floor, static_cast<std::int64_t>(floor));
  return distance(seen_in(dense.value(), floor), seen_in(sparse.value(), floor),
                  noise_reaching(1, {epsilon.value(), true}, static_cast<std::int64_t>(floor)));
}

TEST(ValuesFrom, SparsePartsGiveTheDistributionOfDenseOnes) {
  for (const auto& [floor, epsilon] : {std::pair{1, "1"}, {3, "0.5"}, {2, "3"}}) {
    const auto noise = seeded_noise_not_private(21);
    EXPECT_LT(distance_in_parts(*noise, floor, Epsilon::parse(epsilon)), accepted) << floor << ' ' << epsilon;
  }
}

TEST(ValuesFrom, WrongDistributionsOfPartsAreCaught) {
  const auto is_caught = [](const WrongTail::Mend& mend) {
    WrongTail noise(mend);
    const double distance = distance_in_parts(noise, 1, one);
    EXPECT_TRUE(quick() || distance > caught) << distance;
  };
  is_caught([](LargeNoise& found, std::uint64_t, Noise&) {  // without what is rounded up to the floor
    filter(found,
           [&](std::size_t i, std::uint64_t) { return found.values[i] >= static_cast<std::int64_t>(shared.parts()); });
  });
  is_caught([](LargeNoise& found, std::uint64_t, Noise&) {  // a tenth of a weight too high
    for (std::int64_t& value : found.values) value += static_cast<std::int64_t>(shared.parts() / 10);
  });
}

// Noised parts stop at 2^62, so no weight exceeds 2^46. A floor above that is allowed.
TEST(ValuesFrom, AFloorOfPartsMayLieBeyondAllValues) {
  const auto values = Cells<std::int64_t>::sparse({100}, {7}, {std::int64_t{1} << 62});
  for (const auto& [bits, held] : {std::pair{45, 1U}, {50, 0U}}) {
    const Noised<std::int64_t> floor =
        PostProcessing::of(&grid_cells, Grid({Axis(0, 1, 1U << 25), Axis(0, 1, 1U << (bits - 25))}));
    const auto noise = seeded_noise_not_private(1);
    Mechanisms mechanisms(*noise, shared, one);
    EXPECT_EQ(mechanisms.values_above_floor(floor, values, 1, one, "sums").value().stored(), held);
  }
}

TEST(Largest, PartsCountByTheNearestWhole) {
  for (std::int64_t value = -9; value <= 9; ++value) {
    EXPECT_EQ(nearest_whole(value, 1), value);
    EXPECT_EQ(least_near(value, 1), value);
    const std::int64_t whole = nearest_whole(value, 4);
    EXPECT_EQ(static_cast<double>(whole), std::floor(static_cast<double>(value) / 4 + 0.5));
    EXPECT_LE(least_near(whole, 4), value);
    EXPECT_GT(least_near(whole + 1, 4), value);
  }
}

// ---- the mechanism: the largest of all noisy values ----------------------------------------------------------------

// A box of 40 cells of which three hold something, seen by its largest values.
Cells<std::int64_t> few(bool dense, std::int64_t scale = 1) {
  std::vector<std::int64_t> all(40);
  all[3] = all[21] = 2 * scale;
  all[30] = 6 * scale;
  if (dense) return Cells<std::int64_t>::dense({40}, all);
  return Cells<std::int64_t>::sparse({40}, {3, 21, 30}, std::vector<std::int64_t>{2 * scale, 2 * scale, 6 * scale});
}

// One number a run: what the run shows, in a few ways.
using Statistic = std::function<std::int64_t(const NoisyLargest&)>;
const std::vector<Statistic> statistics = {
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
                           std::int64_t least = 1, const PrivacyUnit& unit = {}) {
  const auto scale = static_cast<std::int64_t>(unit.share ? unit.parts() / 4 * 3 : 1);  // three quarters of a weight
  const auto reference = seeded_noise_not_private(41);
  const int runs = quick() ? 100 : 4000;
  std::vector<std::vector<std::int64_t>> dense(statistics.size()), sparse(statistics.size());
  for (int i = 0; i < 4 * runs; ++i) {
    const bool is_dense = i % 4 != 0;  // a run of them costs little
    Mechanisms mechanisms(is_dense ? *reference : noise, unit, epsilon);
    const NoisyLargest seen =
        from_share(mechanisms.largest(least, few(is_dense, scale), 1, epsilon, "sums", terms, 1), share);
    for (std::size_t j = 0; j < statistics.size(); ++j) (is_dense ? dense : sparse)[j].push_back(statistics[j](seen));
  }
  double worst = 0;
  for (std::size_t j = 0; j < statistics.size(); ++j) {
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

TEST(Largest, SparsePartsGiveTheDistributionOfDenseOnes) {
  const auto noise = seeded_noise_not_private(42);
  EXPECT_LT(distance_of_largest(*noise, 2, 1, one, 1, shared), accepted);
  EXPECT_LT(distance_of_largest(*noise, 3, 4, Epsilon::parse("2"), 2, shared), accepted);
}

// A dense box, noised and rounded value by value: what is nearest to a whole counts as that.
TEST(Largest, NoisyPartsAreRoundedOnceAndRankedAsWholes) {
  const auto scale = static_cast<std::int64_t>(shared.parts() / 4 * 3);
  const auto noise = seeded_noise_not_private(3), again = seeded_noise_not_private(3);
  Mechanisms mechanisms(*noise, shared, one);
  const NoisyLargest seen = mechanisms.largest(1, few(true, scale), 1, one, "sums", 1, 1).from(rank(5));
  std::vector<std::int64_t> values(40);
  for (std::uint64_t cell = 0; cell < 40; ++cell) values[cell] = few(true, scale).at(cell);
  again->add_laplace(values, Rate::of(one, shared.parts()), 1);
  for (std::int64_t& value : values) value = nearest_whole(value, shared.parts());
  for (std::uint64_t cell = 0; cell < 40; ++cell) {
    EXPECT_EQ(seen.values.value().at(cell), values[cell] >= seen.floor.value() ? values[cell] : 0);
  }
  EXPECT_EQ(seen.positive.value(), std::count_if(values.begin(), values.end(), [](auto value) { return value > 0; }));
  std::sort(values.begin(), values.end(), std::greater<>());
  EXPECT_EQ(seen.floor.value(), values[4]);
  EXPECT_EQ(seen.values.law()->parts, shared.parts());
  EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"sums", 1, one}}));
}

TEST(Largest, TheFloorIsTheKthLargestOrTheLowest) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::uint64_t k = seed % 20 + 1;
    const auto largest = [&](std::int64_t least) {  // a dense box: the same noise whatever is kept
      const auto noise = seeded_noise_not_private(seed);
      Mechanisms mechanisms(*noise, {}, one);
      return mechanisms.largest(least, few(true), 1, one, "sums", 1, 1).from(rank(k));
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
