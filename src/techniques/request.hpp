// What one release and those of groups share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shoal/private_release.hpp"
#include "techniques/techniques.hpp"

namespace shoal {

// As quantize would have stored them.
Counts as_quantized(const Counts& counts, std::uint64_t limit);
// What a ledger says of it.
std::string purpose_of(const ReleaseRequest& request);
// baseline alone: counts do not suffice.
bool needs_points(const ReleaseRequest& request);

// Throws if the noisy values of this number of releases do not fit in memory together. Call it before the debit.
void require_room(const ReleaseRequest& request, std::size_t releases);

// A release of each group, which have no record in common. data: of each group, called once for each, or twice where
// the grid is chosen. What they cost together: docs/proofs.md.
std::vector<Release> run_groups(const ReleaseRequest& request, std::size_t groups,
                                const std::function<RawData(std::size_t)>& data, Noise& noise);

}  // namespace shoal
