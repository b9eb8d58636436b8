// The measurements of an evaluation, one row per run, and their averages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/statistics.hpp"
#include "shoal/privacy.hpp"

namespace shoal::evaluation {

struct Row {
  std::string dataset, technique;
  Epsilon epsilon = Epsilon::zero();
  std::uint64_t run = 1;  // starting at 1
  std::uint64_t k_true = 0, k = 0;
  std::uint64_t clusters_true = 0, clusters = 0;
  double dsgc = 0, f_measure = 0;
  std::optional<double> ocm, two_ce;  // not set unless requested
  double seconds = 0;                 // only for the release
  // Adjusted Rand index of the points' labels with those of plain WaveCluster, and with the labels of the data.
  // Unclustered points are one group. Not set if the points or their labels are missing.
  std::optional<double> adjusted_rand{}, adjusted_rand_truth{};
  friend bool operator==(const Row&, const Row&) = default;
};

// dataset,technique,epsilon,run,k_true,k,clusters_true,clusters,dsgc,f_measure,ocm,two_ce,seconds,adjusted_rand,
// adjusted_rand_truth. Numbers are written so that reading them gives the same bits.
std::string rows_csv(const std::vector<Row>& rows);
// Parses the output of rows_csv. Throws for any other text; the message names the line.
std::vector<Row> read_rows(std::string_view csv);

// A measure, by the name of its column.
struct Measure {
  const char* column;
  const char* name;  // as the paper writes it
  bool lower_is_better;
  std::optional<double> (*read)(const Row&);
};
const std::vector<Measure>& measures();  // dsgc, f_measure, ocm, two_ce, adjusted_rand, adjusted_rand_truth

// All runs of a technique at a budget.
struct Summary {
  std::string dataset, technique;
  Epsilon epsilon = Epsilon::zero();
  std::uint64_t runs = 0;
  std::uint64_t k_true = 0, clusters_true = 0;  // means, if each run has its own truth
  Interval k, clusters;
  double k_error = 0;                             // mean of |k' - k| / k
  std::vector<std::optional<Interval>> measured;  // as measures()
  double seconds = 0;                             // mean
  std::uint64_t typical_run = 1;                  // the run with the median DSG_C
};
// Returns whether any of the summaries has measures()[measure].
bool is_measured(const std::vector<Summary>& summaries, std::size_t measure);
// Returns summaries in the order in which datasets, techniques and budgets first appear.
std::vector<Summary> summarize(const std::vector<Row>& rows);

}  // namespace shoal::evaluation
