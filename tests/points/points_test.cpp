// Arrays, iterators, collected tables, and the bounding of records per unit.
#include "shoal/points.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "grid/contributions.hpp"
#include "grid/point_table.hpp"
#include "privacy/noise.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> counting(std::size_t rows, double scale = 1) {
  std::vector<double> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = scale * static_cast<double>(i);
  return values;
}

// Not private, not random: a fixed generator behind the interface that the bounding draws from.
class FakeNoise final : public Noise {
 public:
  explicit FakeNoise(std::uint64_t seed) : engine_(seed) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t>, Rate, unsigned) override {}
  std::uint64_t below(std::uint64_t bound) override {
    ++draws;
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(engine_);
  }
  std::size_t choose(std::span<const WeightedInterval>, Rate) override { return 0; }
  std::uint64_t draws = 0;

 private:
  std::mt19937_64 engine_;
};

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

// Rows of units 0..99, unit u having u + 1 rows with distinct values, shuffled.
struct UnitRows {
  std::vector<double> values;
  std::vector<std::string> text;
  std::vector<std::string_view> units;
};

UnitRows rows_of_units() {
  UnitRows rows;
  std::vector<std::pair<int, double>> all;
  for (int unit = 0; unit < 100; ++unit) {
    for (int i = 0; i <= unit; ++i) all.emplace_back(unit, 1000 * unit + i);
  }
  std::shuffle(all.begin(), all.end(), std::mt19937_64(7));
  for (const auto& [unit, value] : all) {
    rows.values.push_back(value);
    rows.text.push_back("user " + std::to_string(unit));
  }
  rows.units.assign(rows.text.begin(), rows.text.end());
  return rows;
}

TEST(BoundContributions, KeepsAtMostMOfEachUnitAndOnlyItsOwn) {
  const UnitRows rows = rows_of_units();
  const auto source = array_points({{rows.values.data()}, {rows.values.data()}}, rows.values.size(), rows.units);
  for (const std::uint64_t most : {1U, 7U, 1000U}) {
    FakeNoise noise(3);
    const auto bounded = bound_contributions(*source, most, noise);
    EXPECT_EQ(bounded->dimensions(), 2U);
    for (int again = 0; again < 2; ++again) {
      std::map<int, std::set<double>> kept;
      bounded->scan(1, [&](unsigned, const PointBlock& block) {
        for (std::size_t i = 0; i < block.rows(); ++i) {
          EXPECT_EQ(block.columns[0][i], block.columns[1][i]);
          const int unit = static_cast<int>(block.columns[0][i]) / 1000;
          EXPECT_TRUE(kept[unit].insert(block.columns[0][i]).second) << "a record was kept twice";
        }
      });
      ASSERT_EQ(kept.size(), 100U);
      for (const auto& [unit, values] : kept) {
        EXPECT_EQ(values.size(), std::min<std::size_t>(most, static_cast<std::size_t>(unit) + 1));
      }
    }
  }
}

// Every record of a unit with 10 is kept equally often: 3 in 10 of 20,000 trials, 6000 each, standard deviation 65.
// A deviation of 400 is six of them.
TEST(BoundContributions, KeepsEveryRecordOfAUnitEquallyOften) {
  const std::vector<double> values = counting(10);
  const std::vector<std::string_view> units(10, "one");
  const auto source = array_points({{values.data()}}, values.size(), units);
  std::vector<int> times(10);
  FakeNoise noise(11);
  for (int trial = 0; trial < 20'000; ++trial) {
    bound_contributions(*source, 3, noise)->scan(1, [&](unsigned, const PointBlock& block) {
      for (const double value : block.columns[0]) ++times[static_cast<std::size_t>(value)];
    });
  }
  for (const int each : times) EXPECT_NEAR(each, 6000, 400);
}

TEST(BoundContributions, DrawsOnlyForUnitsThatHaveTooMany) {
  const std::vector<double> values = counting(6);
  const std::vector<std::string_view> units = {"a", "b", "a", "b", "b", "c"};
  const auto source = array_points({{values.data()}}, values.size(), units);
  FakeNoise noise(1);
  (void)bound_contributions(*source, 2, noise);
  EXPECT_EQ(noise.draws, 1U);
}

TEST(BoundContributions, UnitsAreToldApartByTheirBytes) {
  using namespace std::string_view_literals;
  const std::vector<double> values = counting(6);
  const std::vector<std::string_view> units = {"a", "a ", "A", "a\0"sv, "\xff", "\xc3\xbf"};
  const auto source = array_points({{values.data()}}, values.size(), units);
  FakeNoise noise(1);
  const auto bounded = bound_contributions(*source, 1, noise);
  std::size_t rows = 0;
  bounded->scan(1, [&](unsigned, const PointBlock& block) { rows += block.rows(); });
  EXPECT_EQ(rows, 6U);
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

TEST(BoundContributions, AnEmptyUnitIsRefused) {
  const std::vector<double> values = counting(2);
  const std::vector<std::string_view> units = {"a", ""};
  const auto source = array_points({{values.data()}}, values.size(), units);
  FakeNoise noise(1);
  EXPECT_THROW((void)bound_contributions(*source, 1, noise), InputError);
}

TEST(BoundContributions, RecordsThatLieNowhereTakeNoPlace) {
  const std::vector<double> values = {nan, 1, nan};
  const std::vector<std::string_view> units = {"a", "a", ""};
  const auto source = array_points({{values.data()}}, values.size(), units);
  FakeNoise noise(1);
  const auto bounded = bound_contributions(*source, 1, noise);
  std::vector<double> kept;
  bounded->scan(
      1, [&](unsigned, const PointBlock& block) { kept.assign(block.columns[0].begin(), block.columns[0].end()); });
  EXPECT_EQ(kept, std::vector<double>{1});
  EXPECT_EQ(noise.draws, 0U);
}

TEST(BoundContributions, NoUnitColumnOrNoContributionIsRefused) {
  const std::vector<double> values = counting(3);
  const auto source = array_points({{values.data()}}, values.size());
  FakeNoise noise(1);
  EXPECT_THROW((void)bound_contributions(*source, 1, noise), InputError);
  EXPECT_THROW((void)bound_contributions(*source, 0, noise), InputError);
}

}  // namespace
}  // namespace shoal
