// What `release` offers is evaluated as it would be released: --auto, --coverage, units.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "evaluation/evaluate.hpp"
#include "evaluation/evaluation_report.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"
#include "shoal/private_release.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/automatic.hpp"

namespace shoal::evaluation {
namespace {

const Grid unit_square({{0, 1, 40, "x"}, {0, 1, 40, "y"}});

EvaluationOptions options_of(std::vector<std::string> techniques) {
  EvaluationOptions options{.technique = {.cluster = {.threshold = Percentile(10)}}};
  options.dataset = "spirals";
  options.techniques = std::move(techniques);
  options.epsilons = {Epsilon::parse("1")};
  options.runs = 3;
  return options;
}

PointTable spirals(std::uint64_t points = 6000) { return collect(*dataset_points("ds2", 1, points), unit_square); }

std::vector<Row> without_seconds(std::vector<Row> rows) {
  for (Row& row : rows) row.seconds = 0;
  return rows;
}

std::vector<Row> rows_of(const PointTable& points, const EvaluationOptions& options, const Grid& grid = unit_square) {
  return without_seconds(evaluate({quantize(points, grid), &points}, options).rows);
}

// ---- units ---------------------------------------------------------------------------------------------------------

TEST(EvaluateUnits, OneRecordEachIsTheSameAsRecords) {
  PointTable points = spirals();
  EvaluationOptions options = options_of({"privqt", "privwave", "baseline"});
  const std::vector<Row> of_records = rows_of(points, options);
  options.technique.unit = {Neighbors::add_remove, "who", 1};
  for (std::uint32_t row = 0; row < points.rows(); ++row) points.units.push_back(row);
  EXPECT_EQ(rows_of(points, options), of_records);
}

TEST(EvaluateUnits, TheTruthCountsWhatARunLeavesOut) {
  // All of a spiral's points belong to one who may keep two of them.
  PointTable points = spirals();
  const Segmentation whole = wavecluster(quantize(points, unit_square), options_of({}).technique.cluster);
  const ClusterMap map(unit_square, 1, Transform::decimated, whole.clusters);
  std::vector<std::uint32_t> labels(points.rows());
  map.label({points.columns[0], points.columns[1]}, labels);
  for (std::uint32_t row = 0; row < points.rows(); ++row) points.units.push_back(labels[row] == 1 ? 0 : row + 1);
  EvaluationOptions options = options_of({"privqt"});
  options.epsilons = {Epsilon::parse("1000")};
  options.technique.unit = {Neighbors::add_remove, "who", 2};
  for (const Row& row : rows_of(points, options)) {
    EXPECT_EQ(row.clusters_true, 3U);
    EXPECT_EQ(row.k_true, whole.k);
    EXPECT_GT(row.dsgc, 0.25) << "a third of the cells is lost";
  }
}

TEST(EvaluateUnits, EveryRunKeepsOtherRecordsTheSameOnAnyNumberOfThreads) {
  PointTable points = spirals();
  for (std::uint32_t row = 0; row < points.rows(); ++row) points.units.push_back(row % 100);
  EvaluationOptions options = options_of({"privqt"});
  options.epsilons = {Epsilon::parse("1000")};  // what differs is what was kept
  options.technique.unit = {Neighbors::add_remove, "who", 10};
  options.threads = 1;
  const std::vector<Row> one = rows_of(points, options);
  std::set<std::pair<double, double>> seen;
  for (const Row& row : one) seen.emplace(row.dsgc, row.f_measure);
  EXPECT_GT(seen.size(), 1U);
  options.threads = 3;
  EXPECT_EQ(rows_of(points, options), one);
  const Counts counts = quantize(points, unit_square);
  const StudiedResult again = repeat_run({counts, &points}, options, "privqt", options.epsilons[0], 2);
  EXPECT_EQ(again.k, one[1].k);
  EXPECT_EQ(again.clusters.count(), one[1].clusters);
}

TEST(EvaluateUnits, AreStatedInFileAndReport) {
  PointTable points = spirals(2000);
  EvaluationOptions options = options_of({"privqt"});
  EXPECT_NE(what_was_compared(options).find("The privacy unit is one record (neighbours: add-remove)"),
            std::string::npos);
  for (std::uint32_t row = 0; row < points.rows(); ++row) points.units.push_back(row % 100);
  options.technique.unit = {Neighbors::replace, "who", 5};
  const Counts counts = quantize(points, unit_square);
  const EvaluationData data{counts, &points};
  const Evaluation found = evaluate(data, options);
  const auto json = nlohmann::json::parse(evaluation_json(found, options));
  EXPECT_EQ(json["unit"], "who");
  EXPECT_EQ(json["max_contributions"], 5);
  EXPECT_EQ(json["neighbors"], "replace");
  const std::string page = evaluation_html(data, options, found);
  EXPECT_NE(page.find("The privacy unit is one person with at most 5 records (neighbours: replace)"),
            std::string::npos);
  points.units.clear();
  EXPECT_THROW(evaluate(data, options), Error);
}

// The truth has the same weights, and a percentile means the same for both.
TEST(EvaluateUnits, SharesAreComparedWithTheSameWeights) {
  PointTable points = spirals(20'000);
  for (std::uint32_t row = 0; row < points.rows(); ++row) points.units.push_back(row % 4000);
  for (const Threshold& rule : {Threshold(Percentile(10)), Threshold(Density(2)), Threshold(Coverage(80))}) {
    const bool percentile = std::holds_alternative<Percentile>(rule);
    EvaluationOptions options = options_of({"privwave"});
    if (percentile) options.techniques.emplace_back("privthr");
    options.technique.cluster.threshold = rule;
    options.technique.unit = {Neighbors::add_remove, "who", 1, true};
    options.epsilons = {Epsilon::parse("20")};
    options.classify = percentile;
    for (const Row& row : rows_of(points, options)) {
      EXPECT_LT(row.dsgc, 0.5) << row.technique;
      EXPECT_NEAR(static_cast<double>(row.k), static_cast<double>(row.k_true), 0.25 * static_cast<double>(row.k_true))
          << row.technique;
    }
  }
  EvaluationOptions options = options_of({"privthr-em"});
  options.technique.unit = {Neighbors::add_remove, "who", 1, true};
  EXPECT_THROW(rows_of(points, options), InputError);
  options = options_of({"privthr-literal-not-private"});
  options.technique.unit = {Neighbors::add_remove, "who", 1, true};
  EXPECT_THROW(rows_of(points, options), InputError);
  const Counts counts = quantize(points, unit_square);
  const auto json = nlohmann::json::parse(evaluation_json({}, options));
  EXPECT_EQ(json["contribution"], "share");
  EXPECT_FALSE(json.contains("max_contributions"));
}

TEST(CollectUnits, NumbersUnitsOfTheRowsInside) {
  const std::vector<double> x{0.5, 7, NAN, 0.25, 0.75}, y{0.5, 0.5, 0.5, -3, 0.5};
  const std::vector<std::string_view> units{"ann", "bob", "eve", "ann", "bob"};
  const auto source = array_points({{x.data()}, {y.data()}}, x.size(), units);
  const PointTable table = collect_units(*source, unit_square);
  EXPECT_EQ(table.units, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(table.columns[0], (std::vector<double>{0.5, 0.75}));
  const PointTable clamped = collect_units(*source, unit_square, Outside::clamp);
  EXPECT_EQ(clamped.units, (std::vector<std::uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(clamped.columns[1], (std::vector<double>{0.5, 0.5, 0, 0.5}));
}

// ---- --auto and --coverage -----------------------------------------------------------------------------------------

TEST(EvaluateAutomatic, HoldsEachRunAgainstTheTruthAtTheSettingsItChose) {
  const PointTable points = spirals(20000);
  const Grid finest = finest_grid(unit_square);
  const Counts counts = quantize(points, finest);
  EvaluationOptions options = options_of({"privwave"});
  options.automatic = true;
  options.epsilons = {Epsilon::parse("0.1"), Epsilon::parse("5")};
  const EvaluationData data{counts, &points};
  const Evaluation found = evaluate(data, options);
  EXPECT_FALSE(found.truth.has_value());
  std::set<std::uint64_t> truths;
  for (const Row& row : found.rows) {
    EXPECT_EQ(row.technique, "privwave --auto");
    truths.insert(row.k_true);
    const StudiedResult result = repeat_run(data, options, "privwave", row.epsilon, row.run);
    const Truth truth = truth_of(data, options, result);
    EXPECT_EQ(truth.counts.grid(), result.release->parts().grid);
    EXPECT_EQ(truth.options.threshold, result.release->parts().options.threshold);
    EXPECT_EQ(row.k_true, wavecluster(quantize(points, result.release->parts().grid), truth.options).k);
    EXPECT_EQ(row.k, result.k);
    EXPECT_TRUE(row.ocm.has_value());
    EXPECT_LT(row.dsgc, 0.5);
  }
  EXPECT_GT(truths.size(), 1U);
  const auto json = nlohmann::json::parse(evaluation_json(found, options));
  EXPECT_EQ(json["automatic"], true);
  EXPECT_FALSE(json.contains("k_true"));
  EXPECT_NE(evaluation_html(data, options, found).find("on the grid that each run chose, with modes"),
            std::string::npos);
  EXPECT_NE(advice(summarize(found.rows)).find("privwave --auto"), std::string::npos);
}

TEST(EvaluateAutomatic, IsForPrivwaveOnTheFinestGrid) {
  const PointTable points = spirals(2000);
  const Counts coarse = quantize(points, unit_square), fine = quantize(points, finest_grid(unit_square));
  EvaluationOptions options = options_of({"privwave"});
  options.automatic = true;
  EXPECT_THROW(evaluate({coarse, &points}, options), Error);
  options.techniques = {"privqt"};
  EXPECT_THROW(evaluate({fine, &points}, options), InputError);
}

TEST(EvaluateCoverage, TakesAllTechniquesThatFollowIt) {
  const PointTable points = spirals(3000);
  const std::vector<std::string> names = technique_names(Coverage(80));
  EXPECT_EQ(names, (std::vector<std::string>{"privwave", "privqt", "baseline"}));
  EXPECT_EQ(technique_names(Percentile(10)), technique_names());
  EvaluationOptions options = options_of(names);
  options.classify = false;
  options.technique.cluster.threshold = Coverage(80);
  EXPECT_EQ(rows_of(points, options).size(), 9U);
  for (const std::string& name : technique_names()) {
    options.techniques = {name};
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      EXPECT_THROW(rows_of(points, options), InputError);
    }
  }
}

}  // namespace
}  // namespace shoal::evaluation
