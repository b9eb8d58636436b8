// --auto --insets: an automatic release of the whole plane, and one of each rectangle in it where records crowd. The
// rectangles are chosen from the noisy overview alone. Proof of what they cost together: docs/proofs.md.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shoal/inset_release.hpp"
#include "techniques/techniques.hpp"

namespace shoal {

// What the overview and the insets spend; adds up to epsilon.
struct InsetShares {
  Epsilon overview, insets;
};
InsetShares inset_shares(Epsilon epsilon);

// The grid to count points on: that of an automatic release, with each axis that insets divide so many times finer that
// the smallest inset has as many cells as the whole plane. Refuses bounds without such an axis, and too many axes.
Grid inset_grid(const Grid& bounds);

// A rectangle: along each axis the tiles [first, second). An axis that insets divide has 8 tiles to the
// side of the smallest inset, which is 1/64 of it (of three such axes 1/16); any other has one tile.
using InsetPlace = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// Post-processing of the overview: disjoint places, best first. bounds: the finest grid of the overview; insets: what
// they may spend. A place bears a grid, by the rule of --auto for the records that the overview shows there, with cells
// at least twice as fine along the axes as the overview's; the best is that whose records, without those near the
// frame, gain most. No cell is narrower than a step to which values are `rounded`. Where no place does, the whole plane
// is the only one, so that the budget is not left.
std::vector<InsetPlace> inset_places(const NoisyCounts& overview, const Grid& chosen, const Grid& bounds,
                                     const Epsilon& insets, const PrivacyUnit& unit,
                                     const Noised<std::vector<RoundedValues>>& rounded);
// The finest grid of a place.
Grid grid_of_place(const Grid& bounds, const InsetPlace& place);

// fine: counts on inset_grid(bounds). most: 1 to most_insets.
InsetRelease inset_release(const Counts& fine, const Grid& bounds, std::uint64_t most, Epsilon epsilon,
                           const PrivateOptions& options, Noise& noise);
// The part of it that asks the data again: an automatic release of each place. Places have no cell in common.
std::vector<Release> released_places(const Counts& fine, const Grid& bounds, const std::vector<InsetPlace>& places,
                                     Epsilon epsilon, const PrivateOptions& options, Noise& noise,
                                     const std::vector<RoundedValues>& known = {});
// As planned_spending: from public parameters alone.
std::vector<Spent> planned_insets(const Grid& bounds, std::uint64_t most, Epsilon epsilon,
                                  const PrivateOptions& options);

}  // namespace shoal
