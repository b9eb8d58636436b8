#include "publishing/publishing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "publishing/count_tree.hpp"
#include "publishing/haar_tree.hpp"
#include "publishing/publisher.hpp"
#include "publishing_noise.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using publishing::Levels;
using testing::NoNoise;
using testing::privacy_loss;
using testing::RecordingNoise;
using testing::ReplayNoise;

Grid unit_grid(std::size_t dimensions, std::uint64_t cells) {
  return Grid(std::vector<Axis>(dimensions, Axis(0, 1, cells)));
}

// A lump and a uniform background.
PointTable lumpy(std::size_t rows, std::size_t dimensions, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  PointTable points;
  points.columns.resize(dimensions);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool lump = uniform(engine) < 0.7;
    for (auto& column : points.columns) column.push_back(lump ? 0.3 + 0.2 * uniform(engine) : uniform(engine));
  }
  return points;
}

bool inside(const PointTable& points, std::size_t row, std::span<const double> bounds) {
  for (std::size_t a = 0; a < points.columns.size(); ++a) {
    const double x = points.columns[a][row];
    const bool closed = bounds[2 * a + 1] == 1;
    if (x < bounds[2 * a] || (closed ? x > 1 : x >= bounds[2 * a + 1])) return false;
  }
  return true;
}

double volume(std::span<const double> bounds) {
  double product = 1;
  for (std::size_t a = 0; 2 * a < bounds.size(); ++a) product *= bounds[2 * a + 1] - bounds[2 * a];
  return product;
}

Noised<Synopsis> publish_without_noise(const std::string& name, const PointTable& points, const Grid& grid,
                                       const std::string& epsilon) {
  NoNoise noise;
  Mechanisms mechanisms(noise, {}, Epsilon::parse(epsilon));
  return publish(name, points, grid, Epsilon::parse(epsilon), mechanisms);
}

double total(const Synopsis& synopsis) {
  double sum = 0;
  for (std::size_t box = 0; box < synopsis.boxes(); ++box) sum += synopsis.count(box);
  return sum;
}

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

TEST(UniformGrid, HasNEpsilonOverTenCells) {
  // N = 4000, 0.99 of epsilon 1 for the counts: 396 cells wanted, 20 x 20.
  EXPECT_EQ(publish_without_noise("uniform-grid", lumpy(4000, 2, 1), unit_grid(2, 8), "1").value().boxes(), 400U);
  // In space 396 cells are 8 x 8 x 8.
  EXPECT_EQ(publish_without_noise("uniform-grid", lumpy(4000, 3, 1), unit_grid(3, 8), "1").value().boxes(), 512U);
  // A unit of several records makes the noise larger and the cells fewer: 99 cells, 10 x 10.
  NoNoise noise;
  Mechanisms mechanisms(noise, {Neighbors::replace, "user", 2}, Epsilon::parse("1"));
  const auto synopsis = publish("uniform-grid", lumpy(4000, 2, 1), unit_grid(2, 8), Epsilon::parse("1"), mechanisms);
  EXPECT_EQ(synopsis.value().boxes(), 100U);
}

TEST(UniformGrid, StaysWithinItsLimitWhateverTheBudget) {
  const auto synopsis = publish_without_noise("uniform-grid", lumpy(50000, 2, 1), unit_grid(2, 8), "100000");
  EXPECT_EQ(synopsis.value().boxes(), publishing::most_boxes);
}

TEST(AdaptiveGrid, CutsEachCellByWhatItHolds) {
  // 10 x 10 cells at level 1 (N eps / c / 16 is less). 2000 points in one of them: with half of 0.99 for level 2,
  // sqrt(2000 * 0.495 / 5) = 14.07 a side; a cell with 19 stays whole, one with 30 is cut 2 x 2.
  PointTable points;
  points.columns.resize(2);
  const auto put = [&](double x, double y, int times) {
    for (int i = 0; i < times; ++i) {
      points.columns[0].push_back(x);
      points.columns[1].push_back(y);
    }
  };
  put(0.05, 0.05, 2000);
  put(0.55, 0.55, 19);
  put(0.75, 0.15, 30);
  const auto synopsis = publish_without_noise("adaptive-grid", points, unit_grid(2, 8), "1");
  EXPECT_EQ(synopsis.value().boxes(), 98U + 15U * 15U + 4U);
}

TEST(AdaptiveGrid, FirstLevelIsAQuarterOfTheUniformGridPerAxis) {
  // N eps / c = 99000: 315 a side for a uniform grid, 79 at level 1.
  const Grid grid = unit_grid(2, 8);
  NoNoise noise;
  RecordingNoise recording(noise);
  Mechanisms mechanisms(recording, {}, Epsilon::parse("100"));
  publish("adaptive-grid", lumpy(10000, 2, 4), grid, Epsilon::parse("100"), mechanisms);
  EXPECT_EQ(recording.draws()[1].values.size(), 79U * 79U);
}

TEST(AdaptiveGrid, CombinesBothLevelsByTheConstrainedInferenceOfThePaper) {
  const auto source = seeded_noise_not_private(9);
  RecordingNoise recording(*source);
  const Epsilon epsilon = Epsilon::parse("0.5");
  Mechanisms mechanisms(recording, {}, epsilon);
  const auto published = publish("adaptive-grid", lumpy(3000, 2, 8), unit_grid(2, 8), epsilon, mechanisms);
  const std::vector<std::int64_t>& first = recording.draws()[1].noisy;
  const std::vector<std::int64_t>& second = recording.draws()[2].noisy;
  const double alpha = 0.5;
  std::size_t offset = 0;
  for (std::size_t cell = 0; cell < first.size(); ++cell) {
    const auto v = static_cast<double>(first[cell]);
    const double m2 = v < 20 ? 1 : std::max(1.0, std::ceil(std::sqrt(v * 0.5 * 0.495 / 5)));
    const auto size = static_cast<std::size_t>(m2 * m2);
    const double sum = static_cast<double>(std::accumulate(second.begin() + static_cast<std::ptrdiff_t>(offset),
                                                           second.begin() + static_cast<std::ptrdiff_t>(offset + size),
                                                           std::int64_t{0}));
    const double w = alpha * alpha * m2 * m2 / ((1 - alpha) * (1 - alpha) + alpha * alpha * m2 * m2);
    const double agreed = w * v + (1 - w) * sum;
    double released = 0;
    for (std::size_t i = offset; i < offset + size; ++i) {
      ASSERT_NEAR(published.value().count(i), static_cast<double>(second[i]) + (agreed - sum) / (m2 * m2), 1e-6);
      released += published.value().count(i);
    }
    ASSERT_NEAR(released, agreed, 1e-6);  // children add up to the parent
    offset += size;
  }
  EXPECT_EQ(offset, published.value().boxes());
}

TEST(Quadtree, BudgetIsGeometricInThePlane) {
  // eps_i = 2^((h - i) / 3) eps (2^(1/3) - 1) / (2^((h + 1) / 3) - 1), leaf level i = 0.
  const auto plan = planned_publication("quadtree", unit_grid(2, 8), Epsilon::parse("1"), {});
  ASSERT_EQ(plan.size(), 11U);
  const double root = std::cbrt(2.0);
  for (int depth = 0; depth <= 10; ++depth) {
    const double expected = std::pow(root, depth) * (root - 1) / (std::pow(root, 11) - 1);
    EXPECT_NEAR(plan[static_cast<std::size_t>(depth)].epsilon.value(), expected, 1e-11);
    EXPECT_EQ(plan[static_cast<std::size_t>(depth)].sensitivity, 1U);
  }
}

TEST(Quadtree, HeightFitsTheDimensions) {
  for (const auto& [dimensions, levels] : {std::pair{1U, 11U}, {2U, 11U}, {3U, 7U}, {8U, 3U}, {16U, 2U}}) {
    EXPECT_EQ(planned_publication("quadtree", unit_grid(dimensions, 2), Epsilon::parse("1"), {}).size(), levels);
  }
}

TEST(Quadtree, PrunesBelowThirtyTwoAndOnlyThere) {
  const PointTable points = lumpy(5000, 2, 3);
  const auto synopsis = publish_without_noise("quadtree", points, unit_grid(2, 8), "1");
  for (std::size_t box = 0; box < synopsis.value().boxes(); ++box) {
    const std::span<const double> bounds = synopsis.value().bounds(box);
    const double side = bounds[1] - bounds[0];
    if (side > 0x1p-10) {
      EXPECT_LT(synopsis.value().count(box), 32);
    }
    // The parent holds at least 32.
    const double x = std::floor(bounds[0] / (2 * side)) * 2 * side;
    const double y = std::floor(bounds[2] / (2 * side)) * 2 * side;
    double parent = 0;
    for (std::size_t row = 0; row < points.rows(); ++row) {
      parent += inside(points, row, std::vector<double>{x, x + 2 * side, y, y + 2 * side}) ? 1 : 0;
    }
    EXPECT_GE(parent, 32);
  }
}

TEST(KdTree, WithoutNoiseHalvesAtMedians) {
  // 4096 distinct points: four levels of cuts along both axes leave 16 in each of 256 boxes, below the pruning limit.
  const auto synopsis = publish_without_noise("kd-tree", lumpy(4096, 2, 6), unit_grid(2, 8), "1");
  EXPECT_EQ(synopsis.value().boxes(), 256U);
  for (std::size_t box = 0; box < synopsis.value().boxes(); ++box) EXPECT_NEAR(synopsis.value().count(box), 16, 1e-6);
}

TEST(KdTree, AValueOnTheCutLiesAboveIt) {
  PointTable points{{{}}};
  for (int i = 0; i < 200; ++i) points.columns[0].push_back(i / 256.0);
  NoNoise noise(NoNoise::Cut::last);
  Mechanisms mechanisms(noise, {}, Epsilon::parse("1"));
  const auto synopsis = publish("kd-tree", points, unit_grid(1, 8), Epsilon::parse("1"), mechanisms);
  ASSERT_EQ(synopsis.value().boxes(), 8U);
  for (std::size_t box = 0; box < 8; ++box) EXPECT_NEAR(synopsis.value().count(box), 25, 1e-9);
}

TEST(KdTree, SpendsThirtyPercentOnCuts) {
  Epsilon cuts = Epsilon::zero(), counts = Epsilon::zero();
  for (const Spent& spent : planned_publication("kd-tree", unit_grid(2, 8), Epsilon::parse("1"), {})) {
    (spent.mechanism.find("medians") != std::string::npos ? cuts : counts) =
        (spent.mechanism.find("medians") != std::string::npos ? cuts : counts) + spent.epsilon;
  }
  EXPECT_EQ(cuts.text(), "0.3");
  EXPECT_EQ(counts.text(), "0.7");
}

TEST(Medians, EveryCutHasTheWeightOfItsRank) {
  const std::vector<std::uint32_t> values = {2, 2, 5, 9};
  const std::vector<MedianQuery> queries = {{values, 0, 12}};
  NoNoise best;
  RecordingNoise recording(best);
  Mechanisms mechanisms(recording, {}, Epsilon::parse("1"));
  mechanisms.medians(queries, Epsilon::parse("1"), "medians");
  const auto& draw = recording.draws().at(0);
  EXPECT_EQ(draw.rate, Rate::of(Epsilon::parse("1"), 2));
  // Cuts 1 .. 11, each with the cost |2 rank - 4|.
  std::vector<std::uint64_t> costs;
  for (const WeightedInterval& interval : draw.intervals) costs.insert(costs.end(), interval.measure, interval.cost);
  EXPECT_EQ(costs, (std::vector<std::uint64_t>{4, 4, 0, 0, 0, 2, 2, 2, 2, 4, 4}));
  EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"medians", 1, Epsilon::parse("1")}}));
}

TEST(Medians, QualityMovesByOneForEveryRecordThatJoins) {
  std::mt19937_64 engine(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::uint32_t> values(engine() % 6);
    for (auto& value : values) value = static_cast<std::uint32_t>(engine() % 8);
    std::sort(values.begin(), values.end());
    std::vector<std::uint32_t> more = values;
    more.push_back(static_cast<std::uint32_t>(engine() % 8));
    std::sort(more.begin(), more.end());
    std::vector<std::vector<std::uint64_t>> costs;
    for (const auto& group : {values, more}) {
      NoNoise best;
      RecordingNoise recording(best);
      Mechanisms mechanisms(recording, {}, Epsilon::parse("1"));
      const std::vector<MedianQuery> queries = {{group, 0, 8}};
      mechanisms.medians(queries, Epsilon::parse("1"), "medians");
      costs.emplace_back();
      for (const auto& interval : recording.draws()[0].intervals) {
        costs.back().insert(costs.back().end(), interval.measure, interval.cost);
      }
      ASSERT_EQ(costs.back().size(), 7U);
    }
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(std::max(costs[0][i], costs[1][i]) - std::min(costs[0][i], costs[1][i]), 1U);
    }
  }
}

TEST(Medians, ARangeOfOneStepIsRefused) {
  NoNoise noise;
  Mechanisms mechanisms(noise, {}, Epsilon::parse("1"));
  const std::vector<MedianQuery> queries = {{{}, 3, 4}};
  EXPECT_THROW(mechanisms.medians(queries, Epsilon::parse("1"), "medians"), Error);
  EXPECT_TRUE(mechanisms.spent().empty());
}

TEST(Tree, LeastSquaresMakeEveryNodeTheSumOfItsChildrenAndLeaveConsistentCountsAlone) {
  std::mt19937_64 engine(5);
  for (const std::uint64_t fanout : {2U, 4U, 8U}) {
    const std::vector<double> budget = {0.2, 0.3, 0.5};
    Levels noisy(3);
    for (std::size_t level = 0, size = 1; level < 3; ++level, size *= fanout) {
      for (std::size_t i = 0; i < size; ++i) noisy[level].push_back(static_cast<double>(engine() % 1000));
    }
    const Levels levels = publishing::least_squares(noisy, budget, fanout);
    for (std::size_t level = 0; level < 2; ++level) {
      for (std::size_t node = 0; node < levels[level].size(); ++node) {
        double sum = 0;
        for (std::size_t child = 0; child < fanout; ++child) sum += levels[level + 1][node * fanout + child];
        EXPECT_NEAR(levels[level][node], sum, 1e-9);
      }
    }
    const Levels again = publishing::least_squares(levels, budget, fanout);
    for (std::size_t level = 0; level < 3; ++level) {
      for (std::size_t i = 0; i < levels[level].size(); ++i) EXPECT_NEAR(again[level][i], levels[level][i], 1e-9);
    }
  }
}

TEST(Tree, TooSmallABudgetIsRefused) {
  EXPECT_THROW(planned_publication("quadtree", unit_grid(2, 8), Epsilon::parse("1e-12"), {}), InputError);
  EXPECT_THROW(planned_publication("kd-tree", unit_grid(2, 8), Epsilon::parse("1e-11"), {}), InputError);
}

TEST(Privelet, InverseGivesTheCountsBackExactly) {
  std::mt19937_64 engine(5);
  for (const Shape& shape : {Shape{1}, Shape{8}, Shape{4, 16}, Shape{2, 1, 8}, Shape{4, 4, 2, 2}}) {
    std::vector<std::int64_t> values(cell_count(shape));
    for (auto& value : values) value = static_cast<std::int64_t>(engine() % 100000);
    const auto coefficients = publishing::haar_coefficients(values, shape);
    const auto back = publishing::haar_inverse(std::vector<double>(coefficients.begin(), coefficients.end()), shape);
    EXPECT_EQ(back, std::vector<double>(values.begin(), values.end()));
  }
}

TEST(Privelet, OneRecordMovesExactlyTheDeclaredNumberOfCoefficientsByOne) {
  for (const Shape& shape : {Shape{1}, Shape{16}, Shape{4, 8}, Shape{2, 4, 4}}) {
    for (std::uint64_t cell = 0; cell < cell_count(shape); ++cell) {
      std::vector<std::int64_t> values(cell_count(shape), 0);
      values[cell] = 1;
      std::uint64_t moved = 0;
      for (const std::int64_t c : publishing::haar_coefficients(values, shape)) {
        EXPECT_LE(std::abs(c), 1);
        moved += c != 0 ? 1 : 0;
      }
      EXPECT_EQ(moved, publishing::haar_sensitivity(shape));
    }
  }
  EXPECT_EQ(publishing::haar_sensitivity({64, 64}), 49U);
  EXPECT_EQ(planned_publication("privelet", unit_grid(2, 40), Epsilon::parse("1"), {})[0].sensitivity, 49U);
}

TEST(Privelet, AHugeGridIsCutCoarser) {
  const auto synopsis = publish_without_noise("privelet", lumpy(100, 2, 1), unit_grid(2, 100000), "1");
  EXPECT_LE(synopsis.value().boxes(), publishing::most_boxes);
  EXPECT_GE(synopsis.value().boxes(), publishing::most_boxes / 8);
  EXPECT_NEAR(total(synopsis.value()), 100, 1e-9);
}

// Variances against theory. Noise on integers has the variance 2 q / (1 - q)^2, q = exp(-rate). The mean of `runs`
// squares is within six standard errors of it with a chance of error below 1e-6 (the kurtosis of what is measured is at
// most that of a Laplace, 6); the seeds are fixed besides.
double discrete_variance(double rate) {
  const double q = std::exp(-rate);
  return 2 * q / ((1 - q) * (1 - q));
}

double measured_variance(const std::string& name, const Grid& grid, double (*answer)(const Synopsis&), int runs) {
  double squares = 0;
  const auto noise = seeded_noise_not_private(1);
  for (int run = 0; run < runs; ++run) {
    Mechanisms mechanisms(*noise, {}, Epsilon::parse("1"));
    const PointTable nothing{std::vector<std::vector<double>>(grid.dimensions())};
    const double error = answer(publish(name, nothing, grid, Epsilon::parse("1"), mechanisms).value());
    squares += error * error;
  }
  return squares / runs;
}
double tolerance(double variance, int runs) { return 6 * variance * std::sqrt(5.0 / runs); }

TEST(Variance, OfAPriveletCellIsThatOfItsCoefficients) {
  // 16 cells: sensitivity 5. A cell is sum/16 + d1/16 +- d2/8 +- d3/4 +- d4/2.
  const int runs = 4000;
  const double expected = discrete_variance(1.0 / 5) * (1.0 / 256 + 1.0 / 256 + 1.0 / 64 + 1.0 / 16 + 1.0 / 4);
  const double measured = measured_variance(
      "privelet", unit_grid(1, 16), [](const Synopsis& s) { return s.count(5); }, runs);
  EXPECT_NEAR(measured, expected, tolerance(expected, runs));
}

TEST(Variance, OfAPriveletRangeUsesFewCoefficients) {
  // Half of the axis is (sum + d1) / 2: two coefficients, whatever the number of cells.
  const int runs = 4000;
  const double expected = discrete_variance(1.0 / 5) / 2;
  const double measured = measured_variance(
      "privelet", unit_grid(1, 16),
      [](const Synopsis& s) {
        double sum = 0;
        for (std::size_t i = 0; i < 8; ++i) sum += s.count(i);
        return sum;
      },
      runs);
  EXPECT_NEAR(measured, expected, tolerance(expected, runs));
}

TEST(Variance, OfAnAdaptiveCellIsBelowThatOfEitherLevel) {
  // A whole cell of an empty set: v and one u, each with 0.495; the mean of both.
  const int runs = 4000;
  const double expected = discrete_variance(0.495) / 2;
  const double measured = measured_variance(
      "adaptive-grid", unit_grid(2, 8), [](const Synopsis& s) { return s.count(0); }, runs);
  EXPECT_NEAR(measured, expected, tolerance(expected, runs));
}

TEST(Variance, OfTheTreesRootFallsByItsLevels) {
  // Precisions add up: own + children's / fanout, from the leaves upwards. Seven dimensions keep the tree small: three
  // levels, 128 children.
  const int runs = 300;
  const auto plan = planned_publication("quadtree", unit_grid(7, 2), Epsilon::parse("1"), {});
  double precision = 0;
  for (std::size_t level = plan.size(); level-- > 0;) {
    precision = precision / 128 + 1 / discrete_variance(plan[level].epsilon.value());
  }
  const double measured = measured_variance(
      "quadtree", unit_grid(7, 2),
      [](const Synopsis& s) {
        double sum = 0;
        for (std::size_t box = 0; box < s.boxes(); ++box) sum += s.count(box);
        return sum;
      },
      runs);
  // The weights are by epsilon squared, the exact variances are a little off it: 2 % at these budgets.
  EXPECT_NEAR(measured, 1 / precision, tolerance(1 / precision, runs) + 0.02 / precision);
}

// Drawing.

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
