// Clusters around circles and beside categories.
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <random>
#include <set>

#include "clusters/clustered_sums.hpp"
#include "clusters/modes.hpp"
#include "release/describe.hpp"
#include "shoal/clusters.hpp"
#include "shoal/grid.hpp"

namespace shoal {
namespace {

Grid grid_of(const std::vector<std::pair<std::string, std::uint64_t>>& axes) {
  std::vector<Axis> result;
  for (const auto& [text, cells] : axes) result.push_back(declared_axis(text).fitted(cells));
  return Grid(std::move(result));
}

// Whether two cells touch, by the words of Border alone.
bool touch(const Shape& shape, std::uint64_t a, std::uint64_t b, Adjacency adjacency) {
  const auto x = coordinates(a, shape), y = coordinates(b, shape);
  std::size_t steps = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::uint64_t away = x[axis] > y[axis] ? x[axis] - y[axis] : y[axis] - x[axis];
    if (shape.border(axis) == Border::circle) away = std::min(away, shape[axis] - away);
    if (away > (shape.border(axis) == Border::apart ? 0U : 1U)) return false;
    steps += away;
  }
  return steps > 0 && (adjacency == Adjacency::full || steps == 1);
}

std::vector<std::uint64_t> sizes_by_search(const Shape& shape, std::set<std::uint64_t> cells, Adjacency adjacency) {
  std::vector<std::uint64_t> sizes;
  while (!cells.empty()) {
    std::queue<std::uint64_t> open;
    open.push(*cells.begin());
    cells.erase(cells.begin());
    sizes.push_back(0);
    for (; !open.empty(); open.pop()) {
      ++sizes.back();
      for (auto other = cells.begin(); other != cells.end();) {
        if (touch(shape, open.front(), *other, adjacency)) {
          open.push(*other);
          other = cells.erase(other);
        } else {
          ++other;
        }
      }
    }
  }
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

TEST(Borders, ComponentsAreThoseOfASearch) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 200; ++run) {
    Shape shape;
    const std::size_t axes = 1 + random() % 3;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      shape.push_back(1 + random() % 7, {static_cast<Border>(random() % 3), true});
    }
    std::set<std::uint64_t> cells;
    for (std::uint64_t cell = 0; cell < cell_count(shape); ++cell) {
      if (random() % 3 == 0) cells.insert(cell);
    }
    const std::vector<std::uint64_t> listed(cells.begin(), cells.end());
    for (const Adjacency adjacency : {Adjacency::full, Adjacency::face}) {
      const Clusters found = connect(shape, listed, adjacency);
      EXPECT_EQ(found.sizes(), sizes_by_search(shape, cells, adjacency)) << run;
      for (std::size_t i = 0; i < listed.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (touch(shape, listed[i], listed[j], adjacency)) {
            EXPECT_EQ(found.labels()[i], found.labels()[j]);
          }
        }
      }
    }
  }
}

TEST(Borders, BlocksNeverMixCategories) {
  const Grid grid = grid_of({{"ward=A|B|C:category", 1}, {"x=0:8", 8}});
  Values<std::int64_t> values(24);
  for (std::size_t i = 0; i < 24; ++i) values[i] = static_cast<std::int64_t>(i);
  const auto counts = Cells<std::int64_t>::dense(grid.shape(), std::move(values));
  for (const unsigned level : {1U, 2U}) {
    const Cells<std::int64_t> sums = haar_sums(counts, level);
    EXPECT_EQ(sums.shape().extents(), (std::vector<std::uint64_t>{3, std::uint64_t{8} >> level}));
    std::int64_t all = 0;
    for (std::uint64_t i = 0; i < 8U >> level; ++i) all += sums.values()[i];
    EXPECT_EQ(all, 28);  // of the first category alone
  }
  const Transformed w = transform(counts, {.threshold = Percentile(0), .level = 2});
  EXPECT_EQ(w.unit(), 0.5);  // one axis is halved twice
  const Transformed filtered = transform(counts, {.threshold = Percentile(0), .wavelet = Wavelet::named("db2")});
  EXPECT_EQ(filtered.shape().extents(), (std::vector<std::uint64_t>{3, 4}));
  const auto sparse = Cells<std::int64_t>::sparse(grid.shape(), {0, 9, 23}, std::vector<std::int64_t>{1, 2, 3});
  const Cells<std::int64_t> few = haar_sums(sparse, 1);
  EXPECT_EQ(std::vector<std::uint64_t>(few.index().begin(), few.index().end()), (std::vector<std::uint64_t>{0, 4, 11}));
}

TEST(Borders, AClusterOverMidnightIsOneAndItsCentreIsThere) {
  const Grid grid = grid_of({{"hour=0:24:circle", 24}, {"x=0:4", 4}});
  const Clusters open = connect(Shape{12, 2}, std::vector<std::uint64_t>{0, 1, 22, 23});
  EXPECT_EQ(open.count(), 2U);
  const Shape around = transformed_shape(grid.shape(), 1, Transform::decimated);
  const Clusters found = connect(around, std::vector<std::uint64_t>{0, 1, 22, 23});
  ASSERT_EQ(found.count(), 1U);
  const ClusterMap map(grid, 1, Transform::decimated, found);
  const double hour = centroids(map)[0][0];
  EXPECT_NEAR(std::min(hour, 24 - hour), 0, 1e-9);
  EXPECT_EQ(outline(map, 1).size(), 2U);  // cut at midnight
  EXPECT_EQ(map.label(std::vector<double>{23.5, 1}), 1U);
  EXPECT_EQ(map.label(std::vector<double>{24.5, 1}), 1U);
  EXPECT_EQ(map.assigned(Assign::halo).label(std::vector<double>{21, 1}), 1U);
}

TEST(Borders, AHaloReachesAroundACircleAndNotToOtherCategories) {
  const Grid grid = grid_of({{"hour=0:24:circle", 24}, {"ward=A|B:category", 1}});
  const Clusters found = connect(grid.shape(), std::vector<std::uint64_t>{0});
  const ClusterMap map = ClusterMap(grid, 1, Transform::stationary, found).assigned(Assign::halo);
  EXPECT_EQ(map.label(std::vector<double>{23.5, 0}), 1U);
  EXPECT_EQ(map.label(std::vector<double>{1.5, 0}), 1U);
  EXPECT_EQ(map.label(std::vector<double>{0.5, 1}), 0U);
}

TEST(Borders, ModesGoAroundACircleAndStayInTheirCategory) {
  const Shape plain{48, 48};
  Shape around;
  around.push_back(48, {Border::circle, true});
  around.push_back(48);
  Values<std::int64_t> values(48 * 48);
  for (std::int64_t x = 0; x < 48; ++x) {
    for (std::int64_t y = 0; y < 48; ++y) {
      const auto bump = [&](std::int64_t cx, std::int64_t cy) {
        const std::int64_t away = std::min(std::abs(x - cx), 48 - std::abs(x - cx));
        return 400 * std::exp(-static_cast<double>(away * away + (y - cy) * (y - cy)) / 18);
      };
      values[static_cast<std::size_t>(48 * x + y)] = static_cast<std::int64_t>(bump(0, 24) + bump(24, 24));
    }
  }
  EXPECT_EQ(find_modes(Cells<std::int64_t>::dense(plain, values), {}).clusters.count(), 3U);
  EXPECT_EQ(find_modes(Cells<std::int64_t>::dense(around, values), {}).clusters.count(), 2U);

  Shape apart;
  apart.push_back(2, {Border::apart, false});
  apart.push_back(48);
  Values<std::int64_t> wards(96);
  for (std::int64_t y = 0; y < 48; ++y) {
    wards[static_cast<std::size_t>(y)] =
        static_cast<std::int64_t>(400 * std::exp(-static_cast<double>((y - 12) * (y - 12)) / 18));
    wards[static_cast<std::size_t>(48 + y)] = wards[static_cast<std::size_t>(y)];
  }
  EXPECT_EQ(find_modes(Cells<std::int64_t>::dense(apart, wards), {}).clusters.count(), 2U);
}

TEST(Connect, OfAMaskGoesAroundCirclesAndKeepsCategoriesApart) {
  const Grid grid = grid_of({{"hour=0:24:circle", 24}, {"ward=A|B:category", 1}});
  const Shape& shape = grid.shape();
  std::vector<std::uint8_t> mask(cell_count(shape), 0);
  std::vector<std::uint64_t> cells;
  for (const std::uint64_t cell : {0U, 1U, 46U, 47U}) {  // hours 0 and 23 of both wards
    mask[cell] = 1;
    cells.push_back(cell);
  }
  std::vector<std::uint32_t> labels(mask.size(), 9);
  const std::vector<std::uint64_t> sizes = connect_mask(shape, mask, labels);
  const Clusters expected = connect(shape, cells);
  EXPECT_EQ(sizes, expected.sizes());
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{2, 2}));
  for (std::uint64_t cell = 0; cell < mask.size(); ++cell) EXPECT_EQ(labels[cell], expected.label(cell));
}

}  // namespace
}  // namespace shoal
