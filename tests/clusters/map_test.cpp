#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

// Every second cell or so, joined by faces.
Clusters random_clusters(const Shape& shape, std::mt19937_64& random) {
  std::vector<std::uint64_t> cells;
  for (std::uint64_t i = 0; i < cell_count(shape); ++i) {
    if (random() % 2 == 0) cells.push_back(i);
  }
  return connect(shape, cells, Adjacency::face);
}

Grid random_grid(std::mt19937_64& random) {
  std::vector<Axis> axes;
  for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
    const double lo = static_cast<double>(random() % 100) - 50;
    axes.emplace_back(lo, lo + 1 + static_cast<double>(random() % 100) / 7, 1 + random() % 11);
  }
  return Grid(axes);
}

TEST(ClusterMap, LabelsAPointByTheTransformedCellThatCoversIt) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Grid grid = random_grid(random);
    const Transform transform = trial % 3 == 0 ? Transform::stationary : Transform::decimated;
    const auto level = static_cast<unsigned>(1 + random() % 3);
    const Shape shape = transformed_shape(grid.shape(), level, transform);
    const Clusters clusters = random_clusters(shape, random);
    const ClusterMap map(grid, level, transform, clusters);
    for (std::uint64_t cell = 0; cell < grid.cell_count(); ++cell) {
      const auto at = coordinates(cell, grid.shape());
      std::vector<double> centre;
      std::uint64_t covering = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        centre.push_back((grid.axis(axis).edge(at[axis]) + grid.axis(axis).edge(at[axis] + 1)) / 2);
        const std::uint64_t coarse = transform == Transform::decimated ? at[axis] >> level : at[axis];
        covering = covering * shape[axis] + coarse;
        const auto [lo, hi] = map.cell_bounds(axis, coarse);
        ASSERT_LE(lo, centre.back());
        ASSERT_GE(hi, centre.back());
      }
      ASSERT_EQ(map.label(centre), clusters.label(covering));
    }
  }
}

TEST(ClusterMap, ManyPointsAtOnceGetTheLabelsTheyGetOneByOne) {
  std::mt19937_64 random(2);
  for (const std::size_t rows : {0U, 1U, 5U, 2048U, 5000U}) {
    for (const std::uint64_t side : {5U, 600U}) {  // with and without a table
      const Grid grid({Axis(0, 1, side), Axis(-1, 2, side + 3)});
      const ClusterMap map(grid, 1, Transform::decimated,
                           random_clusters(transformed_shape(grid.shape(), 1, Transform::decimated), random));
      std::uniform_real_distribution<double> place(-1.2, 2.2);
      std::vector<double> x(rows);
      std::vector<double> y(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        x[i] = i % 11 == 0 ? std::numeric_limits<double>::quiet_NaN() : place(random);
        y[i] = i % 13 == 0 ? std::numeric_limits<double>::infinity() : place(random);
      }
      std::vector<std::uint32_t> labels(rows, 99);
      map.label({x, y}, labels);
      for (std::size_t i = 0; i < rows; ++i) {
        ASSERT_EQ(labels[i], map.label(std::vector{x[i], y[i]})) << i;
      }
    }
  }
}

TEST(ClusterMap, OutsideAndNaNAreNoise) {
  const Grid grid({Axis(0, 1, 2)});
  const ClusterMap map(grid, 1, Transform::decimated, connect({1}, std::vector<std::uint64_t>{0}));
  EXPECT_EQ(map.label(std::vector{0.0}), 1U);
  EXPECT_EQ(map.label(std::vector{1.0}), 1U);
  EXPECT_EQ(map.label(std::vector{-0.1}), 0U);
  EXPECT_EQ(map.label(std::vector{1.1}), 0U);
  EXPECT_EQ(map.label(std::vector{std::nan("")}), 0U);
}

TEST(ClusterMap, TheLastCellIsCutByTheBound) {
  const Grid grid({Axis(0, 5, 5)});
  const ClusterMap map(grid, 1, Transform::decimated, connect({3}, std::vector<std::uint64_t>{2}));
  EXPECT_EQ(map.cell_bounds(0, 1), std::pair(2.0, 4.0));
  EXPECT_EQ(map.cell_bounds(0, 2), std::pair(4.0, 5.0));
}

// Cells 0 to 9: 1 1 1 . . . . 2 . .
TEST(ClusterMap, LabelsReachAsFarAsTheyAreTold) {
  const ClusterMap map(Grid({Axis(0, 10, 10)}), 1, Transform::stationary,
                       connect({10}, std::vector<std::uint64_t>{0, 1, 2, 7}));
  const auto labels = [](const ClusterMap& of) {
    std::vector<double> x;
    for (int i = 0; i < 10; ++i) x.push_back(i + 0.5);
    std::vector<std::uint32_t> all(10);
    of.label({x}, all);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(of.label(std::vector{x[i]}), all[i]);
    EXPECT_EQ(of.label(std::vector{10.5}), 0U);
    return all;
  };
  using Labels = std::vector<std::uint32_t>;
  EXPECT_EQ(labels(map.assigned(Assign::none)), (Labels{1, 1, 1, 0, 0, 0, 0, 2, 0, 0}));
  EXPECT_EQ(labels(map.assigned(Assign::halo)), (Labels{1, 1, 1, 1, 0, 0, 2, 2, 2, 0}));
  EXPECT_EQ(labels(map.assigned(Assign::nearest)), (Labels{1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(labels(map.assigned(Assign::nearest).assigned(Assign::none)), labels(map));
  EXPECT_EQ(map.assigned(Assign::nearest).clusters(), map.clusters());
}

TEST(ClusterMap, ClustersOfAnotherBoxAreRefused) {
  EXPECT_THROW(ClusterMap(Grid({Axis(0, 1, 8)}), 1, Transform::decimated, connect({8}, std::vector<std::uint64_t>{0})),
               Error);
}

}  // namespace
}  // namespace shoal
