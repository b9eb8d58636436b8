#include "drawing/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/enum_words.hpp"
#include "shoal/notices.hpp"
#include "shoal/tree.hpp"

namespace shoal {

namespace {

std::string privacy_statement(const ReleaseParts& parts) {
  const std::string who = escaped(in_words(parts.unit));
  const bool replace = parts.unit.neighbors == Neighbors::replace;
  std::string text = paragraph(fmt::format(
      "This page shows noisy values only. Whatever anyone concludes from it, now or later and with whatever "
      "else they know, it would have been about as likely had {} {}.",
      who, replace ? "been a different one" : "not been in the data"));
  text += paragraph(fmt::format(
      "\u201cAbout\u201d has a number: <b>epsilon = {}</b>. {} Smaller epsilon: stronger protection, more noise.",
      parts.epsilon.text(), escaped(promise(parts.unit, parts.epsilon))));
  text += paragraph(fmt::format(
      "Protected is {} (neighbours: {}). Further releases from the same data add their epsilon to this one; looking at "
      "this one again, reshaping it or predicting with it costs nothing.",
      who, word(neighbors_words, parts.unit.neighbors)));
  return text;
}

// A mechanism's name, with what it asked where the name alone would not tell.
std::string asked(const std::string& mechanism) {
  const char* meaning = mechanism == "counts"        ? ": how many records lie in each cell"
                        : mechanism == "records"     ? ": how many records there are, to choose the grid by"
                        : mechanism == "nonpositive" ? ": how many smoothed cells hold nothing"
                        : mechanism == "positive"    ? ": how many smoothed cells hold something"
                        : mechanism == "threshold"   ? ": from which density on cells are dense"
                                                     : "";
  return escaped(mechanism) + meaning;
}

std::string spending_table(const ReleaseParts& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const Spent& spent : parts.spent()) {
    const double share = 100 * spent.epsilon.value() / parts.epsilon.value();
    rows.push_back({asked(spent.mechanism), grouped(static_cast<double>(spent.sensitivity)), spent.epsilon.text(),
                    fmt::format("{:.3g} %", share)});
  }
  rows.push_back({"<b>All</b>", "", fmt::format("<b>{}</b>", parts.epsilon.text()), "100 %"});
  return table({"Asked of the data", "Sensitivity", "Epsilon", "Share"}, rows, {false, true, true, true}) +
         paragraph(
             "Sensitivity is the most that the answer can change between neighbours. The noise that was added is "
             "discrete Laplace (or the exponential mechanism for a choice) with a spread of about sensitivity / "
             "epsilon.");
}

std::string floor_note(const ReleaseParts& parts) {
  if (!parts.has_floor()) return {};
  return paragraph(fmt::format(
      "The grid is too large to show noise on every cell: this release knows the cells of at least {} noisy records, "
      "and nothing of the others. Fewer cells may have been found than were asked for.",
      grouped(static_cast<double>(parts.floor()))));
}

std::string how_k_was_found(const Release& release) {
  switch (release.k_source()) {
    case KSource::rule:
      return "by the threshold's rule from the noisy values as they are";
    case KSource::nonpositive:
      return "from the noisy number of empty places: noise makes half of them look occupied, so as many were left out "
             "first";
    case KSource::positive:
      return "from the noisy number of occupied places";
    case KSource::profile:
      return "from a noisy profile of how many places hold at least 1, 2, 4, 8, ... records, made smooth";
    case KSource::threshold:
      return "by a density limit that was drawn privately, close to the wanted percentile";
    case KSource::scaled:
      return "by scaling what the density limit drawn for another percentile selected";
    case KSource::negatives:
      return "by setting off what the noise made negative against what it made falsely positive";
  }
  return {};
}

// What --auto chose, and why.
std::string automatic_choice(const ReleaseParts& parts) {
  if (!parts.automatic) return {};
  std::string text = fmt::format(
      "Nobody had to know the data for this. The grid was chosen by the noisy number of records, about {}: its "
      "smoothed cells hold enough of them on average to stand out from chance and noise.",
      grouped(static_cast<double>(parts.automatic->records.value())));
  const bool modes = std::holds_alternative<DensityModes>(parts.options.threshold);
  return paragraph(text + (modes ? " The smoothing was chosen where the clusters stay the same under a coarser one."
                                 : " The clusters were reshaped since then."));
}

std::string next_steps(const Release& release) {
  std::string text = paragraph("This needs the release's JSON file only, never the data, and costs no budget:");
  const bool can_reshape = release.parts().values() != nullptr;
  text += "<pre>shoal predict release.json points.csv -o labels.csv";
  if (can_reshape) {
    text += "\nshoal tree release.json -o tree.html";
    const std::optional<BetterShape> better = better_shape(release);
    text += better ? fmt::format("\nshoal reshape release.json {} -o other.html   ({})", better->options, better->why)
                   : "\nshoal reshape release.json --percentile P -o other.html";
  }
  text += "</pre>\n";
  if (!can_reshape) {
    text += paragraph("This release was written without its noisy values, so it cannot be reshaped.");
  } else if (release.parts().censored_below() > 0) {
    text += paragraph(fmt::format(
        "Reshaping may change the threshold, the adjacency and the least cells. Cells of up to {} records were not "
        "told "
        "apart, so no threshold can be as low, and the level stays. The wavelet stays: the noise was put on the "
        "smoothed values.",
        release.parts().censored_below()));
  } else if (release.parts().blocks_level() > 0) {
    text += paragraph(
        "Reshaping may change the threshold, the adjacency, the least cells, and the level to coarser ones. The "
        "wavelet stays: the noise was put on the smoothed values.");
  } else {
    text += paragraph("Reshaping may change the threshold, the wavelet, the level, the adjacency and the least cells.");
  }
  return text;
}

// What the column of words means, or why there is none.
std::string about_confidence(const Release& release) {
  if (release.clusters().empty()) return {};
  if (release.confidence().empty()) {
    return paragraph(
        fmt::format("How sure each cluster is cannot be said: {}.", without_confidence(release.parts().technique)));
  }
  return paragraph(
      "How sure: what remains of each cluster in truths that the noisy values make plausible. Real: at least half of "
      "it is dense there. Several clusters: it falls apart there. One with another: they hang together there. Computed "
      "from the noisy values alone; the JSON file has the numbers.");
}

Picture drawn(const Release& release, PictureOptions options) {
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    if (confidence[i].real < taken_as_real) options.doubtful.push_back(static_cast<std::uint32_t>(i + 1));
  }
  options.value_name = "noisy records";
  return {shown_values(release.parts()), release.map(), std::move(options)};
}

std::string title_of(const Release& release) {
  return fmt::format("{} found by {}", counted(release.clusters().size(), "cluster", "clusters"),
                     release.parts().technique);
}

}  // namespace

Picture release_picture(const Release& release, std::uint32_t first_number) {
  const ReleaseParts& parts = release.parts();
  PictureOptions options;
  options.first_number = first_number;
  options.title = title_of(release);
  options.subtitle =
      fmt::format("epsilon {}{}", parts.epsilon.text(), parts.is_private ? "" : " \u00b7 NOT PRIVATE (a study)");
  return drawn(release, std::move(options));
}

std::string release_report(const Release& release) {
  const ReleaseParts& parts = release.parts();
  const Picture picture = drawn(release, {});
  const std::size_t clusters = release.clusters().size();
  std::vector<std::vector<double>> centres;
  std::vector<std::int64_t> sizes;
  for (const ReleasedCluster& cluster : release.clusters()) {
    centres.push_back(cluster.centroid);
    sizes.push_back(cluster.noisy_size);
  }
  std::string body = "<ul class=\"facts\">\n";
  body += fact(grouped(static_cast<double>(clusters)), clusters == 1 ? "cluster" : "clusters");
  body += fact(parts.epsilon.text(), "epsilon spent");
  body += fact(parts.unit.column.empty() ? "a record" : parts.unit.column, "is protected");
  body += fact(grid_size(parts.grid), "cells in the grid");
  body += "</ul>\n" + figure(picture, picture_caption(parts.grid, true));
  if (parts.is_private) body += section("What is promised", privacy_statement(parts));
  body += section("What the budget was spent on", spending_table(parts));
  body += section(
      "Clusters",
      clusters == 0 ? paragraph("Nothing stands out from the noise. Try a lower percentile by reshaping.")
                    : clusters_table(picture, release.map(), centres, sizes, "Records (noisy)", release.confidence()) +
                          about_confidence(release));
  body += section(
      "How it was found",
      table({"Parameter", "Value", "What it does"}, parameter_rows(parts.grid, parts.options), {false, false, false}) +
          automatic_choice(parts) +
          paragraph(fmt::format("{} cells were taken as dense, found {}; the least value among them is {}.",
                                grouped(static_cast<double>(release.k())), how_k_was_found(release),
                                number(release.threshold()))) +
          floor_note(parts));
  body += section("What to do with it", next_steps(release));
  return release_page(title_of(release), release, body);
}

}  // namespace shoal
