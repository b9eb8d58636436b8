#include "shoal/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "shoal/error.hpp"

namespace shoal {
namespace {

TEST(Cells, SparseHoldsZeroWhereNothingIsListed) {
  const auto cells = Cells<std::int64_t>::sparse({4, 5}, {2, 7, 19}, {10, -20, 30});
  EXPECT_EQ(cells.cell_count(), 20U);
  EXPECT_EQ(cells.stored(), 3U);
  EXPECT_EQ(cells.at(2), 10);
  EXPECT_EQ(cells.at(7), -20);
  EXPECT_EQ(cells.at(19), 30);
  for (const std::uint64_t cell : {0, 1, 3, 8, 18}) EXPECT_EQ(cells.at(cell), 0);
  EXPECT_EQ(cells.index_of(1), 7U);
}

TEST(Cells, DenseHoldsOneValueACell) {
  const auto cells = Cells<double>::dense({2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(cells.is_dense());
  EXPECT_EQ(cells.at(3), 4);
  EXPECT_EQ(cells.index_of(3), 3U);
}

TEST(Cells, TheLastAxisRunsFastest) {
  const Shape shape{3, 4, 5};
  EXPECT_EQ(strides(shape), (std::vector<std::uint64_t>{20, 5, 1}));
  for (std::uint64_t cell = 0; cell < 60; ++cell) {
    const auto at = coordinates(cell, shape);
    EXPECT_EQ(at[0] * 20 + at[1] * 5 + at[2], cell);
  }
}

TEST(Values, AreZeroWhateverTheirSize) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{3'000'000}}) {
    Values<std::int64_t> used(count, 7);  // memory that comes back is not clean by itself
    used = {};
    const Values<std::int64_t> values(count);
    EXPECT_EQ(std::count(values.begin(), values.end(), 0), static_cast<std::ptrdiff_t>(count));
  }
}

TEST(Cells, CountsOfCellsAreCheckedBeforeTheyOverflow) {
  EXPECT_EQ(cell_count({7}), 7U);
  EXPECT_EQ(cell_count({std::uint64_t{1} << 62}), std::uint64_t{1} << 62);
  EXPECT_THROW(cell_count({}), InputError);
  EXPECT_THROW(cell_count({3, 0}), InputError);
  EXPECT_THROW(cell_count({std::uint64_t{1} << 62, 2}), InputError);
  EXPECT_THROW(cell_count({std::uint64_t{1} << 40, std::uint64_t{1} << 40}), InputError);
}

}  // namespace
}  // namespace shoal
