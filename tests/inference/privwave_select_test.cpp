#include "inference/privwave_select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "inference/privwave_noise.hpp"
#include "inference/privwave_profile.hpp"
#include "technique_examples.hpp"

namespace shoal {
namespace {

using examples::options_of;
using Random = std::mt19937_64;

TEST(NeighbourMeans, AreTheMeansByDefinition) {
  Random random(20);
  for (const Shape& shape : {Shape{9}, Shape{6, 5}, Shape{4, 3, 5}, Shape{3, 2, 4, 3}, Shape{1, 6}, Shape{1, 1}}) {
    std::vector<double> values(cell_count(shape));
    for (double& value : values) value = static_cast<double>(random() % 100);
    const Values<double> means = neighbour_means(shape, values);
    for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
      double sum = 0, count = 0;
      const auto at = coordinates(cell, shape);
      for (std::uint64_t other = 0; other < values.size(); ++other) {
        const auto to = coordinates(other, shape);
        std::uint64_t farthest = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
          const std::uint64_t along = at[axis] > to[axis] ? at[axis] - to[axis] : to[axis] - at[axis];
          farthest = std::max(farthest, along);
        }
        if (farthest != 1) continue;
        sum += values[other];
        count += 1;
      }
      EXPECT_DOUBLE_EQ(means[cell], count == 0 ? 0 : sum / count);
    }
  }
}

// Two blocks of 100 records per cell, and between them one cell of `bridge` records that joins them, and two of 48.
SelectedCells bridged(double bridge, double rate) {
  std::vector<double> values(7 * 3, 100);
  for (const std::size_t cell : {3U, 10U, 17U}) values[cell] = cell == 10 ? bridge : 48;
  return select_cells({3, 7}, values, laplace_noise(rate), {19, 19, false}, Adjacency::full);
}

TEST(Joining, ADoubtfulCellIsLeftOut) {
  EXPECT_EQ(bridged(50, 0.05).cells.size(), 18U);
  EXPECT_EQ(bridged(100, 3).cells.size(), 19U);  // noise is too small for doubts
}

// In one row: 20 cells of 206 records, cells of 103 to 106 as given, and 100 of about 5; W' is within 1 of these.
std::uint64_t taken_of_crowd(const std::array<std::uint64_t, 4>& crowd, std::uint64_t k) {
  std::vector<double> values(20, 206);
  for (std::size_t i = 0; i < crowd.size(); ++i) values.insert(values.end(), crowd[i], 103.0 + static_cast<double>(i));
  for (int i = 0; i < 100; ++i) values.push_back(2 + i % 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(i % 3) - 1;
  const Shape shape{values.size()};
  return select_cells(shape, values, laplace_noise(1.6), {k, k, false}, Adjacency::full).cells.size();
}

TEST(Crowds, AreTakenDownToTheGapBelow) {
  EXPECT_EQ(taken_of_crowd({58, 57, 31, 17}, 150), 183U);
  EXPECT_EQ(taken_of_crowd({58, 57, 31, 17}, 181), 183U);
  EXPECT_EQ(taken_of_crowd({1, 1, 1, 2}, 23), 23U);  // five cells are not a crowd
}

TEST(ValueNoise, OfStationaryHaarIsThatOfItsWindow) {
  PrivateOptions options = options_of(50, 1, "haar", Transform::stationary);
  EXPECT_DOUBLE_EQ(value_scale({16, 16}, options.cluster, NoisePlace::counts).gain, 4);
  options.cluster.level = 2;
  EXPECT_DOUBLE_EQ(value_scale({16, 16}, options.cluster, NoisePlace::counts).gain, 16);
  options = options_of(50, 2, "db4");
  EXPECT_NEAR(value_scale({64, 64}, options.cluster, NoisePlace::counts).gain, 16,
              1e-6);  // orthonormal rows, record 1/4
}

}  // namespace
}  // namespace shoal
