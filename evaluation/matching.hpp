// The two matchings of section 6: clusters with clusters (DSG_C), classes with classes (OCM). Exact, also for
// thousands of groups, because most pairs share nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/assignment.hpp"
#include "evaluation/contingency.hpp"

namespace shoal::evaluation {

enum class MatchingMethod {
  automatic,  // the quicker one; both give the same optimum
  dense,      // the full cost matrix, Jonker-Volgenant
  sparse,     // a flow network: time and memory of the pairs that share something
};

struct Matching {
  std::vector<std::size_t> partner;  // of each row: its column, or unmatched
  std::uint64_t value = 0;           // M_cost, or CT
};

// Least M_cost: every group of the side with fewer has a partner of its own; a pair costs max(|A \ B|, |B \ A|), a
// group without partner its size.
Matching match_clusters(const Contingency& table, MatchingMethod method = MatchingMethod::automatic);

// Most CT: items shared by partners. Groups that share nothing have no partner.
Matching match_classes(const Contingency& table, MatchingMethod method = MatchingMethod::automatic);

}  // namespace shoal::evaluation
