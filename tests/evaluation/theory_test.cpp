#include "evaluation/theory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "shoal/error.hpp"

namespace shoal::evaluation {
namespace {

// 15 clusters' worth of values: dense centres, thin borders, and empty cells.
Profile example() {
  Profile profile;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> sums(1.0 / 150);
  for (int i = 0; i < 160; ++i) profile.positives.push_back(std::ceil(sums(random)) / 2);
  std::sort(profile.positives.begin(), profile.positives.end(), std::greater<>());
  profile.nonpositives = 240;
  return profile;
}

TEST(Theorem4, FollowsThePapersFormulas) {
  const Profile profile = example();
  const double omega = 0.1;
  const double epsilon = 0.5;
  const TheoryBounds bounds = theorem4(profile, 10, epsilon, omega);
  EXPECT_DOUBLE_EQ(bounds.k, 144);
  EXPECT_DOUBLE_EQ(bounds.eta1, 120 - std::sqrt(240 * std::log(10.0) / 2));
  EXPECT_DOUBLE_EQ(bounds.eta2, 120 + std::sqrt(240 * std::log(10.0) / 2));
  EXPECT_DOUBLE_EQ(bounds.gamma, 16 * std::log(4 * 400 / omega));
  EXPECT_DOUBLE_EQ(bounds.k_min, 144 + 0.9 * (bounds.eta1 - bounds.theta));
  EXPECT_DOUBLE_EQ(bounds.k_max, 144 + 0.9 * (bounds.eta2 - bounds.theta));
  EXPECT_DOUBLE_EQ(bounds.probability, 0.81);
  EXPECT_FALSE(bounds.beta.has_value());
}

TEST(Theorem5, FollowsThePapersFormulas) {
  const Profile profile = example();
  const TheoryBounds bounds = theorem5(profile, 10, 1, 0.9, 0.1);
  EXPECT_DOUBLE_EQ(bounds.gamma, 8 / 0.9 * std::log(4 * 400 / 0.1));
  EXPECT_NEAR(*bounds.beta, 20 * std::log(10.0), 1e-12);
  EXPECT_NEAR(bounds.k_min, 144 + 0.9 * (bounds.eta1 - bounds.theta - 120 - *bounds.beta), 1e-9);
  EXPECT_NEAR(bounds.k_max, 144 + 0.9 * (bounds.eta2 - bounds.theta - 120 + *bounds.beta), 1e-9);
  EXPECT_NEAR(bounds.probability, 0.729, 1e-12);
}

TEST(Theorem6, FollowsThePapersFormulas) {
  const Profile profile = example();
  const TheoryBounds bounds = theorem6(profile, 10, 1, 0.7, 0.1);
  const double w_k = profile.positives[143];
  const double above = profile.positives[0] - w_k;
  EXPECT_NEAR(bounds.eta1, 160 - 144 - 1 + 2 / 0.3 * std::log(above / (w_k * 0.1)), 1e-9);
  EXPECT_NEAR(bounds.eta2, 144 - 2 + 2 / 0.3 * std::log(w_k / (above * 0.1)), 1e-9);
  EXPECT_DOUBLE_EQ(bounds.k_min, bounds.k - bounds.eta1);
  EXPECT_DOUBLE_EQ(bounds.k_max, bounds.k + bounds.eta2);
  EXPECT_DOUBLE_EQ(bounds.gamma, 8 / 0.7 * std::log(4 * 400 / 0.1));
}

TEST(Theorem6, EqualValuesGiveFiniteBounds) {
  const Profile flat{std::vector<double>(10, 3.0), 5, 4};
  const TheoryBounds bounds = theorem6(flat, 50, 1, 0.7, 0.1);
  EXPECT_EQ(bounds.eta1, 0);
  EXPECT_EQ(bounds.eta2, 5);
}

TEST(Theorems, CoverNothingWhenTheBudgetIsTiny) {
  const TheoryBounds bounds = theorem5(example(), 58, 0.01, 0.9, 0.1);
  EXPECT_EQ(bounds.surely_kept, 0U);
  EXPECT_EQ(bounds.surely_dropped, 0U);
}

// Ranks between two values are taken to the side on which the claims stay true.
TEST(Theorems, CoverWhatLiesBeyondTheValuesAtTheBoundsOfK) {
  Profile profile;
  for (int i = 0; i < 100; ++i) profile.positives.push_back(1000 - 10 * i);
  profile.nonpositives = 40;
  const TheoryBounds bounds = theorem4(profile, 30, 10, 0.1);
  const auto rank_min = static_cast<std::size_t>(std::floor(bounds.k_min));
  const auto rank_max = static_cast<std::size_t>(std::ceil(bounds.k_max));
  ASSERT_LT(rank_max, 100U);
  EXPECT_DOUBLE_EQ(bounds.kept_above, profile.positives[rank_min - 1] + bounds.gamma);
  EXPECT_DOUBLE_EQ(bounds.dropped_below, profile.positives[rank_max - 1] - bounds.gamma);
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  for (const double value : profile.positives) {
    kept += value > bounds.kept_above ? 1 : 0;
    dropped += value < bounds.dropped_below ? 1 : 0;
  }
  EXPECT_EQ(bounds.surely_kept, kept);
  EXPECT_EQ(bounds.surely_dropped, dropped);
  EXPECT_GT(kept, 0U);
  EXPECT_GT(dropped, 0U);
}

TEST(Theorems, CoverMoreWithMoreBudget) {
  const Profile profile = example();
  const TheoryBounds some = theorem5(profile, 58, 2, 0.9, 0.1);
  const TheoryBounds more = theorem5(profile, 58, 20, 0.9, 0.1);
  EXPECT_GT(more.surely_kept, some.surely_kept);
  EXPECT_GT(more.surely_dropped, 0U);
  EXPECT_LE(more.surely_kept, 68U);
}

// Sum of `block` discrete Laplace draws, each as the difference of two geometric ones.
double block_noise(std::mt19937_64& random, std::uint64_t block, double epsilon) {
  std::geometric_distribution<int> geometric(1 - std::exp(-epsilon));
  double sum = 0;
  for (std::uint64_t i = 0; i < block; ++i) {
    const int first = geometric(random);
    sum += first - geometric(random);
  }
  return sum;
}

TEST(ExpectedLost, IsWhatDrawsGive) {
  const Profile profile{{5, 2, 1, 0.5, 0.5}, 0, 4};
  std::mt19937_64 random(2);
  const int rounds = 40000;
  double lost = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const double value : profile.positives) {
      lost += value * 2 + block_noise(random, profile.block, 0.4) <= 0 ? 1 : 0;
    }
  }
  // Five values: the standard error of the mean is below sqrt(5 / 4 / rounds).
  EXPECT_NEAR(expected_lost(profile, 0.4), lost / rounds, 6 * std::sqrt(5.0 / 4 / rounds));
}

// Section 5.2.1: at epsilon 1, the smallest value 0.5 is lost with a chance of about 0.43 (continuous noise; ours is
// discrete and may give exactly the value, so a little more).
TEST(ExpectedLost, OfTheSmallestValueIsNearThePapersFigure) {
  EXPECT_NEAR(expected_lost({{0.5}, 0, 4}, 1), 0.43, 0.03);
  EXPECT_LT(expected_lost({{15}, 0, 4}, 1), 1e-3);
}

TEST(ExpectedLost, WorksForOtherDimensions) {
  EXPECT_NEAR(expected_lost({{1 / std::sqrt(2.0)}, 0, 2}, 30), 0, 1e-9);
  EXPECT_NEAR(expected_lost({{1 / 16.0}, 0, 256}, 0.5), 0.5, 0.02);
  EXPECT_THROW(expected_lost({{1}, 0, 4}, 1e-9), InputError);
}

// The claims of theorem 4 hold at least as often as it says, on draws of PrivQT's W'.
TEST(Theorem4, HoldsOnDraws) {
  const Profile profile = example();
  const double omega = 0.2;
  const double epsilon = 3;
  const double percentile = 30;
  const TheoryBounds bounds = theorem4(profile, percentile, epsilon, omega);
  ASSERT_GT(bounds.surely_kept, 0U);
  std::mt19937_64 random(3);
  int held = 0;
  const int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> noisy;
    for (const double value : profile.positives) noisy.push_back(value + block_noise(random, 4, epsilon) / 2);
    std::vector<double> positive;
    for (const double value : noisy) {
      if (value > 0) positive.push_back(value);
    }
    for (std::uint64_t i = 0; i < profile.nonpositives; ++i) {
      const double value = block_noise(random, 4, epsilon) / 2;
      if (value > 0) positive.push_back(value);
    }
    std::sort(positive.begin(), positive.end(), std::greater<>());
    const auto k = static_cast<std::size_t>(std::ceil(0.7 * static_cast<double>(positive.size())));
    const double threshold = positive[k - 1];
    bool holds = true;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      if (profile.positives[i] > bounds.kept_above && noisy[i] < threshold) holds = false;
      if (profile.positives[i] < bounds.dropped_below && noisy[i] >= threshold) holds = false;
    }
    held += holds ? 1 : 0;
  }
  EXPECT_GE(held, bounds.probability * rounds);
}

TEST(ProfileOf, CountsOfThePapersKind) {
  const Grid grid({Axis(0, 4, 4), Axis(0, 4, 4)});
  const Counts counts(grid, Cells<std::int64_t>::dense({4, 4}, {1, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), 7, 0);
  const Profile profile = profile_of(counts, {.threshold = Percentile(0)});
  EXPECT_EQ(profile.positives, (std::vector<double>{3, 0.5}));
  EXPECT_EQ(profile.nonpositives, 2U);
  EXPECT_EQ(profile.block, 4U);
  EXPECT_THROW(profile_of(counts, {.threshold = Percentile(0), .wavelet = Wavelet::named("db2")}), InputError);
}

TEST(Theorems, BadParametersAreRefused) {
  const Profile profile = example();
  EXPECT_THROW(theorem4(profile, 100, 1, 0.1), InputError);
  EXPECT_THROW(theorem4(profile, 10, 0, 0.1), InputError);
  EXPECT_THROW(theorem4(profile, 10, 1, 1), InputError);
  EXPECT_THROW(theorem5(profile, 10, 1, 1, 0.1), InputError);
  EXPECT_THROW(theorem6({{}, 5, 4}, 10, 1, 0.5, 0.1), InputError);
}

}  // namespace
}  // namespace shoal::evaluation
