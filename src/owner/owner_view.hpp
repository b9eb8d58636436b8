// The owner's own view of the data: pictures and a report of raw counts. Not private, and no part of the public side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drawing/picture.hpp"
#include "shoal/counts.hpp"
#include "shoal/options.hpp"

namespace shoal {

// All of it raw, so that its report says NOT PRIVATE first.
struct OwnerView {
  std::string input;  // what was read, as the owner calls it
  const Counts& counts;
  const ClusterMap& map;
  const ClusterOptions& options;
  const Segmentation& result;
};

// On a given grid: a sentence for each axis along which the counts show stripes of rounding, with the axis that fits.
std::vector<std::string> notices_of_rounding(const Counts& counts, const ClusterOptions& options);

// The banner of every page of raw data.
inline constexpr const char* owner_only =
    "Computed from the raw data without noise, for the data owner only. Do not publish it: publish the output of "
    "\u201cshoal release\u201d.";

// "taxi.csv" of "some/folder/taxi.csv".
std::string file_name(const std::string& path);
// Points in each cluster.
std::vector<std::int64_t> sizes_in_points(const OwnerView& view);
Picture owner_picture(const OwnerView& view);
std::string owner_report(const OwnerView& view);

}  // namespace shoal
