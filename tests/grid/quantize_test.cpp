#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "base/cell_index.hpp"
#include "base/parallel.hpp"
#include "block_points.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::BlockPoints;
using testing::Columns;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t always_sparse = 0;

// Values over the axis and a little past it, on edges, at bounds, one step beside them, and not numbers at all.
double nasty_value(const Axis& axis, std::mt19937_64& random) {
  std::uniform_real_distribution<double> about(axis.lo() - 0.1 * (axis.hi() - axis.lo()),
                                               axis.hi() + 0.1 * (axis.hi() - axis.lo()));
  const double edge = axis.edge(random() % (axis.cells() + 1));
  switch (random() % 12) {
    case 0:
      return edge;
    case 1:
      return std::nextafter(edge, infinity);
    case 2:
      return std::nextafter(edge, -infinity);
    case 3:
      return random() % 2 == 0 ? axis.lo() : axis.hi();
    case 4: {
      constexpr double odd[] = {nan, infinity, -infinity, 1e308, -1e308, 5e-324, -0.0, 0.0};
      return odd[random() % std::size(odd)];
    }
    default:
      return about(random);
  }
}

Grid random_grid(std::size_t dimensions, std::uint64_t most_cells, std::mt19937_64& random) {
  std::uniform_real_distribution<double> place(-100, 100);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const double lo = place(random);
    axes.emplace_back(lo, lo + std::fabs(place(random)) + 0.01, 1 + random() % most_cells);
  }
  return Grid(axes);
}

Columns random_points(const Grid& grid, std::size_t rows, std::mt19937_64& random) {
  Columns columns;
  for (const Axis& axis : grid.axes()) {
    auto& column = columns.emplace_back(rows);
    for (double& x : column) x = nasty_value(axis, random);
  }
  return columns;
}

// One point at a time, by the header's rule alone.
std::uint64_t cell_by_rule(const Grid& grid, const Columns& columns, std::size_t row, bool clamp) {
  std::uint64_t cell = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Axis& axis = grid.axis(i);
    const double x = columns[i][row];
    const std::int64_t along = axis.cell(clamp ? axis.clamp(x) : x);
    if (along == outside_axis) return grid.cell_count();
    cell = cell * axis.cells() + static_cast<std::uint64_t>(along);
  }
  return cell;
}

std::vector<std::int64_t> counts_by_rule(const Grid& grid, const Columns& columns, bool clamp) {
  std::vector<std::int64_t> counts(grid.cell_count() + 1, 0);
  for (std::size_t row = 0; row < columns.front().size(); ++row) ++counts[cell_by_rule(grid, columns, row, clamp)];
  return counts;
}

std::vector<std::int64_t> as_dense(const Cells<std::int64_t>& cells) {
  std::vector<std::int64_t> values(cells.cell_count(), 0);
  for (std::size_t i = 0; i < cells.stored(); ++i) values[cells.index_of(i)] = cells.values()[i];
  return values;
}

std::string refusal(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(CellIndexer, GivesWhatTheAxesGiveInBothWidths) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Grid grid = random_grid(1 + random() % 5, 40, random);
    const std::size_t rows = 1 + random() % CellIndexer::block;
    const Columns columns = random_points(grid, rows, random);
    const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
    for (const bool clamp : {false, true}) {
      const CellIndexer indexer(grid, clamp);
      std::vector<std::uint32_t> narrow(rows);
      std::vector<std::uint64_t> wide(rows);
      indexer(spans, 0, narrow);
      indexer(spans, 0, wide);
      for (std::size_t row = 0; row < rows; ++row) {
        ASSERT_EQ(wide[row], cell_by_rule(grid, columns, row, clamp));
        ASSERT_EQ(narrow[row], wide[row]);
      }
    }
  }
}

TEST(CellIndexer, HandlesTheWidestAxisAndTheLargestGrid) {
  const Axis axis(-3, 5, std::uint64_t{1} << 31);
  const Grid grid({axis, axis});
  std::mt19937_64 random(2);
  const Columns columns = random_points(grid, 2000, random);
  const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
  std::vector<std::uint64_t> cells(2000);
  CellIndexer{grid}(spans, 0, cells);
  for (std::size_t row = 0; row < cells.size(); ++row) ASSERT_EQ(cells[row], cell_by_rule(grid, columns, row, false));
}

TEST(Quantize, CountsByTheAxesRuleDenseAndSparseDroppedAndClamped) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Grid grid = random_grid(1 + random() % 4, 12, random);
    const std::size_t rows = random() % 3000;
    const Columns columns = random_points(grid, rows, random);
    BlockPoints points(columns, 1 + random() % 5000);
    for (const Outside outside : {Outside::drop, Outside::clamp}) {
      const auto expected = counts_by_rule(grid, columns, outside == Outside::clamp);
      for (const std::uint64_t limit : {dense_limit, always_sparse}) {
        const Counts counts = quantize(points, grid, {outside, limit, 1 + trial % 3U});
        ASSERT_EQ(counts.raw().is_dense(), limit == dense_limit);
        ASSERT_EQ(counts.points(), rows);
        ASSERT_EQ(counts.outside(), static_cast<std::uint64_t>(expected.back()));
        ASSERT_EQ(as_dense(counts.raw()), std::vector(expected.begin(), expected.end() - 1));
      }
    }
  }
}

TEST(Quantize, SparseListsOccupiedCellsOnlyInOrder) {
  std::mt19937_64 random(4);
  const Grid grid = random_grid(6, 2000, random);
  BlockPoints points(random_points(grid, 20000, random));
  const Counts counts = quantize(points, grid);
  const auto index = counts.raw().index();
  ASSERT_FALSE(counts.raw().is_dense());
  EXPECT_TRUE(std::is_sorted(index.begin(), index.end()));
  EXPECT_EQ(std::adjacent_find(index.begin(), index.end()), index.end());
  EXPECT_TRUE(std::all_of(counts.raw().values().begin(), counts.raw().values().end(), [](auto v) { return v > 0; }));
  const auto inside = std::accumulate(counts.raw().values().begin(), counts.raw().values().end(), std::int64_t{0});
  EXPECT_EQ(static_cast<std::uint64_t>(inside) + counts.outside(), counts.points());
}

TEST(Quantize, BlocksThreadsAndOrderOfRowsChangeNothing) {
  std::mt19937_64 random(5);
  const Grid grid = random_grid(3, 20, random);
  Columns columns = random_points(grid, 30011, random);
  BlockPoints whole(columns, columns.front().size());
  const Counts expected = quantize(whole, grid, {.threads = 1});
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const std::size_t rows_a_block : {1U, 7U, 2048U, 2049U, 100000U}) {
      BlockPoints split(columns, rows_a_block);
      for (const std::uint64_t limit : {dense_limit, always_sparse}) {
        const Counts counts = quantize(split, grid, {Outside::drop, limit, threads});
        ASSERT_EQ(as_dense(counts.raw()), as_dense(expected.raw())) << threads << ' ' << rows_a_block;
        ASSERT_EQ(counts.outside(), expected.outside());
      }
    }
  }
  std::vector<std::size_t> order(columns.front().size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  Columns shuffled = columns;
  for (std::size_t axis = 0; axis < columns.size(); ++axis) {
    for (std::size_t row = 0; row < order.size(); ++row) shuffled[axis][row] = columns[axis][order[row]];
  }
  BlockPoints permuted(shuffled);
  EXPECT_EQ(quantize(permuted, grid).raw(), expected.raw());
}

TEST(Quantize, ManyPointsInOneCellCarryPastTheNarrowCounters) {
  const Grid grid({Axis(0, 1, 3)});
  for (const std::size_t rows : {255U, 256U, 257U, 65536U, 1'000'003U}) {
    BlockPoints points({std::vector<double>(rows, 0.5)});
    const Counts counts = quantize(points, grid, {.threads = 3});
    EXPECT_EQ(as_dense(counts.raw()), (std::vector<std::int64_t>{0, static_cast<std::int64_t>(rows), 0}));
    BlockPoints away({std::vector<double>(rows, 2.0)});
    EXPECT_EQ(quantize(away, grid, {.threads = 2}).outside(), rows);
  }
}

// Cells of a fine grid are put aside by region first: more of them than a region holds, cells that carry, points
// outside.
TEST(Quantize, FineGridsAreCountedByRegionsToTheSame) {
  std::mt19937_64 random(6);
  const Grid grid({Axis(0, 1, 1500), Axis(0, 1, 1500)});
  Columns columns(2, std::vector<double>(400'000));
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    const bool heap = row % 4 == 0;
    for (auto& column : columns) {
      column[row] = heap ? 0.5 : static_cast<double>(random() >> 11) * 0x1p-53 * (row % 3 == 0 ? 0.1 : 1.01);
    }
  }
  std::vector<std::int64_t> expected = counts_by_rule(grid, columns, false);
  const auto outside = static_cast<std::uint64_t>(expected.back());
  expected.pop_back();
  ASSERT_GT(outside, 0U);
  for (const unsigned threads : {1U, 3U}) {
    BlockPoints points(columns, 5000);
    const Counts counts = quantize(points, grid, {.threads = threads});
    ASSERT_EQ(as_dense(counts.raw()), expected) << threads;
    ASSERT_EQ(counts.outside(), outside);
  }
}

// Coarse and fine, with heaps that carry in some stretches of cells and none in others.
TEST(Counts, StretchesCopiesAndTakenPlacesHoldWhatRawHolds) {
  std::mt19937_64 random(7);
  for (const std::uint64_t side : {150U, 1500U}) {
    const Grid grid({Axis(0, 1, side), Axis(0, 1, side)});
    Columns columns(2, std::vector<double>(60'000));
    for (std::size_t row = 0; row < columns[0].size(); ++row) {
      for (auto& column : columns) column[row] = row % 3 == 0 ? 0.7 : static_cast<double>(random() >> 11) * 0x1p-53;
    }
    BlockPoints points(columns, 5000);
    std::vector<std::int64_t> expected = counts_by_rule(grid, columns, false);
    expected.pop_back();
    Counts counts = quantize(points, grid, {.threads = 3});
    EXPECT_TRUE(counts.is_dense());
    for (int trial = 0; trial < 50; ++trial) {
      const std::uint64_t begin = random() % expected.size();
      const std::uint64_t end = begin + random() % (expected.size() - begin + 1);
      std::vector<std::int64_t> part(end - begin, -1);
      counts.read(begin, end, part.data());
      ASSERT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin)));
    }
    // Writing over a copy's place leaves the original as it is.
    Counts copy = counts;
    Counts::Place shared = std::move(copy).take();
    shared.fill(0, expected.size());
    ASSERT_EQ(as_dense(shared.cells), expected);
    std::fill(shared.cells.values().begin(), shared.cells.values().end(), -5);
    ASSERT_EQ(as_dense(counts.raw()), expected);
    // The only owner's place holds what is filled, stretch by stretch, in any order.
    Counts alone = quantize(points, grid, {.threads = 2});
    Counts::Place place = std::move(alone).take();
    for (std::uint64_t end = expected.size(); end > 0;) {
      const std::uint64_t begin = end - std::min<std::uint64_t>(end, 1 + random() % 9000);
      place.fill(begin, end);
      std::vector<std::int64_t> part(place.cells.values().begin() + static_cast<std::ptrdiff_t>(begin),
                                     place.cells.values().begin() + static_cast<std::ptrdiff_t>(end));
      ASSERT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin)));
      end = begin;
    }
    ASSERT_EQ(as_dense(place.cells), expected);
  }
}

TEST(Counts, ManyReadersAtOnceSeeTheSame) {
  const Grid grid({Axis(0, 1, 1500), Axis(0, 1, 1500)});
  std::mt19937_64 random(8);
  Columns columns(2, std::vector<double>(50'000));
  for (auto& column : columns)
    std::generate(column.begin(), column.end(), [&] { return static_cast<double>(random() % 700) / 1000; });
  BlockPoints points(columns, 5000);
  const Counts counts = quantize(points, grid, {.threads = 2});
  std::vector<std::int64_t> totals(4);
  parallel_for(totals.size(), 4, [&](std::uint64_t i) {
    if (i % 2 == 0) {
      const auto values = counts.raw().values();
      totals[i] = std::accumulate(values.begin(), values.end(), std::int64_t{0});
    } else {
      std::vector<std::int64_t> part(1500);
      for (std::uint64_t row = 0; row < 1500; ++row) {
        counts.read(row * 1500, (row + 1) * 1500, part.data());
        totals[i] = std::accumulate(part.begin(), part.end(), totals[i]);
      }
    }
  });
  EXPECT_EQ(totals, std::vector<std::int64_t>(4, 50'000));
}

TEST(Quantize, PointsOnTheBoundsLieInTheFirstAndLastCell) {
  const Grid grid({Axis(0, 1, 4), Axis(-1, 1, 4)});
  BlockPoints points({{0, 1, 1, 0}, {-1, 1, -1, 1}});
  const Counts counts = quantize(points, grid);
  EXPECT_EQ(counts.outside(), 0U);
  EXPECT_EQ(counts.raw().at(0), 1);
  EXPECT_EQ(counts.raw().at(15), 1);
  EXPECT_EQ(counts.raw().at(12), 1);
  EXPECT_EQ(counts.raw().at(3), 1);
}

TEST(Quantize, ClampMovesInfinitiesToTheBoundsAndDropsNaN) {
  const Grid grid({Axis(0, 1, 4)});
  BlockPoints points({{-infinity, infinity, nan, -5, 7}});
  const Counts dropped = quantize(points, grid);
  EXPECT_EQ(dropped.outside(), 5U);
  const Counts clamped = quantize(points, grid, {.outside = Outside::clamp});
  EXPECT_EQ(clamped.outside(), 1U);
  EXPECT_EQ(as_dense(clamped.raw()), (std::vector<std::int64_t>{2, 0, 0, 2}));
}

TEST(Quantize, EmptyInputOnePointAndOneCell) {
  const Grid grid({Axis(0, 1, 4), Axis(0, 1, 4)});
  BlockPoints none(Columns(2));
  for (const std::uint64_t limit : {dense_limit, always_sparse}) {
    const Counts empty = quantize(none, grid, {.dense_limit = limit});
    EXPECT_EQ(empty.points(), 0U);
    EXPECT_EQ(as_dense(empty.raw()), std::vector<std::int64_t>(16, 0));
    BlockPoints one(Columns{{0.3}, {0.9}});
    EXPECT_EQ(quantize(one, grid, {.dense_limit = limit}).raw().at(7), 1);
    const Counts single = quantize(one, Grid({Axis(0, 1, 1), Axis(0, 1, 1)}), {.dense_limit = limit});
    EXPECT_EQ(single.raw().at(0), 1);
    EXPECT_EQ(single.raw().cell_count(), 1U);
  }
}

TEST(Quantize, SixteenDimensionsAndHugeGridsStaySmallInMemory) {
  std::mt19937_64 random(6);
  const Grid grid(std::vector<Axis>(16, Axis(0, 1, 14)));  // 2.2e18 cells
  BlockPoints points(random_points(grid, 5000, random));
  const Counts counts = quantize(points, grid, {.outside = Outside::clamp});
  EXPECT_FALSE(counts.raw().is_dense());
  EXPECT_LE(counts.raw().stored(), 5000U);
}

TEST(Quantize, ColumnsThatDoNotMatchTheAxesAreRefused) {
  BlockPoints points({{0.5}, {0.5}, {0.5}});
  const std::string said = refusal([&] { quantize(points, Grid({Axis(0, 1, 4)})); });
  EXPECT_NE(said.find("3 columns"), std::string::npos) << said;
}

TEST(Quantize, DenseCountsBeyondMemoryAreRefusedWithTheBytesTheyNeed) {
  const Axis axis(0, 1, std::uint64_t{1} << 31);
  BlockPoints points(Columns{{0.5}, {0.5}});
  const std::string said = refusal([&] {
    quantize(points, Grid({axis, axis}), {.dense_limit = UINT64_MAX, .threads = 1});
  });
  EXPECT_NE(said.find("40 EiB"), std::string::npos) << said;  // 10 bytes a cell on one thread
  EXPECT_NE(said.find("2147483648 x 2147483648"), std::string::npos) << said;
}

}  // namespace
}  // namespace shoal
