// The steps of a release that the audit runs too.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "shoal/private_release.hpp"
#include "techniques/techniques.hpp"

namespace shoal {

// Returns the counts in the storage that quantize() would have chosen.
Counts as_quantized(const Counts& counts, std::uint64_t limit);
// Returns the counts of one group, on part_grid(). all: on counted_grid(), one group after the other.
Counts counts_of_group(const Counts& all, const Grid& grid, std::size_t group, std::uint64_t limit);
// Returns whether counts do not suffice, as for baseline.
bool needs_points(const ReleaseRequest& request);
// Returns the grid on which the counts of one part lie: counted_grid() without the axis of the groups.
Grid part_grid(const ReleaseRequest& request);

// Draws a release of each group. No two groups have a record in common. data: called once for each group, or twice
// where the grid is chosen. docs/proofs.md says what the groups cost together.
std::vector<Release> run_groups(const ReleaseRequest& request, std::size_t groups,
                                const std::function<RawData(std::size_t)>& data, Noise& noise);
// Draws the noise of all parts. data: as for run_groups; a plain release and one with insets ask for part 0 once.
ReleaseSet run_request(const ReleaseRequest& request, const std::function<RawData(std::size_t)>& data, Noise& noise);

}  // namespace shoal
