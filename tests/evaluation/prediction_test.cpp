#include "evaluation/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace shoal::evaluation {
namespace {

TEST(SplitPoints, PartsTheRowsAndKeepsTheirOrder) {
  PointTable points;
  points.columns.resize(2);
  for (int i = 0; i < 1000; ++i) {
    points.columns[0].push_back(i);
    points.columns[1].push_back(-i);
  }
  const Split split = split_points(points, 0.9, 5);
  EXPECT_EQ(split.test.rows(), 100U);
  EXPECT_EQ(split.train.rows(), 900U);
  std::vector<double> all;
  std::merge(split.train.columns[0].begin(), split.train.columns[0].end(), split.test.columns[0].begin(),
             split.test.columns[0].end(), std::back_inserter(all));
  EXPECT_EQ(all, points.columns[0]);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(split.test.columns[0][i], -split.test.columns[1][i]);
  EXPECT_NE(split.test.columns, split_points(points, 0.9, 6).test.columns);
}

TEST(TrainOnCells, PredictsTheClusterOfTheCellsItSaw) {
  const Grid grid({Axis(0, 16, 16), Axis(0, 16, 16)});
  std::vector<std::uint64_t> cells;
  std::vector<std::uint32_t> labels;
  for (std::uint64_t x = 0; x < 8; ++x) {
    for (std::uint64_t y = 0; y < 8; ++y) {
      if (y == 3 || y == 4) continue;
      cells.push_back(x * 8 + y);
      labels.push_back(y < 3 ? 1U : 2U);
    }
  }
  const ClusterMap map(grid, 1, Transform::decimated, Clusters({8, 8}, cells, labels));
  const C45 tree = train_on_cells(map, UnclusteredClass::left_out);
  EXPECT_EQ(tree.predict(std::vector<double>{3, 1}), 1U);
  EXPECT_EQ(tree.predict(std::vector<double>{3, 15}), 2U);
  // Centres of the cells are 1, 3, 5 and 11, 13, 15: the cut is the largest of them up to the middle of the gap.
  EXPECT_EQ(tree.predict(std::vector<double>{3, 5}), 1U);
  EXPECT_EQ(tree.predict(std::vector<double>{3, 5.01}), 2U);
  const C45 with_noise = train_on_cells(map, UnclusteredClass::kept);
  EXPECT_EQ(with_noise.predict(std::vector<double>{3, 8}), 0U);
  EXPECT_EQ(with_noise.predict(std::vector<double>{3, 1}), 1U);
}

TEST(TrainOnCells, WithoutClustersOneClassIsPredicted) {
  const Grid grid({Axis(0, 4, 4)});
  const ClusterMap map(grid, 1, Transform::decimated, Clusters({2}, {}, {}));
  EXPECT_EQ(train_on_cells(map, UnclusteredClass::left_out).predict(std::vector<double>{1}), 0U);
}

}  // namespace
}  // namespace shoal::evaluation
