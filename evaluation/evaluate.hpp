// Techniques x budgets x runs against the truth. For the owner: everything here sees the raw data, and each
// run is seeded, so that nothing of it is a release.
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
  std::string dataset{};                  // its name in the rows
  std::vector<std::string> techniques{};  // automatic: privwave alone
  std::vector<Epsilon> epsilons{};
  std::uint64_t runs = 10;
  bool automatic = false;  // --auto: every run chooses its grid from its own noisy values
  // Measure the agreement of the points' labels: needs the points. Labels are those that `predict` gives.
  bool agreement = true;
  bool classify = true;  // measure OCM and 2CE: needs the points, and a second release of a part of them a run
  double train_share = 0.9;
  UnclusteredClass unclustered_class = UnclusteredClass::left_out;
  C45Options tree{};
  std::uint64_t seed = 1;
  unsigned threads = 0;  // only changes the speed
  // Called from one thread at a time, after every run.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};
  const std::atomic<bool>* stop = nullptr;  // once true, evaluate ends soon with an Error
};

// counts: of all records; automatic: on finest_grid (techniques/automatic.hpp). points: for baseline, OCM, 2CE and
// units; the same that were counted, with units as collect_units has them.
struct EvaluationData {
  const Counts& counts;
  const PointTable* points = nullptr;
  // The label that the data have for each row of `points`, any numbers; empty: none.
  std::span<const std::uint32_t> labels{};
};

struct Evaluation {
  std::optional<Segmentation> truth;  // none under automatic: each run has its own
  // Adjusted Rand index of plain WaveCluster with the labels of the data; none under automatic and without labels.
  std::optional<double> truth_adjusted_rand{};
  std::vector<Row> rows;  // by technique, budget, run
};

// The truth is plain WaveCluster on all records, with the options of the technique. Under automatic each run is held
// against the modes of the counts without noise, on the grid that it chose: what is measured is the error of the noise
// on this grid, not whether another had served better.
//
// With a unit column each run keeps max_contributions records of each unit, chosen at random as in a release, while the
// truth counts all of them: what is lost by leaving records out is part of the error. Where units share their weight
// the truth has the same weights.
//
// A row depends on the seed, the technique, the budget and the run alone: not on the threads (but for the
// seconds), nor on what else is evaluated. Refuses unknown names, data without clusters, and what a technique refuses.
Evaluation evaluate(const EvaluationData& data, const EvaluationOptions& options);

// The result of the whole data at a row: for pictures.
struct StudiedResult {
  Clusters clusters;
  std::uint64_t k = 0;
  std::optional<Release> release;  // nothing for the paper's letter
};
// What a result of the whole data is held against.
struct Truth {
  Counts counts;
  ClusterOptions options;
  Segmentation segmentation;
};
Truth truth_of(const EvaluationData& data, const EvaluationOptions& options, const StudiedResult& result);
StudiedResult repeat_run(const EvaluationData& data, const EvaluationOptions& options, const std::string& technique,
                         Epsilon epsilon, std::uint64_t run);

// How the rows name the technique: privwave --auto for an automatic release.
std::string name_in_rows(const EvaluationOptions& options, const std::string& technique);

// Rows, summaries and parameters as JSON; what the theorems say too, when it is given.
std::string evaluation_json(const Evaluation& evaluation, const EvaluationOptions& options,
                            const std::vector<TheoryCheck>& theory = {});

}  // namespace shoal::evaluation
