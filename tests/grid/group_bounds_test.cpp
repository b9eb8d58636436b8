#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "grid/contributions.hpp"
#include "privacy/noise.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"
#include "shoal/release_set.hpp"

namespace shoal {
namespace {

// The group of a row, its number (a coordinate, so that rows can be told apart), and its unit.
struct Row {
  double group, number;
  std::string unit;
};

// Six groups of 512 cells, one for every number.
const Grid grid({{-0.5, 5.5, 6, "group"}, {-0.5, 511.5, 512, "number"}});

Counts counted(const std::vector<Row>& rows, const Contribution& contribution, std::uint64_t seed) {
  std::vector<double> groups, numbers;
  std::vector<std::string_view> units;
  for (const Row& row : rows) {
    groups.push_back(row.group);
    numbers.push_back(row.number);
    units.push_back(row.unit);
  }
  const auto points = array_points({{groups.data()}, {numbers.data()}}, rows.size(), units);
  const auto noise = seeded_noise_not_private(seed);
  const ContributionKey key = ContributionKey::draw(*noise);
  Counts counts = bounded_counts(*points, grid, {.threads = 1}, contribution, key);
  if (contribution.parts == 1) {  // the same choice
    const PointTable table = bounded_points(*points, grid, Outside::drop, contribution, key);
    EXPECT_EQ(quantize(table, grid).raw(), counts.raw());
  }
  return counts;
}

// Columns of groups and numbers of what is kept.
PointTable bounded(const std::vector<Row>& rows, std::uint64_t max_groups, std::uint64_t most, std::uint64_t seed) {
  const Counts counts = counted(rows, {.most = most, .parts = 1, .group_cells = 512, .max_groups = max_groups}, seed);
  PointTable table;
  table.columns.resize(2);
  for (std::uint64_t cell = 0; cell < grid.cell_count(); ++cell) {
    const std::uint64_t group = cell / 512, number = cell % 512;
    for (std::int64_t i = 0; i < counts.raw().values()[cell]; ++i) {
      table.columns[0].push_back(static_cast<double>(group));
      table.columns[1].push_back(static_cast<double>(number));
    }
  }
  return table;
}

std::vector<Row> some_rows(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Row> rows;
  for (int i = 0; i < 400; ++i) {
    rows.push_back({static_cast<double>(random() % 6), static_cast<double>(i), "u" + std::to_string(random() % 15)});
  }
  return rows;
}

TEST(BoundGroups, AUnitKeepsAtMostSoManyGroupsAndRecordsInEach) {
  for (const std::uint64_t max_groups : {1U, 2U, 5U, 6U}) {
    for (const std::uint64_t most : {1U, 3U}) {
      const std::vector<Row> rows = some_rows(3);
      const PointTable kept = bounded(rows, max_groups, most, 7);
      std::map<std::string, std::map<double, std::set<double>>> of;
      for (std::size_t i = 0; i < kept.rows(); ++i) {
        const Row& row = rows[static_cast<std::size_t>(kept.columns[1][i])];
        EXPECT_EQ(row.group, kept.columns[0][i]);
        EXPECT_TRUE(of[row.unit][row.group].insert(row.number).second) << "twice";
      }
      std::map<std::string, std::map<double, std::size_t>> all;
      for (const Row& row : rows) ++all[row.unit][row.group];
      ASSERT_EQ(of.size(), all.size());
      for (const auto& [unit, groups] : of) {
        EXPECT_EQ(groups.size(), std::min<std::size_t>(max_groups, all[unit].size()));
        for (const auto& [group, numbers] : groups) {
          EXPECT_EQ(numbers.size(), std::min<std::size_t>(most, all[unit][group]));
        }
      }
    }
  }
}

TEST(BoundGroups, RowsOutsideTheGroupsOrWithoutAPlaceTakeNoRoom) {
  const double none = std::nan("");
  const PointTable kept = bounded({{none, 0, "a"}, {1, none, "a"}, {2, 5, "a"}}, 1, 1, 1);
  ASSERT_EQ(kept.rows(), 1U);
  EXPECT_EQ(kept.columns[0][0], 2);
}

TEST(BoundGroups, AnEmptyUnitIsRefused) {
  EXPECT_THROW(static_cast<void>(bounded({{0, 0, ""}}, 1, 1, 1)), InputError);
  EXPECT_THROW(static_cast<void>(bounded({{0, 0, "a"}}, 0, 1, 1)), InputError);
}

// Three groups with 1, 2 and 9 rows are equally likely, whatever the order of the rows.
TEST(BoundGroups, EachGroupOfAUnitIsAsLikelyHoweverManyRowsItHas) {
  constexpr std::uint64_t runs = 300;
  for (const bool backwards : {false, true}) {
    std::vector<Row> rows{{0, 0, "a"}, {1, 1, "a"}, {1, 2, "a"}};
    for (int i = 0; i < 9; ++i) rows.push_back({2, static_cast<double>(3 + i), "a"});
    if (backwards) std::reverse(rows.begin(), rows.end());
    std::array<double, 3> kept{};
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      ++kept.at(static_cast<std::size_t>(bounded(rows, 1, 1, seed).columns[0][0]));
    }
    for (const double number : kept) EXPECT_NEAR(number, runs / 3.0, 6 * std::sqrt(runs * 2 / 9.0));
  }
}

// A weight in each group that is kept, whatever the unit has there.
TEST(BoundGroups, SharedWeightsAreOneInEachKeptGroup) {
  for (const std::uint64_t max_groups : {1U, 2U, 6U}) {
    const std::vector<Row> rows = some_rows(5);
    const Counts counts = counted(rows, {.most = 1, .parts = 1000, .group_cells = 512, .max_groups = max_groups}, 9);
    std::map<std::string, std::set<double>> all;
    for (const Row& row : rows) all[row.unit].insert(row.group);
    std::int64_t expected = 0, found = 0;
    for (const auto& [unit, groups] : all) {
      expected += 1000 * static_cast<std::int64_t>(std::min<std::size_t>(max_groups, groups.size()));
    }
    for (const std::int64_t value : counts.raw().values()) found += value;
    EXPECT_EQ(found, expected);
  }
}

// The share of runs in which unit a keeps its row in group 0 is the same, whatever another unit's rows are.
TEST(BoundGroups, WhatAUnitKeepsDoesNotDependOnOthers) {
  constexpr std::uint64_t runs = 300;
  const std::vector<Row> alone{{0, 0, "a"}, {1, 1, "a"}, {0, 2, "a"}};
  std::vector<Row> among{{0, 9, "b"}};
  for (const Row& row : alone) {
    among.push_back(row);
    among.push_back({2, 10, "b"});
    among.push_back({0, 11, "b"});
  }
  const auto share = [&](const std::vector<Row>& rows) {
    std::array<double, 3> kept{};
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      const PointTable of = bounded(rows, 1, 1, seed);
      for (const double number : of.columns[1]) {
        if (number < 3) ++kept.at(static_cast<std::size_t>(number));
      }
    }
    return kept;
  };
  const std::array<double, 3> expected{runs / 4.0, runs / 2.0, runs / 4.0}, one = share(alone), many = share(among);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(one.at(i), expected.at(i), 6 * std::sqrt(runs / 4.0));
    EXPECT_NEAR(many.at(i), expected.at(i), 6 * std::sqrt(runs / 4.0));
  }
}

TEST(InGroups, TheFirstColumnBecomesAPlaceAndNothingIsMovedIntoAGroup) {
  const Grouping groups = declared_groups("day=2026-01-01..2026-01-03");
  const double first = groups.axis.lo();
  const std::vector<double> when{first - 1, first, first + 2 * 86400 + 5, first + 3 * 86400, std::nan("")};
  const std::vector<double> x{1, 2, 3, 4, 5};
  const auto points = array_points({{when.data()}, {x.data()}}, when.size());
  const auto in = in_groups(*points, groups.axis);
  std::vector<double> places;
  in->scan(1, [&](unsigned, const PointBlock& block) {
    places.assign(block.columns[0].begin(), block.columns[0].end());
    EXPECT_EQ(block.columns[1][1], 2);
  });
  ASSERT_EQ(places.size(), 5U);
  EXPECT_TRUE(std::isnan(places[0]) && std::isnan(places[3]) && std::isnan(places[4]));
  EXPECT_EQ(places[1], 0);
  EXPECT_EQ(places[2], 2);
}

}  // namespace
}  // namespace shoal
