#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "shoal/error.hpp"
#include "shoal/grid.hpp"

namespace shoal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Axis, CellsAreHalfOpenAndTheLastIsClosed) {
  const Axis axis(0, 4, 4);
  EXPECT_EQ(axis.cell(0), 0);
  EXPECT_EQ(axis.cell(std::nextafter(1, 0)), 0);
  EXPECT_EQ(axis.cell(1), 1);
  EXPECT_EQ(axis.cell(std::nextafter(4, 0)), 3);
  EXPECT_EQ(axis.cell(4), 3);
}

TEST(Axis, OutsideLiesInNoCell) {
  const Axis axis(-1, 1, 10);
  for (const double x : {std::nextafter(-1, -2), std::nextafter(1, 2), -infinity, infinity, nan, 1e308, -1e308}) {
    EXPECT_EQ(axis.cell(x), outside_axis) << x;
  }
}

TEST(Axis, NegativeZeroIsZero) {
  EXPECT_EQ(Axis(0, 1, 8).cell(-0.0), 0);
  EXPECT_EQ(Axis(-1, -0.0, 8).cell(0.0), 7);
}

TEST(Axis, DecimalEdgesOpenTheirCell) {
  const Axis axis(0, 1, 10);
  for (int j = 0; j < 10; ++j) EXPECT_EQ(axis.cell(j / 10.0), j) << j;
}

TEST(Axis, ClampMovesToTheNearerBoundAndKeepsNaN) {
  const Axis axis(2, 3, 5);
  EXPECT_EQ(axis.clamp(-infinity), 2);
  EXPECT_EQ(axis.clamp(infinity), 3);
  EXPECT_EQ(axis.clamp(2.5), 2.5);
  EXPECT_TRUE(std::isnan(axis.clamp(nan)));
  EXPECT_EQ(axis.cell(axis.clamp(nan)), outside_axis);
}

TEST(Axis, EdgesRunFromLoToHiAndAscend) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> place(-1e6, 1e6);
  for (int trial = 0; trial < 1000; ++trial) {
    const double a = place(random);
    const double b = place(random);
    const Axis axis(std::min(a, b), std::max(a, b), 1 + random() % 1000);
    EXPECT_EQ(axis.edge(0), axis.lo());
    EXPECT_EQ(axis.edge(axis.cells()), axis.hi());
    for (std::uint64_t j = 0; j < axis.cells(); ++j) ASSERT_LT(axis.edge(j), axis.edge(j + 1));
  }
}

TEST(Axis, CellsAscendWithTheCoordinateAndMidpointsLieInTheirCell) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> place(-1e3, 1e3);
  for (int trial = 0; trial < 1000; ++trial) {
    const double lo = place(random);
    const Axis axis(lo, lo + std::fabs(place(random)) + 1e-3, 1 + random() % 500);
    for (std::uint64_t j = 0; j < axis.cells(); ++j) {
      ASSERT_EQ(axis.cell((axis.edge(j) + axis.edge(j + 1)) / 2), static_cast<std::int64_t>(j));
    }
    std::uniform_real_distribution<double> inside(axis.lo(), axis.hi());
    const double x = inside(random);
    const double y = inside(random);
    ASSERT_LE(axis.cell(std::min(x, y)), axis.cell(std::max(x, y)));
  }
}

TEST(Axis, CoarseCellsRoundUp) {
  EXPECT_EQ(Axis(0, 1, 9).coarse_cells(0), 9U);
  EXPECT_EQ(Axis(0, 1, 9).coarse_cells(1), 5U);
  EXPECT_EQ(Axis(0, 1, 9).coarse_cells(2), 3U);
  EXPECT_EQ(Axis(0, 1, 9).coarse_cells(40), 1U);
}

TEST(Axis, BadBoundsAreRefused) {
  EXPECT_THROW(Axis(0, 0, 4), InputError);
  EXPECT_THROW(Axis(1, 0, 4), InputError);
  EXPECT_THROW(Axis(nan, 1, 4), InputError);
  EXPECT_THROW(Axis(0, nan, 4), InputError);
  EXPECT_THROW(Axis(-infinity, 1, 4), InputError);
  EXPECT_THROW(Axis(0, infinity, 4), InputError);
  EXPECT_THROW(Axis(-1.7e308, 1.7e308, 4), InputError);        // the width overflows
  EXPECT_THROW(Axis(0, 1e308, 64), InputError);                // (hi - lo) * cells overflows
  EXPECT_THROW(Axis(1, std::nextafter(1, 2), 4), InputError);  // cells narrower than doubles are apart
  EXPECT_THROW(Axis(1e15, 1e15 + 1, 1'000'000), InputError);
}

TEST(Axis, BadCellNumbersAreRefused) {
  EXPECT_THROW(Axis(0, 1, 0), InputError);
  EXPECT_THROW(Axis(0, 1, (std::uint64_t{1} << 31) + 1), InputError);
  EXPECT_NO_THROW(Axis(0, 1, std::uint64_t{1} << 31));
}

TEST(Axis, MessagesNameTheAxis) {
  try {
    const Axis axis(3, 2, 4, "longitude");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'longitude'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("3:2"), std::string::npos) << error.what();
  }
}

TEST(CutAxis, OpensACellAtEachCut) {
  const Axis axis = Axis(0, 10, 1, "x").cut_at({1, 4, 4.5});
  EXPECT_EQ(axis.cells(), 4U);
  EXPECT_EQ(axis.edge(0), 0);
  EXPECT_EQ(axis.edge(1), 1);
  EXPECT_EQ(axis.edge(3), 4.5);
  EXPECT_EQ(axis.edge(4), 10);
  EXPECT_EQ(axis.cell(0), 0);
  EXPECT_EQ(axis.cell(std::nextafter(1, 0)), 0);
  EXPECT_EQ(axis.cell(1), 1);
  EXPECT_EQ(axis.cell(4.25), 2);
  EXPECT_EQ(axis.cell(10), 3);
  EXPECT_EQ(axis.cell(10.1), outside_axis);
  EXPECT_EQ(axis.cell(std::nan("")), outside_axis);
  EXPECT_NE(axis, Axis(0, 10, 4, "x"));
}

TEST(CutAxis, RefusesCutsThatAreNotAscendingAndInside) {
  const Axis axis(0, 10, 1, "x");
  EXPECT_THROW(static_cast<void>(axis.cut_at({0, 5})), InputError);
  EXPECT_THROW(static_cast<void>(axis.cut_at({5, 5})), InputError);
  EXPECT_THROW(static_cast<void>(axis.cut_at({10})), InputError);
  EXPECT_THROW(static_cast<void>(axis.cut_at({std::nan("")})), InputError);
  EXPECT_THROW(static_cast<void>(Axis(0, 1, 1, "x", {.border = Border::circle}).cut_at({0.5})), InputError);
}

}  // namespace
}  // namespace shoal
