// Draws a release with insets: the overview with their frames, and each inset as its own map.
#pragma once

#include <string>

#include "shoal/inset_release.hpp"

namespace shoal {

std::string insets_svg(const InsetRelease& insets);
std::string insets_png(const InsetRelease& insets, double scale = 2);
// A self-contained page: the pictures, what all parts cost, and the clusters of each.
std::string insets_html(const InsetRelease& insets);

}  // namespace shoal
