// Bounds that are shown still hold.
#include "base/outward.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "shoal/text.hpp"

namespace shoal {
namespace {

TEST(Outward, AShownPercentageIsNeverBelowTheValue) {
  EXPECT_EQ(percent_at_most(73.1), "74");
  EXPECT_EQ(percent_at_most(73), "73");
  for (double epsilon = 0.01; epsilon < 12; epsilon *= 1.1) {
    const double sure = 100 / (1 + std::exp(-epsilon));
    EXPECT_GE(std::strtod(percent_at_most(sure).c_str(), nullptr), sure);
    EXPECT_LT(std::strtod(percent_at_most(sure).c_str(), nullptr), sure + 1);
  }
}

TEST(Outward, AShownProbabilityIsNeverAboveTheValue) {
  EXPECT_EQ(probability_at_least(0.95), "0.950");
  EXPECT_EQ(probability_at_least(0.9509), "0.950");
  EXPECT_EQ(probability_at_least(1), "0.999");
}

TEST(Outward, AShownFactorIsNeverBelowTheValueNorFarAbove) {
  EXPECT_EQ(at_least(1.2214, 3), 1.23);
  EXPECT_EQ(at_least(0.3, 3), 0.3);
  EXPECT_EQ(at_least(22026.5, 3), 22100);
  for (double value = 0.001; value < 1e8; value *= 1.37) {
    EXPECT_GE(at_least(value, 3), value * (1 - 1e-9));
    EXPECT_LE(at_least(value, 3), value * 1.0101);
  }
}

TEST(Outward, EndsOfAnIntervalGoApart) {
  EXPECT_EQ(rounded_down(-0.2), -1);
  EXPECT_EQ(rounded_up(0.2), 1);
  EXPECT_EQ(rounded_up(3), 3);
}

}  // namespace
}  // namespace shoal
