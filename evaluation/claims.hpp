// What the paper reports (sections 4 to 7), claim by claim, held against the rows of a study. Verdicts, and the reasons
// of those that differ (reasons.hpp), are computed from the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/rows.hpp"

namespace shoal::evaluation {

enum class Verdict { reproduced, differs, not_testable };
const char* words_of(Verdict verdict);

// A number of ours that a verdict rests on.
struct Figure {
  std::string dataset, technique;
  // A column of the rows (k, clusters, dsgc, f_measure, ocm, two_ce); k_true, clusters_true or nonpositive_cells, which
  // have no spread; k_excess: k' - k; k_error: |mean k' - k| / k, as the paper computes it; k_error_of_runs: the mean
  // of |k' - k| / k.
  std::string quantity;
  std::vector<Epsilon> epsilons;  // several: the mean over them; none: of the truth
  Interval value;
};

struct Finding {
  // A claim is reproduced if the runs of more than half of the seeds meet the criterion.
  Verdict verdict = Verdict::not_testable;
  std::uint64_t seeds_held = 0, seeds = 0;  // seeds that meet the criterion, of those that can be tested
  // The rest is about the runs of all seeds together.
  std::vector<Figure> figures;
  std::vector<Figure> misses;  // what fails the criterion, the worst first
  // Number of points or comparisons of the criterion, and how many of them meet it. Both 0 for a single figure.
  std::uint64_t held = 0, compared = 0;
  bool within_scatter = false;  // it has misses, but none by more than the intervals reach
  std::string why;              // of anything but reproduced
};

struct Claim {
  std::string id;                  // short, and the same in every study
  std::string words;               // what the paper says
  std::string paper;               // its figure
  std::string criterion;           // when it counts as reproduced
  bool unclustered_class = false;  // OCM and 2CE with a class for unclustered points, the authors' second reading
  Finding ours;                    // by what Shoal releases, or by the truth itself
  std::optional<Finding> letter;   // as published, where it differs from ours
};

// What the rows do not say about a set.
struct SetFacts {
  std::string name;                   // as in the rows: DS1, DS2, DS3, Gowalla
  bool is_authors = false;            // the very points of the paper
  std::uint64_t cells = 0;            // of the grid, per axis
  std::uint64_t positive = 0;         // |L|
  std::uint64_t nonpositive = 0;      // |Z|
  double kept_share = 1;              // 1 - p
  double threshold = 0, largest = 0;  // W_k and W_max
};

// Names of rows that vary something: the technique "privthr alpha=0.9"; the sets "DS1 bior2.2", "DS1 g=128" and, for
// OCM and 2CE with a class for unclustered points, "DS1 unclustered".
std::string varied_technique(const std::string& technique, double alpha);
std::string varied_set(const std::string& set, const std::string& wavelet);
std::string varied_grid(const std::string& set, std::uint64_t cells);
std::string with_unclustered(const std::string& set);

// The grid sizes of the study around the paper's g: g/4, g/2, g, 2g, 4g.
std::vector<std::uint64_t> studied_grids(std::uint64_t cells);

// All claims, in the paper's order. Runs 1 to `runs` of each group of rows are those of the first seed, the next `runs`
// those of the second, and so on. Rows that a claim needs and that are not there make it not testable.
std::vector<Claim> check_claims(const std::vector<Row>& rows, const std::vector<SetFacts>& sets, std::uint64_t runs);

// Everything but the techniques' own names in words: "PrivTHR_EM", "PrivTHR_EM (letter)".
std::string display_name(const std::string& technique);

// "DS2 PrivTHR at epsilon 1: k' 141.0 ± 2.1"
std::string figure_words(const Figure& figure);

}  // namespace shoal::evaluation
