// Clusters in the formats of other tools. On plain values: for a release they are noisy, for the owner's own view raw.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/confidence.hpp"

namespace shoal {

// Which axes are longitude and latitude, by name (lon, lng, long, longitude; lat, latitude; any case) and range. Both
// or none.
struct GeographicAxes {
  bool found = false;
  std::size_t longitude = 0, latitude = 1;
};
GeographicAxes geographic_axes(const Grid& grid);

// The sum of `values` over each clustered cell, in the order of clusters().cells(). values: on the grid's cells, or on
// those of a level between the grid and the clusters. Refuses sums past 64 bits.
std::vector<std::int64_t> clustered_sums(const Clusters& clusters, const Cells<std::int64_t>& values,
                                         unsigned threads = 1);

// RFC 7946: a FeatureCollection, one feature a cluster, with the properties cluster, cells, centroid and the given size
// under size_name. Longitude first whatever the order of the axes, else axis 0 first. Refuses anything but two axes.
// `about`: a JSON object of further members of the collection (foreign members, as the standard calls them), or empty.
// confidence: of each cluster, or empty; becomes the properties real, connected, separate and joined_with.
std::string clusters_geojson(const ClusterMap& map, std::span<const std::int64_t> sizes, const std::string& size_name,
                             const std::string& about = {}, std::span<const ClusterConfidence> confidence = {});

// A row a clustered cell: cluster, the bounds of the cell on every axis, and the sum of `values` (as clustered_sums)
// under value_name; without values, no such column. Names are quoted where CSV needs it.
std::string cells_csv(const ClusterMap& map, const Cells<std::int64_t>* values, const std::string& value_name);

}  // namespace shoal
