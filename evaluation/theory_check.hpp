// The theorems' bounds beside what was measured.
#pragma once

#include <string>
#include <vector>

#include "evaluation/rows.hpp"
#include "evaluation/theory.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {

struct TheoryCheck {
  std::string technique;
  Epsilon epsilon;
  TheoryBounds bounds;
  Interval k;         // measured k'
  double within = 0;  // share of the runs with k_min <= k' <= k_max
};

// For each technique and budget of the rows that a theorem speaks of: 4 for privqt, 5 for privthr, 6 for privthr-em,
// and the same for their letter. Of privthr-em, k' is how many noisy values reach d'; of its letter, the rank drawn.
std::vector<TheoryCheck> compare_with_theory(const Profile& profile, const std::vector<Row>& rows,
                                             const PrivateOptions& options, double omega);

}  // namespace shoal::evaluation
