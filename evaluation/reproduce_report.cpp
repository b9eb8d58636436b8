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
  std::uint64_t all = 0, with_every_seed = 0;
  void add(const Finding& finding) {
    ++count[static_cast<std::size_t>(finding.verdict)];
    ++all;
    if (finding.seeds > 0 && finding.seeds_held == finding.seeds) ++with_every_seed;
  }
  [[nodiscard]] std::string words(std::uint64_t seeds) const {
    return fmt::format("{} of {} are reproduced{}, {} differ, {} cannot be tested here", count[0], all,
                       seeds > 1 ? fmt::format(" ({} of them with every seed)", with_every_seed) : "", count[1],
                       count[2]);
  }
};

// ---- claims ----------------------------------------------------------------------------------------------------

std::string held_words(const Finding& finding) {
  return finding.compared < 2 ? "" : fmt::format("holds {} of {} times over all runs", finding.held, finding.compared);
}

// "reproduced, 9 of 10 seeds"
std::string verdict_of(const Finding& finding) {
  const std::string verdict = words_of(finding.verdict);
  if (finding.verdict == Verdict::not_testable || finding.seeds < 2) return verdict;
  return fmt::format("{}, {} of {} seeds", verdict, finding.seeds_held, finding.seeds);
}

std::string finding_html(const Finding& finding) {
  const char* kind = finding.verdict == Verdict::reproduced ? " reproduced"
                     : finding.verdict == Verdict::differs  ? " differs"
                                                            : "";
  std::string text = fmt::format("<span class=\"verdict{}\">{}</span>", kind, verdict_of(finding));
  for (const Figure& figure : finding.figures) text += escaped(figure_words(figure)) + "<br>";
  if (finding.compared > 1) text += held_words(finding) + "<br>";
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
  return section(
      "Claim by claim",
      "<p>Means over the runs of all seeds, with the half width of their 95 % confidence intervals. A claim is "
      "reproduced if the runs of more than half of the seeds, taken seed by seed, meet the criterion. "
      "<em>As Shoal releases it</em>: "
      "integer noise, a public Max, every sensitivity proven. <em>As published</em>: continuous "
      "noise, Baseline's bounds and PrivTHR_EM's Max taken from the data; not private, for comparison only.</p>\n"
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
  return at < 4 ? at : at + 1;
}

std::vector<ChartSeries> legend_of(const std::vector<std::string>& techniques) {
  std::vector<ChartSeries> series;
  for (const std::string& technique : techniques) series.push_back({display_name(technique), {}, style_of(technique)});
  return series;
}

struct Quantity {
  const char* name;
  std::optional<Interval> (*read)(const Summary&);
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
      if (const auto y = quantity.read(summary)) series.points.push_back({summary.epsilon.value(), *y});
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

// Charts that share a legend: a section of the page, and a picture.
struct Figures {
  std::string file, title, text;
  std::vector<ChartSeries> legend;
  std::vector<Chart> charts;
  std::size_t columns = 2;

  [[nodiscard]] std::string html() const {
    return section(title, fmt::format("<p>{}</p>\n", text) + shoal::evaluation::legend(legend) + drawn(charts));
  }
  [[nodiscard]] StudyPicture picture() const {
    std::vector<Panel> panels;
    for (const Chart& chart : charts) panels.push_back(chart_panel(chart));
    return {file, picture_sheet(title, legend, panels, columns)};
  }
};

// A level that the paper's text names for a set.
struct PaperLevel {
  const char* set;
  double level;
  const char* words;
};

Figures measure_figures(const Study& study, const std::vector<Summary>& summaries, Figures figures,
                        const Quantity& quantity, const std::vector<PaperLevel>& levels = {},
                        std::optional<double> most = {}) {
  figures.text = "Lines are means, bands their 95 % confidence intervals. " + figures.text;
  figures.legend = legend_of(paper_techniques());
  for (const StudiedSet& set : study.sets) {
    Chart chart = chart_of(summaries, set.facts.name, paper_techniques(), quantity);
    chart.y_most = most;
    for (const PaperLevel& level : levels) {
      if (set.facts.name != level.set) continue;
      chart.reference = level.level;
      chart.reference_name = level.words;
    }
    figures.charts.push_back(std::move(chart));
  }
  return figures;
}

Figures k_figures(const Study& study, const std::vector<Summary>& summaries) {
  constexpr std::size_t paper_style = 4;
  Figures figures{"figure-5.svg",
                  "Figure 5: k\u2032 against k",
                  "How many cells each technique takes for significant, against the true number.",
                  legend_of(paper_techniques()),
                  {}};
  figures.legend.push_back({"the paper's own figures (DS2)", {}, paper_style});
  for (const StudiedSet& set : study.sets) {
    Chart chart = chart_of(summaries, set.facts.name, paper_techniques(), {"k\u2032, cells of W", &k_of});
    chart.reference = static_cast<double>(set.truth.k);
    chart.reference_name = fmt::format("true k = {}", set.truth.k);
    if (set.facts.is_authors && set.facts.name == "DS2") {
      for (const auto& [epsilon, k] :
           {std::pair{1., 284.0}, {1., 249.2}, {1., 141.0}, {1., 142.8}, {0.1, 131.2}, {0.1, 82.8}}) {
        chart.series.push_back({"the paper", {{epsilon, {k, k, k}}}, paper_style});
      }
    }
    figures.charts.push_back(std::move(chart));
  }
  return figures;
}

// ---- shares, grid sizes and wavelets -----------------------------------------------------------------------------

const Summary* summary_of(const std::vector<Summary>& summaries, const std::string& set, const std::string& technique,
                          Epsilon epsilon) {
  for (const Summary& summary : summaries) {
    if (summary.dataset == set && summary.technique == technique && summary.epsilon == epsilon) return &summary;
  }
  return nullptr;
}

Figures share_figures(const Study& study, const std::vector<Summary>& summaries) {
  Figures figures{
      "shares.svg",
      "How to split the budget",
      fmt::format("PrivTHR as the share of the budget that goes into the counts grows from {} to {} %, on "
                  "each set and by each measure; then PrivTHR_EM by DSG_C on DS1. The paper recommends 90 % "
                  "for PrivTHR and uses 70 % for PrivTHR_EM.",
                  100 * study.alphas.front(), 100 * study.alphas.back()),
      {},
      {},
      3};
  const auto add = [&](const std::string& set, const std::string& technique, const Quantity& quantity) {
    Chart chart;
    chart.title = fmt::format("{} on {}", display_name(technique), set);
    chart.x_name = "share of epsilon for the counts, %";
    chart.y_name = quantity.name;
    for (const Epsilon epsilon : study.sweep_epsilons) {
      ChartSeries series{"epsilon " + epsilon.text(), {}, chart.series.size()};
      for (const double alpha : study.alphas) {
        const Summary* one = summary_of(summaries, set, varied_technique(technique, alpha), epsilon);
        const auto value = one == nullptr ? std::nullopt : quantity.read(*one);
        if (value) series.points.push_back({100 * alpha, *value});
      }
      chart.series.push_back(std::move(series));
    }
    figures.charts.push_back(std::move(chart));
  };
  for (const StudiedSet& set : study.sets) {
    add(set.facts.name, "privthr", {"DSG_C", &measured<0>});
    add(set.facts.name, "privthr", {"OCM", &measured<2>});
    add(set.facts.name, "privthr", {"2CE", &measured<3>});
  }
  for (const char* technique : {"privthr-literal-not-private", "privthr-em", "privthr-em-literal-not-private"}) {
    add("DS1", technique, {"DSG_C", &measured<0>});
  }
  figures.legend = figures.charts.front().series;
  for (ChartSeries& series : figures.legend) series.points.clear();
  return figures;
}

Figures grid_figures(const Study& study, const std::vector<Summary>& summaries) {
  const std::vector<std::string> techniques{"privthr", "privthr-em", "privthr-literal-not-private",
                                            "privthr-em-literal-not-private"};
  Figures figures{"grids.svg",
                  "Grid sizes around the paper's, at epsilon 1",
                  "F-measure of the points against the clusters without noise on the paper's grid; 1 is perfect. The "
                  "percentile stays the paper's.",
                  legend_of(techniques),
                  {},
                  3};
  for (std::size_t set = 0; set < 3; ++set) {
    const SetFacts& facts = study.sets[set].facts;
    Chart chart;
    chart.title = fmt::format("{}, the paper's g = {}", facts.name, facts.cells);
    chart.x_name = "cells per axis g";
    chart.y_name = "F-measure";
    chart.logarithmic_x = true;
    chart.y_most = 1;
    for (const std::string& technique : techniques) {
      ChartSeries series{display_name(technique), {}, style_of(technique)};
      for (const std::uint64_t cells : studied_grids(facts.cells)) {
        const Summary* one = summary_of(summaries, varied_grid(facts.name, cells), technique, Epsilon::from_double(1));
        if (one != nullptr) series.points.push_back({static_cast<double>(cells), *one->measured[1]});
      }
      chart.series.push_back(std::move(series));
    }
    figures.charts.push_back(std::move(chart));
  }
  return figures;
}

Figures wavelet_figures(const Study& study, const std::vector<Summary>& summaries) {
  const std::vector<std::string> techniques{"baseline", "privqt", "privthr", "privthr-em"};
  Figures figures{
      "wavelets.svg",
      "Other wavelets: DSG_C",
      "The paper names biorthogonal and Daubechies wavelets besides Haar, without figures. The charts compare each "
      "result with WaveCluster for the same wavelet, so the true clusters differ between wavelets. With their longer "
      "filters one record changes several cells of W. |Z| and the rank need more noise, which makes PrivTHR_EM less "
      "accurate.",
      legend_of(techniques),
      {},
      3};
  for (std::size_t set = 0; set < 3; ++set) {
    for (const std::string& wavelet : study.wavelets) {
      const std::string name = varied_set(study.sets[set].facts.name, wavelet);
      figures.charts.push_back(chart_of(summaries, name, techniques, {"DSG_C", &measured<0>}));
      const auto any = std::find_if(summaries.begin(), summaries.end(),
                                    [&](const Summary& summary) { return summary.dataset == name; });
      figures.charts.back().title =
          fmt::format("{}, {}: {} true clusters", study.sets[set].facts.name, wavelet, any->clusters_true);
    }
  }
  return figures;
}

// All charts, in the order of the page.
std::vector<Figures> all_figures(const Study& study, const std::vector<Summary>& summaries) {
  const auto measures = [&](const char* file, const char* title, const char* text, const Quantity& quantity,
                            const std::vector<PaperLevel>& levels = {}, std::optional<double> most = {}) {
    return measure_figures(study, summaries, {file, title, text, {}, {}}, quantity, levels, most);
  };
  return {k_figures(study, summaries),
          measures("figure-6.svg", "Figure 6: DSG_C", "0: the same clusters; 1: as wrong as finding nothing.",
                   {"DSG_C", &measured<0>}),
          measures("figure-7.svg", "Figure 7: F-measure", "1 is perfect.", {"F-measure", &measured<1>},
                   {{"DS1", 0.8, "the paper: above 0.8"}}, 1),
          measures("figure-8-ocm.svg", "Figure 8: OCM",
                   "Share of points that trees trained on the true and on the found clusters call differently; 0 is "
                   "best.",
                   {"OCM", &measured<2>},
                   {{"DS1", 0.15, "the paper: PrivTHR and _EM below 0.15"},
                    {"DS2", 0.1, "the paper: PrivTHR_EM below 0.1"},
                    {"DS3", 0.15, "the paper: PrivTHR and _EM below 0.15"},
                    {"Gowalla", 0.15, "the paper: PrivTHR and _EM below 0.15"}}),
          measures("figure-8-2ce.svg", "Figure 8: 2CE",
                   "Share of the pairs of points that one tree puts together and the other apart; 0 is best.",
                   {"2CE", &measured<3>}, {{"DS1", 0.1, "the paper: below 0.1"}}),
          share_figures(study, summaries),
          grid_figures(study, summaries),
          wavelet_figures(study, summaries)};
}

// ---- clusters as pictures ----------------------------------------------------------------------------------------

Picture picture_of(const StudiedSet& set, const Clusters& clusters, const std::string& title) {
  const ClusterMap map(set.counts.grid(), set.cluster.level, set.cluster.transform, clusters);
  return {set.counts.raw(), map, {title, fmt::format("{} clusters", clusters.count()), "points"}};
}

Panel panel_of(const Picture& picture) { return {picture.svg(), picture.width(), picture.height()}; }

// Figure 2: the set without noise beside what Baseline as published makes of it, in a run with the median DSG_C.
StudyPicture merged_clusters(const Study& study, const std::vector<Summary>& summaries) {
  constexpr std::size_t shown = 2;  // DS3
  const std::string technique = "baseline-literal-not-private";
  const StudiedSet& set = study.sets[shown];
  std::vector<Panel> panels{panel_of(picture_of(set, set.truth.clusters, "WaveCluster, no noise"))};
  const Epsilon epsilon = Epsilon::from_double(1);
  if (const Summary* summary = summary_of(summaries, set.facts.name, technique, epsilon)) {
    const StudiedResult found = studied_result(study, shown, technique, epsilon, summary->typical_run);
    panels.push_back(panel_of(picture_of(set, found.clusters, "Baseline as published, epsilon 1")));
  }
  return {"figure-2.svg",
          picture_sheet("Figure 2: synthetic data merge clusters (" + set.facts.name + ")", {}, panels, 2)};
}

StudyPicture clusters_of_sets(const Study& study) {
  std::vector<Panel> panels;
  for (const StudiedSet& set : study.sets)
    panels.push_back(panel_of(picture_of(set, set.truth.clusters, set.facts.name)));
  return {"figure-4.svg", picture_sheet("Figure 4: the sets and their clusters without noise", {}, panels, 2)};
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
    pictures += fmt::format("<figure>{}</figure>\n", picture_of(set, set.truth.clusters, set.facts.name).svg());
  }
  return section("Figure 4: the sets and their clusters",
                 "<p>What WaveCluster finds without noise: Haar, level 1, all eight neighbours connect.</p>\n"
                 "<div id=\"sets\">" +
                     table({"Set", "Points from", "Points", "Grid", "p", "|L|", "|Z|", "k", "Clusters"}, rows,
                           {false, false, true, true, true, true, true, true, true}) +
                     "</div>\n" + pictures + "</div>\n");
}

// ---- all figures -----------------------------------------------------------------------------------------------

std::string interval_cell(const std::optional<Interval>& interval, int digits) {
  if (!interval) return "";
  return fmt::format("{:.{}f} <small>&#177;&#8202;{:.{}f}</small>", interval->mean, digits,
                     interval->high - interval->mean, digits);
}

std::string tables_section(const std::vector<Summary>& summaries) {
  std::vector<std::string> head{"Technique", "epsilon", "k&#8242;", "Clusters"};
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (is_measured(summaries, i)) head.push_back(escaped(measures()[i].name));
  }
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
      for (std::size_t i = 0; i < measures().size(); ++i) {
        if (is_measured(summaries, i)) rows.back().push_back(interval_cell(one.measured[i], 3));
      }
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
  std::string text = fmt::format("**{}**", verdict_of(finding));
  for (const Figure& figure : finding.figures) text += "<br>" + figure_words(figure);
  if (finding.compared > 1) text += "<br>" + held_words(finding);
  if (!finding.why.empty()) text += "<br>*" + finding.why + "*";
  return markdown_cell(text);
}

}  // namespace

std::string verdict_words(const std::vector<Claim>& claims) {
  Tally ours, letter, ours_class, letter_class, ours_text, letter_text;
  std::uint64_t seeds = 1;
  std::vector<std::string> in_both_readings;
  for (const Claim& claim : claims) {
    seeds = std::max(seeds, claim.ours.seeds);
    const Finding& published = claim.letter ? *claim.letter : claim.ours;
    if (claim.unclustered_class) {
      ours_class.add(claim.ours);
      letter_class.add(published);
      in_both_readings.push_back(claim.id.substr(0, claim.id.rfind('-')));
      continue;
    }
    ours.add(claim.ours);
    letter.add(published);
  }
  for (const Claim& claim : claims) {
    if (std::find(in_both_readings.begin(), in_both_readings.end(), claim.id) == in_both_readings.end()) continue;
    ours_text.add(claim.ours);
    letter_text.add(claim.letter ? *claim.letter : claim.ours);
  }
  return fmt::format(
      "Of the paper's claims, as Shoal releases it, {}. As published, {}. Of the {} claims on OCM and 2CE, {} are "
      "reproduced as Shoal releases it and {} as published; with a class for unclustered points, {} and {}.",
      ours.words(seeds), letter.words(seeds), ours_text.all, ours_text.count[0], letter_text.count[0],
      ours_class.count[0], letter_class.count[0]);
}

std::string claims_markdown(const Study& study) {
  std::string text = fmt::format("{} Seeds: {}, runs with each: {}.\n\n", verdict_words(study.claims),
                                 study.options.seeds, study.options.runs);
  text += "| The paper says | Its figure | As Shoal releases it | As published |\n| --- | --- | --- | --- |\n";
  for (const Claim& claim : study.claims) {
    text += fmt::format("| {}<br>Reproduced if: {}. | {} | {} | {} |\n", markdown_cell(claim.words),
                        markdown_cell(claim.criterion), markdown_cell(claim.paper), finding_markdown(claim.ours),
                        claim.letter ? finding_markdown(*claim.letter) : "the same");
  }
  return text;
}

std::vector<std::string> study_picture_files() {
  return {"figure-2.svg",     "figure-4.svg",     "figure-5.svg", "figure-6.svg", "figure-7.svg",
          "figure-8-ocm.svg", "figure-8-2ce.svg", "shares.svg",   "grids.svg",    "wavelets.svg"};
}

std::vector<StudyPicture> study_pictures(const Study& study) {
  const std::vector<Summary> summaries = summarize(study.rows);
  std::vector<StudyPicture> pictures{merged_clusters(study, summaries), clusters_of_sets(study)};
  for (const Figures& figures : all_figures(study, summaries)) pictures.push_back(figures.picture());
  return pictures;
}

std::string study_html(const Study& study) {
  const std::vector<Summary> summaries = summarize(study.rows);
  std::string body = style;
  body += section(
      "In short",
      fmt::format("<p>{}</p>\n<p>{} seeds from {}, {} runs of each technique at each budget with each: the "
                  "same seed gives the same figures.</p>\n",
                  escaped(verdict_words(study.claims)), study.options.seeds, study.options.seed, study.options.runs));
  body += claims_section(study);
  body += sets_section(study);
  for (const Figures& figures : all_figures(study, summaries)) body += figures.html();
  body += tables_section(summaries);
  return html_page("WaveCluster with Differential Privacy, reproduced", Banner::not_private,
                   "A study: seeded noise, results compared with the truth, and techniques as published that "
                   "protect nobody. Made from published or generated points.",
                   body);
}

}  // namespace shoal::evaluation
