#include "inference/privwave_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace shoal {
namespace {

using Random = std::mt19937_64;

// The difference of two geometric draws is discrete Laplace.
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
       68.0568927187,
       16.5090665739,
       29,
       26},
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

// Returns the share that minimises cells on the wrong side and the error of k together.
unsigned cheapest_share(const Known& at, const PrivwaveBudget& budget) {
  const FilteredProfile first = filter_profile(at.sums, 1, budget.profile_noise(least_profile_share));
  const Survival survival(first.mean, at.cells);
  const double d = estimate_count(first, survival, Percentile(at.percentile)).threshold;
  const auto cost = [&](unsigned share) {
    return survival.wrong_side(d, budget.value_noise(share)) +
           (100 - at.percentile) / 100 * predicted_deviation(first.change, budget.profile_noise(share));
  };
  unsigned best = least_profile_share;
  for (unsigned share = best + 1; share <= most_profile_share; ++share) best = cost(share) < cost(best) ? share : best;
  return best;
}

TEST(ProfileSteps, TheShareIsTheCheapestAndKAndCellsToKeepAreThePrototypes) {
  for (const Known& at : known()) {
    const PrivwaveBudget budget{.epsilon = Epsilon::parse(at.epsilon)};
    EXPECT_EQ(choose_share(at.sums, budget, at.cells, Percentile(at.percentile)).share, cheapest_share(at, budget));
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

// First levels that are seen finely, as where values are censored.
TEST(ProfileSteps, FineFirstLevelsHoldTheNumberOfCellsInPlace) {
  Random random(29);
  const double rate = 0.05;
  std::geometric_distribution<std::int64_t> wide(-std::expm1(-rate)), narrow(-std::expm1(-0.5));
  double coarse = 0, fine = 0, stated = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> w(300);
    for (int i = 0; i < 40; ++i) w.push_back(1 + static_cast<std::int64_t>(random() % 3));
    for (int i = 0; i < 200; ++i) w.push_back(40 + static_cast<std::int64_t>(random() % 60));
    ProfileSums sums = sums_of(w), finer = sums;
    for (std::size_t j = 0; j < profile_levels; ++j) {
      sums[j] += difference(wide, random);
      finer[j] = j < 2 ? finer[j] + difference(narrow, random) : sums[j];
    }
    const ProfileNoise noise{laplace_noise(rate).variance, 2, laplace_noise(0.5).variance};
    const FilteredProfile finely = filter_profile(finer, 1, noise);
    coarse += std::pow(filter_profile(sums, 1, {noise.variance}).mean[0] - 240, 2);
    fine += std::pow(finely.mean[0] - 240, 2);
    stated += std::pow(finely.deviation, 2);
  }
  EXPECT_LT(fine, coarse / 10);
  EXPECT_LT(fine, 16 * stated);  // the gap between 3 and 40 is more than the filter takes for smooth
}

}  // namespace
}  // namespace shoal
