#include "shoal/wavecluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "block_points.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::BlockPoints;
using testing::Columns;
using testing::read_xy;

// The figures computed on the authors' own data.
struct PaperSet {
  std::string name;
  std::size_t points;
  double x0, x1, y0, y1;
  std::uint64_t cells_an_axis;
  double percentile;
  std::uint64_t positive, nonpositive, k;
  std::int64_t kth_largest_sum;
  std::vector<std::uint64_t> sizes;  // ascending
};

std::ostream& operator<<(std::ostream& out, const PaperSet& set) { return out << set.name; }

class PaperSets : public ::testing::TestWithParam<PaperSet> {
 protected:
  void SetUp() override {
    const PaperSet& set = GetParam();
    columns_ = read_xy(std::string(SHOAL_SHARED_DATA) + "/shapes/" + set.name + ".csv");
    if (columns_[0].empty()) GTEST_SKIP() << "the paper's data are not here";
    grid_ = Grid({Axis(set.x0, set.x1, set.cells_an_axis), Axis(set.y0, set.y1, set.cells_an_axis)});
  }
  Columns columns_;
  Grid grid_{{Axis(0, 1, 1)}};
};

TEST_P(PaperSets, GiveThePapersFiguresDenseAndSparse) {
  const PaperSet& set = GetParam();
  BlockPoints points(columns_);
  for (const std::uint64_t limit : {dense_limit, std::uint64_t{0}}) {
    const Counts counts = quantize(points, grid_, {.dense_limit = limit});
    EXPECT_EQ(counts.points(), set.points);
    EXPECT_EQ(counts.outside(), 0U);
    const Segmentation found = wavecluster(counts, {.threshold = Percentile(set.percentile)});
    EXPECT_EQ(found.positive, set.positive);
    EXPECT_EQ(found.nonpositive, set.nonpositive);
    EXPECT_EQ(found.k, set.k);
    EXPECT_EQ(found.threshold_sum, set.kth_largest_sum);
    EXPECT_EQ(found.threshold, static_cast<double>(set.kth_largest_sum) / 2);
    EXPECT_GE(found.significant, found.k);
    std::vector<std::uint64_t> sizes = found.clusters.sizes();
    std::reverse(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, set.sizes);
  }
}

INSTANTIATE_TEST_SUITE_P(
    WaveCluster, PaperSets,
    ::testing::Values(
        PaperSet{"paper_ds1",
                 30000,
                 20406,
                 963766,
                 51397,
                 972357,
                 64,
                 58,
                 501,
                 523,
                 211,
                 32,
                 {8, 12, 13, 13, 13, 13, 14, 14, 15, 15, 15, 16, 16, 16, 18}},
        PaperSet{"paper_ds2", 31200, 90045, 964445, 87019, 955419, 40, 10, 159, 241, 144, 46, {47, 48, 49}},
        PaperSet{"paper_ds3", 31520, 100504, 1097128, 58503, 875127, 36, 23, 197, 127, 152, 104, {5, 9, 35, 49, 54}}),
    [](const auto& set) { return set.param.name; });

// Three balls of points in the unit square, and a little dust.
Columns balls(std::size_t rows) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> spread(0, 0.03);
  std::uniform_real_distribution<double> anywhere(0, 1);
  constexpr double centres[][2] = {{0.2, 0.2}, {0.8, 0.3}, {0.5, 0.8}};
  Columns columns(2, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      columns[axis][i] = i % 100 == 0 ? anywhere(random) : centres[i % 3][axis] + spread(random);
    }
  }
  return columns;
}

const Grid unit_square({Axis(0, 1, 33), Axis(0, 1, 30)});

TEST(WaveCluster, FindsThreeBallsWithEveryKindOfWaveletAndTransform) {
  BlockPoints points(balls(30000));
  const Counts counts = quantize(points, unit_square);
  for (const char* wavelet : {"haar", "db2", "bior2.2", "sym4"}) {
    for (const Transform kind : {Transform::decimated, Transform::stationary}) {
      const Segmentation found = wavecluster(
          counts, {.threshold = Density(300), .wavelet = Wavelet::named(wavelet), .transform = kind, .min_cells = 4});
      EXPECT_EQ(found.clusters.count(), 3U) << wavelet;
      EXPECT_EQ(found.threshold_sum.has_value(), std::string(wavelet) == "haar");
    }
  }
}

TEST(WaveCluster, DenseEqualsSparse) {
  BlockPoints points(balls(2000));
  const Counts dense = quantize(points, unit_square);
  const Counts sparse = quantize(points, unit_square, {.dense_limit = 0});
  for (const char* wavelet : {"haar", "db2", "bior2.2"}) {
    for (const unsigned level : {1U, 2U}) {
      const ClusterOptions options{.threshold = Percentile(30), .wavelet = Wavelet::named(wavelet), .level = level};
      const Segmentation a = wavecluster(dense, options);
      const Segmentation b = wavecluster(sparse, options);
      EXPECT_EQ(a.positive, b.positive) << wavelet << level;
      EXPECT_EQ(a.nonpositive, b.nonpositive);
      EXPECT_EQ(a.k, b.k);
      EXPECT_EQ(a.threshold, b.threshold);
      EXPECT_EQ(a.clusters, b.clusters);
    }
  }
}

TEST(WaveCluster, DensityIsInTheUnitsOfW) {
  // One block of 2 x 2 cells with 6 points: W = 6 / 2 = 3.
  const Grid grid({Axis(0, 1, 4), Axis(0, 1, 4)});
  std::vector<std::int64_t> values(16, 0);
  values[0] = 2;
  values[5] = 4;
  const Counts counts(grid, Cells<std::int64_t>::dense({4, 4}, values), 6, 0);
  const auto clusters_at = [&](double density) {
    return wavecluster(counts, {.threshold = Density(density)}).clusters.count();
  };
  EXPECT_EQ(clusters_at(3), 1U);
  EXPECT_EQ(clusters_at(3.1), 0U);
}

TEST(WaveCluster, NoPointsGiveNoClusters) {
  BlockPoints none(Columns(2));
  for (const std::uint64_t limit : {dense_limit, std::uint64_t{0}}) {
    const Counts counts = quantize(none, unit_square, {.dense_limit = limit});
    const Segmentation found = wavecluster(counts, {.threshold = Percentile(58)});
    EXPECT_EQ(found.k, 0U);
    EXPECT_EQ(found.positive, 0U);
    EXPECT_EQ(found.nonpositive, 17U * 15U);
    EXPECT_EQ(found.clusters.count(), 0U);
    EXPECT_EQ(found.clusters.shape(), (Shape{17, 15}));
  }
}

TEST(WaveCluster, OnePointIsOneClusterAndOneCellIsEnough) {
  BlockPoints one(Columns{{0.4}, {0.6}});
  EXPECT_EQ(wavecluster(quantize(one, unit_square), {.threshold = Percentile(0)}).clusters.sizes(),
            (std::vector<std::uint64_t>{1}));
  const Grid single({Axis(0, 1, 1), Axis(0, 1, 1)});
  EXPECT_EQ(wavecluster(quantize(one, single), {.threshold = Percentile(0)}).clusters.sizes(),
            (std::vector<std::uint64_t>{1}));
}

TEST(WaveCluster, LabelsOfPointsAgreeWithTheCells) {
  const Columns columns = balls(5000);
  BlockPoints points(columns);
  const Segmentation found = wavecluster(quantize(points, unit_square), {.threshold = Percentile(70)});
  const ClusterMap map(unit_square, 1, Transform::decimated, found.clusters);
  std::vector<std::uint32_t> labels(columns[0].size());
  map.label({columns[0], columns[1]}, labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t x = unit_square.axis(0).cell(columns[0][i]);
    const std::int64_t y = unit_square.axis(1).cell(columns[1][i]);
    const bool inside = x != outside_axis && y != outside_axis;
    ASSERT_EQ(labels[i], inside ? found.clusters.label(static_cast<std::uint64_t>(x / 2 * 15 + y / 2)) : 0);
  }
}

TEST(WaveCluster, UnknownWaveletsAndBadPercentilesAreRefused) {
  BlockPoints one(Columns{{0.4}, {0.6}});
  const Counts counts = quantize(one, unit_square);
  EXPECT_THROW(Wavelet::named("daisy"), InputError);
  EXPECT_THROW(wavecluster(counts, {.threshold = Percentile(100)}), InputError);
}

}  // namespace
}  // namespace shoal
