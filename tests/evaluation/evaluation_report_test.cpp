#include "evaluation/evaluation_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "evaluation_examples.hpp"

namespace shoal::evaluation {
namespace {

using examples::example;
using examples::Example;

TEST(EvaluationJson, HoldsTheSummariesOfItsRows) {
  const Example ds2 = example("ds2", 6000);
  const Evaluation found = evaluate(ds2.data.view(), ds2.options);
  const auto theory = compare_with_theory(profile_of(ds2.data.counts, ds2.options.technique.cluster), found.rows,
                                          ds2.options.technique, 0.1);
  const nlohmann::json json = nlohmann::json::parse(evaluation_json(found, ds2.options, theory));
  EXPECT_FALSE(nlohmann::json::parse(evaluation_json(found, ds2.options)).contains("theory"));
  ASSERT_EQ(json["theory"].size(), 8U);
  EXPECT_EQ(json["theory"][2]["beta"].get<double>(), *theory[2].bounds.beta);
  EXPECT_EQ(json["theory"][7]["k_max"].get<double>(), theory[7].bounds.k_max);
  EXPECT_EQ(json["private"], false);
  EXPECT_EQ(json["rows"].size(), 24U);
  const std::vector<Summary> summaries = summarize(read_rows(rows_csv(found.rows)));
  ASSERT_EQ(json["summary"].size(), summaries.size());
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    EXPECT_EQ(json["summary"][i]["technique"], summaries[i].technique);
    EXPECT_EQ(json["summary"][i]["dsgc"]["mean"].get<double>(), summaries[i].measured[0]->mean);
    EXPECT_EQ(json["summary"][i]["two_ce"]["high"].get<double>(), summaries[i].measured[3]->high);
    EXPECT_EQ(json["summary"][i]["k"]["low"].get<double>(), summaries[i].k.low);
  }
}

Summary summary_at(const std::string& technique, const std::string& epsilon, double dsgc, double half = 0.01) {
  Summary summary;
  summary.technique = technique;
  summary.epsilon = Epsilon::parse(epsilon);
  summary.runs = 10;
  summary.clusters_true = 3;
  summary.k_true = 100;
  summary.clusters = {3, 3, 3};
  summary.k = {100, 90, 110};
  summary.measured.resize(measures().size());
  summary.measured[0] = Interval{dsgc, dsgc - half, dsgc + half};
  return summary;
}

TEST(Advice, NamesTheBestTechniqueOfEachBudget) {
  const std::string text =
      advice({summary_at("privqt", "0.1", 2.0), summary_at("privthr", "0.1", 0.9), summary_at("privqt", "0.5", 2.0),
              summary_at("privthr", "0.5", 0.25), summary_at("privthr", "1", 0.05), summary_at("privthr-em", "1", 0.5),
              summary_at("privthr", "2", 0.04), summary_at("privthr-em", "2", 0.001, 0.0001)});
  EXPECT_NE(text.find("Up to epsilon 0.1 no technique is useful"), std::string::npos) << text;
  EXPECT_NE(text.find("From epsilon 0.5 to 1 use privthr:"), std::string::npos) << text;
  EXPECT_NE(text.find("At epsilon 2 use privthr-em:"), std::string::npos) << text;
}

TEST(Advice, StaysWithATechniqueWhereTheRunsCannotTell) {
  const std::string text =
      advice({summary_at("privthr", "0.5", 0.20, 0.05), summary_at("privthr-em", "0.5", 0.21, 0.05),
              summary_at("privthr", "1", 0.20, 0.05), summary_at("privthr-em", "1", 0.05, 0.05)});
  EXPECT_NE(text.find("From epsilon 0.5 to 1 use privthr-em"), std::string::npos) << text;
}

TEST(Advice, OfAutoRanksNoBudget) {
  const std::string text = advice({summary_at("privwave --auto", "0.1", 0.1), summary_at("privwave --auto", "1", 0.9)});
  EXPECT_NE(text.find("no budget is recommended"), std::string::npos) << text;
  EXPECT_EQ(text.find(" use privwave"), std::string::npos) << text;
  EXPECT_EQ(text.find("DSG_C 0"), std::string::npos) << text;
}

TEST(Advice, NeverRecommendsWhatIsNotPrivate) {
  const std::string name = "privthr-em-literal-not-private";
  EXPECT_EQ(advice({summary_at(name, "1", 0.01), summary_at("privthr", "1", 0.4)}).find(name), std::string::npos);
  EXPECT_EQ(advice({summary_at(name, "1", 0.01)}).find(name), std::string::npos);
}

TEST(Advice, SaysWhatToExpectByTheDistanceAlone) {
  std::vector<std::size_t> order;  // words change in this order as the distance grows, and never back
  for (double dsgc = 0.001; dsgc < 2; dsgc *= 1.1) {
    const std::string text = advice({summary_at("privthr", "1", dsgc)});
    const char* const all[] = {"nearly the true ones", "most clusters are right", "some clusters are split or joined",
                               "no technique is useful"};
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < 4; ++i) {
      if (text.find(all[i]) != std::string::npos) here.push_back(i);
    }
    ASSERT_EQ(here.size(), 1U) << text;
    if (order.empty() || order.back() != here[0]) order.push_back(here[0]);
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_NE(advice({summary_at("privthr", "1", 1.9)}).find("Use a larger epsilon"), std::string::npos);
  EXPECT_EQ(advice({summary_at("privthr", "1", 0.01)}).find("Use a larger epsilon"), std::string::npos);
  const std::string literal = "privthr-literal-not-private", none = "No private technique was evaluated";
  EXPECT_NE(advice({summary_at(literal, "1", 0.01)}).find(none), std::string::npos);
  EXPECT_EQ(advice({summary_at("privthr", "1", 0.01)}).find(none), std::string::npos);
}

TEST(LineChart, IsWellFormedAndEscapesItsWords) {
  Chart chart;
  chart.title = "a < b & \"c\"";
  chart.x_name = "x";
  chart.y_name = "y";
  chart.logarithmic_x = true;
  chart.series = {{"one", {{0.1, {1, 0.5, 1.5}}, {1, {2, 1, 3}}}, 0}, {"two", {}, 1}, {"three", {{1, {0, 0, 0}}}, 2}};
  const std::string svg = line_chart(chart);
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^>]*?(/?)>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), tag); at != std::sregex_iterator(); ++at) {
    if ((*at)[1] == "/") {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*at)[2]);
      open.pop_back();
    } else if ((*at)[3] != "/") {
      open.push_back((*at)[2]);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_NE(line_chart(Chart{}).find("</svg>"), std::string::npos);
}

TEST(LineChart, HigherValuesLieHigher) {
  Chart chart;
  chart.series = {{"one", {{1, {1, 1, 1}}, {2, {3, 3, 3}}}, 0}};
  const std::string svg = line_chart(chart);
  std::smatch found;
  ASSERT_TRUE(
      std::regex_search(svg, found, std::regex("<polyline points=\"([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+)\"")));
  EXPECT_LT(std::stod(found[1]), std::stod(found[3]));
  EXPECT_GT(std::stod(found[2]), std::stod(found[4]));
}

// The page's table of figures, cell by cell, without its markup.
std::vector<std::vector<std::string>> figures_on(const std::string& page) {
  std::vector<std::vector<std::string>> rows;
  const std::size_t begin = page.find("All figures");
  const std::string part = page.substr(begin, page.find("</tbody>", begin) - begin);
  const std::regex row("<tr>(.*?)</tr>");
  const std::regex cell("<td[^>]*>(.*?)</td>");
  for (std::sregex_iterator at(part.begin(), part.end(), row); at != std::sregex_iterator(); ++at) {
    const std::string text = (*at)[1];
    std::vector<std::string> cells;
    for (std::sregex_iterator in(text.begin(), text.end(), cell); in != std::sregex_iterator(); ++in) {
      cells.push_back(std::regex_replace((*in)[1].str(), std::regex("<[^>]*>"), ""));
    }
    if (!cells.empty()) rows.push_back(cells);
  }
  return rows;
}

TEST(EvaluationHtml, ShowsTheMeansOfTheCsv) {
  const Example ds2 = example("ds2", 6000);
  const Evaluation found = evaluate(ds2.data.view(), ds2.options);
  const std::string page = evaluation_html(ds2.data.view(), ds2.options, found);
  const std::vector<Row> rows = read_rows(rows_csv(found.rows));
  const auto figures = figures_on(page);
  ASSERT_EQ(figures.size(), 8U);
  for (const auto& cells : figures) {
    std::vector<double> sums(6, 0);
    for (const Row& row : rows) {
      if (row.epsilon.text() != cells[0] || row.technique != cells[1]) continue;
      const auto k = static_cast<double>(row.k);
      const auto k_true = static_cast<double>(row.k_true);
      const std::vector<double> values{
          k,       100 * std::fabs(k - k_true) / k_true, static_cast<double>(row.clusters), row.dsgc, row.f_measure,
          *row.ocm};
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i] / 3;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(std::stod(cells[i + 2]), sums[i], i < 3 ? 0.0501 : 0.000501)
          << cells[0] << ' ' << cells[1] << ' ' << i;
    }
  }
}

TEST(EvaluationHtml, StandsAloneAndSaysThatItIsNotPrivate) {
  Example ds2 = example("ds2", 6000);
  ds2.options.dataset = "a <set>";
  const Evaluation found = evaluate(ds2.data.view(), ds2.options);
  const Profile profile = profile_of(ds2.data.counts, ds2.options.technique.cluster);
  ReportOptions report;
  report.theory = compare_with_theory(profile, found.rows, ds2.options.technique, 0.1);
  EXPECT_EQ(report.theory.size(), 8U);
  const std::string page = evaluation_html(ds2.data.view(), ds2.options, found, report);
  EXPECT_NE(page.find("NOT PRIVATE"), std::string::npos);
  EXPECT_NE(page.find("a &lt;set&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_NE(page.find("What the theorems promise"), std::string::npos);
}

TEST(CompareWithTheory, CountsTheRunsWithinTheBounds) {
  const Example ds2 = example("ds2", 6000);
  const Evaluation found = evaluate(ds2.data.view(), ds2.options);
  const Profile profile = profile_of(ds2.data.counts, ds2.options.technique.cluster);
  for (const TheoryCheck& check : compare_with_theory(profile, found.rows, ds2.options.technique, 0.1)) {
    double within = 0;
    for (const Row& row : found.rows) {
      if (row.technique != check.technique || row.epsilon != check.epsilon) continue;
      const auto k = static_cast<double>(row.k);
      within += k >= check.bounds.k_min && k <= check.bounds.k_max ? 1.0 / 3 : 0;
    }
    EXPECT_NEAR(check.within, within, 1e-12);
  }
}

}  // namespace
}  // namespace shoal::evaluation
