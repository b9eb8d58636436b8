// --auto in more than four axes: boxes between the significant valleys of noisy histograms, and the noisy numbers of
// their records. docs/quality.md says how and how well.
#pragma once

#include <vector>

#include "techniques/plans.hpp"

namespace shoal {

// Returns a grid with the axes of `bounds` and as many blocks as boxes can have at most.
Grid largest_box_grid(const Grid& bounds);

// Returns the planned spending of `epsilon`, computed from public parameters only.
Plan plan_boxes(const Grid& grid, Epsilon epsilon, const PrivateOptions& options);
// Returns the noised values. counts: on a grid of which `grid` has whole cells; sparse or dense. Spends `epsilon` of
// the mechanisms' budget; the result states all that they have spent. records: noised number of records.
//
// Sensitivity: a record lies in one box of each step, and in one block along each of its d divided axes, so it moves
// the histograms of a step by d in all, and the numbers of disjoint boxes by 1. Which boxes a step has depends on
// noised values of earlier steps alone. Proof: docs/proofs.md, "--auto".
ReleaseParts box_parts(const Counts& counts, const Grid& grid, const Noised<std::int64_t>& records, Epsilon epsilon,
                       const PrivateOptions& options, Mechanisms& mechanisms);

}  // namespace shoal
