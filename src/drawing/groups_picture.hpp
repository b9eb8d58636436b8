// Pictures and a report of the releases of groups, side by side.
#pragma once

#include <string>

#include "shoal/release_set.hpp"

namespace shoal {

// Returns a picture by the suffix of `path`, as canvas_for chooses it.
std::string groups_file(const ReleaseSet& groups, const std::string& path);
// A self-contained page: all groups in one picture, what they cost, and the clusters of each.
std::string groups_html(const ReleaseSet& groups);

}  // namespace shoal
