// Writes sets of releases in the formats of other tools, and chooses the format by suffix.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "drawing/groups_picture.hpp"
#include "drawing/insets_picture.hpp"
#include "drawing/page.hpp"
#include "drawing/report.hpp"
#include "formats/export.hpp"
#include "formats/release_json.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/grouped_release.hpp"
#include "shoal/inset_release.hpp"
#include "shoal/notices.hpp"

namespace shoal {

namespace {

using Document = nlohmann::ordered_json;

// Avoids virtual functions, so that a program that only reads sets, as the page does, links no pictures.
template <class Groups, class Insets>
std::string by_kind(const ReleaseSet& set, const Groups& of_groups, const Insets& of_insets) {
  if (const auto* groups = dynamic_cast<const GroupedRelease*>(&set)) return of_groups(*groups);
  return of_insets(dynamic_cast<const InsetRelease&>(set));
}

// Returns the property or column that holds the name of a part.
std::string key_of(const ReleaseSet& set) {
  return by_kind(
      set, [](const GroupedRelease&) { return "group"; }, [](const InsetRelease&) { return "inset"; });
}

}  // namespace

std::string ReleaseSet::geojson(Doubtful doubtful) const {
  Document about{{"private", is_private()},          {"technique", parts_.front().release.parts().technique},
                 {"epsilon", epsilon_.value()},      {"neighbors", word(neighbors_words, unit().neighbors)},
                 {"protects", noun_of(unit()).many}, {"counted", counted_noun(unit()).many}};
  if (const auto* groups = dynamic_cast<const GroupedRelease*>(this)) about["by"] = groups->by();
  if (const std::optional<std::string> groups = counted_in_groups(unit())) about["counts"] = *groups;
  std::string features;
  for (const NamedRelease& part : parts_) {
    const Release& release = part.release;
    std::vector<std::int64_t> sizes;
    for (const ReleasedCluster& cluster : release.clusters()) sizes.push_back(cluster.noisy_size);
    const std::vector<std::uint32_t> left_out =
        doubtful == Doubtful::keep ? std::vector<std::uint32_t>{} : release.doubtful();
    const std::string of = clusters_features(release.map(), sizes, "noisy_size", release.confidence(), left_out,
                                             PartName{key_of(*this), part.name}, cluster_colors_of(release));
    if (!features.empty() && !of.empty()) features += ",";
    features += of;
  }
  return feature_collection(about.dump(-1, ' ', false, Document::error_handler_t::replace), features);
}

std::string ReleaseSet::csv() const {
  std::string text;
  for (const NamedRelease& part : parts_) {
    const ReleaseParts& of = part.release.parts();
    const bool whole = of.values() != nullptr;
    const Cells<std::int64_t> records = whole ? noisy_records(of) : Cells<std::int64_t>();
    text += cells_csv(part.release.map(), whole ? &records : nullptr, "noisy_count", of.is_private,
                      CellIntervals::of(of, part.release.cluster_cells()), PartName{key_of(*this), part.name},
                      text.empty());
  }
  return text;
}

std::string ReleaseSet::svg() const {
  return by_kind(
      *this, [](const GroupedRelease& of) { return groups_svg(of); },
      [](const InsetRelease& of) { return insets_svg(of); });
}

std::string ReleaseSet::png() const {
  return by_kind(
      *this, [](const GroupedRelease& of) { return groups_png(of); },
      [](const InsetRelease& of) { return insets_png(of); });
}

std::string ReleaseSet::report() const {
  return by_kind(
      *this, [](const GroupedRelease& of) { return groups_html(of); },
      [](const InsetRelease& of) { return insets_html(of); });
}

std::string ReleaseSet::contents(const std::string& path, Doubtful doubtful) const {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  if (has(".json")) return json();
  if (has(".geojson")) return geojson(doubtful);
  if (has(".csv")) return csv();
  if (has(".html")) return html();
  if (has(".svg")) return svg();
  if (has(".png")) return png();
  throw InputError(fmt::format("'{}' has no known suffix; use .json, .geojson, .csv, .html, .svg or .png", path));
}

std::string ReleaseSet::html() const { return set_page_html(*this); }

void ReleaseSet::save(const std::string& path, Existing existing, Doubtful doubtful) const {
  PendingFile file(path, existing);
  file.write(contents(path, doubtful));
  file.commit();
}

}  // namespace shoal
