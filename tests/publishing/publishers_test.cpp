// Each publisher: where it cuts, what it spends, and the variance of what it gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>

#include "publishing/count_tree.hpp"
#include "publishing/haar_tree.hpp"
#include "publishing/publisher.hpp"
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
using publishing::Levels;
using testing::NoNoise;
using testing::RecordingNoise;

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
  for (const std::int64_t noisy : first) {
    const auto v = static_cast<double>(noisy);
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
  const std::vector<WeightedValue> values = {{2}, {2}, {5}, {9}};
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

// A charge for which nothing was asked leaves its receipt all the same.
TEST(Medians, OfNoGroupsAreOneResultWithTheReceipt) {
  NoNoise none;
  Mechanisms mechanisms(none, {}, Epsilon::parse("1"));
  const auto cuts = mechanisms.medians({}, Epsilon::parse("1"), "medians");
  EXPECT_TRUE(cuts.value().empty());
  EXPECT_EQ(spent_of(cuts.paid()), mechanisms.spent());
}

TEST(KdTree, OnAnAxisTooNarrowToBeCutSpendsWhatItClaims) {
  const Grid grid({Axis(1e15, 1e15 + 4, 4, "x")});
  PointTable points;
  points.columns = {{1e15, 1e15 + 1, 1e15 + 3}};
  NoNoise none;
  Mechanisms mechanisms(none, {}, Epsilon::parse("1"));
  const Noised<Synopsis> synopsis = publish("kd-tree", points, grid, Epsilon::parse("1"), mechanisms);
  Epsilon sum = Epsilon::zero();
  for (const Spent& spent : spent_of(synopsis.paid())) sum = sum + spent.epsilon;
  EXPECT_EQ(sum, Epsilon::parse("1"));
}

TEST(Medians, OfSharesRankByParts) {
  const PrivacyUnit unit{.column = "who", .share = true};
  const std::vector<WeightedValue> values = {{2, 65536}, {5, 16384}, {9, 49152}};
  const std::vector<MedianQuery> queries = {{values, 0, 12}};
  NoNoise best;
  RecordingNoise recording(best);
  Mechanisms mechanisms(recording, unit, Epsilon::parse("1"));
  mechanisms.medians(queries, Epsilon::parse("1"), "medians");
  const auto& draw = recording.draws().at(0);
  EXPECT_EQ(draw.rate, Rate::of(Epsilon::parse("1"), 2 * 65536));
  std::vector<std::uint64_t> costs;  // in quarters of a weight
  for (const WeightedInterval& interval : draw.intervals) {
    costs.insert(costs.end(), interval.measure, interval.cost / 16384);
  }
  EXPECT_EQ(costs, (std::vector<std::uint64_t>{8, 8, 0, 0, 0, 2, 2, 2, 2, 8, 8}));
  EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"medians", 1, Epsilon::parse("1")}}));
}

TEST(Medians, QualityMovesByOneForEveryRecordThatJoins) {
  std::mt19937_64 engine(3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto sort = [](std::vector<WeightedValue>& of) {
      std::sort(of.begin(), of.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    };
    std::vector<WeightedValue> values(engine() % 6);
    for (auto& value : values) value = {static_cast<std::uint32_t>(engine() % 8)};
    sort(values);
    std::vector<WeightedValue> more = values;
    more.push_back({static_cast<std::uint32_t>(engine() % 8)});
    sort(more);
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

// 16 cells per axis in space: sensitivity 125. At epsilon 500 one coefficient in 28 has noise, and each cell reads 125.
TEST(Privelet, RoundsToTheCountsWhereNoiseIsRare) {
  const PointTable points = lumpy(3000, 3, 4);
  const auto noise = seeded_noise_not_private(2);
  const auto published = [&](const char* epsilon) {
    Mechanisms mechanisms(*noise, {}, Epsilon::parse(epsilon));
    const Noised<Synopsis> synopsis =
        publish("privelet", points, unit_grid(3, 16), Epsilon::parse(epsilon), mechanisms);
    std::vector<double> counts;
    for (std::size_t box = 0; box < synopsis.value().boxes(); ++box) counts.push_back(synopsis.value().count(box));
    return counts;
  };
  const std::vector<double> exact = published("100000");
  EXPECT_EQ(std::accumulate(exact.begin(), exact.end(), 0.0), 3000);
  EXPECT_EQ(published("500"), exact);
  const std::vector<double> noisy = published("200");  // a quarter of the coefficients: the fractions stay
  EXPECT_TRUE(std::any_of(noisy.begin(), noisy.end(), [](double count) { return count != std::round(count); }));
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

}  // namespace
}  // namespace shoal
