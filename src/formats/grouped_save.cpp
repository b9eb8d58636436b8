// Releases of groups in the formats of others, and the choice by suffix.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "drawing/groups_picture.hpp"
#include "drawing/page.hpp"
#include "formats/export.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/grouped_release.hpp"

namespace shoal {

std::string GroupedRelease::geojson(Doubtful doubtful) const {
  const nlohmann::ordered_json about{{"private", is_private()},
                                     {"technique", groups_.front().release.parts().technique},
                                     {"epsilon", epsilon_.value()},
                                     {"neighbors", word(neighbors_words, unit().neighbors)},
                                     {"by", by_}};
  std::string features;
  for (const ReleaseGroup& group : groups_) {
    const Release& release = group.release;
    std::vector<std::int64_t> sizes;
    for (const ReleasedCluster& cluster : release.clusters()) sizes.push_back(cluster.noisy_size);
    const std::vector<std::uint32_t> left_out =
        doubtful == Doubtful::keep ? std::vector<std::uint32_t>{} : release.doubtful();
    const std::string of =
        clusters_features(release.map(), sizes, "noisy_size", release.confidence(), left_out, group.name);
    if (!features.empty() && !of.empty()) features += ",";
    features += of;
  }
  return feature_collection(about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), features);
}

std::string GroupedRelease::csv() const {
  std::string text;
  for (const ReleaseGroup& group : groups_) {
    const ReleaseParts& parts = group.release.parts();
    const bool whole = parts.values() != nullptr;
    const Cells<std::int64_t> records = whole ? noisy_records(parts) : Cells<std::int64_t>();
    text += cells_csv(group.release.map(), whole ? &records : nullptr, "noisy_count", parts.is_private,
                      CellIntervals::of(parts, group.release.cluster_cells()), group.name, text.empty());
  }
  return text;
}

std::string GroupedRelease::html() const { return groups_page_html(*this); }

std::string GroupedRelease::contents(const std::string& path, Doubtful doubtful) const {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  if (has(".json")) return json();
  if (has(".geojson")) return geojson(doubtful);
  if (has(".csv")) return csv();
  if (has(".html")) return html();
  if (has(".svg")) return groups_svg(*this);
  if (has(".png")) return groups_png(*this);
  throw InputError(fmt::format("'{}' has no known suffix; use .json, .geojson, .csv, .html, .svg or .png", path));
}

void GroupedRelease::save(const std::string& path, Existing existing, Doubtful doubtful) const {
  PendingFile file(path, existing);
  file.write(contents(path, doubtful));
  file.commit();
}

}  // namespace shoal
