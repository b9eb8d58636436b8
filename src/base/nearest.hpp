// Suggests the known name that a misspelt name was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shoal {

// Returns the known name with the fewest changes from `name`; the first of several. A change is a letter replaced,
// omitted, added or swapped with its neighbour. Returns an empty text if even that needs too many changes for its
// length.
std::string nearest(std::string_view name, const std::vector<std::string>& known);
// Returns " (did you mean release?)", or an empty text if no name is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace shoal
