// A release in the formats of others, and the choice by suffix.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "drawing/picture.hpp"
#include "drawing/report.hpp"
#include "formats/export.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/release.hpp"

namespace shoal {

std::string Release::geojson() const {
  std::vector<std::int64_t> sizes;
  for (const ReleasedCluster& cluster : clusters()) sizes.push_back(cluster.noisy_size);
  const nlohmann::ordered_json about{{"private", parts_.is_private},
                                     {"technique", parts_.technique},
                                     {"epsilon", parts_.epsilon.value()},
                                     {"neighbors", word(neighbors_words, parts_.unit.neighbors)}};
  return clusters_geojson(map(), sizes, "noisy_size",
                          about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), confidence());
}

std::string Release::csv() const {
  if (parts_.values() == nullptr) return cells_csv(map(), nullptr, "noisy_count");
  const Cells<std::int64_t> records = noisy_records(parts_);
  return cells_csv(map(), &records, "noisy_count");
}

std::string Release::html() const { return release_report(*this); }

std::string Release::contents(const std::string& path) const {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  if (has(".json")) return json();
  if (has(".geojson")) return geojson();
  if (has(".csv")) return csv();
  if (has(".html")) return html();
  if (has(".svg")) return release_picture(*this).svg();
  if (has(".png")) return release_picture(*this).png();
  throw InputError(
      fmt::format("cannot tell from '{}' what to write; end it in .json, .geojson, .csv, .html, .svg or .png", path));
}

void Release::save(const std::string& path, Existing existing) const {
  PendingFile file(path, existing);
  file.write(contents(path));
  file.commit();
}

}  // namespace shoal
