// The two matchings of section 6: clusters with clusters (DSG_C), classes with classes (OCM). Exact, also for
// thousands of groups, because most pairs share nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "clusters/assignment.hpp"
#include "clusters/contingency.hpp"

namespace shoal {

enum class MatchingMethod {
  automatic,  // the faster method; both give the same optimum
  dense,      // the full cost matrix, Jonker-Volgenant
  sparse,     // a flow network: time and memory grow with the pairs that share items
};

struct Matching {
  std::vector<std::size_t> partner;  // the column of each row, or unmatched
  std::uint64_t value = 0;           // M_cost, or CT
};

// Minimum M_cost: every group of the smaller side has its own partner. A pair costs max(|A \ B|, |B \ A|), and a group
// without partner costs its size.
Matching match_clusters(const Contingency& table, MatchingMethod method = MatchingMethod::automatic);

// Maximum CT: the number of items that partners share. Groups that share nothing have no partner.
Matching match_classes(const Contingency& table, MatchingMethod method = MatchingMethod::automatic);

}  // namespace shoal
