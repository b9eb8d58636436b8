// What a plan says beside what evaluate measures on sets that it was not made from.
#include "shoal/plan.hpp"

#include <gtest/gtest.h>

#include "evaluation/evaluate.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"

namespace shoal::evaluation {
namespace {

PlanOptions options_for(const Grid& grid, std::uint64_t records, double percentile) {
  return {.grid = grid,
          .options = {.cluster = {.threshold = Percentile(percentile), .threads = 1}},
          .records = records,
          .epsilons = {Epsilon::parse("0.1"), Epsilon::parse("1")},
          .runs = 2};
}

TEST(Plan, HoldsWhatEvaluateMeasuresOnOtherSets) {
  int within = 0, cases = 0;
  for (const char* name : {"ds1", "ds2", "ds3"}) {
    const DatasetSettings settings = dataset_settings(name);
    const auto points = dataset_points(name, 1, 20'000);
    const Grid grid({Axis(0, 1, 48, "x"), Axis(0, 1, 48, "y")});
    const Counts counts = quantize(*points, grid);
    const PlanOptions options = options_for(grid, 20'000, 50);
    const PlanResult planned = plan(options);
    EvaluationOptions studied{.technique = options.options};
    studied.dataset = name;
    studied.techniques = {"privwave"};
    studied.epsilons = options.epsilons;
    studied.runs = 3;
    studied.classify = false;
    const Evaluation measured = evaluate({.counts = counts}, studied);
    for (const PlanRow& row : planned.rows) {
      double sum = 0;
      for (const Row& of : measured.rows) sum += of.epsilon == row.epsilon ? of.dsgc : 0;
      ++cases;
      within += sum / 3 >= row.dsg_c.low && sum / 3 <= row.dsg_c.high ? 1 : 0;
    }
  }
  EXPECT_GE(within, cases - 1);
}

TEST(Plan, TheSameSeedGivesTheSamePlan) {
  const Grid grid({Axis(0, 1, 24, "x"), Axis(0, 1, 24, "y")});
  const PlanOptions options = options_for(grid, 3000, 50);
  EXPECT_EQ(plan_json(options, plan(options)), plan_json(options, plan(options)));
}

TEST(Plan, ShapesHoldAsManyRecordsAsAskedInAnyNumberOfAxes) {
  for (const std::size_t axes : {1U, 2U, 3U}) {
    const Grid grid(std::vector<Axis>(axes, Axis(0, 1, 16, "x")));
    for (std::size_t shape = 0; shape < plan_shapes().size(); ++shape) {
      std::int64_t sum = 0;
      const Counts counts = plan_counts(shape, grid, 5000, 1);
      for (const std::int64_t value : counts.raw().values()) sum += value;
      EXPECT_NEAR(static_cast<double>(sum), 5000, 5) << axes << " " << plan_shapes()[shape];
    }
  }
}

TEST(Plan, RefusesNoRecordsNoEpsilonAndBaseline) {
  const Grid grid({Axis(0, 1, 16, "x")});
  PlanOptions options = options_for(grid, 0, 50);
  EXPECT_THROW(plan(options), InputError);
  options.records = 100;
  options.technique = "baseline";
  EXPECT_THROW(plan(options), InputError);
  options.technique = "privwave";
  options.epsilons.clear();
  EXPECT_THROW(plan(options), InputError);
}

}  // namespace
}  // namespace shoal::evaluation
