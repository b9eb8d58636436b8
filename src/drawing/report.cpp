#include "drawing/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "inference/noisy_records.hpp"
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
      "This page shows only noisy values. Any conclusion from it, now or later and with any other knowledge, would be "
      "about as likely if {} {}.",
      who, replace ? "were a different one" : "were not in the data"));
  text += paragraph(fmt::format(
      "\u201cAbout\u201d means <b>epsilon = {}</b>. {} A smaller epsilon gives stronger protection and more noise.",
      parts.epsilon.text(), escaped(promise(parts.unit, parts.epsilon))));
  text += paragraph(escaped(for_a_person(parts.unit, parts.epsilon)));
  text += paragraph(fmt::format(
      "The privacy unit is {} (neighbours: {}). Further releases from the same data add their epsilon to this one: a "
      "second release like this makes it {} for both together. Reading, reshaping or predicting with this release "
      "spends no budget.",
      who, word(neighbors_words, parts.unit.neighbors), (parts.epsilon + parts.epsilon).text()));
  return text;
}

// Returns the name of a mechanism, and what it asked if the name alone does not tell.
std::string asked(const std::string& mechanism, const std::string& counted) {
  const std::string meaning = meaning_of_mechanism(mechanism, counted);
  return escaped(meaning.empty() ? mechanism : mechanism + ": " + meaning);
}

std::string spending_table(const ReleaseParts& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const Spent& spent : parts.spent()) {
    const double share = 100 * spent.epsilon.value() / parts.epsilon.value();
    rows.push_back({asked(spent.mechanism, counted_noun(parts.unit).many),
                    grouped(static_cast<double>(spent.sensitivity)), spent.epsilon.text(),
                    fmt::format("{:.3g} %", share)});
  }
  rows.push_back({"<b>Total</b>", "", fmt::format("<b>{}</b>", parts.epsilon.text()), "100 %"});
  return table({"Query", "Sensitivity", "Epsilon", "Share"}, rows, {false, true, true, true}) +
         paragraph(
             "Sensitivity is the largest change of the answer between neighbours. The noise is discrete Laplace (for a "
             "choice, the exponential mechanism) with a scale of about sensitivity / epsilon.");
}

std::string floor_note(const ReleaseParts& parts) {
  if (!parts.has_floor()) return {};
  return paragraph(fmt::format(
      "The grid is too large for noise on every cell. This release holds only the cells of at least {} noisy {}. "
      "It may hold fewer cells than the threshold asks for.",
      grouped(static_cast<double>(parts.floor())), escaped(counted_noun(parts.unit).many)));
}

std::string how_k_was_found(const Release& release) {
  switch (release.k_source()) {
    case KSource::rule:
      return "by the threshold rule applied to the noisy values";
    case KSource::nonpositive:
      return "from the noisy number of empty cells: noise makes a known share of them positive, so that many were "
             "dropped first";
    case KSource::profile:
      return fmt::format("from a smoothed noisy profile: the number of cells of at least 1, 2, 4, 8, ... {}",
                         escaped(counted_noun(release.parts().unit).many));
    case KSource::threshold:
      return "by a privately selected density threshold close to the percentile";
    case KSource::scaled:
      return "by scaling the result of the density threshold selected for another percentile";
    case KSource::negatives:
      return "by subtracting as many cells as noise made negative, because noise makes as many falsely positive";
  }
  return {};
}

// Where the clusters do not hold as many cells as the threshold asks for: how many, and why as far as it is known.
std::string cells_kept(const Release& release) {
  const std::uint64_t kept = release.cluster_cells().cells().size();
  if (kept == release.k()) return {};
  const char* why = "";
  if (kept > release.k()) {
    why = ": cells that tie with the lowest are kept as well";
  } else if (release.parts().options.min_cells > 1) {
    why = ": cells of smaller clusters are left out";
  } else if (release.k_source() == KSource::profile) {
    why = ": a share of those that may be noise is left out, because a false cell can join two clusters";
  }
  return fmt::format(" The clusters hold {} cells{}.", grouped(static_cast<double>(kept)), why);
}

std::string number_of_cells(const Release& release) {
  const std::string cells = grouped(static_cast<double>(release.k()));
  const std::string lowest = number(release.threshold());
  if (release.parts().automatic && std::holds_alternative<DensityModes>(release.parts().options.threshold)) {
    return fmt::format("The clusters hold {} cells. The lowest value among them is {}.", cells, lowest);
  }
  return fmt::format("The threshold asks for {} cells. This number was found {}.{} The lowest value kept is {}.", cells,
                     how_k_was_found(release), cells_kept(release), lowest);
}

// Explains what --auto chose, and why.
std::string automatic_choice(const ReleaseParts& parts) {
  if (!parts.automatic) return {};
  std::string text = fmt::format(
      "Grid and smoothing were chosen automatically. The noisy number of {0}, about {1}, selected the grid: the "
      "finest whose smoothed cells hold enough {0} on average to stand out from chance and noise, or else the "
      "coarsest.",
      escaped(counted_noun(parts.unit).many), escaped(counted_records(parts.automatic->records, parts.unit)));
  for (const std::string& words : rounding_in_words(parts)) text += fmt::format(" {}", escaped(words));
  if (!parts.automatic->rounded.value().empty())
    text += " No smoothed cell is narrower than such a step, and rounded values are spread over them.";
  const bool modes = std::holds_alternative<DensityModes>(parts.options.threshold);
  return paragraph(
      text + (modes ? " The smoothing is one of those under which the clusters change least when it becomes coarser."
                    : " The release was reshaped later."));
}

std::string next_steps(const Release& release) {
  std::string text =
      paragraph("These commands need only the JSON file of the release, not the data. They spend no budget:");
  const bool can_reshape = release.parts().values() != nullptr;
  text += "<pre tabindex=\"0\">shoal predict release.json points.csv -o labels.csv";
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
    text += paragraph(
        fmt::format("Reshaping can change the threshold, the adjacency and the minimum cells. It cannot change "
                    "the wavelet, because the noise was added to the smoothed values. Cells of up to {} are "
                    "censored, so the threshold cannot be lower and the level cannot change.",
                    counted(static_cast<std::uint64_t>(release.parts().censored_below()),
                            escaped(counted_noun(release.parts().unit).one).c_str(),
                            escaped(counted_noun(release.parts().unit).many).c_str())));
  } else if (release.parts().blocks_level() > 0) {
    text += paragraph(
        "Reshaping can change the threshold, the adjacency, the minimum cells, and the level to a higher one. It "
        "cannot "
        "change the wavelet, because the noise was added to the smoothed values.");
  } else {
    text +=
        paragraph("Reshaping can change the threshold, the wavelet, the level, the adjacency and the minimum cells.");
  }
  return text;
}

// Explains the column of words, or why there is none.
std::string about_confidence(const Release& release) {
  if (release.clusters().empty()) return {};
  if (release.confidence().empty()) {
    return paragraph(fmt::format("Confidence unavailable: {}.", without_confidence(release.parts().technique)));
  }
  const std::string what = escaped(counted_noun(release.parts().unit).many);
  if (std::holds_alternative<DensityModes>(release.parts().options.threshold)) {
    return paragraph(fmt::format(
        "Confidence is 1 minus the expected share of chance among all peaks that rise at least as much as this one, "
        "given the chance of the sample and the noise of privacy. The interval is for the {} of these data in the "
        "cluster: it covers the noise of privacy. All is computed from the noisy values. The JSON file holds the "
        "probabilities.",
        what));
  }
  return paragraph(fmt::format(
      "Confidence is about the population that the {0} come from, given the chance of the sample and the noise of "
      "privacy. Real: at least half of the cluster is as dense there as the threshold. Several clusters: it splits "
      "there. Part of another: the two are connected there. One with its neighbours: it is not denser there than the "
      "cells around it. The interval is for the {0} of these data in the cluster: it covers the noise of privacy. "
      "All is computed from the noisy values. The JSON file holds the probabilities.",
      what));
}

Picture drawn(const Release& release, PictureOptions options) {
  options.doubtful = release.doubtful();
  if (!options.base)
    options.base = std::make_shared<const BaseMap>(base_map_of(release.parts().grid, release.parts().publication));
  options.noise = [&parts = release.parts()](double count) { return noise_of_sum(parts, count); };
  options.value_name = fmt::format("noisy {}", counted_noun(release.parts().unit).many);
  return {shown_values(release.parts()), release.map(), std::move(options)};
}

std::string title_of(const Release& release) {
  const std::string& title = release.parts().publication.title;
  return title.empty() ? headline(release) : title;
}

std::string subtitle_of(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::string text = parts.publication.title.empty() ? "" : headline(release) + " \u00b7 ";
  for (const std::string& field : {parts.publication.source, parts.publication.date}) {
    if (!field.empty()) text += field + " \u00b7 ";
  }
  return text +
         fmt::format("epsilon {}{}", parts.epsilon.text(), parts.is_private ? "" : " \u00b7 NOT PRIVATE (a study)");
}

}  // namespace

Picture release_picture(const Release& release, std::uint32_t first_number, Sheet sheet,
                        std::shared_ptr<const BaseMap> base) {
  PictureOptions options;
  options.base = std::move(base);
  options.sheet = sheet;
  options.first_number = first_number;
  options.title = title_of(release);
  options.subtitle = subtitle_of(release);
  return drawn(release, std::move(options));
}

std::vector<std::string> cluster_colors_of(const Release& release) {
  const Picture picture(shown_values(release.parts()), release.map());
  std::vector<std::string> colors;
  for (std::uint32_t id = 1; id <= release.clusters().size(); ++id) colors.push_back(picture.color(id));
  return colors;
}

std::string release_report(const Release& release) {
  const ReleaseParts& parts = release.parts();
  const Picture picture = drawn(release, {});
  const std::vector<std::uint32_t> doubtful = release.doubtful();
  const std::size_t clusters = release.clusters().size() - doubtful.size();
  std::vector<std::uint32_t> sure;
  std::vector<std::vector<double>> centres;
  const std::vector<std::int64_t> sizes = stated_sizes(release);
  for (const ReleasedCluster& cluster : release.clusters()) {
    centres.push_back(cluster.centroid);
    if (!std::binary_search(doubtful.begin(), doubtful.end(), cluster.id)) sure.push_back(cluster.id);
  }
  const auto listed = [&](const std::vector<std::uint32_t>& shown) {
    return clusters_table(picture, release.map(), centres, sizes,
                          escaped(counted_title(release.parts().unit)) + " (noisy)", shown, release.confidence());
  };
  std::string body = "<ul class=\"facts\">\n";
  body += fact(grouped(static_cast<double>(clusters)), clusters == 1 ? "cluster" : "clusters");
  if (!doubtful.empty()) body += fact(grouped(static_cast<double>(doubtful.size())), "more doubtful");
  body += fact(parts.epsilon.text(), "epsilon spent");
  body += fact(with_article(noun_of(parts.unit).one), "is protected");
  body += fact(grid_size(parts.grid), "cells in the grid");
  body += "</ul>\n";
  body += section("Clusters", clusters == 0 ? paragraph("No cluster stands out from chance and noise. Reshape the "
                                                        "release to another threshold.")
                                            : listed(sure) + about_confidence(release));
  if (!doubtful.empty()) {
    body +=
        section("Doubtful clusters",
                listed(doubtful) + (clusters == 0 ? about_confidence(release) : "") +
                    paragraph("They may be noise, chance in the sample or parts of a uniform area. GeoJSON and labels "
                              "leave them out unless --doubtful is given."));
  }
  if (parts.is_private) body += section("Privacy guarantee", privacy_statement(parts));
  body += section("Privacy budget", spending_table(parts));
  body += section(
      "How the clusters were found",
      table({"Parameter", "Value", "Meaning"}, parameter_rows(parts.grid, parts.options), {false, false, false}) +
          automatic_choice(parts) + paragraph(number_of_cells(release)) + floor_note(parts));
  body += section("Next steps", next_steps(release));
  return release_page(headline(release), release, figure(picture, picture_caption(parts.grid, true)), body);
}

}  // namespace shoal
