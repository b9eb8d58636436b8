// The only place that computes sensitivities: by how much a neighbouring dataset can change what a technique asks about
// the data. Techniques call these functions and compute no sensitivity themselves. All bounds follow from public
// parameters.
//
// W is the average subband of the counts. One record (or one part of a weight, where units share their weight) adds a
// column of the transform to W: it raises W under positive weights and lowers W under negative ones. The bounds are
// numbers of entries of a column, or its L1 norm, at the worst cell of the grid (src/wavelet/columns.hpp). They hold
// for every wavelet, level, transform and shape, also for axes shorter than the filter. Moving the cells of the grid or
// of W to other places (rolling an axis by a public number of cells) changes no bound: the columns stay the same.
// Proofs: docs/proofs.md, "Sensitivities".
#pragma once

#include <cstdint>
#include <optional>

#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Returns the L1 change of the counts, and of sums over disjoint blocks of them: one for each record that differs.
std::uint64_t counts_sensitivity(const PrivacyUnit& unit);

// Returns the change of the number of cells of W that are not positive, and so of |L|. Where units share their weight,
// a cell counts by what it lacks of one weight, max(0, 1 - W) (lacking() in techniques/privthr.cpp), and the bound is
// in weights. Under decimated Haar, each cell must count once in the sum of its block (wavelet/haar_blocks.hpp).
std::uint64_t nonpositive_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit);

// Returns the change of the number of cells of W that are zero, as computed. Where units share their weight, a cell
// counts by what |W| lacks of one weight, max(0, 1 - |W|).
std::uint64_t zero_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit);

// Returns the change of rank(x) - k at any x > 0, where rank(x) is the number of cells of W that are >= x, or of those
// that are > x, and k = significant_count(|L|).
std::uint64_t rank_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit);

// By how much a single value of W can change.
struct ValueChange {
  std::uint64_t steps;   // of tie_step(); under Haar, of sums of counts
  double largest_count;  // counts must be clamped to it before the transform
};

// Returns no value if the rounding of a floating-point filter has no known bound: if it is too long for its level.
std::optional<ValueChange> value_sensitivity(const Shape& shape, const ClusterOptions& options,
                                             const PrivacyUnit& unit);

// W in whole steps, for questions about the size of W: the L1 change of all its values is then a whole number.
// techniques/steps.hpp computes it.
struct Steps {
  std::uint64_t scale = 1;       // steps per record; where units share their weight, per part of a weight
  std::uint64_t per_record = 1;  // L1 change of W, and of its profile, by one record or one part
  double largest_count = 0;      // only for floating-point filters: counts are clamped to it first
};

// Throws if no such bound is known: if a filter of floating-point numbers is too long for its level.
Steps steps_of(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit);

// Returns the L1 change of the profile of W in these steps, in records or weights times `scale`.
std::uint64_t profile_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit);

// Throws, from public parameters alone, if no mechanism of that sensitivity can draw with this share of epsilon: if the
// rate is below 2^-40, or if its fraction does not fit in 64 bits (also halved, as the exponential mechanism needs it).
void require_rate(Epsilon epsilon, std::uint64_t sensitivity, const PrivacyUnit& unit);
// The same for every share of a plan. A plan that passes is not refused once it is paid for.
void require_rates(const std::vector<Spent>& plan, const PrivacyUnit& unit);

}  // namespace shoal
