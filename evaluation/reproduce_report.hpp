// A reproduction for people: one HTML page, and its claims as a Markdown table.
#pragma once

#include <string>
#include <vector>

#include "evaluation/reproduce.hpp"

namespace shoal::evaluation {

// Every number comes from the rows, or from the sets.
std::string study_html(const Study& study);

std::string claims_markdown(const Study& study);

// The paper's figures 2 and 4 to 8, the shares, the grid sizes and the wavelets as SVG.
struct StudyPicture {
  std::string file;  // such as figure-5.svg
  std::string svg;
};
// The names of the files alone; they are the same for every study.
std::vector<std::string> study_picture_files();
std::vector<StudyPicture> study_pictures(const Study& study);

// Returns the sentence that counts the reproduced claims, for the private forms and as published.
std::string verdict_words(const std::vector<Claim>& claims);

}  // namespace shoal::evaluation
