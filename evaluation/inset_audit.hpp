// Releases with insets under attack: the overview and all insets together.
#pragma once

#include "evaluation/audit.hpp"

namespace shoal::evaluation {

AuditCase insets_case(Epsilon epsilon, Neighbors neighbors);
// Insets that overlap, charged as if they did not; and an inset whose place the raw counts choose. NOT PRIVATE. A run
// is too slow for sampling to see that, replay does.
std::vector<AuditCase::Replay> broken_insets_not_private(Epsilon epsilon);

}  // namespace shoal::evaluation
