#include "shoal/grid.hpp"

#include <gtest/gtest.h>

#include "shoal/error.hpp"

namespace shoal {
namespace {

TEST(Grid, ShapeIsTheCellsOfItsAxes) {
  const Grid grid({Axis(0, 1, 3), Axis(0, 1, 5), Axis(0, 1, 7)});
  EXPECT_EQ(grid.dimensions(), 3U);
  EXPECT_EQ(grid.shape(), (Shape{3, 5, 7}));
  EXPECT_EQ(grid.cell_count(), 105U);
}

TEST(Grid, NoAxesAreRefused) { EXPECT_THROW(Grid(std::vector<Axis>{}), InputError); }

TEST(Grid, SixteenAxesAreAcceptedAndSeventeenRefused) {
  EXPECT_EQ(Grid(std::vector<Axis>(16, Axis(0, 1, 2))).cell_count(), 65536U);
  EXPECT_THROW(Grid(std::vector<Axis>(17, Axis(0, 1, 2))), InputError);
}

TEST(Grid, ProductsPast62BitsAreRefused) {
  const Axis axis(0, 1, std::uint64_t{1} << 31);
  EXPECT_EQ(Grid({axis, axis}).cell_count(), std::uint64_t{1} << 62);
  EXPECT_THROW(Grid({axis, axis, Axis(0, 1, 2)}), InputError);
  EXPECT_THROW(Grid({axis, axis, axis, axis, axis}), InputError);  // would wrap around 64 bits
}

}  // namespace
}  // namespace shoal
