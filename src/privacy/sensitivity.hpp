// How much one neighbour can change what a technique asks about the data, from public parameters alone.
// W is the average subband of the counts; c = touched_outputs() is how many of its cells one record touches at most.
#pragma once

#include <cstdint>

#include "shoal/cells.hpp"
#include "shoal/options.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// L1 change of the counts: one for every record that differs.
std::uint64_t counts_sensitivity(const PrivacyUnit& unit);

// Change of |Z|, the number of cells of W that are not positive, and so of |L|. Where units share their weight a cell
// counts to |Z| by what it lacks of one weight (lacking() in techniques/privthr.cpp), and |Z| changes by as many
// weights.
std::uint64_t nonpositive_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit);

// Change of |rank(x) - k| at any x > 0: rank(x) is the number of cells of W that are >= x, k = significant_count(|L|).
std::uint64_t rank_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit);

// Refuses, from public parameters alone, a share of epsilon with which no mechanism of that sensitivity can draw: a
// rate below 2^-40, or one whose fraction does not fit in 64 bits (also halved, as the exponential mechanism has it).
void require_rate(Epsilon epsilon, std::uint64_t sensitivity, const PrivacyUnit& unit);
// Of every share of a plan. A plan that passes is not refused once it is paid for.
void require_rates(const std::vector<Spent>& plan, const PrivacyUnit& unit);

}  // namespace shoal
