#include "owner/owner_view.hpp"

#include <fmt/format.h>

#include <mutex>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/scale.hpp"
#include "clusters/clustered_sums.hpp"
#include "drawing/html.hpp"
#include "release/describe.hpp"
#include "shoal/notices.hpp"
#include "techniques/automatic.hpp"

namespace shoal {

namespace {

std::vector<std::uint32_t> all_of(const ClusterMap& map) {
  std::vector<std::uint32_t> numbers(map.clusters().count());
  std::iota(numbers.begin(), numbers.end(), 1U);
  return numbers;
}

}  // namespace

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

AutomaticCounts automatic_counts(Points& points, const Grid& bounds, const QuantizeOptions& options) {
  const Counts finest = quantize(points, finest_grid(bounds), options);
  return {automatic_counts(finest), exact_rounding(finest)};
}

namespace {

using Marginals = std::vector<std::vector<std::int64_t>>;  // per axis: the points at each coordinate

// Dense counts are read row by row, without widening all of them.
Marginals marginals_of(const Counts& counts, unsigned threads) {
  const Shape& shape = counts.grid().shape();
  Marginals all;
  for (const std::uint64_t extent : shape) all.emplace_back(extent);
  if (!counts.is_dense()) {
    const Cells<std::int64_t>& raw = counts.raw();
    std::vector<std::uint64_t> at(shape.size());
    for (std::size_t i = 0; i < raw.stored(); ++i) {
      coordinates(raw.index_of(i), shape, at);
      for (std::size_t axis = 0; axis < at.size(); ++axis) all[axis][at[axis]] += raw.values()[i];
    }
    return all;
  }
  constexpr std::uint64_t cells_a_part = std::uint64_t{1} << 18;
  const std::uint64_t extent = shape.back(), cells = cell_count(shape);
  std::mutex guard;
  parallel_stretches(cells / extent, cells / cells_a_part + 1, threads, [&](std::uint64_t begin, std::uint64_t end) {
    Marginals own;
    for (const std::uint64_t side : shape) own.emplace_back(side);
    std::vector<std::int64_t> row(extent);
    std::vector<std::uint64_t> at(shape.size());
    for (std::uint64_t first = begin * extent; first < end * extent; first += extent) {
      counts.read(first, first + extent, row.data());
      for (std::uint64_t i = 0; i < extent; ++i) own.back()[i] += row[i];
      const std::int64_t sum = std::accumulate(row.begin(), row.end(), std::int64_t{0});
      coordinates(first, shape, at);
      for (std::size_t axis = 0; axis + 1 < at.size(); ++axis) own[axis][at[axis]] += sum;
    }
    const std::lock_guard lock(guard);
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      for (std::size_t i = 0; i < own[axis].size(); ++i) all[axis][i] += own[axis][i];
    }
  });
  return all;
}

}  // namespace

std::vector<std::string> notices_of_rounding(const Counts& counts, const ClusterOptions& options) {
  std::vector<std::string> result;
  if (options.transform != Transform::decimated) return result;
  const Marginals marginals = marginals_of(counts, options.threads);
  for (std::size_t axis = 0; axis < marginals.size(); ++axis) {
    std::vector<double> blocks(counts.grid().axis(axis).coarse_cells(options.level));
    for (std::size_t x = 0; x < marginals[axis].size(); ++x) {
      blocks[x >> options.level] += static_cast<double>(marginals[axis][x]);
    }
    if (auto notice = notice_of_rounding(counts.grid().axis(axis), options, blocks)) {
      result.push_back(std::move(*notice));
    }
  }
  return result;
}

std::vector<std::int64_t> sizes_in_points(const OwnerView& view) {
  const std::vector<std::int64_t> sums = clustered_sums(view.map.clusters(), view.counts.raw());
  std::vector<std::int64_t> sizes(view.map.clusters().count(), 0);
  for (std::size_t i = 0; i < sums.size(); ++i) sizes[view.map.clusters().labels()[i] - 1] += sums[i];
  return sizes;
}

Picture owner_picture(const OwnerView& view) {
  PictureOptions options;
  options.title =
      fmt::format("{} in {}", counted(view.map.clusters().count(), "cluster", "clusters"), file_name(view.input));
  options.subtitle = "NOT PRIVATE: drawn from the raw data";
  options.base = std::make_shared<const BaseMap>(base_map_of(view.map.grid()));
  return {view.counts.raw(), view.map, std::move(options)};
}

std::string owner_report(const OwnerView& view) {
  const Picture picture(view.counts.raw(), view.map);
  const std::uint64_t clusters = view.map.clusters().count();
  std::string body = "<ul class=\"facts\">\n";
  body += fact(grouped(static_cast<double>(clusters)), clusters == 1 ? "cluster" : "clusters");
  body += fact(grouped(static_cast<double>(view.counts.points())), "points read");
  body += fact(grouped(static_cast<double>(view.counts.outside())), "outside the bounds");
  body += fact(grid_size(view.map.grid()), "cells in the grid");
  body += "</ul>\n" + figure(picture, picture_caption(view.map.grid(), false));
  body +=
      section("Clusters", clusters == 0 ? paragraph("No cell is dense enough. Try a lower percentile or other bounds.")
                                        : clusters_table(picture, view.map, centroids(view.map), sizes_in_points(view),
                                                         "Points", all_of(view.map)));
  body += section(
      "How the clusters were found",
      paragraph(
          "WaveCluster counts points in the cells of a grid, smooths the counts, and keeps the dense cells. Dense "
          "cells that touch form a cluster. Clusters can have any shape.") +
          table({"Parameter", "Value", "Meaning"}, parameter_rows(view.map.grid(), view.options),
                {false, false, false}) +
          paragraph(fmt::format(
              "Of {} smoothed cells, {} are non-empty and {} are empty. The threshold asks for {} cells; {} are dense, "
              "each with a value of at least {}.",
              grouped(static_cast<double>(view.result.positive + view.result.nonpositive)),
              grouped(static_cast<double>(view.result.positive)), grouped(static_cast<double>(view.result.nonpositive)),
              grouped(static_cast<double>(view.result.k)), grouped(static_cast<double>(view.result.significant)),
              number(view.result.threshold))));
  return html_page(fmt::format("Clusters in {}", file_name(view.input)), Banner::not_private, owner_only, body);
}

}  // namespace shoal
