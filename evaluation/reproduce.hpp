// The paper's experiments (section 7) as one study. Seeded: nothing of it is a release.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evaluation/claims.hpp"
#include "evaluation/evaluate.hpp"

namespace shoal::evaluation {

struct ReproduceOptions {
  // Folder with shapes/paper_ds1.csv .. paper_ds3.csv and geo/gowalla_world.csv.gz. Empty: generated sets. A file that
  // is not there is replaced by the generated set, and the study says so.
  std::string data = {};
  std::uint64_t runs = 0;  // 0: 10, or 2 when quick
  bool quick = false;      // fewer budgets, shares and points: to see that everything works
  std::uint64_t seed = 1;
  unsigned threads = 0;
  std::function<void(double share)> progress = {};  // in [0, 1]; called from one thread at a time
  const std::atomic<bool>* stop = nullptr;          // once true, the study ends soon with an Error
};

// A set of points, with everything that the study asks of it.
struct StudiedSet {
  SetFacts facts;
  std::string source;  // where the points come from, in words
  PointTable points;
  Counts counts;
  ClusterOptions cluster;
  Segmentation truth;
};

struct Study {
  ReproduceOptions options;
  std::vector<Epsilon> epsilons;        // of the techniques and the wavelets
  std::vector<Epsilon> sweep_epsilons;  // of the shares
  std::vector<double> alphas;
  std::uint64_t sweep_runs = 0;  // the sweep is cheap, and its differences are small: more runs
  std::vector<std::string> wavelets;
  std::vector<StudiedSet> sets;
  std::vector<Row> rows;  // techniques on sets, then the sweep (varied_technique), then wavelets (varied_set)
  std::vector<Claim> claims;
};

// Baseline, PrivQT, PrivTHR, PrivTHR_EM, and the last three as published.
const std::vector<std::string>& paper_techniques();

// What can be refused before any work is done; reproduce() refuses it too.
void check(const ReproduceOptions& options);

Study reproduce(const ReproduceOptions& options);

std::string study_json(const Study& study);

}  // namespace shoal::evaluation
