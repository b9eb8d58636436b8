// A release in the formats of others, and the choice by suffix.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "drawing/picture.hpp"
#include "drawing/report.hpp"
#include "formats/export.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/words.hpp"
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

void Release::save(const std::string& path) const {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  if (has(".json")) {
    write_file(path, json());
  } else if (has(".geojson")) {
    write_file(path, geojson());
  } else if (has(".csv")) {
    write_file(path, csv());
  } else if (has(".html")) {
    write_file(path, html());
  } else if (has(".svg")) {
    write_file(path, release_picture(*this).svg());
  } else if (has(".png")) {
    write_file(path, release_picture(*this).png());
  } else {
    throw InputError(
        fmt::format("cannot tell from '{}' what to write; end it in .json, .geojson, .csv, .html, .svg or .png", path));
  }
}

}  // namespace shoal
