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
  // Folder with shapes/paper_ds1.csv .. paper_ds3.csv and geo/dpbench_gowalla_256.csv. Empty: generated sets. A file
  // that is not there is replaced by the generated set, and the study says so.
  std::string data = {};
  std::uint64_t runs = 0;   // with each seed; 0: 10 as in the paper, or 2 when quick
  std::uint64_t seeds = 0;  // the study is repeated with this many seeds; 0: 10, or 2 when quick
  bool quick = false;       // fewer budgets, shares and points: to see that everything works
  std::uint64_t seed = 1;   // the first; the others follow it
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
  std::vector<std::string> wavelets;
  std::vector<StudiedSet> sets;
  // Seed by seed, with runs numbered on: techniques on sets, the same with a class for unclustered points
  // (with_unclustered), shares (varied_technique), grid sizes (varied_grid) and wavelets (varied_set). In rows of grid
  // sizes the F-measure is that of the points against the clusters without noise on the paper's grid.
  std::vector<Row> rows;
  std::vector<Claim> claims;
};

// Baseline, PrivQT, PrivTHR, PrivTHR_EM, and all four as published.
const std::vector<std::string>& paper_techniques();

// The result of a technique on a set at a budget in a run, numbered as in the rows.
StudiedResult studied_result(const Study& study, std::size_t set, const std::string& technique, Epsilon epsilon,
                             std::uint64_t run);

// A sample of counted places, drawn without replacement and placed uniformly inside their cells. The file has the
// columns row, col and count, of a grid of 256 x 256 cells over the globe: row by latitude, col by longitude.
PointTable draw_check_ins(const std::string& file, std::uint64_t sample, std::uint64_t seed);

// What can be refused before any work is done; reproduce() refuses it too.
void check(const ReproduceOptions& options);

Study reproduce(const ReproduceOptions& options);

std::string study_json(const Study& study);

}  // namespace shoal::evaluation
