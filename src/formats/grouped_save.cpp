// Releases of groups in the formats of others, and the choice by suffix.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "drawing/groups_picture.hpp"
#include "drawing/page.hpp"
#include "formats/export.hpp"
#include "formats/parts_export.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/grouped_release.hpp"

namespace shoal {

std::string GroupedRelease::geojson(Doubtful doubtful) const {
  const nlohmann::ordered_json about{{"private", is_private()},
                                     {"technique", groups_.front().release.parts().technique},
                                     {"epsilon", epsilon_.value()},
                                     {"neighbors", word(neighbors_words, unit().neighbors)},
                                     {"by", by()}};
  return feature_collection(about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                            parts_features(groups_, "group", doubtful));
}

std::string GroupedRelease::csv() const { return parts_csv(groups_, "group"); }

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
