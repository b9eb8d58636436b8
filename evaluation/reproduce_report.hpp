// A reproduction for people: one HTML page, and its claims as a Markdown table.
#pragma once

#include <string>

#include "evaluation/reproduce.hpp"

namespace shoal::evaluation {

// Every number comes from the rows, or from the sets.
std::string study_html(const Study& study);

std::string claims_markdown(const Study& study);

// "31 of 45 claims are reproduced, ..."; of the private forms, then of the paper's letter.
std::string verdict_words(const std::vector<Claim>& claims);

}  // namespace shoal::evaluation
