// Releases by group under attack: all groups together, as run_groups makes them.
#pragma once

#include "evaluation/audit.hpp"

namespace shoal::evaluation {

// epsilon: of all groups together, as Grouping::cost has it.
AuditCase groups_case(Epsilon epsilon, Neighbors neighbors);
// Charged for one group where a unit changes two: two that a person is in, or under replace the one that a record
// leaves and the one that it enters. NOT PRIVATE. The second exceeds its claim by a tenth, which replay alone finds.
AuditCase broken_groups_not_private(Epsilon epsilon);
AuditCase::Replay moved_between_groups_not_private(Epsilon epsilon);

}  // namespace shoal::evaluation
