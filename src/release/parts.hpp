// What sets of releases share.
#pragma once

#include <cstddef>
#include <vector>

#include "shoal/release_set.hpp"

namespace shoal {

// Unit, neighbours, and whether it is private.
bool same_promise(const ReleaseParts& a, const ReleaseParts& b);

// Every release trimmed so that a file of all of them takes at most `limit` bytes. All hold their noisy values then, or
// none does: their columns are the same.
std::vector<Release> trimmed_parts(const ReleaseSet& set, std::size_t limit);
// Every release without its noisy values.
std::vector<Release> stripped_parts(const ReleaseSet& set);
std::vector<Release> reshaped_parts(const ReleaseSet& set, const ClusterOptions& options);

// Throws InputError where reshape() would, without computing anything.
void check_can_reshape(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
