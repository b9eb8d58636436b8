// The owner's own view of the data: pictures and a report of raw counts. Not private, and not part of the public side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drawing/picture.hpp"
#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"

namespace shoal {

// Everything in it is raw, so its report starts with NOT PRIVATE.
struct OwnerView {
  std::string input;  // the name of the input, as the owner calls it
  const Counts& counts;
  const ClusterMap& map;
  const ClusterOptions& options;
  const Segmentation& result;
};

// Returns a sentence for each axis of a given grid along which the counts show stripes of rounding. It names the axis
// that fits.
std::vector<std::string> notices_of_rounding(const Counts& counts, const ClusterOptions& options);

// The banner of every page of raw data.
inline constexpr const char* owner_only =
    "Computed from the raw data without noise, for the data owner only. Do not publish it: publish the output of "
    "\u201cshoal release\u201d.";

// Returns the last part of a path: "taxi.csv" for "some/folder/taxi.csv".
std::string file_name(const std::string& path);
// Returns the number of points in each cluster.
std::vector<std::int64_t> sizes_in_points(const OwnerView& view);
Picture owner_picture(const OwnerView& view);
std::string owner_report(const OwnerView& view);

}  // namespace shoal
