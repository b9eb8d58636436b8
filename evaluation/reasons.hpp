// Reasons why a claim differs, computed from the runs of a study.
#pragma once

#include <string>

#include "evaluation/criteria.hpp"

namespace shoal::evaluation {

// Sentences for a finding that differs: which techniques and budgets miss the criterion, and what their runs have in
// common. evidence: of all seeds. met_by_all: the runs of all seeds together meet the criterion.
// published: the finding of the same claim as published, where this one is about what Shoal releases; else null.
std::string reason_of(const Evidence& evidence, const Finding& finding, bool met_by_all, const Finding* published);

// Probability that the sum of four integer noises, P(x) proportional to exp(-epsilon |x|), is exactly zero.
double zero_sum_probability(double epsilon);

}  // namespace shoal::evaluation
