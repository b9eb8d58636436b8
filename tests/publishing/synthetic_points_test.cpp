// Points and counts drawn from a synopsis.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "publishing/publishing.hpp"
#include "publishing_examples.hpp"
#include "publishing_noise.hpp"

namespace shoal {
namespace {

using testing::NoNoise;

Noised<Synopsis> one_box_of(std::int64_t points) {
  // Through the door like any other: a uniform grid of one cell, with no noise.
  NoNoise noise;
  Mechanisms mechanisms(noise, {}, Epsilon::parse("1"));
  const auto number = mechanisms.number(points, 1, Epsilon::parse("1"), "points");
  Synopsis (*box)(const Noised<std::int64_t>&) = [](const Noised<std::int64_t>& n) {
    Synopsis synopsis(2);
    synopsis.add(std::vector<double>{0.25, 0.75, 0, 1}, static_cast<double>(n.value()));
    synopsis.add(std::vector<double>{0, 0.25, 0, 1}, -5);
    synopsis.add(std::vector<double>{0.75, 1, 0, 1}, 0.25);
    return synopsis;
  };
  return PostProcessing::of(box, number);
}

TEST(Drawing, PointsAreUniformInsideBoxesThatHoldSome) {
  const auto noise = seeded_noise_not_private(3);
  const PointTable points = synthetic_points(*noise, one_box_of(20000));
  ASSERT_GE(points.rows(), 20000U);
  ASSERT_LE(points.rows(), 20001U);
  double mean = 0;
  for (std::size_t row = 0; row < 20000; ++row) {
    ASSERT_GE(points.columns[0][row], 0.25);
    ASSERT_LT(points.columns[0][row], 0.75);
    mean += points.columns[0][row] / 20000;
  }
  EXPECT_NEAR(mean, 0.5, 6 * 0.5 / std::sqrt(12.0 * 20000));
}

TEST(Drawing, AFractionMakesAPointAsOftenAsItSays) {
  const auto noise = seeded_noise_not_private(4);
  const auto synopsis = one_box_of(0);
  double drawn = 0;
  for (int run = 0; run < 20000; ++run) drawn += static_cast<double>(synthetic_points(*noise, synopsis).rows());
  EXPECT_NEAR(drawn / 20000, 0.25, 6 * std::sqrt(0.25 * 0.75 / 20000));
}

TEST(Drawing, CountsOnTheGridFollowTheSameDistributionAsQuantizedPoints) {
  // 10 cells over x: the box [0.25, 0.75) covers half of cell 2, all of 3 .. 6, half of 7; the two ways agree with the
  // expectation and with each other within six standard errors.
  const Grid grid({Axis(0, 1, 10), Axis(0, 1, 1)});
  const auto noise = seeded_noise_not_private(6);
  const auto synopsis = one_box_of(40000);
  const Cells<std::int64_t> counts = draw_counts(*noise, grid, synopsis);
  std::vector<double> binned(10, 0);
  const PointTable points = synthetic_points(*noise, synopsis);
  for (const double x : points.columns[0]) ++binned[static_cast<std::size_t>(grid.axis(0).cell(x))];
  const std::vector<double> expected = {0, 0, 4000, 8000, 8000, 8000, 8000, 4000, 0, 0};
  for (std::size_t cell = 0; cell < 10; ++cell) {
    const double error = 6 * std::sqrt(expected[cell]) + 1;
    EXPECT_NEAR(static_cast<double>(counts.values()[cell]), expected[cell], error);
    EXPECT_NEAR(binned[cell], expected[cell], error);
  }
}

TEST(Drawing, HugeCountsAreSpreadWithoutDrawingEachPoint) {
  const Grid grid({Axis(0, 1, 10), Axis(0, 1, 3)});
  const auto noise = seeded_noise_not_private(6);
  const std::int64_t huge = 4'000'000'000'000'007;
  const Cells<std::int64_t> counts = draw_counts(*noise, grid, one_box_of(huge));
  const auto sum = std::accumulate(counts.values().begin(), counts.values().end(), std::int64_t{0});
  EXPECT_NEAR(static_cast<double>(sum - huge), 0, 1);
  EXPECT_NEAR(static_cast<double>(counts.at(3 * 4)), static_cast<double>(huge) / 15, 1000);
}

// The synopsis is paid for: it is never refused for what it says.
TEST(Drawing, WhereThereWouldBeTooManyPointsFewerStandForThem) {
  const auto noise = seeded_noise_not_private(6);
  std::uint64_t drawn = 0;
  const auto visit = [&](const PointBlock& block) { drawn += block.rows(); };
  const std::uint64_t most = 1000;
  EXPECT_NEAR(draw_points(*noise, one_box_of(4000), visit, most), 0.25, 0.001);
  EXPECT_LE(drawn, most);
  EXPECT_GE(drawn, most - 1);
  const Grid sparse({Axis(0, 1, 1U << 20), Axis(0, 1, 1U << 20)});
  constexpr std::int64_t many = std::int64_t{1} << 40;
  const Cells<std::int64_t> counts = draw_counts(*noise, sparse, one_box_of(many));
  const auto sum = std::accumulate(counts.values().begin(), counts.values().end(), std::int64_t{0});
  EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(many), 1, 1e-6);
  EXPECT_LE(counts.stored(), std::size_t{1} << 24);
}

TEST(Drawing, CountsOnASparseGridListEveryPointOnce) {
  const Grid sparse({Axis(0, 1, 1U << 20), Axis(0, 1, 1U << 20)});
  const auto noise = seeded_noise_not_private(6);
  const Cells<std::int64_t> counts = draw_counts(*noise, sparse, one_box_of(1'500'000));
  EXPECT_FALSE(counts.is_dense());
  EXPECT_TRUE(std::is_sorted(counts.index().begin(), counts.index().end()));
  const auto sum = std::accumulate(counts.values().begin(), counts.values().end(), std::int64_t{0});
  EXPECT_NEAR(static_cast<double>(sum), 1'500'000, 1);
}

TEST(Drawing, BlocksAreSmallAndTogetherMakeTheTable) {
  const auto first = seeded_noise_not_private(8);
  const auto second = seeded_noise_not_private(8);
  const auto synopsis = one_box_of(10000);
  std::vector<double> streamed;
  draw_points(*first, synopsis, [&](const PointBlock& block) {
    EXPECT_LE(block.rows(), 4096U);
    streamed.insert(streamed.end(), block.columns[1].begin(), block.columns[1].end());
  });
  EXPECT_EQ(streamed, synthetic_points(*second, synopsis).columns[1]);
}

}  // namespace
}  // namespace shoal
