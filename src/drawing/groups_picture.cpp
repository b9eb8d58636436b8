#include "drawing/groups_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/compare_picture.hpp"
#include "drawing/html.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

std::string title_of(const ReleaseSet& groups) {
  const std::string by =
      groups.grouping()->axis.name().empty() ? "" : fmt::format(" of {}", groups.grouping()->axis.name());
  return fmt::format("{}{}", counted(groups.parts().size(), "group", "groups"), by);
}

std::string cost_statement(const ReleaseSet& groups) {
  const std::uint64_t times = groups.spent().front().sensitivity;
  const bool replace = groups.unit().neighbors == Neighbors::replace;
  const bool fewer = times < groups.grouping()->max_groups * (replace ? 2 : 1);  // there are no more groups to change
  const std::string who = with_article(noun_of(groups.unit()).one);
  std::string text = paragraph(fmt::format(
      "Each group is a release of epsilon {}. All groups together have <b>epsilon {}</b>{}: {} lies in "
      "at most {}, so "
      "{} at most {} of these releases.",
      groups.first().parts().epsilon.text(), groups.epsilon().text(), fewer ? "" : ", whatever the number of groups",
      escaped(who), counted(groups.grouping()->max_groups, "group", "groups"),
      replace ? "replacing it changes" : "it changes", times));
  text += paragraph(escaped(promise(groups.unit(), groups.epsilon())));
  return text + paragraph(escaped(for_a_person(groups.unit(), groups.epsilon())));
}

std::string groups_table(const ReleaseSet& groups) {
  std::vector<std::vector<std::string>> rows;
  for (const NamedRelease& group : groups.parts()) {
    const std::size_t doubtful = group.release.doubtful().size();
    double records = 0;
    for (const std::int64_t size : stated_sizes(group.release)) records += static_cast<double>(size);
    rows.push_back({escaped(group.name), grouped(static_cast<double>(group.release.clusters().size() - doubtful)),
                    grouped(static_cast<double>(doubtful)), grouped(records)});
  }
  return table(
      {"Group", "Clusters", "Doubtful", fmt::format("{} in clusters (noisy)", escaped(counted_title(groups.unit())))},
      rows, {false, true, true, true});
}

// Lists the clusters by their numbers on the map, whose colours follow places from group to group.
std::string clusters_of(const Release& release) {
  if (release.clusters().empty()) return paragraph("No cluster stands out from chance and noise.");
  constexpr std::size_t most_rows = 50;
  const Grid& grid = release.parts().grid;
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  std::vector<std::string> head{"Cluster", escaped(counted_title(release.parts().unit)) + " (noisy)", "95 % interval",
                                "Centre", "Confidence"};
  const std::vector<std::int64_t> sizes = stated_sizes(release);
  std::vector<std::vector<std::string>> rows;
  for (const ReleasedCluster& cluster : release.clusters()) {
    if (rows.size() == most_rows) break;
    const ClusterConfidence* sure = confidence.empty() ? nullptr : &confidence[cluster.id - 1];
    const bool interval = sure != nullptr && sure->has_interval();
    rows.push_back({fmt::format("{}", cluster.id), grouped(static_cast<double>(sizes[cluster.id - 1])),
                    interval ? fmt::format("{} to {}", grouped(sure->least_records), grouped(sure->most_records)) : "",
                    escaped(place_text(grid, cluster.centroid)), sure == nullptr ? "" : in_words(*sure)});
  }
  const std::size_t left = release.clusters().size() - rows.size();
  return table(head, rows, {false, true, true, false, false}) +
         (left > 0 ? paragraph(fmt::format("And {} more, which the JSON file lists.", left)) : "");
}

std::string next_steps(const ReleaseSet& groups) {
  std::string text = paragraph("These commands need only the JSON file, not the data. They spend no budget:");
  text += "<pre tabindex=\"0\">";
  if (groups.parts().size() > 1) text += "shoal compare groups.json -o changes.html\n";
  return text + fmt::format(
                    "shoal reshape groups.json --group {0} -o one.html\n"
                    "shoal predict groups.json points.csv --group {0} -o labels.csv</pre>\n",
                    escaped(groups.parts().front().name));
}

}  // namespace

std::string groups_file(const ReleaseSet& groups, const std::string& path) {
  return multiples_file(groups.releases(), groups.names(), title_of(groups), path);
}

std::string groups_html(const ReleaseSet& groups) {
  const ReleaseParts& parts = groups.parts().front().release.parts();
  const std::string figure = fmt::format(
      "<figure>\n{}<figcaption>One map per group. Darker is denser. Clusters that lie in one place have one colour "
      "from "
      "map to map.</figcaption>\n</figure>\n",
      groups_file(groups, ".svg"));
  std::string body = "<ul class=\"facts\">\n";
  body += fact(grouped(static_cast<double>(groups.parts().size())), groups.parts().size() == 1 ? "group" : "groups");
  body += fact(groups.epsilon().text(), "epsilon spent in all");
  body += fact(groups.first().parts().epsilon.text(), "epsilon of each group");
  body += fact(with_article(noun_of(parts.unit).one), "is protected");
  body += fact(grid_size(parts.grid), "cells in the grid");
  body += "</ul>\n";
  body += section("Groups", groups_table(groups));
  if (groups.is_private()) body += section("Privacy guarantee", cost_statement(groups));
  std::size_t number_of_group = 0;
  for (const NamedRelease& group : groups.parts()) {
    body += fmt::format("<section id=\"group-{}\">\n<h2>{}</h2>\n{}</section>\n", ++number_of_group,
                        escaped(group.name), clusters_of(group.release));
  }
  body += section(
      "How the clusters were found",
      table({"Parameter", "Value", "Meaning"}, parameter_rows(parts.grid, parts.options), {false, false, false}) +
          rounding_note(groups));
  body += section("Next steps", next_steps(groups));
  return set_page(title_of(groups), groups, "groups", figure, body);
}

}  // namespace shoal
