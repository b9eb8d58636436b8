// Writes releases and sets of them in the formats of other tools, and chooses the format by suffix.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "drawing/groups_picture.hpp"
#include "drawing/insets_picture.hpp"
#include "drawing/page.hpp"
#include "drawing/picture.hpp"
#include "drawing/report.hpp"
#include "formats/export.hpp"
#include "formats/map_files.hpp"
#include "formats/release_json.hpp"
#include "inference/box_clusters.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/notices.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

namespace {
[[noreturn]] void refuse_suffix(const std::string& path) {
  throw InputError(
      fmt::format("'{}' has no known suffix; use .json, .geojson, .gpkg, .tif, .csv, .html, .svg or .png", path));
}

std::string map_file(std::span<const NamedRelease> parts, const std::string& path, Doubtful doubtful) {
  return path.ends_with(".tif") ? geotiff(parts) : geopackage(parts, doubtful);
}
std::string map_file(const Release& release, const std::string& path, Doubtful doubtful) {
  const NamedRelease whole{"", release};
  return map_file(std::span(&whole, 1), path, doubtful);
}
std::string map_file(const ReleaseSet& set, const std::string& path, Doubtful doubtful) {
  return map_file(std::span(set.parts()), path, doubtful);
}

template <class Made>
std::string contents_of(const Made& made, const std::string& path, Doubtful doubtful) {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  if (has(".json")) return made.json();
  if (has(".geojson")) return made.geojson(doubtful);
  if (has(".gpkg") || has(".tif")) return map_file(made, path, doubtful);
  if (has(".csv")) return made.csv();
  if (has(".html")) return made.html();
  if (has(".svg") || has(".png")) return made.picture(path);
  refuse_suffix(path);
}

template <class Made>
void save_as(const Made& made, const std::string& path, Existing existing, Doubtful doubtful) {
  PendingFile file(path, existing);
  file.write(made.contents(path, doubtful));
  file.commit();
}

// Returns what a GeoJSON file says about all its features. by: the column of the groups, if there are groups.
std::string about(const ReleaseParts& parts, Epsilon epsilon, const std::string* by = nullptr) {
  nlohmann::ordered_json result{
      {"private", parts.is_private},          {"technique", parts.technique},
      {"epsilon", epsilon.value()},           {"neighbors", word(neighbors_words, parts.unit.neighbors)},
      {"protects", noun_of(parts.unit).many}, {"counted", counted_noun(parts.unit).many}};
  if (by != nullptr) result["by"] = *by;
  if (const std::optional<std::string> groups = counted_in_groups(parts.unit)) result["counts"] = *groups;
  return result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string features_of(const Release& release, Doubtful doubtful, const std::optional<PartName>& name = {}) {
  const std::vector<std::uint32_t> left_out =
      doubtful == Doubtful::keep ? std::vector<std::uint32_t>{} : release.doubtful();
  return clusters_features(release.parts().grid, release.clusters(), "noisy_size", release.confidence(), left_out, name,
                           cluster_colors_of(release), release.parts().options.threads);
}

std::string rows_of(const Release& release, const std::optional<PartName>& name = {}, bool header = true) {
  const ReleaseParts& parts = release.parts();
  const bool whole = parts.values() != nullptr;
  const Cells<std::int64_t> records = whole ? noisy_records(parts) : Cells<std::int64_t>();
  return cells_csv(release.map(), whole ? &records : nullptr, "noisy_count", parts.is_private,
                   CellIntervals::of(parts, release.cluster_cells()), name, header, parts.options.threads);
}

// Returns the property or column that holds the name of a part, and the name. Nothing for a plain release.
std::optional<PartName> name_in(const ReleaseSet& set, const std::string& name) {
  if (set.is_whole()) return std::nullopt;
  return PartName{set.grouping() != nullptr ? "group" : "inset", name};
}
}  // namespace

std::string Release::geojson(Doubtful doubtful) const {
  return feature_collection(about(parts_, parts_.epsilon), features_of(*this, doubtful));
}

std::string ReleaseSet::geojson(Doubtful doubtful) const {
  std::string features;
  for (const NamedRelease& part : parts_) {
    const std::string added = features_of(part.release, doubtful, name_in(*this, part.name));
    if (!features.empty() && !added.empty()) features += ",";
    features += added;
  }
  return feature_collection(
      about(first().parts(), epsilon_, grouping() != nullptr ? &grouping()->axis.name() : nullptr), features);
}

std::string Release::csv() const { return rows_of(*this); }

std::string ReleaseSet::csv() const {
  std::string text;
  for (const NamedRelease& part : parts_) text += rows_of(part.release, name_in(*this, part.name), text.empty());
  return text;
}

std::string Release::picture(const std::string& path, const PictureStyle& style) const {
  const Picture picture = release_picture(*this, style.first_number, sheet_of(path));
  return style.scale && path.ends_with(".png") ? picture.png(*style.scale) : picture.file(path);
}

std::string ReleaseSet::picture(const std::string& path) const {
  if (is_whole()) return first().picture(path);
  return grouping() != nullptr ? groups_file(*this, path) : insets_file(*this, path);
}

std::string ReleaseSet::report() const {
  if (is_whole()) return release_report(first());
  return grouping() != nullptr ? groups_html(*this) : insets_html(*this);
}

// The page places cells by their number, as if they were equally wide.
std::string ReleaseSet::html() const {
  if (is_whole()) return first().html();
  const bool boxes =
      std::any_of(parts().begin(), parts().end(), [](const auto& part) { return is_cut(part.release.parts().grid); });
  return boxes ? report() : set_page_html(*this);
}

std::string Release::html() const { return is_cut(parts_.grid) ? release_report(*this) : release_page_html(*this); }

std::uint64_t Release::most_bytes(const std::string& path, const Grid& grid, const ClusterOptions& options) {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  const std::size_t dimensions = grid.dimensions();
  const std::uint64_t names = bytes_of_names(grid);
  const std::uint64_t cells = cell_count(transformed_shape(grid.shape(), options.level, options.transform));
  constexpr std::uint64_t most_estimated_cells = std::uint64_t{1} << 40;  // keeps every product below within 64 bits
  const std::uint64_t estimated_cells = std::min(cells, most_estimated_cells);
  // At worst, every other cell is a cluster of its own, because cells of different clusters do not touch.
  const JsonExtent extent{.values = std::min(grid.cell_count(), most_estimated_cells),
                          .cells = estimated_cells,
                          .clusters = estimated_cells / 2 + 1,
                          .dimensions = dimensions,
                          .names = names};
  if (has(".geojson")) {
    require_two_axes(grid);
    return 2 * most_json_bytes({.values = 0,
                                .cells = extent.cells,
                                .clusters = extent.clusters,
                                .dimensions = dimensions,
                                .names = names});
  }
  if (has(".gpkg")) {
    require_two_axes(grid);
    constexpr std::uint64_t tables = std::uint64_t{1} << 18, row = 200, corners = 128;  // bytes
    return tables + estimated_cells * (row + corners + names);
  }
  if (has(".tif")) {
    require_geotiff(grid);
    return 4096 + 16 * names + 9 * extent.values;  // two float32 a cell, and what does not compress
  }
  if (has(".json")) return std::min<std::uint64_t>(largest_file, most_json_bytes(extent));
  if (has(".csv")) return 1024 + 16 * names + estimated_cells * (52 * dimensions + 90);
  if (has(".html") || has(".svg") || has(".png")) {
    constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;  // pictures have a limited number of pixels and lines
    const std::uint64_t picture = (dimensions > 2 ? 32 : 12) * mebibyte + 64 * names;
    // An explorable page holds the JSON, with names that may be escaped, the coastlines and its code.
    return has(".html") && has_page()
               ? picture + 6 * names + 4 * mebibyte + std::min<std::uint64_t>(largest_file, most_json_bytes(extent))
               : picture;
  }
  refuse_suffix(path);
}

std::string Release::contents(const std::string& path, Doubtful doubtful) const {
  return contents_of(*this, path, doubtful);
}
std::string ReleaseSet::contents(const std::string& path, Doubtful doubtful) const {
  return contents_of(*this, path, doubtful);
}

void Release::save(const std::string& path) const { save(path, Existing::refuse); }
void Release::save(const std::string& path, Existing existing, Doubtful doubtful) const {
  save_as(*this, path, existing, doubtful);
}
void ReleaseSet::save(const std::string& path) const { save(path, Existing::refuse); }
void ReleaseSet::save(const std::string& path, Existing existing, Doubtful doubtful) const {
  save_as(*this, path, existing, doubtful);
}

}  // namespace shoal
