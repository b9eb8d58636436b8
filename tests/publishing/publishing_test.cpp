#include "publishing/publishing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "publishing_examples.hpp"
#include "publishing_noise.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using examples::inside;
using examples::lumpy;
using examples::publish_without_noise;
using examples::total;
using examples::unit_grid;
using examples::volume;
using testing::privacy_loss;
using testing::RecordingNoise;
using testing::ReplayNoise;

class EveryPublisher : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Publishers, EveryPublisher, ::testing::ValuesIn(publisher_names()), [](const auto& publisher) {
  std::string name = publisher.param;
  std::erase(name, '-');
  return name;
});

TEST(Publishing, NamesAreTheFiveOfTheDesignAndOthersAreRefused) {
  EXPECT_EQ(publisher_names(),
            (std::vector<std::string>{"adaptive-grid", "uniform-grid", "quadtree", "kd-tree", "privelet"}));
  EXPECT_THROW(publish_without_noise("voronoi", lumpy(5, 2, 1), unit_grid(2, 4), "1"), InputError);
  EXPECT_THROW(planned_publication("voronoi", unit_grid(2, 4), Epsilon::parse("1"), {}), InputError);
}

TEST_P(EveryPublisher, WithoutNoiseTilesTheBoundsAndCountsThePointsOfEachBox) {
  for (const std::size_t dimensions : {1U, 2U, 3U}) {
    const PointTable points = lumpy(1500, dimensions, 7 + dimensions);
    const auto published = publish_without_noise(GetParam(), points, unit_grid(dimensions, 13), "1");
    const Synopsis& synopsis = published.value();
    double covered = 0;
    for (std::size_t box = 0; box < synopsis.boxes(); ++box) {
      covered += volume(synopsis.bounds(box));
      double count = 0;
      for (std::size_t row = 0; row < points.rows(); ++row) count += inside(points, row, synopsis.bounds(box)) ? 1 : 0;
      ASSERT_NEAR(synopsis.count(box), count, 1e-8) << dimensions << " dimensions, box " << box;
    }
    EXPECT_NEAR(covered, 1, 1e-9);
    EXPECT_NEAR(total(synopsis), 1500, 1e-6);
  }
}

TEST_P(EveryPublisher, SpendsEpsilonExactlyAndAsPlannedWhateverTheData) {
  const auto noise = seeded_noise_not_private(5);
  for (const char* text : {"1", "0.000001", "1000", "0.333333333333"}) {
    for (const std::size_t rows : {0U, 300U}) {
      const Epsilon epsilon = Epsilon::parse(text);
      const PrivacyUnit unit{Neighbors::replace, "user", 3};
      const Grid grid = unit_grid(2, 20);
      Mechanisms mechanisms(*noise, unit, epsilon);
      publish(GetParam(), lumpy(rows, 2, 3), grid, epsilon, mechanisms);
      Epsilon sum = Epsilon::zero();
      for (const Spent& spent : mechanisms.spent()) sum = sum + spent.epsilon;
      EXPECT_EQ(sum, epsilon);
      EXPECT_EQ(mechanisms.spent(), planned_publication(GetParam(), grid, epsilon, unit));
    }
  }
}

// Record and replay: the run of each neighbour is led to the same outputs, and the probabilities of its draws compared.
// This covers what the queries' sensitivities and the adaptive partitions promise together.
TEST_P(EveryPublisher, NoNeighbourMovesARunByMoreThanEpsilonAndSomeReachMostOfIt) {
  const Epsilon epsilon = Epsilon::parse("2");
  const Grid grid = unit_grid(2, 6);
  double worst_share = 0;
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
    const PrivacyUnit unit{relation, {}, 1};
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const PointTable points = lumpy(7, 2, seed);
      const auto source = seeded_noise_not_private(seed);
      RecordingNoise recording(*source);
      Mechanisms mechanisms(recording, unit, epsilon);
      publish(GetParam(), points, grid, epsilon, mechanisms);
      for (std::size_t row = 0; row < points.rows(); ++row) {
        PointTable neighbour = points;
        for (auto& column : neighbour.columns) {
          if (relation == Neighbors::replace) {
            column[row] = 1 - column[row];
          } else {
            column.erase(column.begin() + static_cast<std::ptrdiff_t>(row));
          }
        }
        ReplayNoise replay(recording.draws());
        Mechanisms others(replay, unit, epsilon);
        publish(GetParam(), neighbour, grid, epsilon, others);
        const double loss = privacy_loss(recording.draws(), replay.draws());
        ASSERT_LE(loss, 2 + 1e-9) << GetParam() << " row " << row;
        worst_share = std::max(worst_share, loss / 2);
      }
    }
  }
  EXPECT_GT(worst_share, GetParam() == "kd-tree" ? 0.75 : 0.999);
}

TEST_P(EveryPublisher, DegenerateDataAndBudgetsGiveAValidSynopsis) {
  const auto noise = seeded_noise_not_private(11);
  PointTable nothing{{{}, {}}};
  PointTable one{{{0.5}, {1.0}}};
  PointTable same{{std::vector<double>(500, 0.25), std::vector<double>(500, 0.25)}};
  for (const PointTable& points : {nothing, one, same}) {
    for (const char* text : {"0.000001", "1", "1000"}) {
      Mechanisms mechanisms(*noise, {}, Epsilon::parse(text));
      const auto synopsis = publish(GetParam(), points, unit_grid(2, 32), Epsilon::parse(text), mechanisms);
      double covered = 0;
      for (std::size_t box = 0; box < synopsis.value().boxes(); ++box) {
        ASSERT_TRUE(std::isfinite(synopsis.value().count(box)));
        covered += volume(synopsis.value().bounds(box));
      }
      EXPECT_NEAR(covered, 1, 1e-6);
      const Cells<std::int64_t> counts = draw_counts(*noise, unit_grid(2, 32), synopsis);
      for (const std::int64_t count : counts.values()) ASSERT_GE(count, 0);
      if (std::string(text) == "1000") {
        const auto sum = std::accumulate(counts.values().begin(), counts.values().end(), std::int64_t{0});
        EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(points.rows()), 1);
      }
    }
  }
}

TEST_P(EveryPublisher, WorksInEightDimensionsAndOnNarrowOrHugeBounds) {
  const auto noise = seeded_noise_not_private(2);
  const Epsilon epsilon = Epsilon::parse("1");
  Mechanisms eight(*noise, {}, epsilon);
  EXPECT_GT(publish(GetParam(), lumpy(1000, 8, 1), unit_grid(8, 4), epsilon, eight).value().boxes(), 0);

  const Grid narrow({Axis(1e9, 1e9 + 1e-5, 4), Axis(-1e300, 1e300, 4)});
  Mechanisms odd(*noise, {}, epsilon);
  const PointTable points{{{1e9, 1e9 + 5e-6}, {0, 1e300}}};
  const auto synopsis = publish(GetParam(), points, narrow, epsilon, odd);
  EXPECT_GT(synopsis.value().boxes(), 0);
  draw_counts(*noise, narrow, synopsis);
}

TEST_P(EveryPublisher, PointsOutsideTheBoundsCountNowhere) {
  const PointTable points{{{0.5, 7, std::nan("")}, {0.5, 0.5, 0.5}}};
  EXPECT_NEAR(total(publish_without_noise(GetParam(), points, unit_grid(2, 8), "1").value()), 1, 1e-9);
}

// Shapes of the methods, against the formulas computed by hand.

}  // namespace
}  // namespace shoal
