#include "evaluation/reproduce_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "drawing/picture.hpp"
#include "evaluation/charts.hpp"

namespace shoal::evaluation {

namespace {

constexpr const char* style =
    "<style>main{max-width:1120px}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(400px,1fr));gap:10px;"
    "margin:0 0 14px}.pair figure{margin:0}.legend{background:#fff;border:1px solid var(--line);border-radius:8px;"
    "padding:4px;margin:0 0 10px}.legend svg{display:block;width:100%;height:auto}td small{color:var(--soft)}"
    "#claims td{font-size:13.5px;line-height:1.4;min-width:90px}#claims td:nth-child(3),#claims "
    "td:nth-child(4){min-width:290px}#claims td:first-child{min-width:230px}"
    ".verdict{font-weight:650;display:block}.reproduced{color:var(--good)}.differs{color:var(--bad)}"
    "details{margin:0 0 12px}summary{cursor:pointer;font-weight:600;padding:4px 0}</style>\n";

struct Tally {
  std::array<std::uint64_t, 3> count{};
  std::uint64_t all = 0;
  void add(const Finding& finding) {
    ++count[static_cast<std::size_t>(finding.verdict)];
    ++all;
  }
  [[nodiscard]] std::string words() const {
    return fmt::format("{} of {} are reproduced, {} differ, {} cannot be tested here", count[0], all, count[1],
                       count[2]);
  }
};

// ---- claims ----------------------------------------------------------------------------------------------------

std::string held_words(const Finding& finding) {
  return finding.of < 2 ? "" : fmt::format("holds {} of {} times", finding.held, finding.of);
}

std::string finding_html(const Finding& finding) {
  const char* kind = finding.verdict == Verdict::reproduced ? " reproduced"
                     : finding.verdict == Verdict::differs  ? " differs"
                                                            : "";
  std::string text = fmt::format("<span class=\"verdict{}\">{}</span>", kind, words_of(finding.verdict));
  for (const Figure& figure : finding.figures) text += escaped(figure_words(figure)) + "<br>";
  if (finding.of > 1) text += held_words(finding) + "<br>";
  if (!finding.why.empty()) text += fmt::format("<small>{}</small>", escaped(finding.why));
  return text;
}

std::string claims_section(const Study& study) {
  std::vector<std::vector<std::string>> rows;
  for (const Claim& claim : study.claims) {
    rows.push_back(
        {fmt::format("{}<br><small>Reproduced if: {}.</small>", escaped(claim.words), escaped(claim.criterion)),
         escaped(claim.paper), finding_html(claim.ours),
         claim.letter ? finding_html(*claim.letter) : "<small>the same</small>"});
  }
  return section("Claim by claim",
                 "<p>Means with the half width of their 95 % confidence intervals. <em>As Shoal releases it</em>: "
                 "integer noise, a public Max, every sensitivity proven. <em>As published</em>: continuous "
                 "noise, and PrivTHR_EM's Max taken from the data; not private, for comparison only.</p>\n"
                 "<div id=\"claims\">" +
                     table({"The paper says", "Its figure", "As Shoal releases it", "As published"}, rows,
                           {false, false, false, false}) +
                     "</div>\n");
}

// ---- charts ----------------------------------------------------------------------------------------------------

// A technique looks the same in all charts; its letter has the same marker, dashed.
std::size_t style_of(const std::string& technique) {
  const auto& names = paper_techniques();
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), technique) - names.begin());
  return at < 4 ? at : at + 2;
}

std::vector<ChartSeries> legend_of(const std::vector<std::string>& techniques) {
  std::vector<ChartSeries> series;
  for (const std::string& technique : techniques) series.push_back({display_name(technique), {}, style_of(technique)});
  return series;
}

struct Quantity {
  const char* name;
  std::optional<Interval> (*of)(const Summary&);
};

Chart chart_of(const std::vector<Summary>& summaries, const std::string& set,
               const std::vector<std::string>& techniques, const Quantity& quantity) {
  Chart chart;
  chart.title = set;
  chart.x_name = "privacy budget epsilon";
  chart.y_name = quantity.name;
  chart.logarithmic_x = true;
  for (const std::string& technique : techniques) {
    ChartSeries series{display_name(technique), {}, style_of(technique)};
    for (const Summary& summary : summaries) {
      if (summary.dataset != set || summary.technique != technique) continue;
      if (const auto y = quantity.of(summary)) series.points.push_back({summary.epsilon.value(), *y});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

template <std::size_t index>
std::optional<Interval> measured(const Summary& summary) {
  return summary.measured[index];
}
std::optional<Interval> k_of(const Summary& summary) { return summary.k; }

std::string drawn(const std::vector<Chart>& charts) {
  std::string text = "<div class=\"pair\">\n";
  for (const Chart& chart : charts) text += fmt::format("<figure>{}</figure>\n", line_chart(chart));
  return text + "</div>\n";
}

std::string legend(const std::vector<ChartSeries>& series) {
  return fmt::format("<div class=\"legend\">{}</div>\n", chart_legend(series));
}

std::string figure_section(const Study& study, const std::vector<Summary>& summaries, const std::string& heading,
                           const std::string& text, const Quantity& quantity, std::optional<double> most = {}) {
  std::vector<Chart> charts;
  for (const StudiedSet& set : study.sets) {
    charts.push_back(chart_of(summaries, set.facts.name, paper_techniques(), quantity));
    charts.back().y_most = most;
  }
  return section(heading, fmt::format("<p>{}</p>\n", text) + legend(legend_of(paper_techniques())) + drawn(charts));
}

std::string k_section(const Study& study, const std::vector<Summary>& summaries) {
  constexpr std::size_t paper_style = 4;
  std::vector<Chart> charts;
  for (const StudiedSet& set : study.sets) {
    charts.push_back(chart_of(summaries, set.facts.name, paper_techniques(), {"k\u2032", &k_of}));
    Chart& chart = charts.back();
    chart.reference = static_cast<double>(set.truth.k);
    chart.reference_name = fmt::format("true k = {}", set.truth.k);
    if (!set.facts.is_authors || set.facts.name != "DS2") continue;
    for (const auto& [epsilon, k] :
         {std::pair{1., 284.0}, {1., 249.2}, {1., 141.0}, {1., 142.8}, {0.1, 131.2}, {0.1, 82.8}}) {
      chart.series.push_back({"the paper", {{epsilon, {k, k, k}}}, paper_style});
    }
  }
  std::vector<ChartSeries> names = legend_of(paper_techniques());
  names.push_back({"the paper's own figures (DS2)", {}, paper_style});
  return section("Figure 5: k\u2032 against k",
                 "<p>How many cells each technique takes for significant, against the true number.</p>\n" +
                     legend(names) + drawn(charts));
}

// ---- sets ------------------------------------------------------------------------------------------------------

std::string sets_section(const Study& study) {
  std::vector<std::vector<std::string>> rows;
  std::string pictures = "<div class=\"pair\">\n";
  for (const StudiedSet& set : study.sets) {
    const Grid& grid = set.counts.grid();
    rows.push_back({set.facts.name, escaped(set.source), grouped(static_cast<double>(set.points.rows())),
                    fmt::format("{}", fmt::join(grid.shape(), " &#215; ")),
                    fmt::format("{} %", std::get<Percentile>(set.cluster.threshold).percent()),
                    fmt::format("{}", set.truth.positive), fmt::format("{}", set.truth.nonpositive),
                    fmt::format("{}", set.truth.k), fmt::format("{}", set.truth.clusters.count())});
    const ClusterMap map(grid, set.cluster.level, set.cluster.transform, set.truth.clusters);
    const Picture picture(set.counts.raw(), map,
                          {set.facts.name, fmt::format("{} clusters", set.truth.clusters.count()), "points"});
    pictures += fmt::format("<figure>{}</figure>\n", picture.svg());
  }
  return section("Figure 4: the sets and their clusters",
                 "<p>What WaveCluster finds without noise: Haar, level 1, all eight neighbours connect.</p>\n"
                 "<div id=\"sets\">" +
                     table({"Set", "Points from", "Points", "Grid", "p", "|L|", "|Z|", "k", "Clusters"}, rows,
                           {false, false, true, true, true, true, true, true, true}) +
                     "</div>\n" + pictures + "</div>\n");
}

// ---- shares and wavelets ---------------------------------------------------------------------------------------

std::string alpha_section(const Study& study, const std::vector<Summary>& summaries) {
  std::vector<Chart> charts;
  for (const char* technique :
       {"privthr", "privthr-em", "privthr-literal-not-private", "privthr-em-literal-not-private"}) {
    Chart chart;
    chart.title = display_name(technique) + " on DS1";
    chart.x_name = "share of epsilon for the counts, %";
    chart.y_name = "DSG_C";
    for (const Epsilon epsilon : study.sweep_epsilons) {
      ChartSeries series{"epsilon " + epsilon.text(), {}, chart.series.size()};
      for (const double alpha : study.alphas) {
        for (const Summary& summary : summaries) {
          if (summary.dataset != "DS1" || summary.epsilon != epsilon) continue;
          if (summary.technique != varied_technique(technique, alpha)) continue;
          series.points.push_back({100 * alpha, *summary.measured.front()});
        }
      }
      chart.series.push_back(std::move(series));
    }
    charts.push_back(std::move(chart));
  }
  return section("How to split the budget",
                 fmt::format("<p>DSG_C on DS1 as the share of the budget that goes into the counts grows from {} to {} "
                             "%; {} runs per point. The paper recommends 90 % for PrivTHR and uses 70 % for "
                             "PrivTHR_EM.</p>\n",
                             100 * study.alphas.front(), 100 * study.alphas.back(), study.sweep_runs) +
                     legend(charts.front().series) + drawn(charts));
}

std::string wavelets_section(const Study& study, const std::vector<Summary>& summaries) {
  const std::vector<std::string> techniques{"baseline", "privqt", "privthr", "privthr-em"};
  std::vector<Chart> charts;
  for (std::size_t set = 0; set < 3; ++set) {
    for (const std::string& wavelet : study.wavelets) {
      const std::string name = varied_set(study.sets[set].facts.name, wavelet);
      charts.push_back(chart_of(summaries, name, techniques, {"DSG_C", &measured<0>}));
      const auto any = std::find_if(summaries.begin(), summaries.end(),
                                    [&](const Summary& summary) { return summary.dataset == name; });
      charts.back().title =
          fmt::format("{}, {}: {} true clusters", study.sets[set].facts.name, wavelet, any->clusters_true);
    }
  }
  return section(
      "Other wavelets",
      "<p>The paper names biorthogonal and Daubechies wavelets besides Haar, without figures. The charts compare each "
      "result with WaveCluster for the same wavelet, so the true clusters differ between wavelets. With their longer "
      "filters one record changes several cells of W. |Z| and the rank need more noise, which makes PrivTHR and "
      "PrivTHR_EM less accurate.</p>\n" +
          legend(legend_of(techniques)) + drawn(charts));
}

// ---- all figures -----------------------------------------------------------------------------------------------

std::string interval_cell(const std::optional<Interval>& interval, int digits) {
  if (!interval) return "";
  return fmt::format("{:.{}f} <small>&#177;&#8202;{:.{}f}</small>", interval->mean, digits,
                     interval->high - interval->mean, digits);
}

std::string tables_section(const std::vector<Summary>& summaries) {
  std::vector<std::string> head{"Technique", "epsilon", "k&#8242;", "Clusters"};
  for (const Measure& measure : measures()) head.push_back(escaped(measure.name));
  std::string text = "<p>Means with the half width of their 95 % confidence intervals; rows.csv holds every run.</p>\n";
  for (std::size_t begin = 0; begin < summaries.size();) {
    const std::string set = summaries[begin].dataset;
    const bool sweep = summaries[begin].technique.find(' ') != std::string::npos;
    std::vector<std::vector<std::string>> rows;
    std::size_t end = begin;
    for (; end < summaries.size() && summaries[end].dataset == set; ++end) {
      const Summary& one = summaries[end];
      if ((one.technique.find(' ') != std::string::npos) != sweep) break;
      rows.push_back(
          {escaped(one.technique), one.epsilon.text(), interval_cell(one.k, 1), interval_cell(one.clusters, 1)});
      for (const auto& interval : one.measured) rows.back().push_back(interval_cell(interval, 3));
    }
    text += fmt::format(
        "<details data-set=\"{0}\"><summary>{0}{1}: true k {2}, {3} true clusters, {4} runs</summary>\n{5}</details>\n",
        escaped(set), sweep ? ", shares of the budget" : "", summaries[begin].k_true, summaries[begin].clusters_true,
        summaries[begin].runs, table(head, rows, {false, true, true, true, true, true, true, true}));
    begin = end;
  }
  return section("All figures", text);
}

std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

std::string finding_markdown(const Finding& finding) {
  std::string text = fmt::format("**{}**", words_of(finding.verdict));
  for (const Figure& figure : finding.figures) text += "<br>" + figure_words(figure);
  if (finding.of > 1) text += "<br>" + held_words(finding);
  if (!finding.why.empty()) text += "<br>*" + finding.why + "*";
  return markdown_cell(text);
}

}  // namespace

std::string verdict_words(const std::vector<Claim>& claims) {
  Tally ours;
  Tally letter;
  for (const Claim& claim : claims) {
    ours.add(claim.ours);
    letter.add(claim.letter.value_or(claim.ours));
  }
  return fmt::format("Of the paper's claims, as Shoal releases it, {}. As published, {}.", ours.words(),
                     letter.words());
}

std::string claims_markdown(const Study& study) {
  std::string text = fmt::format("{} Runs: {}.\n\n", verdict_words(study.claims), study.options.runs);
  text += "| The paper says | Its figure | As Shoal releases it | As published |\n| --- | --- | --- | --- |\n";
  for (const Claim& claim : study.claims) {
    text += fmt::format("| {}<br>Reproduced if: {}. | {} | {} | {} |\n", markdown_cell(claim.words),
                        markdown_cell(claim.criterion), markdown_cell(claim.paper), finding_markdown(claim.ours),
                        claim.letter ? finding_markdown(*claim.letter) : "the same");
  }
  return text;
}

std::string study_html(const Study& study) {
  const std::vector<Summary> summaries = summarize(study.rows);
  const std::string better = "Lines are means, bands their 95 % confidence intervals. ";
  std::string body = style;
  body +=
      section("In short", fmt::format("<p>{}</p>\n<p>{} runs of each technique at each budget, seed {}: the same seed "
                                      "gives the same figures.</p>\n",
                                      escaped(verdict_words(study.claims)), study.options.runs, study.options.seed));
  body += claims_section(study);
  body += sets_section(study);
  body += k_section(study, summaries);
  body += figure_section(study, summaries, "Figure 6: DSG_C",
                         better + "0: the same clusters; 1: as wrong as finding nothing.", {"DSG_C", &measured<0>});
  body +=
      figure_section(study, summaries, "Figure 7: F-measure", better + "1 is perfect.", {"F-measure", &measured<1>}, 1);
  body += figure_section(study, summaries, "Figure 8: OCM",
                         better +
                             "Share of points that trees trained on the true and on the found clusters call "
                             "differently; 0 is best.",
                         {"OCM", &measured<2>});
  body += figure_section(study, summaries, "Figure 8: 2CE",
                         better +
                             "Share of the pairs of points that one tree puts together and the other apart; 0 is "
                             "best.",
                         {"2CE", &measured<3>});
  body += alpha_section(study, summaries);
  body += wavelets_section(study, summaries);
  body += tables_section(summaries);
  return html_page("WaveCluster with Differential Privacy, reproduced", Banner::not_private,
                   "A study: seeded noise, results compared with the truth, and techniques as published that "
                   "protect nobody. Made from published or generated points.",
                   body);
}

}  // namespace shoal::evaluation
