// The step of the values of a column.
#include "points/value_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace shoal {
namespace {

// Values of a Gaussian, rounded to multiples of the step; `rounded`: the share of them that are.
StepCounts counts_of(double step, double rounded = 1, bool seconds = false) {
  StepCounts counts(seconds);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(40, 15);
  for (int i = 0; i < 2000; ++i) {
    const double value = normal(random) * (seconds ? 10'000 : 1);
    // As a reader gives it: the double nearest to the decimal.
    const double steps = std::round(value / step);
    const double near = step >= 1 ? steps * step : steps / std::round(1 / step);
    counts.add(i < 2000 * rounded ? near : value);
  }
  return counts;
}

TEST(ValueStep, IsFoundForUsualRoundings) {
  for (const double step : {10.0, 5.0, 1.0, 0.5, 0.25, 0.1, 0.01, 1e-3, 1e-6}) {
    const auto found = counts_of(step).step();
    ASSERT_TRUE(found.has_value()) << step;
    EXPECT_EQ(found->step, step);
    EXPECT_EQ(found->share, 1);
  }
}

TEST(ValueStep, OfTimesMayBeAQuarterOfAnHour) {
  EXPECT_EQ(counts_of(900, 1, true).step()->step, 900);
  EXPECT_EQ(counts_of(86400, 1, true).step()->step, 86400);
}

TEST(ValueStep, OfValuesThatAreNotRoundedIsNone) {
  EXPECT_FALSE(counts_of(1, 0).step().has_value());
  EXPECT_FALSE(counts_of(1, 0.5).step().has_value());
  EXPECT_EQ(counts_of(1, 0.5).step(0.4)->step, 1);  // half of them are
}

TEST(ValueStep, OfOneValueAloneIsNone) {
  StepCounts counts;
  for (int i = 0; i < 10; ++i) counts.add(5);
  counts.add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(counts.step().has_value());
}

}  // namespace
}  // namespace shoal
