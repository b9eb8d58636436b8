// Functions that the technique files share. A technique consists of a plan (its spending, computed from public
// parameters only) and a run that follows the plan. The same code determines planned and actual spending.
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

// Throws if privwave does not support the grid, the budget or the options.
void check_privwave(const Grid& grid, Epsilon epsilon, const PrivateOptions& options);

// Returns the noised values of privwave, before clusters are computed. Spends `epsilon` of the mechanisms' budget. The
// result states all that the mechanisms have spent.
ReleaseParts privwave_parts(const Counts& counts, Epsilon epsilon, const PrivateOptions& options,
                            Mechanisms& mechanisms);

// Returns the counts on a coarser grid, each cell of which consists of whole cells of the counts.
Counts coarsened(const Counts& counts, const Grid& grid);

// Throws, before anything is drawn or spent, if no technique supports the level or the unit.
void check_options(const PrivateOptions& options);
// Throws if units share their weight (PrivacyUnit::share).
void refuse_shares(const std::string& technique, const PrivacyUnit& unit);
// Throws unless the threshold is a percentile. For techniques that spend budget on its k.
void require_percentile(const std::string& technique, const PrivateOptions& options);

// Throws if the grid has more than options.dense_limit cells. For the techniques that add noise to every cell; past the
// limit only privwave makes releases.
void require_noise_on_every_cell(const std::string& technique, const Grid& grid, const PrivateOptions& options);

// Returns the noised values, with the public parameters of the queries.
ReleaseParts release_parts(std::string technique, const Grid& grid, Epsilon epsilon, const PrivateOptions& options,
                           const Mechanisms& mechanisms, NoisyValues noisy, NoisyHint hint = {});
// Returns the release of noisy counts on the grid.
Release release_of(std::string technique, const Grid& grid, Epsilon epsilon, const PrivateOptions& options,
                   const Mechanisms& mechanisms, NoisyTransform noisy, NoisyHint hint = {});

// Returns the noised answer to a question about the W that the options describe.
NoisyAnswer answer_about(const ClusterOptions& options, Question question, const Noised<std::int64_t>& answer,
                         double unit = 1);

}  // namespace shoal
