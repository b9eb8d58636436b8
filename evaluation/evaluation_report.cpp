#include "evaluation/evaluation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "drawing/picture.hpp"
#include "shoal/notices.hpp"

namespace shoal::evaluation {

namespace {

constexpr const char* style =
    "<style>main{max-width:1020px}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(400px,1fr));gap:10px;"
    "margin:0 0 14px}.pair figure{margin:0}.legend{background:#fff;border:1px solid var(--line);border-radius:8px;"
    "padding:4px;margin:0 0 10px}.legend svg{display:block;width:100%;height:auto}"
    ".advice{font-size:17px}td small{color:var(--soft)}.best{font-weight:650}</style>\n";

bool is_literal(const std::string& technique) { return technique.ends_with("-not-private"); }

// Behind the name of the technique where each run chose its grid.
constexpr std::string_view automatic_suffix = " --auto";

const Interval& dsgc_of(const Summary& summary) { return *summary.measured.front(); }

// ---- advice ----------------------------------------------------------------------------------------------------

// What was seen at one budget.
struct Choice {
  Epsilon epsilon;
  const Summary* best = nullptr;          // least mean DSG_C
  std::vector<const Summary*> as_good{};  // the best, and others that these runs cannot tell from it
};

// By the runs' intervals, and near enough that the difference would not matter.
bool is_as_good(const Summary& summary, const Summary& best) {
  return dsgc_of(summary).low <= dsgc_of(best).high && dsgc_of(summary).mean <= 1.5 * dsgc_of(best).mean + 0.02;
}

// Budgets ascending.
std::vector<Choice> choices_of(const std::vector<Summary>& summaries) {
  std::vector<Choice> choices;
  for (const Summary& summary : summaries) {
    if (is_literal(summary.technique)) continue;
    auto choice = std::find_if(choices.begin(), choices.end(),
                               [&](const Choice& other) { return other.epsilon == summary.epsilon; });
    if (choice == choices.end()) choice = choices.insert(choices.end(), {summary.epsilon});
    if (choice->best == nullptr || dsgc_of(summary).mean < dsgc_of(*choice->best).mean) choice->best = &summary;
  }
  for (Choice& choice : choices) {
    for (const Summary& summary : summaries) {
      if (is_literal(summary.technique) || summary.epsilon != choice.epsilon) continue;
      if (is_as_good(summary, *choice.best)) choice.as_good.push_back(&summary);
    }
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.epsilon < b.epsilon; });
  return choices;
}

const Summary* summary_of(const Choice& choice, const std::string& technique) {
  const auto found = std::find_if(choice.as_good.begin(), choice.as_good.end(),
                                  [&](const Summary* summary) { return summary->technique == technique; });
  return found == choice.as_good.end() ? nullptr : *found;
}

// From choices[begin] on, how many budgets the technique serves as well as any.
std::size_t served(const std::vector<Choice>& choices, std::size_t begin, const std::string& technique) {
  std::size_t end = begin;
  while (end < choices.size() && summary_of(choices[end], technique) != nullptr) ++end;
  return end - begin;
}

enum class Quality { close, good, rough, unusable };

Quality quality_of(double dsgc) {
  if (dsgc <= 0.1) return Quality::close;
  if (dsgc <= 0.3) return Quality::good;
  return dsgc <= 0.6 ? Quality::rough : Quality::unusable;
}

std::string figures_of(const Summary& summary) {
  return fmt::format("DSG_C {:.2g}, {:.3g} clusters, {} true", dsgc_of(summary).mean, summary.clusters.mean,
                     summary.clusters_true);
}

std::string what_to_expect(Quality quality) {
  switch (quality) {
    case Quality::close:
      return "its clusters are nearly the true ones";
    case Quality::good:
      return "most clusters are right, with wrong borders";
    case Quality::rough:
      return "some clusters are split or joined";
    case Quality::unusable:
      break;
  }
  return "its clusters have little in common with the true ones";
}

// Returns one sentence on the `count` budgets that start at choices[begin]: the technique, and what it gives as they
// grow.
std::string sentence(const std::vector<Choice>& choices, std::size_t begin, std::size_t count,
                     const std::string& technique) {
  const std::string first = choices[begin].epsilon.text();
  std::string text = count == 1 ? fmt::format("At epsilon {} use {}: ", first, technique)
                                : fmt::format("From epsilon {} to {} use {}: ", first,
                                              choices[begin + count - 1].epsilon.text(), technique);
  std::optional<Quality> last;
  for (std::size_t i = begin; i < begin + count; ++i) {
    const Summary& summary = *summary_of(choices[i], technique);
    const Quality quality = quality_of(dsgc_of(summary).mean);
    if (quality == last) continue;
    const std::string when = count == 1 ? "" : fmt::format("at {} ", choices[i].epsilon.text());
    text += fmt::format("{}{}{} ({})", last ? "; " : "", when, what_to_expect(quality), figures_of(summary));
    last = quality;
  }
  return text + ".";
}

// ---- charts ----------------------------------------------------------------------------------------------------

std::vector<std::string> techniques_of(const std::vector<Summary>& summaries) {
  std::vector<std::string> names;
  for (const Summary& summary : summaries) {
    if (std::find(names.begin(), names.end(), summary.technique) == names.end()) names.push_back(summary.technique);
  }
  return names;
}

// One line a technique of what `value` takes from its summaries.
template <class Value>
Chart chart_of(const std::vector<Summary>& summaries, const std::string& title, const std::string& y_name,
               const Value& value) {
  Chart chart;
  chart.title = title;
  chart.x_name = "privacy budget epsilon";
  chart.y_name = y_name;
  chart.logarithmic_x = true;
  for (const std::string& technique : techniques_of(summaries)) {
    ChartSeries series{technique, {}, chart.series.size()};
    for (const Summary& summary : summaries) {
      if (summary.technique != technique) continue;
      if (const std::optional<Interval> y = value(summary)) series.points.push_back({summary.epsilon.value(), *y});
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    chart.series.push_back(std::move(series));
  }
  return chart;
}

bool is_empty(const Chart& chart) {
  return std::all_of(chart.series.begin(), chart.series.end(),
                     [](const ChartSeries& series) { return series.points.empty(); });
}

std::string charts_section(const std::vector<Summary>& summaries) {
  const std::vector<Chart> charts = evaluation_charts(summaries);
  std::string text = "<p>Lines are means over the runs, bands their 95 % confidence intervals.</p>\n";
  text += fmt::format("<div class=\"legend\">{}</div>\n<div class=\"pair\">\n", chart_legend(charts.front().series));
  for (const Chart& chart : charts) text += fmt::format("<figure>{}</figure>\n", line_chart(chart));
  return section("Over the budget", text + "</div>\n");
}

// ---- pictures --------------------------------------------------------------------------------------------------

// What a result's picture is coloured by: the noisy values that an analyst would see, or the raw counts where there are
// none (the paper's letter).
const Cells<std::int64_t>& density_of(const StudiedResult& result, const Counts& counts) {
  if (result.release && result.release->parts().counts()) return result.release->parts().counts()->counts.value();
  if (result.release && result.release->parts().blocks_level() > 0) return result.release->parts().values()->value();
  return counts.raw();
}

Epsilon drawn_epsilon(const std::vector<Summary>& summaries, const ReportOptions& report) {
  if (report.picture_epsilon) return *report.picture_epsilon;
  const auto nearest = std::min_element(summaries.begin(), summaries.end(), [](const Summary& a, const Summary& b) {
    return std::fabs(std::log(a.epsilon.value())) < std::fabs(std::log(b.epsilon.value()));
  });
  return nearest->epsilon;
}

std::string clusters_of(double count) {
  return fmt::format("{} {}", grouped(count), count == 1 ? "cluster" : "clusters");
}

std::string pictures_section(const EvaluationData& data, const EvaluationOptions& options, const Evaluation& evaluation,
                             const std::vector<Summary>& summaries, const ReportOptions& report) {
  const Epsilon epsilon = drawn_epsilon(summaries, report);
  std::string text = fmt::format(
      "<p>Left: plain WaveCluster. Right: a technique at epsilon {}, the run with the "
      "median DSG_C. Shades on the right are the noisy counts that an analyst would see.</p>\n",
      epsilon.text());
  for (const std::string& technique : options.techniques) {
    const auto is_drawn = [&](const auto& one) {
      return one.technique == name_in_rows(options, technique) && one.epsilon == epsilon;
    };
    const Summary& summary = *std::find_if(summaries.begin(), summaries.end(), is_drawn);
    const auto row = std::find_if(evaluation.rows.begin(), evaluation.rows.end(),
                                  [&](const Row& one) { return is_drawn(one) && one.run == summary.typical_run; });
    const StudiedResult result = repeat_run(data, options, technique, epsilon, summary.typical_run);
    const Truth true_one = truth_of(data, options, result);
    const auto map_of = [&](const Clusters& clusters) {
      return ClusterMap(true_one.counts.grid(), true_one.options.level, true_one.options.transform, clusters);
    };
    const Picture truth(true_one.counts.raw(), map_of(true_one.segmentation.clusters),
                        {"The truth", clusters_of(static_cast<double>(row->clusters_true)), "points"});
    const Picture found(
        density_of(result, true_one.counts), map_of(result.clusters),
        {summary.technique, fmt::format("{}, DSG_C {:.3g}", clusters_of(static_cast<double>(row->clusters)), row->dsgc),
         result.release ? "noisy points" : "points"});
    text += fmt::format("<div class=\"pair\">\n<figure>{}</figure>\n<figure>{}</figure>\n</div>\n", truth.svg(),
                        found.svg());
  }
  return section("Truth and typical results", text);
}

// ---- tables ----------------------------------------------------------------------------------------------------

std::string interval_cell(const std::optional<Interval>& interval, bool best = false) {
  if (!interval) return "";
  return fmt::format("<span{}>{:.3f}</span> <small>&#177;&#8202;{:.3f}</small>", best ? " class=\"best\"" : "",
                     interval->mean, interval->high - interval->mean);
}

std::string summary_table(const std::vector<Summary>& summaries) {
  std::vector<std::string> head{"epsilon", "Technique", "k&#8242;", "|k&#8242; &#8722; k| / k", "Clusters"};
  std::vector<bool> numeric{true, false, true, true, true};
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (!is_measured(summaries, i)) continue;
    head.push_back(escaped(measures()[i].name));
    numeric.push_back(true);
  }
  head.emplace_back("Seconds");
  numeric.push_back(true);
  std::vector<const Summary*> ordered;
  for (const Summary& summary : summaries) ordered.push_back(&summary);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Summary* a, const Summary* b) { return a->epsilon < b->epsilon; });
  const std::vector<Choice> choices = choices_of(summaries);
  std::vector<std::vector<std::string>> rows;
  for (const Summary* summary : ordered) {
    const bool best =
        std::any_of(choices.begin(), choices.end(), [&](const Choice& choice) { return choice.best == summary; });
    rows.push_back({summary->epsilon.text(), escaped(summary->technique), fmt::format("{:.1f}", summary->k.mean),
                    fmt::format("{:.1f} %", 100 * summary->k_error), fmt::format("{:.1f}", summary->clusters.mean)});
    for (std::size_t i = 0; i < measures().size(); ++i) {
      if (is_measured(summaries, i)) rows.back().push_back(interval_cell(summary->measured[i], best && i == 0));
    }
    rows.back().push_back(fmt::format("{:.2g}", summary->seconds));
  }
  return table(head, rows, numeric);
}

// Automatic releases have truths of their own.
bool has_one_truth(const std::vector<Summary>& summaries) {
  return std::all_of(summaries.begin(), summaries.end(), [&](const Summary& other) {
    return other.k_true == summaries.front().k_true && other.clusters_true == summaries.front().clusters_true;
  });
}

std::string truth_words(const std::vector<Summary>& summaries) {
  if (!has_one_truth(summaries))
    return "Each run is compared with plain WaveCluster at the settings that the run chose.";
  return fmt::format("The true k is {}, the true number of clusters {}.", summaries.front().k_true,
                     summaries.front().clusters_true);
}

std::string table_section(const std::vector<Summary>& summaries) {
  return section(
      "All figures",
      fmt::format(
          "<p>Means of {} runs with the half width of their 95 % confidence intervals. {} The best DSG_C of each "
          "budget is bold. Seconds are for one release.</p>\n",
          summaries.front().runs, truth_words(summaries)) +
          summary_table(summaries));
}

std::string theory_section(const std::vector<TheoryCheck>& checks) {
  std::vector<std::vector<std::string>> rows;
  for (const TheoryCheck& check : checks) {
    const TheoryBounds& bounds = check.bounds;
    rows.push_back({escaped(check.technique), check.epsilon.text(), fmt::format("{:.1f}", bounds.k_min),
                    fmt::format("{:.1f}", bounds.k_max), fmt::format("{:.1f}", check.k.mean),
                    fmt::format("{:.0f} %", 100 * check.within), fmt::format("{:.1f}", bounds.gamma),
                    fmt::format("{}", bounds.surely_kept), fmt::format("{}", bounds.surely_dropped),
                    fmt::format("{:.0f} %", 100 * bounds.probability)});
  }
  return section(
      "What the theorems promise",
      "<p>Theorems 4, 5 and 6 of the paper bound k&#8242; and say how many of the positive values of W are surely kept "
      "or surely dropped, each with the probability in the last column.</p>\n" +
          table({"Technique", "epsilon", "k&#8242; at least", "at most", "measured", "runs within", "gamma",
                 "surely kept", "surely dropped", "probability"},
                rows, {false, true, true, true, true, true, true, true, true, true}));
}

std::string meaning_section() {
  return section(
      "What the measures mean",
      "<p><b>DSG_C</b> matches true and found clusters one to one, at the lowest cost. It counts the cells in which "
      "partners differ and the cells of clusters without a partner, divided by the number of truly significant cells. "
      "0: identical. 1: as wrong as finding nothing.</p>\n"
      "<p><b>F-measure</b> compares each true cluster with the found cluster that fits it best, in points. 1: perfect. "
      "It changes little when clusters are merged or split.</p>\n"
      "<p><b>OCM</b> and <b>2CE</b> train one decision tree on the true clusters and one on the found clusters of a "
      "part of the points. Both trees predict the clusters of the other points. OCM is the share of points on which "
      "they differ after the best renaming of clusters. 2CE is the share of pairs that one tree puts together and the "
      "other separates. 0: no difference.</p>\n"
      "<p><b>Adjusted Rand</b> compares the labels that points get from a technique with those from plain WaveCluster "
      "and, if the data have labels of their own, with these. It counts the pairs of points on which both agree, "
      "corrected for chance. Unclustered points are one group, and doubtful clusters label no point. 1: the same "
      "groups. 0: no better than chance.</p>\n"
      "<p><b>k</b> is the number of significant cells. <b>k&#8242;</b> is the estimate of a technique.</p>\n");
}

// Each run has a grid and a truth of its own, both finer for a larger budget. DSG_C of two budgets are of different
// things, and none is better for being smaller.
std::string automatic_advice(const std::vector<Summary>& summaries) {
  std::vector<std::string> each;
  for (const Summary& summary : summaries) {
    each.push_back(fmt::format("{:.3g} at epsilon {}", summary.clusters.mean, summary.epsilon.text()));
  }
  return fmt::format(
      "{} chose a grid in each run, a finer one for a larger epsilon, and is compared with plain WaveCluster on that "
      "grid. DSG_C of different budgets therefore cannot be compared, and no budget is recommended. Mean number of "
      "clusters: {}. 'shoal plan --auto' shows what each budget can find.",
      summaries.front().technique, fmt::join(each, ", "));
}

}  // namespace

std::string advice(const std::vector<Summary>& summaries) {
  const std::vector<Choice> choices = choices_of(summaries);
  if (!summaries.empty() && summaries.front().technique.ends_with(automatic_suffix)) return automatic_advice(summaries);
  if (choices.empty()) return "No private technique was evaluated, so none is recommended.";
  std::string text;
  std::size_t at = 0;
  while (at < choices.size() && quality_of(dsgc_of(*choices[at].best).mean) == Quality::unusable) ++at;
  if (at > 0) {
    text =
        fmt::format("Up to epsilon {} no technique is useful: the best, {}, gives {}.", choices[at - 1].epsilon.text(),
                    choices[at - 1].best->technique, figures_of(*choices[at - 1].best));
    if (at == choices.size()) return text + " Use a larger epsilon, fewer cells or more points.";
  }
  while (at < choices.size()) {
    // As few changes of technique as the runs allow; of equals the best at the first budget.
    std::string technique = choices[at].best->technique;
    for (const Summary* summary : choices[at].as_good) {
      if (served(choices, at, summary->technique) > served(choices, at, technique)) technique = summary->technique;
    }
    const std::size_t count = served(choices, at, technique);
    text += (text.empty() ? "" : " ") + sentence(choices, at, count, technique);
    at += count;
  }
  return text;
}

std::string what_was_compared(const EvaluationOptions& options) {
  const PrivacyUnit& unit = options.technique.unit;
  std::string text = fmt::format("The privacy unit is {} (neighbours: {}).", in_words(unit),
                                 unit.neighbors == Neighbors::replace ? "replace" : "add-remove");
  text +=
      fmt::format(" The reference is plain WaveCluster on all {}", unit.share ? "units, weighted alike" : "records");
  text += options.automatic ? ", on the grid that each run chose, with modes instead of a threshold" : "";
  if (unit.column.empty() || unit.share) return text + ".";
  return text + fmt::format(". Each run keeps at most {} records per {}, sampled at random as in a release.",
                            unit.max_contributions, unit.column);
}

std::vector<Chart> evaluation_charts(const std::vector<Summary>& summaries) {
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < measures().size(); ++i) {
    const Measure& measure = measures()[i];
    Chart chart = chart_of(summaries,
                           fmt::format("{} ({} is better)", measure.name, measure.lower_is_better ? "lower" : "higher"),
                           measure.name, [i](const Summary& summary) { return summary.measured[i]; });
    if (!measure.lower_is_better) chart.y_most = 1;
    if (!is_empty(chart)) charts.push_back(std::move(chart));
  }
  const Summary& any = summaries.front();
  charts.push_back(chart_of(summaries, "k\u2032 against the true k", "significant cells asked for",
                            [](const Summary& summary) { return std::optional(summary.k); }));
  const bool one_truth = has_one_truth(summaries);
  if (one_truth) {
    charts.back().reference = static_cast<double>(any.k_true);
    charts.back().reference_name = fmt::format("true k = {}", any.k_true);
  }
  charts.push_back(chart_of(summaries, "Number of clusters", "clusters",
                            [](const Summary& summary) { return std::optional(summary.clusters); }));
  if (one_truth) {
    charts.back().reference = static_cast<double>(any.clusters_true);
    charts.back().reference_name = fmt::format("true number = {}", any.clusters_true);
  }
  return charts;
}

std::string evaluation_html(const EvaluationData& data, const EvaluationOptions& options, const Evaluation& evaluation,
                            const ReportOptions& report) {
  const std::vector<Summary> summaries = summarize(evaluation.rows);
  std::string body = style;
  body += section("Which technique, at which budget",
                  fmt::format("<p class=\"advice\">{}</p>\n", escaped(advice(summaries))));
  body += charts_section(summaries);
  body += pictures_section(data, options, evaluation, summaries, report);
  body += table_section(summaries);
  if (!report.theory.empty()) body += theory_section(report.theory);
  body += meaning_section();
  body += section("Parameters",
                  fmt::format("<p>{}</p>\n", escaped(what_was_compared(options))) +
                      (options.automatic ? ""
                                         : table({"Parameter", "Value", "Meaning"},
                                                 parameter_rows(data.counts.grid(), options.technique.cluster),
                                                 {false, false, false})) +
                      fmt::format("<p>Seed {}: the same seed gives the same figures.</p>\n", options.seed));
  return html_page(
      fmt::format("Evaluation of {}", options.dataset), Banner::not_private,
      "For the data owner only: this page shows raw counts and the errors of private results. Do not publish it: it "
      "reveals what a release protects. Parameters chosen by it depend on the data, which no budget accounts for.",
      body);
}

}  // namespace shoal::evaluation
