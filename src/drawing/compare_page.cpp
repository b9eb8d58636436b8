// The page of a comparison: a map of each release, and a table of what changed from each one to the next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/outward.hpp"
#include "base/scale.hpp"
#include "drawing/compare_picture.hpp"
#include "drawing/html.hpp"
#include "drawing/page.hpp"
#include "drawing/small_map.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr std::size_t most_rows = 200;  // per table

// Maps are drawn on white. In dark mode their lightness is inverted and their hues stay. The maps of a live page stay
// visible while its tables are read.
constexpr const char* style = R"(
main{max-width:1240px}
.maps{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(300px,100%),1fr));gap:12px;margin:0 0 8px}
.maps figure{margin:0;padding:8px 8px 0;background:var(--paper)}
.maps figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 10px;padding:0 6px 4px;color:var(--soft)}
.maps b{color:var(--ink);overflow-wrap:anywhere}
.maps figure>svg{max-width:420px}
.key{color:var(--soft);font-size:13.5px;margin-top:10px}
.step>summary{cursor:pointer;margin:26px 0 8px}
.step h2{display:inline;margin:0}
.step summary span{color:var(--soft);margin-left:.6em}
.step td{vertical-align:middle}
.step .wide{padding:0 4px;margin:0 -4px 14px}
.pair{white-space:nowrap}
.pair .swatch{margin:0 .35em 0 .25em}
.same td{color:var(--soft)}
.said{min-height:3.1em;margin:0;padding:6px 10px;font-size:14.5px;max-width:none}
.live .stage{position:sticky;top:0;z-index:2;background:var(--paper);border-bottom:1px solid var(--line);padding:8px 0 0}
.live .maps{display:flex;overflow-x:auto;scroll-snap-type:x proximity;margin:0;padding:3px}
.live .maps::after{content:"";flex:0 0 1px}
.live .maps figure{scroll-snap-align:start;flex:1 0 max(180px,min(300px,15.5%));max-width:400px}
.live .maps figure>svg{max-height:min(40vh,330px);cursor:crosshair}
.live .maps .lit-map{border-color:#0072b2;box-shadow:0 0 0 2px #0072b2}
.lit{fill:none;stroke:#000;stroke-width:2.5}
.rim{fill:none;stroke:#fff;stroke-width:6}
.live tr.lit-row td{background:var(--card);color:var(--ink)}
.live .step{scroll-margin-top:min(60vh,480px)}
.live tr{scroll-margin:min(60vh,480px) 0 20px}
.pick{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:6px;padding:3px 10px;min-height:30px;cursor:pointer;white-space:nowrap}
.pick:hover,.pick[aria-pressed=true]{border-color:var(--ink)}
:focus-visible{outline:3px solid #0072b2;outline-offset:2px}
@media screen and (prefers-color-scheme:dark){.maps figure>svg,.step .swatch{filter:invert(.91) hue-rotate(180deg)}}
@media (max-width:600px){main{padding:16px 12px}.maps text{font-size:17px}.maps figcaption{font-size:12px;padding:0 2px 4px}.live .maps figure{padding:4px 2px 0}
.pick{min-height:44px}.said{font-size:13.5px;min-height:4.6em;padding:6px 4px}}
@media print{.live .stage{position:static;border:0}.live .maps{display:grid;grid-template-columns:repeat(3,1fr)}.live .maps figure{width:auto}.said{display:none}.pick{border:0;padding:0}}
)";

std::string pair_of(const ClusterChange& change, const ComparedMap& before, const ComparedMap& after) {
  const auto side = [](const std::vector<std::uint32_t>& ids, const ComparedMap& map) -> std::string {
    if (ids.empty()) return "\u2013";
    return fmt::format("<span class=\"swatch\" style=\"background:{}\"></span>{}", map.colors[ids.front() - 1],
                       fmt::join(ids, ", "));
  };
  return fmt::format("<span class=\"pair\">{} \u2192 {}</span>", side(change.before, before),
                     side(change.after, after));
}

// Formats a move with as many decimals as its interval justifies.
// kilometres: length of a unit of the axis; 0: the move is stated in units of the axis.
std::string move_text(const Axis& axis, double move, double reach, double kilometres) {
  if (kilometres > 0) {
    move *= kilometres;
    reach *= kilometres;
  }
  if (axis.kind().border == Border::apart) return "\u2013";
  if (!axis.kind().is_plain() && kilometres == 0) {
    return fmt::format("{}{} \u00b1 {}", move < 0 ? "" : "+", distance_text(axis, move), distance_text(axis, reach));
  }
  const int decimals = reach > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(reach))), 0, 9) : 9;
  const std::string far = fmt::format("{:.{}f}", std::fabs(move), decimals);
  const bool none = far.find_first_not_of("0.") == std::string::npos;
  return fmt::format("{}{} \u00b1 {:.{}f}",
                     none       ? ""
                     : move < 0 ? "\u2212"
                                : "+",
                     far, rounded_up(reach, std::pow(10, -decimals)), decimals);
}

std::string changes_table(const Changes& changes, const ReleaseParts& parts, const ComparedMap& before,
                          const ComparedMap& after) {
  const Grid& grid = parts.grid;
  std::vector<std::string> head{"Clusters", "Change", escaped(counted_title(parts.unit)), "Difference, 95 %",
                                "Probability"};
  std::vector<bool> numeric{false, false, true, true, true};
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    const std::string name = grid.axis(axis).label();
    head.push_back(fmt::format("Move, {}{}", name.empty() ? fmt::format("axis {}", axis + 1) : escaped(name),
                               kilometres_per_degree(grid, axis) > 0 ? ", km" : ""));
    numeric.push_back(true);
  }
  std::vector<std::vector<std::string>> rows;
  for (const ClusterChange& change : changes.clusters) {
    if (rows.size() == most_rows) break;
    std::vector<std::string> words, chances;
    for (const FoundChange& found : change.found) {
      words.push_back(change_word(found.change));
      chances.push_back(change.changed() ? probability_at_least(found.probability) : "\u2013");
    }
    const double first = std::max(0.0, change.records_before), last = std::max(0.0, change.records_after);
    const OutwardEnds ends = outward(change.records_after - change.records_before, change.reach);
    const double growth = std::clamp(last - first, ends.least, ends.most);
    const std::string word = fmt::format("{}", fmt::join(words, ", "));
    rows.push_back(
        {pair_of(change, before, after), change.changed() ? fmt::format("<b>{}</b>", word) : word,
         fmt::format("{} \u2192 {}", grouped(std::round(first)), grouped(std::round(last))),
         fmt::format("{} ({} to {})", signed_grouped(growth), signed_grouped(ends.least), signed_grouped(ends.most)),
         fmt::format("{}", fmt::join(chances, ", "))});
    for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
      rows.back().push_back(change.move.empty() ? "\u2013"
                                                : move_text(grid.axis(axis), change.move[axis], change.move_reach[axis],
                                                            kilometres_per_degree(grid, axis)));
    }
  }
  std::string text = table(head, rows, numeric);
  if (changes.clusters.size() > most_rows) {
    text += paragraph(fmt::format("The table lists {} of {}. The JSON file lists all.", most_rows,
                                  counted(changes.clusters.size(), "cluster", "clusters")));
  }
  return text;
}

// Returns what the script of the page needs besides: where clusters lie on the maps, and each change in words.
std::string facts_json(const std::vector<ComparedMap>& maps, const std::vector<Changes>& changes,
                       const ReleaseParts& parts, const std::vector<std::string>& names) {
  nlohmann::ordered_json all = {{"maps", nlohmann::ordered_json::array()}, {"steps", nlohmann::ordered_json::array()}};
  for (const ComparedMap& map : maps) {
    const bool profile = parts.grid.dimensions() == 1;
    std::vector<std::uint64_t> runs;  // label, number of pixels, label, number of pixels, ...
    for (const std::uint32_t label : map.panel.label) {
      if (runs.empty() || runs[runs.size() - 2] != label) runs.insert(runs.end(), {label, 0});
      ++runs.back();
    }
    const auto width = static_cast<double>(map.panel.x.pixels), height = static_cast<double>(map.panel.y.pixels);
    all["maps"].push_back({{"box", {map.box.x, map.box.y, map.box.width, map.box.height}},
                           {"columns", map.panel.x.pixels},
                           {"pixel",
                            {map.box.width * map.panel.x.covered / width,
                             profile ? map.box.height : map.box.height * map.panel.y.covered / height}},
                           {"runs", runs}});
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    nlohmann::ordered_json step = nlohmann::ordered_json::array();
    for (const ClusterChange& change : changes[i].clusters) {
      if (step.size() == most_rows) break;
      const std::string chance =
          change.changed() ? "; probability " + probability_at_least(change.found.front().probability) : "";
      step.push_back({{"before", change.before},
                      {"after", change.after},
                      {"changed", change.changed()},
                      {"words", fmt::format("{} to {}, {}{}", names[i], names[i + 1],
                                            in_words(change, parts.grid, parts.unit), chance)}});
    }
    all["steps"].push_back(step);
  }
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string maps_html(const std::vector<ComparedMap>& maps, std::span<const Release> releases,
                      const std::vector<std::string>& names) {
  std::string text = "<div class=\"stage\">\n<div class=\"maps\">\n";
  for (std::size_t i = 0; i < maps.size(); ++i) {
    text += fmt::format("<figure>\n<figcaption><b>{}</b><span>{}</span></figcaption>\n{}</figure>\n", escaped(names[i]),
                        counted(releases[i].clusters().size(), "cluster", "clusters"), maps[i].svg);
  }
  const ReleaseParts& first = releases.front().parts();
  const std::shared_ptr<const BaseMap> base = small_base_map(first.grid, first.publication);
  return text +
         "</div>\n</div>\n<p class=\"key\">Clusters that lie in one place have one colour; numbers are each release's "
         "own. Red marks what changed since the map before. An arrow shows a move; short ones are drawn longer.</p>\n" +
         (base ? fmt::format("<p class=\"key\">{}</p>\n", escaped(base->credits)) : "");
}

std::string step_html(std::size_t i, const Changes& changes, std::span<const Release> releases,
                      const std::vector<std::string>& names, const std::vector<ComparedMap>& maps) {
  const ReleaseParts& parts = releases[i].parts();
  const std::size_t changed = changes.changed_count();
  std::string text = fmt::format(
      "<details class=\"step\" id=\"step-{}\"{}>\n<summary><h2>{} to {}</h2><span>{}</span></summary>\n", i + 1,
      changed > 0 || releases.size() == 2 ? " open" : "", escaped(names[i]), escaped(names[i + 1]),
      changed == 0 ? "no cluster changed"
                   : fmt::format("{} of {} changed", changed, counted(changes.clusters.size(), "cluster", "clusters")));
  if (const std::optional<TotalChange>& total = changes.total) {
    text += paragraph(
        fmt::format("All {}: from {}.", parts.unit.groups ? "that are counted" : "together",
                    with_growth(total->before, total->after, total->reach, escaped(counted_noun(parts.unit).many))));
  }
  return text + changes_table(changes, parts, maps[i], maps[i + 1]) + "</details>\n";
}

}  // namespace

std::string compare_html(std::span<const Release> releases, const std::vector<std::string>& names) {
  const std::vector<Changes> changes = compare(releases);
  const std::vector<ComparedMap> maps = compared_maps(releases, names, changes);
  std::string body;
  if (const std::optional<std::string> groups = counted_in_groups(releases.front().parts().unit)) {
    body += paragraph(escaped(*groups));
  }
  body += maps_html(maps, releases, names);
  for (std::size_t i = 0; i < changes.size(); ++i) body += step_html(i, changes[i], releases, names, maps);
  body +=
      section("How to read it",
              "<p>A change is reported from probability 0.95 on. This is 1 minus the probability that two releases "
              "of one population show any such change, given the noise of both releases and the chance of both "
              "samples. At most one in twenty pairs without a change reports one. <i>Unclear</i>: only one release "
              "shows the cluster, and noise explains that. Records are counted in the cells of either release.</p>\n");
  const bool is_private =
      std::all_of(releases.begin(), releases.end(), [](const Release& release) { return release.parts().is_private; });
  std::string page =
      is_private
          ? html_page(changes_title(changes), Banner::is_private,
                      "Made from private releases alone. It spends no budget and may be shared.", body)
          : html_page(changes_title(changes), Banner::not_private,
                      "At least one of the releases was made with a seed, for a study: do not publish it.", body);
  page.insert(page.find("</head>"), fmt::format("<style>{}</style>\n", style));
  return linked_page(std::move(page), facts_json(maps, changes, releases.front().parts(), names));
}

}  // namespace shoal
