// Tries to break the privacy claim. Runs techniques on tiny datasets and on all their neighbours, and looks for an
// event whose probability on one exceeds e^epsilon times its probability on the other. Two attacks share no assumption:
// - Sampling uses only the output of many runs. It finds violations that are statistically visible.
// - Replay (replay.hpp) computes exact probabilities from the values that the code passes to its noise. It finds the
//   smallest violation, but assumes that the samplers are correct.
// A violation that is found is a proof. If none is found, nothing is proved. docs/audit.md states the limits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grid/point_table.hpp"
#include "privacy/noise.hpp"
#include "shoal/counts.hpp"
#include "shoal/privacy.hpp"
#include "shoal/release.hpp"

namespace shoal::evaluation {

// A few records on a few cells.
struct TinyData {
  TinyData(Grid grid, PointTable points);
  // Puts records[i] records in the middle of cell i.
  static TinyData in_cells(Grid grid, const std::vector<std::uint64_t>& records);

  Grid grid;
  PointTable points;
  Counts counts;
};

// Returns the data on a finer grid of one axis. The records of a cell move to the first of its finer cells.
Counts refined(const Counts& counts, const Grid& finer);

// Returns all neighbours with records in the middle of cells and different counts. Add/remove: 1 to max_contributions
// records fewer or more. Replace: up to max_contributions fewer and as many more.
std::vector<TinyData> neighbors_of(const TinyData& data, const PrivacyUnit& unit);
// The same where the first axis is a list of groups: a unit has records in up to max_groups of them, up to
// max_contributions in each. Replace: it may leave some and enter others, or none.
std::vector<TinyData> neighbors_in_groups(const TinyData& data, const PrivacyUnit& unit, std::uint64_t max_groups);

// The output of a run, as integers.
struct Observation {
  std::vector<std::int64_t> values;  // noisy counts or sums
  std::int64_t answer = 0;           // the other noised number, or 0
  std::vector<std::int64_t> shown;   // all else: k', clusters, bounds
  std::optional<Release> release;    // whole, for techniques that make one; replay compares its file
};
Observation observe(Release release);
// Returns all of them as one observation; `release` is one of them.
Observation observe(std::vector<Release> releases);

// Returns how the output of the second run differs from the first, or an empty string. whole: compares every byte of
// the file; otherwise the clusters and the values they were computed from.
std::string difference(const Observation& a, const Observation& b, bool whole);

// The target of an attack: a procedure that claims epsilon for a unit.
struct Subject {
  std::string name;
  Epsilon epsilon;
  PrivacyUnit unit;
  std::function<Observation(const TinyData&, Noise&)> run;
  std::optional<std::uint64_t> max_groups{};  // if set, the first axis is a list of groups
};

struct SamplingOptions {
  std::uint64_t runs = 1'000'000;  // in total, over all datasets
  double error = 1e-6;             // maximum probability that a sound subject gets a lower bound above its epsilon
  std::uint64_t seed = 1;
  unsigned threads = 0;
  std::atomic<std::uint64_t>* done = nullptr;  // counts the runs, for a progress bar
};

struct Sampled {
  std::uint64_t runs = 0, datasets = 0, pairs = 0;
  std::uint64_t events = 0;  // number of distinct events
  double lower_bound = 0;    // of the true epsilon of the subject, over all pairs in both directions
  std::string where;         // the pair and the event with the bound
};

// The runs are divided into three parts. The first sorts events by their likelihood ratio. The second chooses how many
// of them form the tested event (the most powerful likelihood-ratio test). The third bounds the two probabilities of
// that event by Clopper and Pearson; the first two cannot bias it. Bonferroni over pairs.
Sampled audit_by_sampling(const Subject& subject, const std::vector<TinyData>& starts, const SamplingOptions& options);

struct Replayed {
  std::uint64_t runs = 0, pairs = 0;
  double largest_loss = 0;  // |log of the ratio of probabilities|; infinite if a neighbour cannot give the same output
  std::string where;
};
// Replays `runs` recorded runs per pair, some of them far in the tails.
Replayed audit_by_replay(const Subject& subject, const std::vector<TinyData>& starts, std::uint64_t runs,
                         std::uint64_t seed);
// Returns whether the loss exceeds epsilon by more than the rounding of doubles.
bool exceeds(double loss, Epsilon epsilon);

// One line of `shoal audit`: a subject for sampling, and the same technique in other dimensions, wavelets, levels and
// units for replay.
struct AuditCase {
  struct Replay {
    Subject subject;
    std::vector<TinyData> starts;
    std::uint64_t runs;
  };
  Subject subject;
  std::vector<TinyData> starts;
  double share = 1;  // of the requested runs; small if a run is slow
  std::vector<Replay> replays;
  bool broken = false;  // whether the audit must find a violation
};

// technique: one of technique_names(); baseline: "baseline/" and a publisher; "groups": releases by group, by several
// techniques; "insets": automatic releases with insets.
AuditCase audit_case(const std::string& technique, Epsilon epsilon, Neighbors neighbors);
std::vector<std::string> audit_names();

struct AuditRow {
  std::string name;
  Neighbors neighbors;
  Epsilon claimed;
  Sampled sampled;
  Replayed replayed;
  bool broken = false;
  [[nodiscard]] bool caught_by_sampling() const { return sampled.lower_bound > claimed.value(); }
  [[nodiscard]] bool caught_by_replay() const { return exceeds(replayed.largest_loss, claimed); }
  [[nodiscard]] bool caught() const { return caught_by_sampling() || caught_by_replay(); }
  // Returns whether a sound subject passes, or a broken one is caught.
  [[nodiscard]] bool as_it_should() const { return caught() == broken; }
};
AuditRow audit(const AuditCase& audited, const SamplingOptions& options);

// Exact bounds (Clopper, Pearson 1934): p is below the lower or above the upper with probability at most `error` each.
double binomial_lower(std::uint64_t successes, std::uint64_t trials, double error);
double binomial_upper(std::uint64_t successes, std::uint64_t trials, double error);

}  // namespace shoal::evaluation
