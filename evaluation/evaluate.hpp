// Compares techniques x budgets x runs with the truth. For the owner only: all code here sees the raw data. Each run is
// seeded, so no result is a release.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/prediction.hpp"
#include "evaluation/rows.hpp"
#include "evaluation/theory_check.hpp"
#include "grid/point_table.hpp"
#include "shoal/counts.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {

// technique_names() and the paper's letter (literal.hpp): baseline-literal-not-private, privqt-literal-not-private,
// privthr-literal-not-private, privthr-em-literal-not-private.
std::vector<std::string> studied_technique_names();

struct EvaluationOptions {
  PrivateOptions technique;
  std::string dataset{};                  // its name in the rows of the result
  std::vector<std::string> techniques{};  // with automatic: only privwave
  std::vector<Epsilon> epsilons{};
  std::uint64_t runs = 10;
  bool automatic = false;  // --auto: every run chooses its grid from its own noisy values
  // Measures the agreement of the labels of points, as `predict` gives them. Needs the points.
  bool agreement = true;
  bool classify = true;  // measures OCM and 2CE: needs the points, and a second release of a part of them per run
  double train_share = 0.9;
  UnclusteredClass unclustered_class = UnclusteredClass::left_out;
  C45Options tree{};
  std::uint64_t seed = 1;
  unsigned threads = 0;  // affects only the running time
  // Called after every run, by one thread at a time.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
  const std::atomic<bool>* stop = nullptr;  // if it becomes true, evaluate soon throws an Error
};

// Returns the grid on which the counts of an evaluation lie: `grid`, or with automatic the finest grid within its
// bounds.
Grid evaluated_grid(const Grid& grid, const EvaluationOptions& options);

// counts: of all records; automatic: on evaluated_grid(). points: for baseline, OCM, 2CE and
// units; the same that were counted, with units as collect_units has them.
struct EvaluationData {
  const Counts& counts;
  const PointTable* points = nullptr;
  // The data's own label of each row of `points`, any numbers. Empty if there are none.
  std::span<const std::uint32_t> labels{};
};

struct Evaluation {
  std::optional<Segmentation> truth;  // not set with automatic: each run has its own
  // Adjusted Rand index of plain WaveCluster with the labels of the data. Not set with automatic and without labels.
  std::optional<double> truth_adjusted_rand{};
  std::vector<Row> rows;  // by technique, budget, run
};

// The truth is plain WaveCluster on all records, with the options of the technique. With automatic, each run is
// compared with the modes of the counts without noise, on the grid that it chose. This measures the error of the noise
// on this grid, not the quality of the chosen grid.
//
// With a unit column each run keeps max_contributions records of each unit, chosen at random as in a release, while the
// truth counts all records, so the loss of records is part of the error. If units share their weight, the truth has the
// same weights.
//
// A row depends only on the seed, the technique, the budget and the run, except for the seconds. Throws if a name is
// unknown, if the data have no clusters, or if a technique does not support the options.
Evaluation evaluate(const EvaluationData& data, const EvaluationOptions& options);

// The result for all data at one row, for pictures.
struct StudiedResult {
  Clusters clusters;
  std::uint64_t k = 0;
  std::optional<Release> release;  // not set for techniques as published
};
// The reference for a result on all data.
struct Truth {
  Counts counts;
  ClusterOptions options;
  Segmentation segmentation;
};
Truth truth_of(const EvaluationData& data, const EvaluationOptions& options, const StudiedResult& result);
StudiedResult repeat_run(const EvaluationData& data, const EvaluationOptions& options, const std::string& technique,
                         Epsilon epsilon, std::uint64_t run);

// Returns the technique as the rows name it; privwave --auto for an automatic release.
std::string name_in_rows(const EvaluationOptions& options, const std::string& technique);

// Returns rows, summaries and parameters as JSON, with the bounds of the theorems if they are given.
std::string evaluation_json(const Evaluation& evaluation, const EvaluationOptions& options,
                            const std::vector<TheoryCheck>& theory = {});

}  // namespace shoal::evaluation
