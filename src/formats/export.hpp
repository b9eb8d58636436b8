// Writes clusters in the formats of other tools. The values are plain numbers: noisy for a release, raw for the owner's
// own view.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inference/intervals.hpp"
#include "shoal/clusters.hpp"
#include "shoal/confidence.hpp"
#include "shoal/release.hpp"
#include "shoal/text.hpp"

namespace shoal {

// Throws for a grid that GeoJSON cannot show.
void require_two_axes(const Grid& grid);

// Tells the maps apart if a file holds several: a property or a column, and its value.
struct PartName {
  std::string key;  // such as group
  std::string name;
};

// Writes the features of a FeatureCollection (RFC 7946), one feature per cluster and per line, with commas between
// them. The properties are cluster, cells, the size under size_name, and centroid. Longitude comes first whatever
// the order of the axes; otherwise axis 0 comes first. Throws unless there are two axes. confidence: of each cluster,
// or empty; it becomes the properties real, connected, separate, joined_with, plain and size_95. left_out: numbers of
// the clusters that are not written, ascending. colors: "#rrggbb" of each cluster, or empty; it becomes the properties
// fill and stroke of simplestyle.
std::string clusters_features(const Grid& grid, std::span<const ReleasedCluster> clusters, const std::string& size_name,
                              std::span<const ClusterConfidence> confidence = {},
                              std::span<const std::uint32_t> left_out = {}, const std::optional<PartName>& part = {},
                              std::span<const std::string> colors = {}, unsigned threads = 1);
// Writes the collection that contains them. about: a JSON object of further members of the collection ("foreign
// members" in the standard), or empty.
std::string feature_collection(const std::string& about, const std::string& features);

// Writes one row per clustered cell: the cluster, the bounds of the cell on every axis, and the sum of `values` (see
// clustered_sums) under value_name; without values, there is no such column. Names are quoted if CSV requires it. If
// the values are not private, a column `private` says false in every row. intervals: of the values, under lower_95 and
// upper_95. part: the first column of every row.
std::string cells_csv(const ClusterMap& map, const Cells<std::int64_t>* values, const std::string& value_name,
                      bool is_private, const std::optional<CellIntervals>& intervals = {},
                      const std::optional<PartName>& part = {}, bool header = true, unsigned threads = 1);

}  // namespace shoal
