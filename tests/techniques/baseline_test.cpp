#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "block_points.hpp"
#include "publishing/publishing.hpp"
#include "publishing_noise.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

using testing::BlockPoints;

PrivateOptions options_for(double percentile, const std::string& publisher) {
  PrivateOptions options{.cluster = {.threshold = Percentile(percentile)}};
  options.publisher = publisher;
  return options;
}

PointTable two_lumps(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> spread(0, 0.04);
  PointTable points;
  points.columns.resize(2);
  for (std::size_t row = 0; row < rows; ++row) {
    const double centre = row % 2 == 0 ? 0.25 : 0.75;
    for (auto& column : points.columns) column.push_back(std::clamp(centre + spread(engine), 0.0, 1.0));
  }
  return points;
}

Counts counts_of(const PointTable& points, const Grid& grid) {
  BlockPoints source(points.columns);
  return quantize(source, grid);
}

// Privelet's cells are the grid's: without noise the synthetic counts are the true ones, and Baseline is WaveCluster.
TEST(Baseline, WithoutNoiseOnTheGridsOwnCellsIsWaveCluster) {
  const PointTable points = two_lumps(4000, 1);
  const Grid grid({Axis(0, 1, 30), Axis(0, 1, 22)});
  const Counts counts = counts_of(points, grid);
  const PrivateOptions options = options_for(40, "privelet");
  testing::NoNoise noise;
  const Release release = baseline({counts, &points}, Epsilon::parse("1"), options, noise);
  const Segmentation truth = wavecluster(counts, options.cluster);
  EXPECT_EQ(release.parts().counts()->counts.value(), counts.raw());
  EXPECT_EQ(release.cluster_cells(), truth.clusters);
  EXPECT_EQ(release.k(), truth.k);
  EXPECT_EQ(release.threshold(), truth.threshold);
}

TEST(Baseline, EveryPublisherFindsTwoFarLumpsWithAGoodBudget) {
  const PointTable points = two_lumps(20000, 2);
  const Grid grid({Axis(0, 1, 16), Axis(0, 1, 16)});
  const Counts counts = counts_of(points, grid);
  for (const std::string& publisher : publisher_names()) {
    const auto noise = seeded_noise_not_private(3);
    const Release release =
        run_technique("baseline", {counts, &points}, Epsilon::parse("20"), options_for(60, publisher), *noise);
    EXPECT_EQ(release.clusters().size(), 2U) << publisher;
    EXPECT_EQ(release.parts().technique, "baseline");
    EXPECT_EQ(release.parts().spent(),
              planned_spending("baseline", grid, Epsilon::parse("20"), options_for(60, publisher)));
    EXPECT_FALSE(release.parts().is_private);  // seeded
  }
}

TEST(Baseline, DegenerateDataEndInAValidRelease) {
  const Grid grid({Axis(0, 1, 16), Axis(0, 1, 16)});
  const auto noise = seeded_noise_not_private(3);
  for (const std::string& publisher : publisher_names()) {
    for (const std::size_t rows : {0U, 1U}) {
      const PointTable points = two_lumps(rows, 1);
      const Counts counts = counts_of(points, grid);
      for (const char* epsilon : {"0.00001", "100"}) {
        const Release release =
            baseline({counts, &points}, Epsilon::parse(epsilon), options_for(50, publisher), *noise);
        EXPECT_LE(release.clusters().size(), 64U) << publisher;
      }
    }
  }
}

TEST(Baseline, NeedsThePoints) {
  const Grid grid({Axis(0, 1, 4)});
  const Counts counts(grid, Cells<std::int64_t>::dense({4}, {1, 2, 3, 4}), 10, 0);
  testing::NoNoise noise;
  EXPECT_THROW(baseline({counts, nullptr}, Epsilon::parse("1"), options_for(10, "privelet"), noise), Error);
}

// On DS2 at epsilon 1 the true k is 144. The paper reports a mean k' of 284.0 for Baseline: negative counts are
// dropped, so noise alone makes empty cells positive. Here the adaptive grid gives about 310 with a standard deviation
// of 4.6 a run: its first level is 14 x 14 by its own rule, where the paper's authors fix 10 x 10 (which gives 278
// here). The interval is seven standard errors of the mean of 50 runs; the seed is fixed besides. Figures of
// docs/publishing.md.
TEST(Baseline, OverestimatesKOnThePapersSpirals) {
  std::unique_ptr<Points> source;
  try {
    source = open_csv(std::string(SHOAL_SHARED_DATA) + "/shapes/paper_ds2.csv", {.columns = {"x", "y"}});
  } catch (const InputError&) {
    GTEST_SKIP() << "the paper's data are not here";
  }
  const Grid grid({Axis(90045, 964445, 40), Axis(87019, 955419, 40)});
  const PointTable points = collect(*source, grid);
  const Counts counts = counts_of(points, grid);
  const auto noise = seeded_noise_not_private(2015);
  for (const std::string& publisher : publisher_names()) {
    const int runs = publisher == "adaptive-grid" ? 50 : publisher == "kd-tree" ? 3 : 10;
    double mean = 0;
    for (int run = 0; run < runs; ++run) {
      const Release release = baseline({counts, &points}, Epsilon::parse("1"), options_for(10, publisher), *noise);
      mean += static_cast<double>(release.k()) / runs;
    }
    std::cout << "DS2, epsilon 1, " << publisher << ": mean k' " << mean << " over " << runs << " runs\n";
    if (publisher == "adaptive-grid") {
      EXPECT_NEAR(mean, 310, 4.6);
    }
    EXPECT_GT(mean, 1.5 * 144);
    EXPECT_LT(mean, 360);  // all of the 400 cells of W positive
  }
}

}  // namespace
}  // namespace shoal
