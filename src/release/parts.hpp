// What files of several releases share: groups, and an overview with its insets.
#pragma once

#include <cstddef>
#include <vector>

#include "shoal/grouped_release.hpp"

namespace shoal {

// Unit, neighbours, and whether it is private.
bool same_promise(const ReleaseParts& a, const ReleaseParts& b);

// Every release trimmed so that a file of all of them takes at most `limit` bytes. All hold their noisy values then, or
// none does: their columns are the same.
void trim_parts(std::vector<ReleaseGroup>& parts, std::size_t limit);

}  // namespace shoal
