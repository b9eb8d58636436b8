// Writes a release in the formats of other tools, and chooses the format by suffix.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "drawing/page.hpp"
#include "drawing/picture.hpp"
#include "drawing/report.hpp"
#include "formats/export.hpp"
#include "formats/release_json.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/release.hpp"

namespace shoal {

namespace {
[[noreturn]] void refuse_suffix(const std::string& path) {
  throw InputError(fmt::format("'{}' has no known suffix; use .json, .geojson, .csv, .html, .svg or .png", path));
}
}  // namespace

std::string Release::geojson(Doubtful doubtful) const {
  std::vector<std::int64_t> sizes;
  for (const ReleasedCluster& cluster : clusters()) sizes.push_back(cluster.noisy_size);
  nlohmann::ordered_json about{
      {"private", parts_.is_private},          {"technique", parts_.technique},
      {"epsilon", parts_.epsilon.value()},     {"neighbors", word(neighbors_words, parts_.unit.neighbors)},
      {"protects", noun_of(parts_.unit).many}, {"counted", counted_noun(parts_.unit).many}};
  if (const std::optional<std::string> groups = counted_in_groups(parts_.unit)) about["counts"] = *groups;
  const std::vector<std::uint32_t> left_out =
      doubtful == Doubtful::keep ? std::vector<std::uint32_t>{} : this->doubtful();
  return clusters_geojson(map(), sizes, "noisy_size",
                          about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), confidence(), left_out,
                          cluster_colors_of(*this));
}

std::string Release::csv() const {
  if (parts_.values() == nullptr) return cells_csv(map(), nullptr, "noisy_count", parts_.is_private);
  const Cells<std::int64_t> records = noisy_records(parts_);
  return cells_csv(map(), &records, "noisy_count", parts_.is_private, CellIntervals::of(parts_, cluster_cells()));
}

std::string Release::html() const { return release_page_html(*this); }

std::uint64_t Release::most_bytes(const std::string& path, const Grid& grid, const ClusterOptions& options) {
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  const std::size_t dimensions = grid.dimensions();
  const std::uint64_t names = bytes_of_names(grid);
  const std::uint64_t cells = cell_count(transformed_shape(grid.shape(), options.level, options.transform));
  constexpr std::uint64_t most_cells_reckoned = std::uint64_t{1} << 40;  // keeps every product below within 64 bits
  const std::uint64_t reckoned = std::min(cells, most_cells_reckoned);
  // At worst, every other cell is a cluster of its own, because cells of different clusters do not touch.
  const JsonExtent extent{.values = std::min(grid.cell_count(), most_cells_reckoned),
                          .cells = reckoned,
                          .clusters = reckoned / 2 + 1,
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
  if (has(".json")) return std::min<std::uint64_t>(largest_file, most_json_bytes(extent));
  if (has(".csv")) return 1024 + 16 * names + reckoned * (52 * dimensions + 90);
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
  const auto has = [&path](const char* suffix) { return path.ends_with(suffix); };
  if (has(".json")) return json();
  if (has(".geojson")) return geojson(doubtful);
  if (has(".csv")) return csv();
  if (has(".html")) return html();
  if (has(".svg")) return release_picture(*this).svg();
  if (has(".png")) return release_picture(*this).png();
  refuse_suffix(path);
}

void Release::save(const std::string& path, Existing existing, Doubtful doubtful) const {
  PendingFile file(path, existing);
  file.write(contents(path, doubtful));
  file.commit();
}

}  // namespace shoal
