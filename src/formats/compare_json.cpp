#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/outward.hpp"
#include "drawing/compare_picture.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"

namespace shoal {

namespace {

using Document = nlohmann::ordered_json;

// Rounds probabilities to four decimals and records to a tenth; the noise is far larger. The probability of a change is
// rounded down, and a deviation up.
double rounded(double value, double to) { return std::round(value / to) * to; }

Document interval_json(double middle, double reach) {
  const OutwardEnds ends = outward(middle, reach, 0.1);
  return {ends.least, ends.most};
}

double probability_of(const ClusterChange& change, const FoundChange& found) {
  return change.changed() ? rounded_down(found.probability, 1e-4) : rounded(found.probability, 1e-4);
}

Document total_json(const std::optional<TotalChange>& total) {
  if (!total) return nullptr;
  return {{"records_before", rounded(total->before, 0.1)},
          {"records_after", rounded(total->after, 0.1)},
          {"deviation", rounded_up(total->deviation, 0.1)},
          {"interval", interval_json(total->after - total->before, total->reach)}};
}

Document change_json(const ClusterChange& change) {
  Document found = Document::array();
  for (const FoundChange& one : change.found) {
    found.push_back({{"change", change_word(one.change)}, {"probability", probability_of(change, one)}});
  }
  Document document{{"before", change.before},
                    {"after", change.after},
                    {"changed", change.changed()},
                    {"found", std::move(found)},
                    {"records_before", rounded(change.records_before, 0.1)},
                    {"records_after", rounded(change.records_after, 0.1)},
                    {"deviation", rounded_up(change.deviation, 0.1)},
                    {"interval", interval_json(change.records_after - change.records_before, change.reach)}};
  document["move"] = change.move.empty() ? Document() : Document(change.move);
  document["move_deviation"] = change.move.empty() ? Document() : Document(change.move_deviation);
  document["move_reach"] = change.move.empty() ? Document() : Document(change.move_reach);
  return document;
}

}  // namespace

std::string compare_json(std::span<const Release> releases, const std::vector<std::string>& names) {
  const std::vector<Changes> all = compare(releases);
  Document document{{"format", "shoal-compare/1"}, {"private", true}, {"releases", Document::array()}};
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const ReleaseParts& parts = releases[i].parts();
    if (!parts.is_private) document["private"] = false;
    document["releases"].push_back({{"name", names[i]},
                                    {"technique", parts.technique},
                                    {"epsilon", parts.epsilon.value()},
                                    {"clusters", releases[i].cluster_cells().count()}});
  }
  if (const std::optional<std::string> groups = counted_in_groups(releases.front().parts().unit)) {
    document["counts"] = *groups;
  }
  Document steps = Document::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Document clusters = Document::array();
    for (const ClusterChange& change : all[i].clusters) clusters.push_back(change_json(change));
    steps.push_back({{"before", names[i]},
                     {"after", names[i + 1]},
                     {"total", total_json(all[i].total)},
                     {"clusters", std::move(clusters)}});
  }
  document["changes"] = std::move(steps);
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

std::string compare_contents(std::span<const Release> releases, const std::vector<std::string>& names,
                             const std::string& path) {
  if (path.ends_with(".json")) return compare_json(releases, names);
  if (path.ends_with(".html")) return compare_html(releases, names);
  if (path.ends_with(".svg") || path.ends_with(".png")) return compare_file(releases, names, path);
  throw InputError(
      fmt::format("a comparison cannot be written to '{}'; use the suffix .html, .svg, .png or .json", path));
}

}  // namespace shoal
