#include "inference/privwave_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "inference/privwave_empty.hpp"

namespace shoal {
namespace {

using Random = std::mt19937_64;

// Of two draws: discrete Laplace.
std::int64_t difference(std::geometric_distribution<std::int64_t>& of, Random& random) {
  const std::int64_t first = of(random);
  return first - of(random);
}

// Numbers of an independent prototype in numpy.
struct Known {
  ProfileSums sums;
  std::uint64_t cells;
  double percentile;
  const char* epsilon;
  unsigned share;
  double positives, deviation;
  std::uint64_t k, keep;
};
const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {{3060, 6051, 11883, 22918, 43157, 76299, 120347, 149715, 122354, 40104, 2284, 4,
        -1,   11,   -2,    -5,    -10,   -8,    -3,     -15,    16,     33,    0,    -2},
       4096,
       58,
       "0.5",
       2,
       3060.5946889,
       13.1187581855,
       1286,
       1287},
      {{154, 318, 637, 1253, 2546, 1380, 12, -14, 9, 45, 7, 1, 11, -4, 4, -4, -8, -15, 3, 5, 6, -9, 6, -3},
       324,
       58,
       "0.5",
       2,
       158.305180098,
       3.37956024053,
       67,
       67},
      {{671, 1157, 2026, 3535, 6199, 10724, 17708, 28543, 42759, 59491, 59194, 15592,
        -1,  2,    -6,   -14,  25,   -3,    3,     -22,   -7,    18,    -1,    -11},
       1024,
       80,
       "0.5",
       6,
       670.509191483,
       4.6690695272,
       135,
       135},
      {{2501, 5015, 9995, 19935, 39920, 79868, 159731, 307030, -20, -14, -18, -4,
        -2,   24,   4,    40,    -6,    4,     2,      1,      1,   0,   -11, -9},
       4096,
       58,
       "0.5",
       2,
       2496.16688483,
       2.04390178758,
       1049,
       1050},
      {{67, 163, 186, 437, 403, 905, 1171, 920, 557, -3, -7, 83, -2, -70, 19, -54, -27, 88, -6, 97, 10, 0, -112, -31},
       324,
       58,
       "0.1",
       3,
       49.8283174868,
       8.37520439401,
       21,
       21},
      {{862, 1719, 3444, 6883, 13619, 8027, 1, -2, 0, 4, -9, -5, -8, -2, 0, 9, 4, 1, 1, 0, -3, 3, 0, -6},
       1024,
       23,
       "2",
       2,
       860.947746429,
       1.56852725164,
       663,
       670},
      {{1454, 2617, 4647, 8305, 14367, 24883, 42047, 65985, 101239, 137364, 145861, 41191,
        0,    0,    0,    0,    0,     0,     0,     0,     0,      0,      0,      0},
       4096,
       10,
       "8",
       2,
       1453.99650262,
       0.796163847214,
       1309,
       1343},
      {{729, 1339, 2860, 5694, 11434, 22750, 45474, 87693, -44, -117, -64, 53,
        4,   28,   145,  46,   84,    -62,   -37,   -121,  83,  37,   4,   8},
       4096,
       80,
       "0.1",
       2,
       713.857796063,
       5.37963521601,
       143,
       141},
      {{281, 556, 1083, 2081, 3855, 6736, 11102, 15486, 12653, 4900, 52, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0},
       324,
       10,
       "8",
       4,
       281.00951247,
       0.296974965597,
       253,
       254},
      {{2260, 4509, 9032, 18064, 36128, 72257, 144511, 288998, 101578, -3, -3, 4,
        -5,   0,    1,    -1,    0,     6,     -1,     4,      -1,     1,  -2, 0},
       4096,
       10,
       "2",
       2,
       2257.49553537,
       1.21083878022,
       2032,
       2035},
      {{3537, 6259, 11091, 19571, 34440, 58937, 97810, 159768, 243756, 330732, 336670, 103798,
        0,    0,    0,     0,     1,     0,     0,     0,      -1,     -1,     1,      -1},
       4096,
       23,
       "8",
       2,
       3536.99781707,
       0.796190886809,
       2724,
       2763},
      {{236,  288, 789, 1329, 2611, 4833, 9563, 18675, 155, 0,  -75, 81,
        -144, 57,  25,  22,   74,   112,  26,   112,   80,  11, -31, 173},
       324,
       80,
       "0.05",
       2,
       162.364377448,
       8.34576376259,
       33,
       32},
      {{469, 409, 946, 1749, 3257, 5920, 9373, 12173, 8497, 3089, -2,  13,
        -11, -16, 14,  -9,   -103, 114,  26,   43,    -20,  -3,   -22, 70},
       324,
       80,
       "0.1",
       4,
       463.789242643,
       34.9668608033,
       65,
       65},
      {{2688, 5377, 10763, 21527, 43056, 86109, 172224, 344405, 120908, -3, 0,  -1,
        -3,   2,    2,     1,     -5,    -2,    1,      -2,     2,      6,  -1, 1},
       4096,
       58,
       "2",
       2,
       2690.01359319,
       1.21091305526,
       1130,
       1132},
  };
  return all;
}

TEST(ProfileSteps, ShareKAndCellsToKeepAreThePrototypes) {
  for (const Known& at : known()) {
    const PrivwaveBudget budget{.epsilon = Epsilon::parse(at.epsilon)};
    EXPECT_EQ(choose_share(at.sums, budget, at.cells, Percentile(at.percentile)).share, at.share);
    const FilteredProfile profile = filter_profile(at.sums, 1, budget.profile_noise(at.share));
    EXPECT_NEAR(profile.mean[0], at.positives, 1e-8 * at.positives);
    EXPECT_NEAR(profile.deviation, at.deviation, 1e-8 * at.deviation);
    const Percentile rule(at.percentile);
    const CountEstimate estimate = estimate_count(profile, Survival(profile.mean, at.cells), rule);
    const CellsToKeep kept = cells_to_keep(profile, at.cells, rule, estimate, budget.value_noise(at.share), false);
    EXPECT_EQ(kept.k, at.k);
    EXPECT_EQ(kept.keep, at.keep);
  }
}

ProfileSums sums_of(const std::vector<std::int64_t>& values) {
  ProfileSums sums{};
  for (std::size_t j = 0; j < profile_levels; ++j) {
    for (const auto v : values) {
      sums[j] += std::clamp<std::int64_t>(v - (std::int64_t{1} << j) + 1, 0, std::int64_t{1} << j);
    }
  }
  return sums;
}

TEST(ProfileSteps, WithoutNoiseTheProfileIsExact) {
  const FilteredProfile profile = filter_profile(sums_of({1, 1, 2, 5, 9, 30, 31, 700}), 1, {0});
  EXPECT_EQ(profile.mean[0], 8);
  EXPECT_EQ(profile.deviation, 0);
}

// W and W', and what a profile with noise of the same rate makes of W.
struct Mixed {
  std::vector<double> values;
  FilteredProfile profile;
  double positive = 0;
};
Mixed mixed(Random& random, std::size_t empty, std::size_t positive, std::int64_t least, double rate) {
  std::vector<std::int64_t> w(empty);
  for (std::size_t i = 0; i < positive; ++i) w.push_back(least + static_cast<std::int64_t>(random() % 100));
  std::geometric_distribution<std::int64_t> half(-std::expm1(-rate));
  ProfileSums sums = sums_of(w);
  for (std::int64_t& sum : sums) sum += difference(half, random);
  Mixed result;
  for (const std::int64_t value : w) result.values.push_back(static_cast<double>(value + difference(half, random)));
  result.profile = filter_profile(sums, 1, {laplace_noise(rate).variance});
  result.positive = static_cast<double>(positive);
  return result;
}

Estimate above_zero(const Mixed& data, double rate) {
  return cells_above(Survival(data.profile.mean, data.values.size()), {data.profile.mean[0], data.profile.deviation},
                     data.values, laplace_noise(rate));
}

TEST(CellsAbove, AGridWithoutSmallValuesAreAllOfItsCells) {
  Random random(25);
  for (int round = 0; round < 20; ++round) {
    const Mixed data = mixed(random, 0, 400, 60, 0.4);
    const Estimate found = above_zero(data, 0.4);
    EXPECT_NEAR(found.mean, 400, 0.01);
    EXPECT_LT(found.deviation, 0.1);
  }
}

// Four fifths of the profile's squared error, at most, and a deviation that says so.
TEST(CellsAbove, AlmostFullGridsAreKnownBetterByTheValues) {
  Random random(26);
  double by_profile = 0, by_both = 0, stated = 0;
  for (int round = 0; round < 200; ++round) {
    const Mixed data = mixed(random, 12, 388, 30, 0.4);
    const Estimate found = above_zero(data, 0.4);
    by_profile += std::pow(data.profile.mean[0] - data.positive, 2);
    by_both += std::pow(found.mean - data.positive, 2);
    stated += std::pow(found.deviation, 2);
    EXPECT_LE(found.deviation, data.profile.deviation);
  }
  EXPECT_LT(by_both, 0.8 * by_profile);
  EXPECT_LT(by_both, 2 * stated);
}

TEST(CellsAbove, ValuesThatTellNothingChangeNothing) {
  Random random(27);
  for (const double rate : {1e-6, 0.001}) {  // noise a thousand times as wide as the values
    const Mixed data = mixed(random, 300, 300, 1, 1);
    const Estimate found = above_zero(data, rate);
    EXPECT_NEAR(found.mean, data.profile.mean[0], 0.05 * data.profile.deviation);
    EXPECT_NEAR(found.deviation, data.profile.deviation, 0.05 * data.profile.deviation);
  }
}

// Values that were raised by 7 tell the cells above 7 just as values from 0 on tell those above 0.
TEST(CellsAbove, TheLowestValueIsTheNewZero) {
  Random random(28);
  std::geometric_distribution<std::int64_t> half(-std::expm1(-0.4));
  std::vector<std::int64_t> w(100), higher(100, 7);
  for (int i = 0; i < 300; ++i) {
    w.push_back(1 + static_cast<std::int64_t>(random() % 60));
    higher.push_back(w.back() + 7);
  }
  std::vector<double> values, raised;
  for (const std::int64_t value : w) {
    values.push_back(static_cast<double>(value + difference(half, random)));
    raised.push_back(values.back() + 7);
  }
  ValueNoise noise = laplace_noise(0.4);
  const auto survival = [](const std::vector<std::int64_t>& of) {
    return Survival(filter_profile(sums_of(of), 1, {0}).mean, 400);
  };
  const Estimate plain = cells_above(survival(w), {310, 12}, values, noise);
  noise.censored_below = 7;
  const Estimate censored = cells_above(survival(higher), {310, 12}, raised, noise);
  EXPECT_NEAR(plain.mean, 300, 12);
  EXPECT_NEAR(censored.mean, plain.mean, 5);
  EXPECT_NEAR(censored.deviation, plain.deviation, 0.2 * plain.deviation);
  EXPECT_LT(censored.deviation, 12);
}

// What the profile's first levels tell when they are seen finely, and with them what the values tell of the others.
TEST(ProfileSteps, FineFirstLevelsAndTheValuesHoldTheNumberOfCellsInPlace) {
  Random random(29);
  const double rate = 0.05;
  std::geometric_distribution<std::int64_t> wide(-std::expm1(-rate)), narrow(-std::expm1(-0.5));
  double coarse = 0, fine = 0, both = 0, stated = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> w(300);
    for (int i = 0; i < 40; ++i) w.push_back(1 + static_cast<std::int64_t>(random() % 3));
    for (int i = 0; i < 200; ++i) w.push_back(40 + static_cast<std::int64_t>(random() % 60));
    ProfileSums sums = sums_of(w), finer = sums;
    for (std::size_t j = 0; j < profile_levels; ++j) {
      sums[j] += difference(wide, random);
      finer[j] = j < 2 ? finer[j] + difference(narrow, random) : sums[j];
    }
    std::vector<double> values;
    for (const std::int64_t value : w) {
      values.push_back(static_cast<double>(std::max<std::int64_t>(value, 3) + difference(narrow, random)));
    }
    const ProfileNoise noise{laplace_noise(rate).variance, 2, laplace_noise(0.5).variance};
    ValueNoise of_values = laplace_noise(0.5);
    of_values.censored_below = 3;
    const CellsAbove above = [&](const ProfileLevels& mean, const Estimate& predicted) {
      return cells_above(Survival(mean, w.size()), predicted, values, of_values);
    };
    const FilteredProfile by_both = filter_profile(finer, 1, noise, above);
    coarse += std::pow(filter_profile(sums, 1, {noise.variance}).mean[0] - 240, 2);
    fine += std::pow(filter_profile(finer, 1, noise).mean[0] - 240, 2);
    both += std::pow(by_both.mean[0] - 240, 2);
    stated += std::pow(by_both.deviation, 2);
  }
  EXPECT_LT(fine, coarse / 10);
  EXPECT_LT(both, fine);
  EXPECT_LT(both, 4 * stated);
}

}  // namespace
}  // namespace shoal
