// --auto --insets: an automatic release of the whole plane, and one of each dense rectangle in it. The rectangles are
// chosen from the noisy overview only. docs/proofs.md proves what they cost together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shoal/release_set.hpp"
#include "techniques/techniques.hpp"

namespace shoal {

// The shares of the overview and of the insets. They add up to epsilon.
struct InsetShares {
  Epsilon overview, insets;
};
InsetShares inset_shares(Epsilon epsilon);

// Returns the grid to count points on: that of an automatic release, but with each axis that insets divide so fine that
// the smallest inset has as many cells as the whole plane. Throws if no axis can be divided, or if there are too many.
Grid inset_grid(const Grid& bounds);

// A rectangle: the tiles [first, second) along each axis. An axis that insets divide has 8 tiles per side of the
// smallest inset, which is 1/64 of the axis (1/16 if there are three such axes). Any other axis has one tile.
using InsetPlace = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// Post-processing of the overview. Returns disjoint places, the best first. bounds: the finest grid of the overview.
// insets: their budget. A place qualifies if the rule of --auto gives it cells at least twice as fine as it would give
// the whole plane, both for `insets` and for the records that the overview shows there. The best place is the one whose
// records gain most, without those near its frame. No cell is narrower than a step to which values are `rounded`. If
// the average record of the plane gains less than a factor, or no place qualifies, the plane has one scale: the result
// is the whole plane, which gets the budget.
std::vector<InsetPlace> inset_places(const NoisyCounts& overview, const Grid& bounds, const Epsilon& insets,
                                     const PrivacyUnit& unit, const Noised<std::vector<RoundedValues>>& rounded);
// Returns the finest grid of a place.
Grid grid_of_place(const Grid& bounds, const InsetPlace& place);

// fine: counts on inset_grid(bounds). most: 1 to most_insets.
ReleaseSet inset_release(const Counts& fine, const Grid& bounds, std::uint64_t most, Epsilon epsilon,
                         const PrivateOptions& options, Noise& noise);
// The second stage, which reads the data again: an automatic release of each place. Places must be disjoint.
std::vector<Release> released_places(const Counts& fine, const Grid& bounds, const std::vector<InsetPlace>& places,
                                     Epsilon epsilon, const PrivateOptions& options, Noise& noise,
                                     const std::vector<RoundedValues>& known = {});
// Returns the planned spending, computed from public parameters only.
std::vector<Spent> planned_insets(const Grid& bounds, std::uint64_t most, Epsilon epsilon,
                                  const PrivateOptions& options);

}  // namespace shoal
