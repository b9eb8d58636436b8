// Pictures and reports of raw counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drawing/levels_picture.hpp"
#include "drawing/picture.hpp"
#include "shoal/owner.hpp"

namespace shoal {

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

LevelsPicture owner_levels_picture(const OwnerLevels& levels);
std::string owner_levels_report(const OwnerLevels& levels);

}  // namespace shoal
