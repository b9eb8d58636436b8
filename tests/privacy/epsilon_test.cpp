#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/wide.hpp"
#include "shoal/error.hpp"
#include "shoal/privacy.hpp"

namespace shoal {
namespace {

TEST(Epsilon, IsTheDecimalThatWasWritten) {
  EXPECT_EQ(Epsilon::parse("1").units(), 1'000'000'000'000U);
  EXPECT_EQ(Epsilon::parse("0.1").units(), 100'000'000'000U);
  EXPECT_EQ(Epsilon::parse("+.5").units(), 500'000'000'000U);
  EXPECT_EQ(Epsilon::parse("1e-12").units(), 1U);
  EXPECT_EQ(Epsilon::parse("2.5E+3").units(), 2'500 * Epsilon::units_per_one);
  EXPECT_EQ(Epsilon::parse("1000000").units(), 1'000'000 * Epsilon::units_per_one);
  EXPECT_EQ(Epsilon::parse("0.1000000000000000000").units(), 100'000'000'000U);
}

TEST(Epsilon, RefusesWhatIsNoDecimalAboveZero) {
  for (const char* text : {"",    "0",     "0.000",           "-1",        "nan", "inf",     "1,5", "1.2.3",
                           ".",   "1e",    "1e+-3",           "1e--3",     "e3",  "1x",      " 1",  "1 ",
                           "0x1", "1e-13", "0.0000000000001", "1000000.1", "1e7", "1e99999", "١"}) {
    EXPECT_THROW(Epsilon::parse(text), InputError) << text;
  }
  EXPECT_THROW(Epsilon::parse(std::string(100, '1')), InputError);
}

TEST(Epsilon, FromDoubleTakesTheShortestDecimal) {
  EXPECT_EQ(Epsilon::from_double(0.1), Epsilon::parse("0.1"));
  EXPECT_EQ(Epsilon::from_double(1e-3), Epsilon::parse("0.001"));
  EXPECT_THROW(Epsilon::from_double(std::numeric_limits<double>::quiet_NaN()), InputError);
  EXPECT_THROW(Epsilon::from_double(-1), InputError);
  EXPECT_THROW(Epsilon::from_double(std::numeric_limits<double>::infinity()), InputError);
}

TEST(Epsilon, TextGivesTheSameBack) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto epsilon = Epsilon::from_units(1 + engine() % (1'000'000 * Epsilon::units_per_one));
    ASSERT_EQ(Epsilon::parse(epsilon.text()), epsilon);
  }
  EXPECT_EQ(Epsilon::parse("1.50").text(), "1.5");
  EXPECT_EQ(Epsilon::parse("3").text(), "3");
}

TEST(Epsilon, SplitLosesNothing) {
  std::mt19937_64 engine(2);
  for (int i = 0; i < 10'000; ++i) {
    const auto epsilon = Epsilon::from_units(1'000'000 + engine() % (1'000'000 * Epsilon::units_per_one));
    const double share = 0.001 + 0.998 * static_cast<double>(engine() >> 11) * 0x1p-53;
    const auto [first, second] = epsilon.split(share);
    ASSERT_EQ(first + second, epsilon);
    ASSERT_NEAR(first.value(), share * epsilon.value(), 1e-9 * epsilon.value() + 2e-12);
  }
  EXPECT_EQ(Epsilon::parse("1").split(0.9).first, Epsilon::parse("0.9"));
}

TEST(Epsilon, SplitRefusesEmptyParts) {
  for (const double share : {0.0, 1.0, -0.5, 2.0, std::numeric_limits<double>::quiet_NaN(), 1e-13}) {
    EXPECT_THROW(static_cast<void>(Epsilon::parse("1").split(share)), InputError) << share;
  }
  EXPECT_THROW(static_cast<void>(Epsilon::from_units(1).split(0.5)), InputError);
}

TEST(Epsilon, SumsRefuseOverflowAndDebt) {
  EXPECT_THROW(Epsilon::from_units(UINT64_MAX) + Epsilon::from_units(1), InputError);
  EXPECT_THROW(Epsilon::from_units(1) - Epsilon::from_units(2), Error);
}

TEST(Rate, IsTheExactRatioInLowestTerms) {
  EXPECT_EQ(Rate::of(Epsilon::parse("0.5"), 3), (Rate{1, 6}));
  EXPECT_EQ(Rate::of(Epsilon::parse("3"), 9), (Rate{1, 3}));
  std::mt19937_64 engine(3);
  for (int i = 0; i < 10'000; ++i) {
    const auto epsilon = Epsilon::from_units(1 + engine() % (100 * Epsilon::units_per_one));
    const std::uint64_t sensitivity = 1 + engine() % 1'000'000;
    const Rate rate = Rate::of(epsilon, sensitivity);
    ASSERT_EQ(static_cast<Uint128>(rate.numerator) * Epsilon::units_per_one * sensitivity,
              static_cast<Uint128>(rate.denominator) * epsilon.units());
  }
}

TEST(Rate, RefusesNoSensitivityNoEpsilonAndOverflow) {
  EXPECT_THROW(Rate::of(Epsilon::parse("1"), 0), Error);
  EXPECT_THROW(Rate::of(Epsilon::zero(), 1), Error);
  EXPECT_THROW(Rate::of(Epsilon::from_units(1), UINT64_MAX), InputError);
}

TEST(PrivacyUnit, ReplaceDoublesAndContributionsMultiply) {
  PrivacyUnit unit;
  EXPECT_EQ(unit.records_changed(), 1U);
  unit.neighbors = Neighbors::replace;
  EXPECT_EQ(unit.records_changed(), 2U);
  unit.max_contributions = 5;
  unit.column = "user";
  EXPECT_EQ(unit.records_changed(), 10U);
  unit.neighbors = Neighbors::add_remove;
  EXPECT_EQ(unit.records_changed(), 5U);
  unit.max_contributions = 0;
  EXPECT_THROW(static_cast<void>(unit.records_changed()), InputError);
}

TEST(PrivacyUnit, SeveralRecordsNeedAColumnAndAColumnANameThatIsNotBlank) {
  EXPECT_THROW(static_cast<void>((PrivacyUnit{Neighbors::add_remove, "", 5}).records_changed()), InputError);
  EXPECT_THROW(static_cast<void>((PrivacyUnit{Neighbors::add_remove, " ", 5}).records_changed()), InputError);
  EXPECT_EQ((PrivacyUnit{Neighbors::add_remove, "user", 1}.records_changed()), 1U);
}

}  // namespace
}  // namespace shoal
