// Mechanisms on boxes too large to noise every value: what comes out has the distribution of a dense box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "chi_square.hpp"
#include "inference/floor.hpp"
#include "one_by_one_noise.hpp"
#include "privacy/mechanisms.hpp"
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

// Below the smallest floor, which is 1.
Noised<std::int64_t> floor_below_one() {
  return PostProcessing::of(
      +[](const Grid&) { return std::int64_t{0}; }, Grid({Axis(0, 1, 1)}));
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

Seen seen_through(Noise& noise, const Cells<std::int64_t>& values, std::uint64_t floor) {
  Mechanisms mechanisms(noise, {}, one);
  const NoisyCounts noisy = mechanisms.values_above_floor(floor_of(floor), values, 1, one, "sums", 1);
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

// Returns P(X >= floor) of a discrete Laplace X with rate 1.
double tail_of(std::uint64_t floor) { return std::exp(-static_cast<double>(floor)) / (1 + std::exp(-1.0)); }

// Compares distributions: dense values through the default, which draws all.
double distance_from_dense(Noise& noise, std::uint64_t floor, std::uint64_t seed) {
  const std::uint64_t count = quick() ? 20'000 : 200'000;
  const auto reference = seeded_noise_not_private(seed);
  return distance(seen_through(*reference, groups(count, true), floor),
                  seen_through(noise, groups(count, false), floor), tail_of(floor));
}

TEST(ValuesFrom, SparseValuesGiveTheDistributionOfDenseOnes) {
  for (const std::uint64_t floor : {1U, 3U}) {
    const auto noise = seeded_noise_not_private(21);
    EXPECT_LT(distance_from_dense(*noise, floor, 22), accepted) << floor;
  }
}

// Not private: what comes of the empty cells is made wrong in one way.
class WrongTail final : public OneByOne {
 public:
  using Mend = std::function<void(LargeNoise&, std::uint64_t cells, Noise&)>;
  explicit WrongTail(Mend mend) : OneByOne(21), mend_(std::move(mend)) {}
  LargeNoise reaching(std::uint64_t cells, Rate rate, std::int64_t floor) override {
    LargeNoise found = inner_->reaching(cells, rate, floor);
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
    const double distance = distance_from_dense(noise, 1, 22);
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

// ---- units that share their weight: noise is drawn on parts, floors are about whole weights ------------------------

const PrivacyUnit shared{.column = "who", .share = true};

// What comes out of sparse parts, beside noise on every cell of which a reader keeps what reaches the floor. A cell of
// each group holds one and a half weights.
double distance_in_parts(Noise& noise, std::uint64_t floor, Epsilon epsilon) {
  const std::uint64_t count = quick() ? 20'000 : 100'000;
  const auto held = static_cast<std::int64_t>(shared.parts_per_weight() / 2 * 3);
  const auto reference = seeded_noise_not_private(22);
  Mechanisms all(*reference, shared, epsilon), some(noise, shared, epsilon);
  const NoisyCounts dense = all.values(groups(count, true, held), 1, epsilon, "sums", 1);
  const NoisyCounts sparse =
      some.values_above_floor(floor_of(floor), groups(count, false, held), 1, epsilon, "sums", 1);
  EXPECT_EQ(some.spent(), all.spent());
  EXPECT_EQ(sparse.law()->parts_per_unit, shared.parts_per_weight());
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
    filter(found, [&](std::size_t i, std::uint64_t) {
      return found.values[i] >= static_cast<std::int64_t>(shared.parts_per_weight());
    });
  });
  is_caught([](LargeNoise& found, std::uint64_t, Noise&) {  // a tenth of a weight too high
    for (std::int64_t& value : found.values) value += static_cast<std::int64_t>(shared.parts_per_weight() / 10);
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
  EXPECT_THROW(other.values_above_floor(floor_below_one(), values, 1, one, "sums"), Error);
  EXPECT_TRUE(other.spent().empty());
}

TEST(ValuesFrom, AStoredZeroIsACellLikeAnyOther) {
  const auto noise = seeded_noise_not_private(9);
  Mechanisms mechanisms(*noise, {}, one);
  std::vector<std::uint64_t> index(50'000);
  std::iota(index.begin(), index.end(), 0);
  const auto values = Cells<std::int64_t>::sparse({100'000}, index, std::vector<std::int64_t>(50'000, 0));
  const NoisyCounts noisy = mechanisms.values_above_floor(floor_of(1), values, 1, one, "sums", 1);
  double halves[2] = {0, 0};
  for (const std::uint64_t cell : noisy.value().index()) halves[cell / 50'000] += 1;
  const double p = tail_of(1);
  for (const double half : halves) EXPECT_NEAR(half, 50'000 * p, accepted * std::sqrt(50'000 * p * (1 - p)));
}

}  // namespace
}  // namespace shoal
