// What the technique files share. A technique is a plan (what it will spend on what, from public parameters alone) and
// a run that follows the plan: the spending shown beforehand and the spending done come from the same lines.
#pragma once

#include <optional>
#include <vector>

#include "techniques/techniques.hpp"

namespace shoal {

using Plan = std::vector<Spent>;

Plan plan_privqt(const Grid& grid, Epsilon epsilon, const PrivateOptions& options);
Plan plan_privthr(const Grid& grid, Epsilon epsilon, const PrivateOptions& options);
Plan plan_privwave(const Grid& grid, Epsilon epsilon, const PrivateOptions& options);
Plan plan_privthr_em(const Grid& grid, Epsilon epsilon, const PrivateOptions& options);

// privwave's noised values, before anything is made of them: spends `epsilon` of the mechanisms' budget. epsilon and
// spent of the result are all that the mechanisms have spent.
ReleaseParts privwave_parts(const Counts& counts, Epsilon epsilon, const PrivateOptions& options,
                            Mechanisms& mechanisms);

// The same counts on a coarser grid, each of whose cells is a whole number of the counts'.
Counts coarsened(const Counts& counts, const Grid& grid);

// Refuses, before anything is drawn or spent, options that no technique could follow.
void check_options(const Grid& grid, const PrivateOptions& options);
// Refuses shares of units (PrivacyUnit::share).
void refuse_shares(const std::string& technique, const PrivacyUnit& unit);
// For techniques that estimate k for a percentile: refuses other threshold rules.
void require_percentile(const std::string& technique, const PrivateOptions& options);

// Past options.dense_limit cells noise is drawn on sums of blocks, from a floor on. Refuses what has no such blocks,
// with the way out: wavelets other than Haar, the stationary transform, axes that are no multiple of 2^level.
void require_blocks(const std::string& technique, const Grid& grid, const PrivateOptions& options);

// Cells that a value of decimated Haar is the sum of.
std::uint64_t block_cells(const Grid& grid, const ClusterOptions& options);
// For techniques that draw the noise of a block's cells as one sum past the dense limit: also refuses blocks that take
// long to reckon with.
void require_small_blocks(const std::string& technique, const Grid& grid, const PrivateOptions& options);
// For the same techniques: the chance that the noise of a block's cells, as one sum, reaches `floor` (of weights: when
// it is rounded to the nearest).
double block_tail(const Epsilon& for_counts, const PrivacyUnit& unit, std::uint64_t cells, std::int64_t floor);
// The least value from `from` on to which noise alone is expected to carry no more cells than a release should hold
// (most_noise_cells).
std::int64_t least_block_floor(std::int64_t from, const Grid& grid, const ClusterOptions& options,
                               const PrivacyUnit& unit, const Epsilon& for_counts);

// The noised values, with the public parameters of the queries.
ReleaseParts release_parts(std::string technique, const Grid& grid, Epsilon epsilon, const PrivateOptions& options,
                           const Mechanisms& mechanisms, NoisyValues noisy, NoisyHint hint = {});
// The same of counts on the grid, made into a release.
Release release_of(std::string technique, const Grid& grid, Epsilon epsilon, const PrivateOptions& options,
                   const Mechanisms& mechanisms, NoisyTransform noisy, NoisyHint hint = {});

// A noised answer about the W that the options describe.
NoisyAnswer answer_about(const ClusterOptions& options, Question question, const Noised<std::int64_t>& answer,
                         double unit = 1);

}  // namespace shoal
