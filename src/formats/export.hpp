// Clusters in the formats of other tools. On plain values: for a release they are noisy, for the owner's own view raw.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inference/intervals.hpp"
#include "shoal/clusters.hpp"
#include "shoal/confidence.hpp"

namespace shoal {

// Refuses a grid that GeoJSON cannot show.
void require_two_axes(const Grid& grid);

// Of several maps in one file, what tells them apart: a property or a column, and its value.
struct PartName {
  std::string key;  // group
  std::string name;
};

// A field of a CSV, quoted where it must be.
std::string csv_field(const std::string& text);

// RFC 7946: a FeatureCollection, one feature a cluster, with the properties cluster, cells, centroid and the given size
// under size_name. Longitude first whatever the order of the axes, else axis 0 first. Refuses anything but two axes.
// `about`: a JSON object of further members of the collection (foreign members, as the standard calls them), or empty.
// confidence: of each cluster, or empty; becomes the properties real, connected, separate, joined_with, plain
// and size_95. left_out: numbers of clusters that are not written, ascending.
std::string clusters_geojson(const ClusterMap& map, std::span<const std::int64_t> sizes, const std::string& size_name,
                             const std::string& about = {}, std::span<const ClusterConfidence> confidence = {},
                             std::span<const std::uint32_t> left_out = {});
// Its parts, for several maps in one collection: the features, one a line with commas between them; and the collection
// of such.
std::string clusters_features(const ClusterMap& map, std::span<const std::int64_t> sizes, const std::string& size_name,
                              std::span<const ClusterConfidence> confidence, std::span<const std::uint32_t> left_out,
                              const std::optional<PartName>& part = {});
std::string feature_collection(const std::string& about, const std::string& features);

// A row a clustered cell: cluster, the bounds of the cell on every axis, and the sum of `values` (as clustered_sums)
// under value_name; without values, no such column. Names are quoted where CSV needs it. Where it is not private, a
// column `private` says false in every row. intervals: of the values, under lower_95 and upper_95. part: stands first
// in every row.
std::string cells_csv(const ClusterMap& map, const Cells<std::int64_t>* values, const std::string& value_name,
                      bool is_private, const std::optional<CellIntervals>& intervals = {},
                      const std::optional<PartName>& part = {}, bool header = true);

}  // namespace shoal
