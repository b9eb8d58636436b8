// Arrays, iterators and collected tables.
#include "shoal/points.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "grid/point_table.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> counting(std::size_t rows, double scale = 1) {
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = scale * static_cast<double>(i);
  return values;
}

TEST(ArrayPoints, OneThreadGivesEveryRowOnceInOrder) {
  const std::vector<double> x = counting(100'003);
  const std::vector<double> y = counting(100'003, -2);
  const auto points = array_points({{x.data()}, {y.data()}}, x.size());
  std::size_t at = 0;
  points->scan(1, [&](unsigned worker, const PointBlock& block) {
    EXPECT_EQ(worker, 0U);
    for (std::size_t i = 0; i < block.rows(); ++i, ++at) {
      ASSERT_EQ(block.columns[0][i], x[at]);
      ASSERT_EQ(block.columns[1][i], y[at]);
    }
  });
  EXPECT_EQ(at, x.size());
  EXPECT_EQ(points->progress(), 1);
}

TEST(ArrayPoints, ContiguousColumnsAreNotCopied) {
  const std::vector<double> x = counting(50'000);
  const auto points = array_points({{x.data()}}, x.size());
  points->scan(2, [&](unsigned, const PointBlock& block) {
    EXPECT_GE(block.columns[0].data(), x.data());
    EXPECT_LE(block.columns[0].data() + block.rows(), x.data() + x.size());
  });
}

TEST(ArrayPoints, AnyStrideReadsTheSameValues) {
  const std::size_t rows = 20'000;
  const std::vector<double> table = counting(3 * rows);
  const auto points =
      array_points({{table.data() + 1, 3}, {table.data() + 3 * rows - 1, -3}, {table.data() + 7, 0}}, rows);
  std::size_t at = 0;
  points->scan(1, [&](unsigned, const PointBlock& block) {
    for (std::size_t i = 0; i < block.rows(); ++i, ++at) {
      ASSERT_EQ(block.columns[0][i], table[1 + 3 * at]);
      ASSERT_EQ(block.columns[1][i], table[3 * (rows - at) - 1]);
      ASSERT_EQ(block.columns[2][i], 7);
    }
  });
  EXPECT_EQ(at, rows);
}

TEST(ArrayPoints, SeveralThreadsGiveEveryRowOnce) {
  const std::vector<double> x = counting(200'000);
  const auto points = array_points({{x.data()}}, x.size());
  for (const unsigned threads : {0U, 1U, 2U, 5U}) {
    std::vector<std::atomic<int>> seen(x.size());
    points->scan(threads, [&](unsigned worker, const PointBlock& block) {
      EXPECT_LT(worker, std::max(threads, 1U));
      for (const double value : block.columns[0]) ++seen[static_cast<std::size_t>(value)];
    });
    for (const auto& times : seen) ASSERT_EQ(times, 1);
  }
}

TEST(ArrayPoints, NoRowsGiveNoBlock) {
  const auto points = array_points({{nullptr}}, 0);
  points->scan(2, [](unsigned, const PointBlock&) { FAIL(); });
  EXPECT_EQ(points->progress(), 1);
}

TEST(ArrayPoints, UnitsFollowTheirRows) {
  const std::vector<double> x = counting(20'000);
  std::vector<std::string> text;
  for (std::size_t i = 0; i < x.size(); ++i) text.push_back(std::to_string(i));
  const std::vector<std::string_view> units(text.begin(), text.end());
  const auto points = array_points({{x.data()}}, x.size(), units);
  points->scan(2, [&](unsigned, const PointBlock& block) {
    ASSERT_EQ(block.units.size(), block.rows());
    for (std::size_t i = 0; i < block.rows(); ++i)
      ASSERT_EQ(std::stod(std::string(block.units[i])), block.columns[0][i]);
  });
  EXPECT_THROW(array_points({{x.data()}}, x.size() - 1, units), InputError);
  EXPECT_THROW(array_points({}, 0), InputError);
}

TEST(ArrayPoints, WhatVisitThrowsEndsTheScan) {
  const std::vector<double> x = counting(1'000'000);
  const auto points = array_points({{x.data()}}, x.size());
  for (const unsigned threads : {1U, 3U}) {
    std::atomic<int> blocks = 0;
    EXPECT_THROW(points->scan(threads,
                              [&](unsigned, const PointBlock&) {
                                ++blocks;
                                throw InputError("enough");
                              }),
                 InputError);
    EXPECT_LE(blocks, static_cast<int>(threads));
  }
}

TEST(ArrayPoints, WhatOneWorkerThrowsEndsTheOthers) {
  const std::vector<double> x = counting(1'000'000);
  const auto points = array_points({{x.data()}}, x.size());
  std::atomic<bool> other_works = false;
  std::atomic<bool> thrown = false;
  std::atomic<std::size_t> rows = 0;
  EXPECT_THROW(points->scan(2,
                            [&](unsigned, const PointBlock& block) {
                              if (block.columns[0][0] == 0) {
                                for (int i = 0; i < 2000 && !other_works; ++i) {
                                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                }
                                thrown = true;
                                throw InputError("enough");
                              }
                              other_works = true;
                              while (!thrown) std::this_thread::yield();
                              std::this_thread::sleep_for(std::chrono::milliseconds(10));
                              rows += block.rows();
                            }),
               InputError);
  EXPECT_LT(rows, x.size() / 2);
}

TEST(ArrayPoints, AStopEndsTheScan) {
  const std::vector<double> x = counting(1'000'000);
  const auto points = array_points({{x.data()}}, x.size());
  std::atomic<bool> stop = false;
  points->stop_when(&stop);
  int blocks = 0;
  EXPECT_THROW(points->scan(1,
                            [&](unsigned, const PointBlock&) {
                              ++blocks;
                              stop = true;
                            }),
               Error);
  EXPECT_EQ(blocks, 1);
}

TEST(IteratedPoints, BlocksComeUntilAnEmptyOne) {
  std::vector<double> values(10);
  int left = 5;
  const auto points = iterated_points(2, [&]() -> PointBlock {
    if (left-- == 0) return {};
    return {{std::span<const double>(values), std::span<const double>(values)}, {}};
  });
  std::size_t rows = 0;
  points->scan(4, [&](unsigned worker, const PointBlock& block) {
    EXPECT_EQ(worker, 0U);
    rows += block.rows();
  });
  EXPECT_EQ(rows, 50U);
  EXPECT_THROW(points->scan(1, [](unsigned, const PointBlock&) {}), InputError);
}

TEST(IteratedPoints, BlocksOfTheWrongShapeAreRefused) {
  const std::vector<double> values(10);
  const std::span<const double> ten(values);
  const auto expect_refused = [](PointBlock block) {
    const auto points = iterated_points(2, [&] { return block; });
    EXPECT_THROW(points->scan(1, [](unsigned, const PointBlock&) {}), InputError);
  };
  expect_refused({{ten}, {}});
  expect_refused({{ten, ten.first(9)}, {}});
  const std::vector<std::string_view> units(3);
  expect_refused({{ten, ten}, units});
  EXPECT_THROW(iterated_points(0, [] { return PointBlock{}; }), InputError);
}

TEST(Collect, KeepsTheRowsInsideInOrder) {
  const std::vector<double> x = {0, 1, nan, 0.5, -0.1, 0.25};
  const std::vector<double> y = {0, 1, 0.5, 2, 0.5, 0.75};
  const Grid grid({Axis(0, 1, 4), Axis(0, 1, 4)});
  const auto points = array_points({{x.data()}, {y.data()}}, x.size());
  const PointTable dropped = collect(*points, grid);
  EXPECT_EQ(dropped.columns[0], (std::vector<double>{0, 1, 0.25}));
  EXPECT_EQ(dropped.columns[1], (std::vector<double>{0, 1, 0.75}));
  EXPECT_EQ(dropped.rows(), 3U);
  const PointTable clamped = collect(*points, grid, Outside::clamp);
  EXPECT_EQ(clamped.columns[0], (std::vector<double>{0, 1, 0.5, 0, 0.25}));
  EXPECT_EQ(clamped.columns[1], (std::vector<double>{0, 1, 1, 0.5, 0.75}));
  EXPECT_THROW(collect(*points, Grid({Axis(0, 1, 4)})), InputError);
}

TEST(UnitKey, IsTheTextWithoutSpacesAndTabsAroundIt) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"17"sv, " 17"sv, "17 "sv, "\t 17 \t"sv}) EXPECT_EQ(unit_key(text), "17");
  for (const std::string_view text : {"17.0"sv, "017"sv, "1 7"sv, "17\r"sv, "\n17"sv, "17\0"sv, "\xc2\xa0"sv}) {
    EXPECT_EQ(unit_key(text), text);
  }
  EXPECT_TRUE(unit_key("").empty());
  EXPECT_TRUE(unit_key(" \t ").empty());
}

}  // namespace
}  // namespace shoal
