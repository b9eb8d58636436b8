// Techniques x budgets x runs against the truth. For the owner: everything here sees the raw data, and each
// run is seeded, so that nothing of it is a release.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/prediction.hpp"
#include "evaluation/rows.hpp"
#include "evaluation/theory_check.hpp"
#include "grid/point_table.hpp"
#include "shoal/counts.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {

// technique_names() and the paper's letter (literal.hpp): privqt-literal-not-private, privthr-literal-not-private,
// privthr-em-literal-not-private.
std::vector<std::string> studied_technique_names();

struct EvaluationOptions {
  std::string dataset;  // its name in the rows
  std::vector<std::string> techniques;
  std::vector<Epsilon> epsilons;
  std::uint64_t runs = 10;
  PrivateOptions technique;
  bool classify = true;  // measure OCM and 2CE: needs the points, and a second release of a part of them a run
  double train_share = 0.9;
  NoiseClass noise_class = NoiseClass::left_out;
  C45Options tree;
  std::uint64_t seed = 1;
  unsigned threads = 0;  // only changes the speed
  // Called from one thread at a time, after every run.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;
  const std::atomic<bool>* stop = nullptr;  // once true, evaluate ends soon with an Error
};

// points: for baseline, OCM and 2CE; the same that were counted.
struct EvaluationData {
  const Counts& counts;
  const PointTable* points = nullptr;
};

struct Evaluation {
  Segmentation truth;
  std::vector<Row> rows;  // by technique, budget, run
};

// A row depends on the seed, the technique, the budget and the run alone: not on the threads (but for the
// seconds), nor on what else is evaluated. Refuses unknown names, data without clusters, and what a technique refuses.
Evaluation evaluate(const EvaluationData& data, const EvaluationOptions& options);

// The result of the whole data at a row: for pictures.
struct StudiedResult {
  Clusters clusters;
  std::uint64_t k = 0;
  std::optional<Release> release;  // nothing for the paper's letter
};
StudiedResult repeat_run(const EvaluationData& data, const EvaluationOptions& options, const std::string& technique,
                         Epsilon epsilon, std::uint64_t run);

// Rows, summaries and parameters as JSON; what the theorems say too, when it is given.
std::string evaluation_json(const Evaluation& evaluation, const EvaluationOptions& options,
                            const std::vector<TheoryCheck>& theory = {});

}  // namespace shoal::evaluation
