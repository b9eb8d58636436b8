#include "drawing/html.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr std::size_t most_rows = 200;  // per table of clusters

// The style is small. Colours are named by role, so dark mode and print only redefine the roles.
constexpr const char* style = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2126;--soft:#59616b;--line:#dfe2e6;--card:#f7f8f9;
--good:#0b6e4f;--good-paper:#e7f4ee;--amber:#8a5a00;--amber-paper:#fff3d6;--bad:#a4260b;--bad-paper:#fdece7}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ec;--soft:#a3abb5;--line:#343a42;--card:#1d2127;
--good:#6fd3ab;--good-paper:#12352a;--amber:#ffcf70;--amber-paper:#3d2f0c;--bad:#ffb09c;--bad-paper:#4a1a10}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI","Helvetica Neue",Arial,"Liberation Sans",sans-serif}
main{max-width:980px;margin:0 auto;padding:28px 24px 56px}
h1{font-size:27px;line-height:1.25;margin:0 0 14px;letter-spacing:-.01em}
h2{font-size:19px;margin:38px 0 10px}
p{margin:0 0 12px;max-width:72ch}
.banner{border-left:5px solid;border-radius:6px;padding:13px 18px;margin:0 0 22px}
.banner strong{display:block;font-size:17px;letter-spacing:.02em}
.banner.good{border-color:var(--good);background:var(--good-paper)}.banner.good strong{color:var(--good)}
.banner.amber{border-color:var(--amber);background:var(--amber-paper)}.banner.amber strong{color:var(--amber)}
.banner.bad{border-color:var(--bad);background:var(--bad-paper)}.banner.bad strong{color:var(--bad)}
.lead{font-size:19px;line-height:1.4;color:var(--soft);margin:-6px 0 16px;max-width:60ch}
.privacy,.credits{font-size:14.5px;margin:0 0 6px;max-width:none}
.privacy strong{margin-right:.35em}.privacy.good strong{color:var(--good)}.privacy.amber strong{color:var(--amber)}.privacy.bad strong{color:var(--bad)}
.privacy a{color:inherit}
.credits{color:var(--soft)}
.credits+.facts,.privacy+.facts{margin-top:26px}
figure{margin:0 0 14px;background:#fff;border:1px solid var(--line);border-radius:8px;padding:6px;overflow:hidden}
figure>svg{display:block;width:100%;height:auto;margin:0 auto}
figcaption{color:#59616b;font-size:13.5px;padding:4px 12px 8px}
.wide{overflow-x:auto;margin:0 0 14px}
table{border-collapse:collapse;width:100%;font-size:14.5px;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:600;border-bottom:2px solid var(--line);padding:7px 12px 7px 0;vertical-align:bottom;white-space:nowrap}
td{border-bottom:1px solid var(--line);padding:7px 12px 7px 0;vertical-align:top}
.n{text-align:right}
td.n{white-space:nowrap}
.swatch{display:inline-block;width:.85em;height:.85em;border-radius:3px;margin-right:.5em;vertical-align:-.08em;border:1px solid rgba(0,0,0,.35)}
.facts{display:flex;flex-wrap:wrap;gap:10px;margin:0 0 22px;padding:0;list-style:none}
.facts li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:9px 16px;min-width:118px}
.facts b{display:block;font-size:21px;line-height:1.3}
.facts span{color:var(--soft);font-size:13.5px}
code,pre{font:13.5px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:11px 14px;overflow-x:auto;margin:0 0 12px}
footer{color:var(--soft);font-size:13.5px;margin-top:44px;border-top:1px solid var(--line);padding-top:12px}
@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--card:#fff;--good:#0b6e4f;--good-paper:#fff;--amber:#8a5a00;--amber-paper:#fff;--bad:#a4260b;--bad-paper:#fff}
main{max-width:none;padding:0}figure,tr,.banner{break-inside:avoid}h2{break-after:avoid}}
)";

std::string bounds_of(const Axis& axis, std::size_t index) {
  const bool plain = axis.kind().scale == AxisKind{}.scale;
  const auto [first, last] =
      plain ? std::pair(number(axis.lo()), number(axis.hi())) : range_texts(axis, axis.lo(), axis.hi());
  return fmt::format("{}: {} to {} in {} cells{}",
                     axis.name().empty() ? fmt::format("axis {}", index + 1) : escaped(axis.label()), escaped(first),
                     escaped(last), axis.cells(), axis.kind().border == Border::circle ? ", a circle" : "");
}

std::vector<std::string> row_of(const Top& threshold) {
  return {"Top", fmt::format("{}", threshold.cells()),
          "Keeps this many of the densest smoothed cells. A lower number keeps only the cores of clusters."};
}

std::vector<std::string> row_of(const Density& threshold) {
  return {"Density", number(threshold.least()),
          "Keeps the smoothed cells of at least this value. A higher value keeps only the cores of clusters."};
}

std::vector<std::string> row_of(const Coverage& threshold) {
  return {"Coverage", number(threshold.percent()) + " %",
          "Keeps the densest smoothed cells that together hold this share of the total. A lower share keeps only "
          "the cores of clusters."};
}

std::vector<std::string> row_of(const DensityModes& /*threshold*/) {
  return {"Threshold", "none",
          "Each cluster is a peak of the smoothed density, with the cells around it. The confidence says whether noise "
          "or chance in the sample may explain the peak."};
}

std::vector<std::string> row_of(const Percentile& threshold) {
  return {"Percentile", number(threshold.percent()),
          "Drops this share (in percent) of the non-empty smoothed cells, the least dense first. A higher percentile "
          "gives smaller, denser, more separate clusters."};
}

}  // namespace

std::string fact(const std::string& value, const std::string& name) {
  return fmt::format("<li><b>{}</b><span>{}</span></li>\n", escaped(value), escaped(name));
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(static_cast<double>(count)), count == 1 ? one : many);
}

std::string meaning_of_mechanism(const std::string& mechanism, const std::string& counted) {
  if (mechanism == "counts") return counted + " in each cell";
  if (mechanism == "records") return "number of " + counted + ", which selects the grid";
  if (mechanism == "rounding") return "to which steps the values are rounded";
  if (mechanism == "nonpositive") return "number of empty smoothed cells";
  if (mechanism == "positive") return "number of non-empty smoothed cells";
  if (mechanism == "threshold") return "density threshold";
  if (mechanism == "profile") return "number of smoothed cells by density";
  if (mechanism == "histograms") return counted + " in slices of each axis, which show where it has structure";
  if (mechanism == "boxes") return counted + " in each box";
  if (mechanism == "sums") return counted + " in each smoothed cell";
  return {};
}

std::string grid_size(const Grid& grid) { return fmt::format("{}", fmt::join(grid.shape(), " \u00d7 ")); }

std::string paragraph(const std::string& text) { return fmt::format("<p>{}</p>\n", text); }

static std::string interval(const ClusterConfidence& confidence) {
  if (!confidence.has_interval()) return "";
  return fmt::format("{} to {}", grouped(confidence.least_records), grouped(confidence.most_records));
}

std::string clusters_table(const Picture& picture, const ClusterMap& map,
                           const std::vector<std::vector<double>>& centres, const std::vector<std::int64_t>& sizes,
                           const std::string& size_name, const std::vector<std::uint32_t>& shown,
                           const std::vector<ClusterConfidence>& confidence) {
  const Grid& grid = map.grid();
  std::vector<std::string> head{"Cluster", "Cells", size_name};
  std::vector<bool> numeric{false, true, true};
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    const std::string name = grid.axis(axis).label();
    head.push_back("Centre, " + (name.empty() ? fmt::format("axis {}", axis + 1) : escaped(name)));
    numeric.push_back(true);
  }
  if (!confidence.empty()) {
    head.insert(head.begin() + 3, "95 % interval");
    numeric.push_back(true);
    head.emplace_back("Confidence");
    numeric.push_back(false);
  }
  const BaseMap* base = picture.base();
  const bool has_places = base != nullptr && !base->places.empty();
  if (has_places) {
    head.insert(head.begin() + 1, "Place");
    numeric.insert(numeric.begin(), false);
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < std::min(shown.size(), most_rows); ++at) {
    const std::size_t i = shown[at] - 1;
    rows.push_back({swatch(picture, shown[at]), grouped(static_cast<double>(map.clusters().sizes()[i])),
                    grouped(static_cast<double>(sizes[i]))});
    if (!confidence.empty()) rows.back().push_back(interval(confidence[i]));
    for (const std::string& coordinate : place_texts(grid, centres[i])) rows.back().push_back(escaped(coordinate));
    if (!confidence.empty()) rows.back().push_back(in_words(confidence[i]));
    if (has_places) {
      rows.back().insert(rows.back().begin() + 1, escaped(near_place(*base, grid, centres[i])));
    }
  }
  std::string text = table(head, rows, numeric);
  if (has_places) {
    text += paragraph(
        "Places are a help for reading: the nearest to the middle of the cluster in a public list (GeoNames, CC BY "
        "4.0).");
  }
  if (shown.size() > most_rows) {
    text += paragraph(fmt::format("The table lists the {} largest of {} clusters. The JSON and CSV files list all.",
                                  most_rows, shown.size()));
  }
  return text;
}

std::string picture_caption(const Grid& grid, bool noisy) {
  std::string text = noisy ? "Noisy counts; negative ones are drawn as empty. " : "";
  if (grid.dimensions() == 1)
    return text + "Each bar is one cell or a few. The colour is the cluster; grey is unclustered.";
  if (grid.dimensions() == 2) {
    return text + "Darker is denser. Colour and number are the cluster; grey is unclustered.";
  }
  text += grid.dimensions() > Picture::most_axes
              ? fmt::format("Each pair of the first {} of {} axes", Picture::most_axes, grid.dimensions())
              : "Every pair of axes";
  return text +
         ", summed over the others, and each axis alone on the diagonal. Clusters that overlap in one panel may be "
         "separate in another.";
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

namespace {

std::string document(const std::string& title, const std::string& main) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}"
      "<footer>Made by Shoal. This page is self-contained: it loads nothing and runs no scripts.</footer>\n"
      "</main>\n</body>\n</html>\n",
      escaped(title), style, main);
}

}  // namespace

std::string html_page(const std::string& title, Banner banner, const std::string& banner_text,
                      const std::string& body) {
  const bool good = banner == Banner::is_private || banner == Banner::no_data;
  const char* role = good ? "good" : banner == Banner::weak ? "amber" : "bad";
  const char* head = banner == Banner::not_private ? "NOT PRIVATE"
                     : banner == Banner::no_data   ? "Simulated, without data"
                                                   : "Private release";
  return document(title,
                  fmt::format("<h1>{}</h1>\n<div class=\"banner {}\" role=\"note\"><strong>{}</strong>{}</div>\n{}",
                              escaped(title), role, head, escaped(banner_text), body));
}

namespace {

std::string credits_of(const Publication& publication) {
  std::vector<std::string> parts;
  const auto add = [&parts](const char* name, const std::string& text) {
    if (!text.empty()) parts.push_back(fmt::format("<span>{}: {}</span>", name, escaped(text)));
  };
  add("Source", publication.source);
  add("Date", publication.date);
  add("Contact", publication.contact);
  return parts.empty() ? "" : fmt::format("<p class=\"credits\">{}</p>\n", fmt::join(parts, " \u00b7 "));
}

struct PageOfRelease {
  const Publication& publication;
  std::string found;  // what the release shows, in one sentence
  bool is_private = false;
  const PrivacyUnit& unit;
  Epsilon epsilon = Epsilon::zero();
  std::string promise;  // of the guarantee, if the release is private
  std::vector<std::string> notices;
};

// The message first: the title, what was found, the picture, and the guarantee in one line. Details follow.
std::string page_of_release(const PageOfRelease& page, const std::string& figure, const std::string& body) {
  const std::string& title = page.publication.title;
  std::string main = title.empty() ? fmt::format("<h1 id=\"headline\">{}</h1>\n", escaped(page.found))
                                   : fmt::format("<h1>{}</h1>\n<p class=\"lead\" id=\"headline\">{}</p>\n",
                                                 escaped(title), escaped(page.found));
  if (!page.is_private) {
    main +=
        "<div class=\"banner bad\" role=\"note\"><strong>NOT PRIVATE</strong>This was made with a seed or a test "
        "generator, for a study. Anyone can compute its noise: do not publish it.</div>\n";
  }
  for (const std::string& notice : page.notices) {
    main += fmt::format("<div class=\"banner amber notice\" role=\"note\">{}</div>\n", escaped(notice));
  }
  main += figure;
  if (page.is_private) {
    const bool explained = body.find("id=\"privacy-guarantee\"") != std::string::npos;
    main += fmt::format(
        "<p class=\"privacy {}\"><strong>Private release</strong> Differentially private with epsilon {} for each {}. "
        "It may be shared.{}</p>\n",
        is_weak(page.epsilon) ? "amber" : "good", escaped(page.promise),
        page.unit.column.empty() ? "single record" : escaped(noun_of(page.unit).one),
        explained ? " <a href=\"#privacy-guarantee\">What this guarantees</a>" : "");
  } else {
    main += "<p class=\"privacy bad\"><strong>NOT PRIVATE</strong> A study: do not publish it.</p>\n";
  }
  return document(title.empty() ? page.found : title, main + credits_of(page.publication) + body);
}

}  // namespace

std::string release_page(const std::string& found, const Release& release, const std::string& figure,
                         const std::string& body) {
  const ReleaseParts& parts = release.parts();
  std::vector<std::string> all = notices(release);
  if (const std::optional<std::string> uniform = notice_of_uniform_area(release)) all.push_back(*uniform);
  return page_of_release({.publication = parts.publication,
                          .found = found,
                          .is_private = parts.is_private,
                          .unit = parts.unit,
                          .epsilon = parts.epsilon,
                          .promise = parts.epsilon.text(),
                          .notices = std::move(all)},
                         figure, body);
}

std::string set_page(const std::string& found, const ReleaseSet& set, const std::string& what,
                     const std::string& figure, const std::string& body) {
  return page_of_release({.publication = set.publication(),
                          .found = found,
                          .is_private = set.is_private(),
                          .unit = set.unit(),
                          .epsilon = set.epsilon(),
                          .promise = fmt::format("{} (all {} together)", set.epsilon().text(), what),
                          .notices = set.notices()},
                         figure, body);
}

std::string rounding_note(const ReleaseSet& set) {
  const std::vector<std::string> words = set.rounding_in_words();
  if (words.empty()) return {};
  return paragraph(escaped(fmt::format("{}", fmt::join(words, " "))) +
                   " No smoothed cell is narrower than such a step, and rounded values are spread over them.");
}

std::string section(const std::string& heading, const std::string& content) {
  std::string id;  // such as "how-it-was-found", for links
  for (const char character : heading) {
    const bool letter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    id += letter ? static_cast<char>(character | 0x20) : '-';
  }
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, escaped(heading), content);
}

std::string figure(const Picture& picture, const std::string& caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", picture.svg(), escaped(caption));
}

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                  const std::vector<bool>& numeric) {
  const auto line = [&numeric](const std::vector<std::string>& cells, const char* tag) {
    std::string text = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += fmt::format("<{0}{1}>{2}</{0}>", tag, numeric[i] ? " class=\"n\"" : "", cells[i]);
    }
    return text + "</tr>\n";
  };
  std::string text = "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>" + line(head, "th") + "</thead>\n<tbody>\n";
  for (const auto& row : rows) text += line(row, "td");
  return text + "</tbody>\n</table></div>\n";
}

std::vector<std::vector<std::string>> parameter_rows(const Grid& grid, const ClusterOptions& options) {
  std::string bounds;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    bounds += (i == 0 ? "" : "<br>") + bounds_of(grid.axis(i), i);
  }
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"Bounds and grid", bounds,
                  "The bounds are divided into cells, and points are counted per cell. More cells show finer shapes "
                  "but hold fewer points each."});
  rows.push_back(
      {"Wavelet", escaped(options.wavelet.name()),
       options.wavelet.name() == "haar"
           ? "Smooths the counts before dense cells are selected. haar adds up blocks of neighbouring cells, exactly."
           : "Smooths the counts before dense cells are selected, by a weighted average over neighbouring cells."});
  rows.push_back(
      {"Level", fmt::format("{}", options.level),
       options.transform == Transform::stationary
           ? fmt::format(
                 "The smoothing is repeated this often ({} here), over a wider neighbourhood each time. The grid "
                 "keeps its cells (stationary transform).",
                 options.level == 1 ? "once" : fmt::format("{} times", options.level))
           : fmt::format(
                 "The smoothing is repeated this often. Each time, two cells per axis become one ({0} cells per "
                 "axis become one here). A higher level gives coarser shapes and less noise.",
                 options.level < 63 ? std::uint64_t{1} << options.level : 0)});
  rows.push_back(std::visit([](const auto& threshold) { return row_of(threshold); }, options.threshold));
  rows.push_back({"Adjacency", options.adjacency == Adjacency::full ? "full" : "face",
                  options.adjacency == Adjacency::full
                      ? "Dense cells that share a side or a corner belong to one cluster."
                      : "Dense cells that share a side belong to one cluster. A common corner is not enough."});
  if (options.min_cells > 1) {
    rows.push_back(
        {"Minimum cells", fmt::format("{}", options.min_cells), "Cells of smaller clusters are unclustered."});
  }
  return rows;
}

std::string swatch(const Picture& picture, std::uint32_t id) {
  return fmt::format("<span class=\"swatch\" style=\"background:{}\"></span>{}", picture.color(id), id);
}

}  // namespace shoal
