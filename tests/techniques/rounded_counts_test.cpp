#include "techniques/rounded_counts.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "techniques/automatic.hpp"

namespace shoal {
namespace {

Counts random_counts(const Grid& grid, bool dense, unsigned seed) {
  std::mt19937_64 random(seed);
  Values<std::int64_t> values;
  std::vector<std::uint64_t> index;
  for (std::uint64_t cell = 0; cell < grid.cell_count(); ++cell) {
    const auto count = static_cast<std::int64_t>(random() % 5);
    if (!dense && count == 0) continue;
    index.push_back(cell);
    values.push_back(count);
  }
  return {grid,
          dense ? Cells<std::int64_t>::dense(grid.shape(), std::move(values))
                : Cells<std::int64_t>::sparse(grid.shape(), std::move(index), std::move(values)),
          0, 0};
}

Counts with_one_more(const Counts& counts, std::size_t stored, std::int64_t more) {
  Cells<std::int64_t> cells = counts.raw();
  cells.values()[stored] += more;
  return {counts.grid(), std::move(cells), 0, 0};
}

std::vector<std::int64_t> all_values(const Cells<std::int64_t>& cells) {
  std::vector<std::int64_t> result(cell_count(cells.shape()));
  for (std::size_t i = 0; i < cells.stored(); ++i) result[cells.index_of(i)] = cells.values()[i];
  return result;
}

std::uint64_t distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<std::uint64_t>(std::abs(a[i] - b[i]));
  return sum;
}

Grid grid_of(std::uint64_t cells, Border border = Border::open) {
  return Grid({Axis(0, 11, cells, "x", {.border = border}), Axis(0, 11, cells, "y")});
}

const std::vector<RoundedValues> by_ones = {{0, 1, 0.7}, {1, 0.5, 0.4}, {1, 1, 0.6}};

// The sensitivity that the proof of --auto rests on: one record, and with shares any number of parts of one cell.
TEST(RoundedCounts, SpreadingMovesAsMuchAsTheRecordsThatComeOrGo) {
  for (const bool dense : {true, false}) {
    for (const Border border : {Border::open, Border::circle}) {
      const Counts counts = random_counts(grid_of(48, border), dense, 1);
      const Grid chosen = grid_of(8, border);
      const auto before = all_values(spread_rounded(counts, chosen, by_ones).raw());
      for (std::size_t at = 0; at < counts.raw().stored(); at += 7) {
        for (const std::int64_t more : {1, 3, 70000}) {
          const auto after = all_values(spread_rounded(with_one_more(counts, at, more), chosen, by_ones).raw());
          ASSERT_EQ(distance(before, after), static_cast<std::uint64_t>(more)) << dense << " " << at;
        }
      }
    }
  }
}

TEST(RoundedCounts, HistogramsMoveByOneForEachAxisAtMost) {
  const Counts counts = random_counts(grid_of(48), true, 2);
  const std::uint64_t axes = rounding_axes(counts.grid());
  ASSERT_EQ(axes, 2U);
  const auto before = rounding_histograms(counts);
  for (std::size_t at = 0; at < counts.raw().stored(); ++at) {
    EXPECT_LE(distance(before, rounding_histograms(with_one_more(counts, at, 1))), axes) << at;
  }
}

TEST(RoundedCounts, SpreadingKeepsTheRecordsAndSplitsAStepWhereTheEdgeDoes) {
  const Grid finest({Axis(0, 11, 110, "x")}), chosen({Axis(0, 11, 10, "x")});  // blocks of 2.2
  Values<std::int64_t> values;
  for (int i = 0; i < 110; ++i) values.push_back(i % 10 == 0 ? 100000 : 0);
  const Counts counts{finest, Cells<std::int64_t>::dense(finest.shape(), std::move(values)), 0, 0};
  const auto spread = all_values(spread_rounded(counts, chosen, {{0, 1, 1.0}}).raw());
  EXPECT_EQ(std::accumulate(spread.begin(), spread.end(), std::int64_t{0}), 1100000);
  EXPECT_NEAR(static_cast<double>(spread[20]), 70000, 10);  // of 1.5 to 2.5, 0.3 lie past 2.2
  EXPECT_NEAR(static_cast<double>(spread[22]), 30000, 10);
  for (std::size_t block = 1; block + 1 < 5; ++block) {
    const auto begin = spread.begin() + static_cast<std::ptrdiff_t>(22 * block);
    EXPECT_NEAR(static_cast<double>(std::accumulate(begin, begin + 22, std::int64_t{0})), 220000, 30) << block;
  }
}

TEST(RoundedCounts, WithoutRoundingNothingMoves) {
  const Counts counts = random_counts(grid_of(48), true, 4);
  EXPECT_EQ(spread_rounded(counts, grid_of(8), {}).raw(), counts.raw());
}

TEST(RoundedCounts, NoBlockIsNarrowerThanAStep) {
  const Grid finest = finest_grid(Grid({Axis(0, 110, 2, "age")}));
  EXPECT_EQ(wide_enough(finest, {960}, {{0, 10, 1.0}}), (Shape{20}));
  EXPECT_EQ(wide_enough(finest, {960}, {{0, 0.01, 1.0}}), (Shape{960}));
  EXPECT_EQ(wide_enough(finest, {960}, {{0, 100, 1.0}}), (Shape{8}));  // the coarsest
}

}  // namespace
}  // namespace shoal
