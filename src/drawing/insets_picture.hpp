// Draws a release with insets: the overview with their frames, and each inset as its own map.
#pragma once

#include <string>

#include "shoal/release_set.hpp"

namespace shoal {

// Returns a picture by the suffix of `path`, as canvas_for chooses it.
std::string insets_file(const ReleaseSet& insets, const std::string& path);
// A self-contained page: the pictures, what all parts cost, and the clusters of each.
std::string insets_html(const ReleaseSet& insets);

}  // namespace shoal
