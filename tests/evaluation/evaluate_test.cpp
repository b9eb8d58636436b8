#include "evaluation/evaluate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>

#include "clusters/metrics.hpp"
#include "evaluation/literal.hpp"
#include "evaluation_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal::evaluation {
namespace {

using examples::counted;
using examples::Data;
using examples::example;
using examples::Example;
using examples::without_seconds;

TEST(Evaluate, GivesARowForEveryTechniqueBudgetAndRun) {
  const Example ds2 = example("ds2");
  const Evaluation found = evaluate(ds2.data.view(), ds2.options);
  ASSERT_EQ(found.rows.size(), 4U * 2 * 3);
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const Row& row = found.rows[i];
    EXPECT_EQ(row.dataset, "ds2");
    EXPECT_EQ(row.technique, ds2.options.techniques[i / 6]);
    EXPECT_EQ(row.epsilon, ds2.options.epsilons[i / 3 % 2]);
    EXPECT_EQ(row.run, i % 3 + 1);
    EXPECT_EQ(row.clusters_true, 3U);
    EXPECT_EQ(row.k_true, found.truth->k);
    EXPECT_GE(row.dsgc, 0);
    EXPECT_TRUE(row.f_measure >= 0 && row.f_measure <= 1);
    EXPECT_TRUE(*row.ocm >= 0 && *row.ocm <= 1);
    EXPECT_TRUE(*row.two_ce >= 0 && *row.two_ce <= 1);
  }
}

TEST(Evaluate, IsTheSameForAnyNumberOfThreads) {
  Example ds2 = example("ds2", 6000);
  ds2.options.techniques.emplace_back("baseline");
  ds2.options.threads = 1;
  const Evaluation one = evaluate(ds2.data.view(), ds2.options);
  ds2.options.threads = 3;
  const Evaluation three = evaluate(ds2.data.view(), ds2.options);
  EXPECT_EQ(without_seconds(one.rows), without_seconds(three.rows));
}

TEST(Evaluate, ARowDoesNotDependOnWhatElseIsEvaluated) {
  Example ds2 = example("ds2", 6000);
  const std::vector<Row> all = without_seconds(evaluate(ds2.data.view(), ds2.options).rows);
  ds2.options.techniques = {"privthr"};
  ds2.options.epsilons = {Epsilon::parse("2")};
  ds2.options.runs = 2;
  const std::vector<Row> few = without_seconds(evaluate(ds2.data.view(), ds2.options).rows);
  ASSERT_EQ(few.size(), 2U);
  EXPECT_EQ(few[0], all[9]);
  EXPECT_EQ(few[1], all[10]);
}

TEST(Evaluate, RunsBudgetsAndTechniquesHaveNoiseOfTheirOwn) {
  Example ds2 = example("ds2");
  ds2.options.classify = false;
  ds2.options.techniques = {"privqt", "privqt-literal-not-private"};
  ds2.options.epsilons = {Epsilon::parse("0.1"), Epsilon::parse("0.100000000001")};
  ds2.options.runs = 2;
  const std::vector<Row> rows = evaluate(ds2.data.view(), ds2.options).rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_TRUE(rows[i].dsgc != rows[j].dsgc || rows[i].f_measure != rows[j].f_measure) << i << ' ' << j;
    }
  }
}

TEST(Evaluate, FMeasureIsThatOfThePoints) {
  Example ds2 = example("ds2", 6000);
  const ClusterOptions& cluster = ds2.options.technique.cluster;
  const Evaluation found = evaluate(ds2.data.view(), ds2.options);
  const auto labels = [&](const Clusters& clusters) {
    std::vector<std::uint32_t> result(ds2.data.points.rows());
    const auto& columns = ds2.data.points.columns;
    ClusterMap(ds2.data.counts.grid(), cluster.level, cluster.transform, clusters)
        .label({columns.begin(), columns.end()}, result);
    return result;
  };
  for (const Row& row : found.rows) {
    const StudiedResult result = repeat_run(ds2.data.view(), ds2.options, row.technique, row.epsilon, row.run);
    const double expected =
        f_measure(cross_tabulate(labels(found.truth->clusters), labels(result.clusters), Label0::no_group));
    EXPECT_DOUBLE_EQ(row.f_measure, expected);
  }
}

TEST(Evaluate, AnotherSeedGivesOtherRuns) {
  Example ds2 = example("ds2", 6000);
  ds2.options.techniques = {"privqt"};
  const std::vector<Row> one = without_seconds(evaluate(ds2.data.view(), ds2.options).rows);
  ds2.options.seed = 2;
  EXPECT_NE(one, without_seconds(evaluate(ds2.data.view(), ds2.options).rows));
}

TEST(Evaluate, AHugeBudgetGivesTheTruth) {
  Example ds2 = example("ds2");
  ds2.options.techniques = {"privqt", "privthr"};
  ds2.options.epsilons = {Epsilon::parse("1000")};
  for (const UnclusteredClass noise : {UnclusteredClass::left_out, UnclusteredClass::kept}) {
    ds2.options.unclustered_class = noise;
    for (const Row& row : evaluate(ds2.data.view(), ds2.options).rows) {
      EXPECT_EQ(row.dsgc, 0);
      EXPECT_EQ(row.f_measure, 1);
      EXPECT_EQ(row.ocm, 0);
      EXPECT_EQ(row.two_ce, 0);
      EXPECT_EQ(row.k, row.k_true);
    }
  }
}

TEST(Evaluate, WorksInThreeDimensionsAndFromCountsAlone) {
  Example mixture = example("mixture3", 20000);
  mixture.options.classify = false;
  const Evaluation found = evaluate({mixture.data.counts, nullptr}, mixture.options);
  for (const Row& row : found.rows) EXPECT_FALSE(row.ocm.has_value());
  EXPECT_NE(rows_csv(found.rows).find(",,"), std::string::npos);
  mixture.options.classify = true;
  EXPECT_EQ(evaluate(mixture.data.view(), mixture.options).rows.size(), found.rows.size());
}

TEST(Evaluate, ReportsProgressToTheEndAndStopsWhenTold) {
  Example ds2 = example("ds2", 3000);
  std::uint64_t calls = 0;
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  ds2.options.progress = [&](std::uint64_t done, std::uint64_t of) {
    ++calls;
    last = done;
    all = of;
  };
  evaluate(ds2.data.view(), ds2.options);
  EXPECT_EQ(calls, 24U);
  EXPECT_EQ(last, 24U);
  EXPECT_EQ(all, 24U);
  const std::atomic<bool> stop = true;
  ds2.options.stop = &stop;
  EXPECT_THROW(evaluate(ds2.data.view(), ds2.options), Error);
}

TEST(Evaluate, RefusesWhatCannotBeEvaluated) {
  const Example ds2 = example("ds2", 3000);
  EvaluationOptions unknown = ds2.options;
  unknown.techniques = {"privfoo"};
  EXPECT_THROW(evaluate(ds2.data.view(), unknown), InputError);
  EvaluationOptions nothing = ds2.options;
  nothing.epsilons.clear();
  EXPECT_THROW(evaluate(ds2.data.view(), nothing), InputError);
  EXPECT_THROW(evaluate({ds2.data.counts, nullptr}, ds2.options), InputError);
  const Counts empty(ds2.data.counts.grid(),
                     Cells<std::int64_t>::dense(ds2.data.counts.grid().shape(),
                                                std::vector<std::int64_t>(ds2.data.counts.grid().cell_count())),
                     0, 0);
  EXPECT_THROW(evaluate({empty, &ds2.data.points}, ds2.options), InputError);
}

TEST(RepeatRun, GivesTheResultOfARow) {
  const Example ds2 = example("ds2", 6000);
  for (const Row& row : evaluate(ds2.data.view(), ds2.options).rows) {
    const StudiedResult again = repeat_run(ds2.data.view(), ds2.options, row.technique, row.epsilon, row.run);
    EXPECT_EQ(again.k, row.k);
    EXPECT_EQ(again.clusters.count(), row.clusters);
    EXPECT_EQ(again.release.has_value(), row.technique != "privthr-em-literal-not-private");
    if (again.release) {
      EXPECT_FALSE(again.release->parts().is_private);
    }
  }
}

TEST(Literal, NeedsHaarAndAPercentile) {
  const Example ds2 = example("ds2", 3000);
  ClusterOptions options = ds2.options.technique.cluster;
  options.wavelet = Wavelet::named("db2");
  EXPECT_THROW(privqt_literal_not_private(ds2.data.counts, 1, options, 1), InputError);
  options = {.threshold = Top(5)};
  EXPECT_THROW(privthr_em_literal_not_private(ds2.data.counts, 1, 0.7, options, 1), InputError);
}

TEST(Literal, EmptyDataGiveNoClusters) {
  const Grid grid({Axis(0, 1, 8), Axis(0, 1, 8)});
  const Counts empty(grid, Cells<std::int64_t>::dense({8, 8}, std::vector<std::int64_t>(64)), 0, 0);
  ClusterOptions options{.threshold = Percentile(10)};
  EXPECT_EQ(privthr_em_literal_not_private(empty, 1, 0.7, options, 1).clusters.count(), 0U);
}

TEST(Literal, BaselineOfManyPointsAtALargeBudgetIsTheDataAgain) {
  const Example ds2 = example("ds2");
  const Segmentation truth = wavecluster(ds2.data.counts, ds2.options.technique.cluster);
  const Segmentation found =
      baseline_literal_not_private(ds2.data.points, ds2.data.counts.grid(), 200, ds2.options.technique.cluster, 1);
  EXPECT_EQ(found.clusters.count(), truth.clusters.count());
  EXPECT_NEAR(static_cast<double>(found.k), static_cast<double>(truth.k), 0.05 * static_cast<double>(truth.k));
}

TEST(Literal, BaselineOfNoPointsHasNoClusters) {
  const Grid grid({Axis(0, 1, 8), Axis(0, 1, 8)});
  PointTable none;
  none.columns.resize(2);
  EXPECT_EQ(baseline_literal_not_private(none, grid, 1, {.threshold = Percentile(10)}, 1).clusters.count(), 0U);
}

// A numpy program of its own gave 281.1 with a deviation of 4.5 a run over 40 runs, one with the method's own rule for
// the first level 311.
TEST(Literal, BaselineHasThePapersKOnDs2) {
  const std::string path = std::string(SHOAL_SHARED_DATA) + "/shapes/paper_ds2.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Grid grid({Axis(90045, 964445, 40, "x"), Axis(87019, 955419, 40, "y")});
  const Data data = counted(*open_csv(path, {.columns = {"x", "y"}}), grid);
  double sum = 0;
  constexpr int runs = 100;
  for (int run = 1; run <= runs; ++run) {
    sum +=
        static_cast<double>(baseline_literal_not_private(data.points, grid, 1, {.threshold = Percentile(10)}, run).k);
  }
  EXPECT_NEAR(sum / runs, 281, 3.5);
}

// The paper's sets, where they are at hand: means of 200 runs beside those of an independent numpy program with 60 to
// 80 runs. A run deviates by 0.35 at most here, so the two differ by 0.05 (one standard error); the seed is fixed.
struct PaperSet {
  const char* name;
  double x_lo, x_hi, y_lo, y_hi;
  std::uint64_t cells;
  double percentile;
  std::map<std::string, std::vector<double>> dsgc;  // at 0.25, 0.5, 1
};

TEST(Evaluate, MeetsThePrototypesFiguresOnThePapersSets) {
  const std::vector<PaperSet> sets{
      {"ds1",
       20406,
       963766,
       51397,
       972357,
       64,
       58,
       {{"privqt-literal-not-private", {.82, 1.00, 1.00}},
        {"privthr-literal-not-private", {.19, .09, .054}},
        {"privthr-em-literal-not-private", {.48, .16, .075}},
        {"privthr", {.19, .09, .054}}}},
      {"ds3",
       100504,
       1097128,
       58503,
       875127,
       36,
       23,
       {{"privqt-literal-not-private", {.43, .43, .43}},
        {"privthr-literal-not-private", {.18, .11, .063}},
        {"privthr-em-literal-not-private", {.28, .08, .05}},
        {"privthr", {.18, .11, .063}}}},
  };
  for (const PaperSet& set : sets) {
    const std::string path = std::string(SHOAL_SHARED_DATA) + "/shapes/paper_" + set.name + ".csv";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    const Grid grid({Axis(set.x_lo, set.x_hi, set.cells, "x"), Axis(set.y_lo, set.y_hi, set.cells, "y")});
    const Data data = counted(*open_csv(path, {.columns = {"x", "y"}}), grid);
    EvaluationOptions options{.technique = {.cluster = {.threshold = Percentile(set.percentile)}}};
    options.dataset = set.name;
    for (const auto& [technique, figures] : set.dsgc) options.techniques.push_back(technique);
    for (const char* epsilon : {"0.25", "0.5", "1"}) options.epsilons.push_back(Epsilon::parse(epsilon));
    options.runs = 200;
    options.classify = false;
    for (const Summary& summary : summarize(evaluate(data.view(), options).rows)) {
      const std::size_t at = summary.epsilon.text() == "0.25" ? 0 : (summary.epsilon.text() == "0.5" ? 1 : 2);
      const double figure = set.dsgc.at(summary.technique)[at];
      EXPECT_NEAR(summary.measured[0]->mean, figure, 0.07 + 0.25 * figure)
          << set.name << ' ' << summary.technique << ' ' << summary.epsilon.text();
    }
  }
}

}  // namespace
}  // namespace shoal::evaluation
