// Techniques that are broken on purpose, each in one way that has been got wrong before. NOT PRIVATE: they show that
// the audit would notice. They give an Observation and, but for what the library itself makes of wrong options, no
// Release.
#pragma once

#include <vector>

#include "evaluation/audit.hpp"

namespace shoal::evaluation {

std::vector<AuditCase> broken_cases_not_private(Epsilon epsilon);

}  // namespace shoal::evaluation
