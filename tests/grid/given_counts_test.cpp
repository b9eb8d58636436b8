#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

Grid grid() { return Grid({{0, 1, 3, "x"}, {-1, 1, 4, "y"}}); }

Counts given(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& count) {
  const auto table = array_points({{x.data()}, {y.data()}, {count.data()}}, x.size());
  return given_counts(*table, grid(), 2);
}

std::string refusal(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& count) {
  try {
    static_cast<void>(given(x, y, count));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(GivenCounts, AreThoseOfTheSamePointsInAnyOrder) {
  const std::vector<double> x = {0.1, 0.9, 0.9, 1.0}, y = {-1, 0.9, 0.9, 0.9};
  const auto points = array_points({{x.data()}, {y.data()}}, x.size());
  const Counts counted = quantize(*points, grid(), {.dense_limit = 1});
  EXPECT_EQ(given({2, 0}, {3, 0}, {3, 1}).raw(), counted.raw());
  EXPECT_EQ(given({0, 2}, {0, 3}, {1, 3}).raw(), counted.raw());
  EXPECT_EQ(given({2, 0}, {3, 0}, {3, 1}).points(), 4U);
  EXPECT_EQ(given({}, {}, {}).points(), 0U);
}

TEST(GivenCounts, MayHoldTheCountsInAnyColumn) {
  const std::vector<double> x = {2}, y = {3}, count = {7};
  const Counts expected = given(x, y, count);
  const auto first = array_points({{count.data()}, {x.data()}, {y.data()}}, 1);
  EXPECT_EQ(given_counts(*first, grid(), 0).raw(), expected.raw());
  const auto middle = array_points({{x.data()}, {count.data()}, {y.data()}}, 1);
  EXPECT_EQ(given_counts(*middle, grid(), 1).raw(), expected.raw());
}

TEST(GivenCounts, RefuseWhatIsNoCountOfRecordsOnTheGrid) {
  EXPECT_EQ(refusal({0, 3}, {0, 0}, {1, 1}),
            "row 2 of the counts has a cell outside the grid: axis 'x' has the cells 0 to 2; count on this grid");
  EXPECT_NE(refusal({0}, {4}, {1}).find("axis 'y' has the cells 0 to 3"), std::string::npos);
  EXPECT_NE(refusal({0}, {infinity}, {1}).find("outside the grid"), std::string::npos);
  EXPECT_NE(refusal({-1}, {0}, {1}).find("outside the grid"), std::string::npos);
  EXPECT_NE(refusal({0.5}, {0}, {1}).find("not whole"), std::string::npos);
  EXPECT_NE(refusal({nan}, {0}, {1}).find("has no cell on axis 'x'"), std::string::npos);
  EXPECT_EQ(refusal({0}, {0}, {-3}), "row 1 of the counts has a negative count");
  EXPECT_EQ(refusal({0}, {0}, {1.5}), "row 1 of the counts has a count that is not whole");
  EXPECT_EQ(refusal({0}, {0}, {nan}), "row 1 of the counts has no count");
  EXPECT_NE(refusal({0}, {0}, {-infinity}).find("negative"), std::string::npos);
}

TEST(GivenCounts, RefuseACellTwiceAlsoWhereItIsEmpty) {
  EXPECT_EQ(refusal({1, 0, 1}, {2, 0, 2}, {5, 1, 0}),
            "row 3 of the counts repeats the cell of an earlier row; add up the counts of each cell");
  EXPECT_EQ(refusal({1, 1}, {2, 3}, {0, 0}), "");
}

TEST(GivenCounts, RefuseATotalThatDoublesCannotHold) {
  EXPECT_EQ(refusal({0}, {0}, {0x1p53 - 1}), "");
  EXPECT_NE(refusal({0}, {0}, {0x1p53}).find("too large"), std::string::npos);
  EXPECT_NE(refusal({0, 1}, {0, 1}, {0x1p52, 0x1p52}).find("row 2"), std::string::npos);
  EXPECT_NE(refusal({0}, {0}, {infinity}).find("too large"), std::string::npos);
}

TEST(GivenCounts, NeedAColumnForEveryAxis) {
  const std::vector<double> one = {0};
  const auto table = array_points({{one.data()}, {one.data()}}, 1);
  EXPECT_THROW(given_counts(*table, grid(), 1), InputError);
}

}  // namespace
}  // namespace shoal
