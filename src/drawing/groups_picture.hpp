// Pictures and a report of the releases of groups, side by side.
#pragma once

#include <string>

#include "shoal/grouped_release.hpp"

namespace shoal {

std::string groups_svg(const GroupedRelease& groups);
std::string groups_png(const GroupedRelease& groups, double scale = 2);
// A self-contained page: all groups in one picture, what they cost, and the clusters of each.
std::string groups_html(const GroupedRelease& groups);

}  // namespace shoal
