// What the paper reports (section 7), claim by claim, held against the rows of a study. A verdict is computed from the
// rows by the criterion that stands beside it; only the explanation of a difference is written by hand.
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
  // have no spread; k_excess: k' - k; k_error: |mean k' - k| / k, as the paper computes it.
  std::string quantity;
  std::vector<Epsilon> epsilons;  // several: the mean over them; none: of the truth
  Interval value;
};

struct Finding {
  Verdict verdict = Verdict::not_testable;
  std::vector<Figure> figures;
  std::uint64_t held = 0, of = 0;  // of the points or comparisons that the criterion speaks of; 0 of 0: of one figure
  // Differs, but nowhere by more than the intervals reach: more runs could decide otherwise.
  bool within_scatter = false;
  std::string why;  // of anything but reproduced
};

struct Claim {
  std::string id;                 // short, and the same in every study
  std::string words;              // what the paper says
  std::string paper;              // its figure
  std::string criterion;          // when it counts as reproduced
  Finding ours;                   // by what Shoal releases, or by the truth itself
  std::optional<Finding> letter;  // as published, where it differs from ours
};

// What the rows do not say about a set.
struct SetFacts {
  std::string name;               // as in the rows: DS1, DS2, DS3, Gowalla
  bool is_authors = false;        // the very points of the paper
  std::uint64_t nonpositive = 0;  // |Z|
};

// Names of rows that vary something: "privthr alpha=0.9" on DS1; "DS1 bior2.2" as dataset.
std::string varied_technique(const std::string& technique, double alpha);
std::string varied_set(const std::string& set, const std::string& wavelet);

// All claims, in the paper's order. Rows that a claim needs and that are not there make it not testable.
std::vector<Claim> check_claims(const std::vector<Row>& rows, const std::vector<SetFacts>& sets);

// Everything but the techniques' own names in words: "PrivTHR_EM", "PrivTHR_EM (letter)".
std::string display_name(const std::string& technique);

// "DS2 PrivTHR at epsilon 1: k' 141.0 ± 2.1"
std::string figure_words(const Figure& figure);

}  // namespace shoal::evaluation
