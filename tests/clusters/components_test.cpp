#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <queue>
#include <random>

#include "chi_square.hpp"
#include "clusters/runs.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using List = std::vector<std::uint64_t>;

bool adjacent(std::uint64_t a, std::uint64_t b, const Shape& shape, Adjacency adjacency) {
  const auto x = coordinates(a, shape);
  const auto y = coordinates(b, shape);
  std::uint64_t most = 0;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::uint64_t apart = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
    most = std::max(most, apart);
    sum += apart;
  }
  return adjacency == Adjacency::full ? most == 1 : sum == 1;
}

// Floods by comparing all pairs, then numbers by size and first cell.
Clusters by_flooding(const Shape& shape, const List& cells, Adjacency adjacency, std::uint64_t min_cells) {
  std::vector<std::uint32_t> component(cells.size(), 0);
  List sizes;
  for (std::size_t start = 0; start < cells.size(); ++start) {
    if (component[start] != 0) continue;
    sizes.push_back(0);
    std::queue<std::size_t> open({start});
    component[start] = static_cast<std::uint32_t>(sizes.size());
    while (!open.empty()) {
      const std::size_t at = open.front();
      open.pop();
      ++sizes.back();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (component[i] != 0 || !adjacent(cells[at], cells[i], shape, adjacency)) continue;
        component[i] = component[start];
        open.push(i);
      }
    }
  }
  std::vector<std::uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  std::vector<std::uint32_t> rank(sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::uint32_t>(i + 1);
  List kept;
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (sizes[component[i] - 1] < min_cells) continue;
    kept.push_back(cells[i]);
    labels.push_back(rank[component[i] - 1]);
  }
  return {shape, kept, labels};
}

List random_list(std::uint64_t count, double share, std::mt19937_64& random) {
  std::bernoulli_distribution set(share);
  List cells;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (set(random)) cells.push_back(i);
  }
  return cells;
}

TEST(Connect, GivesTheComponentsOfFloodingInOneToSixDimensions) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 1500; ++trial) {
    const std::size_t dimensions = 1 + random() % 6;
    constexpr std::uint64_t most[] = {200, 14, 7, 5, 4, 3};
    Shape shape;
    for (std::size_t i = 0; i < dimensions; ++i) shape.push_back(1 + random() % most[dimensions - 1]);
    const List cells =
        random_list(cell_count(shape), std::uniform_real_distribution<double>(0.02, 0.7)(random), random);
    const Adjacency adjacency = trial % 2 == 0 ? Adjacency::full : Adjacency::face;
    const std::uint64_t min_cells = 1 + random() % 3;
    const Clusters found = connect(shape, cells, adjacency, min_cells);
    ASSERT_EQ(found, by_flooding(shape, cells, adjacency, min_cells)) << "trial " << trial;
  }
}

TEST(Connect, OfAMaskIsThatOfItsCells) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    Shape shape;
    for (std::uint64_t i = 1 + random() % 3; i > 0; --i) shape.push_back(1 + random() % 9);
    shape.push_back(1 + random() % 200);
    const std::uint64_t count = cell_count(shape);
    const List cells = random_list(count, std::uniform_real_distribution<double>(0, 1)(random), random);
    std::vector<std::uint8_t> mask(count, 0);
    for (const std::uint64_t cell : cells) mask[cell] = static_cast<std::uint8_t>(1 + random() % 255);
    std::vector<std::uint32_t> labels(count, 77);
    const Adjacency adjacency = trial % 2 == 0 ? Adjacency::full : Adjacency::face;
    const std::uint64_t min_cells = 1 + random() % 4;
    const Clusters expected = connect(shape, cells, adjacency, min_cells);
    ASSERT_EQ(connect_mask(shape, mask, labels, adjacency, min_cells), expected.sizes());
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(labels[i], expected.label(i));
  }
}

// Rows are joined by bits where the cells fill much of the box, by a tree elsewhere.
TEST(Connect, BitsAndTreeFindTheSame) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 600; ++trial) {
    Shape shape;
    for (std::uint64_t i = random() % 4; i > 0; --i) shape.push_back(1 + random() % 7);
    shape.push_back(1 + random() % 200);
    std::vector<std::uint8_t> mask(cell_count(shape));
    const std::uint64_t share = 1 + random() % 9;
    for (std::uint8_t& cell : mask) cell = random() % 10 < share ? 1 : 0;
    const Runs with_bits = runs_of_mask(shape, mask);
    Runs without = with_bits;
    without.bits.clear();
    const Adjacency adjacency = trial % 2 == 0 ? Adjacency::full : Adjacency::face;
    const Components by_bits = components(with_bits, adjacency, 1);
    const Components by_tree = components(without, adjacency, 1);
    ASSERT_EQ(by_bits.label, by_tree.label) << "trial " << trial;
    ASSERT_EQ(by_bits.sizes, by_tree.sizes);
  }
}

// Large boxes are cut into stretches of rows, which several threads join and which meet at seams.
TEST(Connect, OfALargeBoxDoesNotDependOnHowItIsCutOrByHowMany) {
  std::mt19937_64 random(5);
  for (const Shape& shape : {Shape{1700, 1501}, Shape{7, 601, 600}, Shape{130, 140, 150}, Shape{3, 900'001}}) {
    for (const Adjacency adjacency : {Adjacency::full, Adjacency::face}) {
      if (testing::quick() && (shape.size() == 2) != (adjacency == Adjacency::full)) continue;
      std::vector<std::uint8_t> mask(cell_count(shape));
      const std::uint64_t share = shape.size() == 2 ? 40 : 12;
      for (std::uint8_t& cell : mask) cell = random() % 100 < share ? 1 : 0;
      Runs runs = runs_of_mask(shape, mask, 1);
      ASSERT_GT(parts_of(mask.size()), 2U);
      const Components by_bits = components(runs, adjacency, 1, 3);
      runs.bits.clear();
      const Components by_tree = components(runs, adjacency, 1);
      ASSERT_EQ(by_bits.label, by_tree.label);
      ASSERT_EQ(by_bits.sizes, by_tree.sizes);
      std::vector<std::uint32_t> one(mask.size(), 77), three(mask.size(), 77);
      ASSERT_EQ(connect_mask(shape, mask, one, adjacency, 2, 1), connect_mask(shape, mask, three, adjacency, 2, 3));
      ASSERT_EQ(one, three);
      for (std::size_t run = 0, row = 0; run < runs.count(); ++run) {
        while (runs.first_run[row + 1] <= run) ++row;
        const std::uint32_t label = by_tree.sizes[by_tree.label[run] - 1] < 2 ? 0 : by_tree.label[run];
        const std::uint64_t start = runs.rows[row] * shape.back();
        for (std::uint64_t at = start + runs.begin(run); at < start + runs.end(run); ++at) {
          ASSERT_EQ(three[at], label);
          mask[at] = 0;
        }
        ASSERT_TRUE(runs.end(run) == shape.back() || three[start + runs.end(run)] == 0);
      }
      ASSERT_EQ(std::count(mask.begin(), mask.end(), 1), 0);
    }
  }
}

TEST(Connect, NumbersBySizeThenByFirstCell) {
  //   1 . 2 2 .
  //   1 . 2 . .
  //   . . . . .
  //   3 3 . 4 4
  const Clusters found = connect({4, 5}, List{0, 2, 3, 5, 7, 15, 16, 18, 19}, Adjacency::full);
  EXPECT_EQ(found.sizes(), (List{3, 2, 2, 2}));
  EXPECT_EQ(found.labels(), (std::vector<std::uint32_t>{2, 1, 1, 2, 1, 3, 3, 4, 4}));
}

TEST(Connect, CornersJoinUnderFullAdjacencyOnly) {
  const List diagonal{0, 4, 8};
  EXPECT_EQ(connect({3, 3}, diagonal, Adjacency::full).count(), 1U);
  EXPECT_EQ(connect({3, 3}, diagonal, Adjacency::face).count(), 3U);
  const List other{2, 4, 6};
  EXPECT_EQ(connect({3, 3}, other, Adjacency::full).count(), 1U);
  EXPECT_EQ(connect({3, 3, 3}, List{0, 13, 26}, Adjacency::face).count(), 3U);
}

TEST(Connect, DoesNotWrapAroundTheEndOfARow) {
  EXPECT_EQ(connect({2, 4}, List{3, 4}, Adjacency::full).count(), 2U);
  EXPECT_EQ(connect({2, 2, 4}, List{7, 8}, Adjacency::full).count(), 2U);
}

TEST(Connect, SmallComponentsBecomeNoise) {
  const Clusters found = connect({1, 9}, List{0, 2, 3, 5, 6, 7}, Adjacency::full, 2);
  EXPECT_EQ(found.sizes(), (List{3, 2}));
  EXPECT_EQ(found.label(0), 0U);
  EXPECT_EQ(found.label(2), 2U);
  EXPECT_EQ(found.label(8), 0U);
  EXPECT_EQ(found.cells(), (List{2, 3, 5, 6, 7}));
}

TEST(Connect, NoCellsOneCellAllCells) {
  EXPECT_EQ(connect({5, 5}, List{}).count(), 0U);
  EXPECT_EQ(connect({1}, List{0}).sizes(), (List{1}));
  List all(5 * 6 * 7);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(connect({5, 6, 7}, all, Adjacency::face).sizes(), (List{210}));
}

// Along a diagonal of 2^30 cells per axis, and at all corners of a 16-dimensional box.
TEST(Connect, HugeBoxesTakeTimeOfTheListedCells) {
  const std::uint64_t side = std::uint64_t{1} << 30;
  List diagonal;
  for (std::uint64_t i = 0; i < 10000; ++i) diagonal.push_back((i + 5) * side + i + 3);
  EXPECT_EQ(connect({side, side}, diagonal, Adjacency::full).sizes(), (List{10000}));
  EXPECT_EQ(connect({side, side}, diagonal, Adjacency::face).count(), 10000U);

  const Shape shape(16, 3);
  List corners;
  for (std::uint64_t bits = 0; bits < 4096; ++bits) {
    std::uint64_t cell = 0;
    for (std::size_t axis = 0; axis < 16; ++axis) cell = cell * 3 + 2 * ((bits >> (15 - axis)) & 1);
    corners.push_back(cell);
  }
  EXPECT_EQ(connect(shape, corners, Adjacency::full).count(), corners.size());
}

TEST(Connect, ManySmallAndFewLargeComponentsAreOrdered) {
  std::mt19937_64 random(3);
  const Shape shape{3000, 997};
  const Clusters found = connect(shape, random_list(cell_count(shape), 0.42, random), Adjacency::full);
  EXPECT_TRUE(std::is_sorted(found.sizes().rbegin(), found.sizes().rend()));
  EXPECT_GT(found.sizes().front(), 1024U);
  List first(found.count(), UINT64_MAX);
  for (std::size_t i = 0; i < found.cells().size(); ++i) {
    std::uint64_t& seen = first[found.labels()[i] - 1];
    seen = std::min(seen, found.cells()[i]);
  }
  for (std::size_t i = 1; i < first.size(); ++i) {
    ASSERT_TRUE(found.sizes()[i] < found.sizes()[i - 1] || first[i - 1] < first[i]);
  }
}

TEST(Connect, ListsOutOfOrderOrOutsideAreRefused) {
  EXPECT_THROW(connect({3, 3}, List{4, 3}), Error);
  EXPECT_THROW(connect({3, 3}, List{4, 4}), Error);
  EXPECT_THROW(connect({3, 3}, List{4, 9}), Error);
}

TEST(Clusters, WhatBreaksTheirRulesIsRefused) {
  const Shape shape{3, 3};
  EXPECT_NO_THROW(Clusters(shape, {0, 1, 5}, {1, 1, 2}));
  EXPECT_THROW(Clusters(shape, {0, 1}, {1}), InputError);
  EXPECT_THROW(Clusters(shape, {1, 0}, {1, 1}), InputError);
  EXPECT_THROW(Clusters(shape, {0, 9}, {1, 1}), InputError);
  EXPECT_THROW(Clusters(shape, {0, 1}, {1, 0}), InputError);
  EXPECT_THROW(Clusters(shape, {0, 1}, {1, 4'000'000'000}), InputError);
  EXPECT_THROW(Clusters(shape, {0, 1, 2}, {1, 1, 3}), InputError);
  EXPECT_THROW(Clusters(shape, {0, 1, 5}, {1, 2, 2}), InputError);
}

}  // namespace
}  // namespace shoal
