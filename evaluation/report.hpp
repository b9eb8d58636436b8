// An evaluation for people: one HTML page, for the owner only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/charts.hpp"
#include "evaluation/evaluate.hpp"
#include "evaluation/theory_check.hpp"

namespace shoal::evaluation {

// Which technique to use at which budget, in plain words. From the summaries of one dataset; techniques by the
// paper's letter are not recommended.
std::string advice(const std::vector<Summary>& summaries);

// Whom the releases protect, and what they are held against.
std::string what_was_compared(const EvaluationOptions& options);

// One chart a measure (where it was measured), then k' and the number of clusters, over epsilon.
std::vector<Chart> evaluation_charts(const std::vector<Summary>& summaries);

struct ReportOptions {
  std::optional<Epsilon> picture_epsilon;  // the budget whose results are drawn; none: the one nearest to 1
  std::vector<TheoryCheck> theory;         // shown when there is any
};

// Every number on the page comes from the rows; the pictures repeat a run of them.
std::string evaluation_html(const EvaluationData& data, const EvaluationOptions& options, const Evaluation& evaluation,
                            const ReportOptions& report = {});

}  // namespace shoal::evaluation
