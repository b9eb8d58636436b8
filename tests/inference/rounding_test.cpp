#include "inference/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace shoal {
namespace {

using Draw = std::function<double(std::mt19937_64&)>;

std::vector<std::int64_t> histogram_of(const Axis& axis, const RoundingTest& test, std::size_t records,
                                       const Draw& draw) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> result(test.bins());
  for (std::size_t i = 0; i < records; ++i) {
    const std::int64_t cell = axis.cell(draw(random));
    if (cell == outside_axis) continue;
    if (const auto bin = test.bin_of_cell()[static_cast<std::size_t>(cell)]) ++result[*bin];
  }
  return result;
}

std::vector<RoundedValues> found_in(const Axis& axis, std::size_t records, const Draw& draw) {
  const RoundingTest test(axis);
  return test.found(histogram_of(axis, test, records, draw), 0, static_cast<double>(records));
}

double gaussian(std::mt19937_64& random, double range) {
  return std::normal_distribution<double>(0.47 * range, range / 8)(random);
}

// By the number of steps to one, or for wide steps by the step, so that a multiple is the nearest double.
double rounded(double x, double step) {
  return step < 1 ? std::round(x / step) / std::round(1 / step) : std::round(x / step) * step;
}

struct Rounding {
  double range, step;
};
constexpr Rounding roundings[] = {{110, 1}, {110, 10}, {50, 0.5}, {8, 0.01}, {24, 0.25}, {86400, 900}};

TEST(Rounding, FindsTheStepOfRoundedValues) {
  for (const auto& [range, step] : roundings) {
    for (const std::uint64_t cells : {960U, 15360U}) {
      const Axis axis(0, range, cells);
      const auto found = found_in(
          axis, 20000, [range = range, step = step](auto& random) { return rounded(gaussian(random, range), step); });
      ASSERT_EQ(found.size(), 1U) << range << " " << step << " " << cells;
      // A few coarse multiples fit twice the step about as well.
      const double times = found[0].step / step;
      EXPECT_TRUE(std::fabs(times - 1) < 1e-9 || (step == 10 && std::fabs(times - 2) < 1e-9)) << step << " " << times;
      EXPECT_GT(found[0].share, 0.7) << range << " " << step << " " << cells;
    }
  }
}

TEST(Rounding, FindsTheShareOfTheRecordsThatAreRounded) {
  const auto found = found_in(Axis(0, 110, 960), 20000, [](auto& random) {
    const double x = gaussian(random, 110);
    return std::bernoulli_distribution(0.5)(random) ? std::round(x) : x;
  });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].step, 1);
  EXPECT_NEAR(found[0].share, 0.5, 0.15);
}

TEST(Rounding, FindsNothingInValuesThatAreNotRounded) {
  const std::vector<std::pair<const char*, Draw>> draws = {
      {"uniform", [](auto& random) { return std::uniform_real_distribution<double>(0, 1)(random); }},
      {"gaussian", [](auto& random) { return gaussian(random, 1); }},
      {"narrow", [](auto& random) { return 0.5 + gaussian(random, 0.02); }},
      {"one place", [](auto& random) { return std::bernoulli_distribution(0.3)(random) ? 0.5 : gaussian(random, 1); }},
      {"zeros", [](auto& random) { return std::bernoulli_distribution(0.3)(random) ? 0 : gaussian(random, 1); }}};
  for (const auto& [name, draw] : draws) {
    for (const std::uint64_t cells : {96U, 960U, 15360U}) {
      for (const std::size_t records : {1000U, 100000U}) {
        EXPECT_TRUE(found_in(Axis(0, 1, cells), records, draw).empty()) << name << " " << cells << " " << records;
      }
    }
  }
}

// Cells of a seventh to a fifth of a deviation, as in three axes and more: neighbouring cells differ by the slopes.
TEST(Rounding, SlopesOfClustersAreNotTakenForRounding) {
  for (const std::uint64_t cells : {96U, 128U, 192U}) {
    for (int set = 0; set < 8; ++set) {
      std::mt19937_64 places(static_cast<unsigned>(set));
      std::vector<double> centres(8);
      for (double& centre : centres) centre = std::uniform_real_distribution<double>(0.15, 0.85)(places);
      for (const std::size_t records : {3000U, 30000U, 300000U}) {
        const auto found = found_in(Axis(0, 1, cells), records, [&](auto& random) {
          return std::normal_distribution<double>(centres[random() % centres.size()], 0.05)(random);
        });
        EXPECT_TRUE(found.empty()) << cells << " " << set << " " << records << ": " << found.front().step;
      }
    }
  }
}

// Answers from 1 to 5, in cells of three and more axes.
TEST(Rounding, AFewCoarseMultiplesAreFoundInWideCells) {
  for (const std::uint64_t cells : {96U, 128U, 192U}) {
    for (const double share : {1.0, 0.5}) {
      for (const std::size_t records : {3000U, 300000U}) {
        const auto found = found_in(Axis(0, 1, cells), records, [share](auto& random) {
          const double x = gaussian(random, 1);
          return std::bernoulli_distribution(share)(random) ? std::round(x * 5) / 5 : x;
        });
        ASSERT_FALSE(found.empty()) << cells << " " << share << " " << records;
        EXPECT_EQ(found.back().step, 0.2) << cells << " " << share << " " << records;
      }
    }
  }
}

TEST(Rounding, AxesWhereDoublesAreFarApartHaveNoMultiples) {
  EXPECT_TRUE(multiples_within(Axis(1e15, 1e15 + 960, 8), 0.01).empty());
  EXPECT_EQ(multiples_within(Axis(0, 1, 8), 0.1).size(), 11U);
  EXPECT_EQ(multiples_within(Axis(0, 1, 8), 0.1)[3], 0.3);
  EXPECT_NO_THROW(RoundingTest(Axis(-1e300, 1e300, 960)));
  EXPECT_NO_THROW(RoundingTest(Axis(1e15, 1e15 + 960, 960)));
}

TEST(Rounding, NoAxisOfCategoriesDaysOrLogarithmsIsTested) {
  EXPECT_EQ(RoundingTest(Axis(-0.5, 1.5, 2, "ward", {.scale = Names{{"A", "B"}}})).bins(), 0U);
  EXPECT_EQ(RoundingTest(Axis(1, 1000, 960, "income", {.scale = Logarithmic{}})).bins(), 0U);
  EXPECT_EQ(RoundingTest(Axis(0, 960 * 86400.0, 960, "day", {.scale = Instants{.least = Instants::Least::day}})).bins(),
            0U);
}

// Cells that hold whole numbers of steps show no stripes, so there is nothing to test for these steps.
TEST(Rounding, StepsThatTheCellsFitAreNotTested) {
  const auto found = found_in(Axis(-0.5, 959.5, 960, "age", {.scale = Numbers{1}}), 20000,
                              [](auto& random) { return std::round(gaussian(random, 960)); });
  EXPECT_TRUE(found.empty());
}

TEST(Rounding, AMarginalShowsStripesOnAGivenGrid) {
  std::mt19937_64 random(3);
  const Axis axis(0, 110, 64);
  std::vector<double> ages(64), smooth(64), two(64);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::clamp(gaussian(random, 110), 0.0, 110.0);
    ++ages[static_cast<std::size_t>(axis.cell(std::round(x)))];
    ++smooth[static_cast<std::size_t>(axis.cell(x))];
    ++two[static_cast<std::size_t>(axis.cell(i % 2 == 0 ? 20 + x / 20 : 80 + x / 20))];
  }
  EXPECT_EQ(rounding_in_marginal(axis, ages)->step, std::optional<double>(1));
  EXPECT_FALSE(rounding_in_marginal(axis, smooth));
  EXPECT_FALSE(rounding_in_marginal(axis, two));
}

// On cells much finer than the step, parts of the step explain the marginal as well. An axis with such a step would
// have empty cells again.
TEST(Rounding, AMarginalShowsTheStepAndNoPartOfIt) {
  const Axis axis(0, 0.8, 4000, "x");
  std::mt19937_64 random(5);
  std::normal_distribution<double> spread(0.4, 0.08);
  for (const double step : {0.01, 0.02, 0.005}) {
    std::vector<double> marginal(axis.cells());
    for (int i = 0; i < 40000; ++i) {
      const std::int64_t at = axis.cell(std::round(spread(random) / step) / std::round(1 / step));
      if (at != outside_axis) ++marginal[static_cast<std::size_t>(at)];
    }
    EXPECT_EQ(rounding_in_marginal(axis, marginal)->step, std::optional<double>(step));
  }
}

// On few cells, steps to which only a part of the records would be rounded show the same stripes: 12 or 13 multiples of
// 0.01 lie in a cell of 0.125, and 1 or 2 multiples of 1/12. What is named must be true: the values are multiples of
// it.
TEST(Rounding, AMarginalNamesNoStepThatTheValuesDoNotHave) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any;
  int named = 0, seen = 0;
  for (const double step : {1.0, 0.5, 0.01, 0.1, 0.05}) {
    for (const double range : {1.0, 8.0, 50.0, 110.0}) {
      for (const std::uint64_t cells : {8, 12, 16, 20, 32, 40, 64, 128}) {
        for (const int records : {3000, 100000}) {
          for (const double share : {1.0, 0.5}) {
            if (step > range / 4) continue;
            const Axis axis(0, range, cells);
            std::vector<double> marginal(cells);
            for (int i = 0; i < records; ++i) {
              const double x = std::clamp(gaussian(random, range), 0.0, range);
              const double one = any(random) < share ? std::round(x / step) / std::round(1 / step) : x;
              if (const std::int64_t at = axis.cell(one); at != outside_axis) ++marginal[static_cast<std::size_t>(at)];
            }
            const std::optional<SeenRounding> found = rounding_in_marginal(axis, marginal);
            if (!found) continue;
            ++seen;
            if (!found->step) continue;
            ++named;
            const double times = step / *found->step;
            EXPECT_NEAR(times, std::round(times), 1e-6)
                << step << " of " << share << " on " << range << " in " << cells << " cells: " << *found->step;
            EXPECT_GE(times, 0.5);
          }
        }
      }
    }
  }
  EXPECT_GT(seen, 100);
  EXPECT_GT(named, 50);
}

TEST(Rounding, EightCellsOfHundredthsNameNoTwelfths) {
  const Axis axis(0, 1, 8);
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> any;
    std::vector<double> marginal(8);
    for (int i = 0; i < 50000; ++i)
      ++marginal[static_cast<std::size_t>(axis.cell(std::round(any(random) * 100) / 100))];
    const std::optional<SeenRounding> found = rounding_in_marginal(axis, marginal);
    seen += found ? 1 : 0;
    const double named = found && found->step ? *found->step : 0.01;
    EXPECT_NEAR(0.01 / named, std::round(0.01 / named), 1e-6) << named;
  }
  EXPECT_GE(seen, 10);
}

}  // namespace
}  // namespace shoal
