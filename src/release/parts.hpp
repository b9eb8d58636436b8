// Functions that sets of releases share.
#pragma once

#include <cstddef>
#include <vector>

#include "shoal/release_set.hpp"

namespace shoal {

// Returns whether unit, neighbours and being private are equal.
bool same_promise(const ReleaseParts& a, const ReleaseParts& b);

// Returns the releases, trimmed so that a file of all of them takes at most `limit` bytes. Either all of them keep
// their noisy values or none does, so that their columns are the same.
std::vector<Release> trimmed_parts(const ReleaseSet& set, std::size_t limit);
// Returns the releases without their noisy values.
std::vector<Release> stripped_parts(const ReleaseSet& set);
std::vector<Release> reshaped_parts(const ReleaseSet& set, const ClusterOptions& options);

// Throws InputError where reshape() would, without computing anything.
void check_can_reshape(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
