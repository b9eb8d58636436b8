// A release with insets in the formats of others, and the choice by suffix.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "drawing/insets_picture.hpp"
#include "drawing/page.hpp"
#include "formats/export.hpp"
#include "formats/parts_export.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/inset_release.hpp"

namespace shoal {

std::string InsetRelease::geojson(Doubtful doubtful) const {
  const nlohmann::ordered_json about{{"private", is_private()},
                                     {"technique", overview().parts().technique},
                                     {"epsilon", epsilon_.value()},
                                     {"neighbors", word(neighbors_words, unit().neighbors)}};
  return feature_collection(about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                            parts_features(parts_, "inset", doubtful));
}

std::string InsetRelease::csv() const { return parts_csv(parts_, "inset"); }

std::string InsetRelease::html() const { return insets_page_html(*this); }

std::string InsetRelease::contents(const std::string& path, Doubtful doubtful) const {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  if (has(".json")) return json();
  if (has(".geojson")) return geojson(doubtful);
  if (has(".csv")) return csv();
  if (has(".html")) return html();
  if (has(".svg")) return insets_svg(*this);
  if (has(".png")) return insets_png(*this);
  throw InputError(fmt::format("'{}' has no known suffix; use .json, .geojson, .csv, .html, .svg or .png", path));
}

void InsetRelease::save(const std::string& path, Existing existing, Doubtful doubtful) const {
  PendingFile file(path, existing);
  file.write(contents(path, doubtful));
  file.commit();
}

}  // namespace shoal
