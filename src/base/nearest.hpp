// The known name that a misspelt one was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shoal {

// The nearest by letters changed, left out, added or swapped with their neighbour, if these are few for its length;
// else empty. Of several the first.
std::string nearest(std::string_view name, const std::vector<std::string>& known);
// " (did you mean release?)", or empty.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace shoal
