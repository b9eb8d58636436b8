// Compares the bounds of the theorems with the measurements.
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
// and the same for the published forms. k' of privthr-em is the number of noisy values that reach d'; as published, the
// rank that was drawn.
std::vector<TheoryCheck> compare_with_theory(const Profile& profile, const std::vector<Row>& rows,
                                             const PrivateOptions& options, double omega);

}  // namespace shoal::evaluation
