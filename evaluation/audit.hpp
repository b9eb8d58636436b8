// Tries to break the privacy claim: runs techniques on tiny datasets and on all their neighbours, and looks for an
// event that is more likely on one than e^epsilon times its chance on the other. Two attacks that share no assumption:
// - by sampling: many runs, nothing known but what they show; finds violations that statistics can see;
// - by replay (replay.hpp): exact chances from what the code hands to its noise; finds the smallest violation, but
// takes
//   the samplers for granted.
// A violation that is found is a proof. If none is found, nothing is proved: docs/audit.md states the limits.
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

// A handful of records on a handful of cells.
struct TinyData {
  TinyData(Grid grid, PointTable points);
  // records[i] of them in the middle of cell i.
  static TinyData in_cells(Grid grid, const std::vector<std::uint64_t>& records);

  Grid grid;
  PointTable points;
  Counts counts;
};

// On a finer grid of one axis: the records of a cell in the first of those that it is divided into.
Counts refined(const Counts& counts, const Grid& finer);

// All neighbours with records in the middle of cells, without those whose counts are equal. Add/remove: 1 to
// max_contributions records fewer or more; replace: up to max_contributions fewer and as many more.
std::vector<TinyData> neighbors_of(const TinyData& data, const PrivacyUnit& unit);
// The same where the first axis is a list of groups: a unit has records in up to max_groups of them, up to
// max_contributions in each. Replace: it may leave some and enter others, or none.
std::vector<TinyData> neighbors_in_groups(const TinyData& data, const PrivacyUnit& unit, std::uint64_t max_groups);

// What a run shows, as integers.
struct Observation {
  std::vector<std::int64_t> values;  // noisy counts or sums
  std::int64_t answer = 0;           // the other noised number, 0 when there is none
  std::vector<std::int64_t> shown;   // all else: k', clusters, bounds
  std::optional<Release> release;    // whole, for techniques that make one; replay compares its file
};
Observation observe(Release release);
// All of them together; `release` is one of them.
Observation observe(std::vector<Release> releases);

// Why the second run shows something else than the first, or nothing. whole: compares every byte of the file; else the
// clusters and what they were made of.
std::string difference(const Observation& a, const Observation& b, bool whole);

// What is attacked: a procedure that claims epsilon for a unit.
struct Subject {
  std::string name;
  Epsilon epsilon;
  PrivacyUnit unit;
  std::function<Observation(const TinyData&, Noise&)> run;
  std::optional<std::uint64_t> max_groups{};  // given: the first axis is a list of groups
};

struct SamplingOptions {
  std::uint64_t runs = 1'000'000;  // in all: shared by the datasets
  double error = 1e-6;             // chance at most that a sound subject gets a lower bound above its epsilon
  std::uint64_t seed = 1;
  unsigned threads = 0;
  std::atomic<std::uint64_t>* done = nullptr;  // counts the runs, for a progress bar
};

struct Sampled {
  std::uint64_t runs = 0, datasets = 0, pairs = 0;
  std::uint64_t events = 0;  // different ones that occurred
  double lower_bound = 0;    // of the epsilon that the subject really has; over all pairs, both ways round
  std::string where;         // the pair and the kind of event that gave it
};

// Runs are dealt to three hands: the first sorts events by their likelihood ratio, the second picks how many of the
// foremost make the event (the likelihood-ratio test that tells the two datasets apart best), the third bounds the two
// chances of that event by Clopper and Pearson. What the first two do cannot bias the third. Bonferroni over pairs.
Sampled audit_by_sampling(const Subject& subject, const std::vector<TinyData>& starts, const SamplingOptions& options);

struct Replayed {
  std::uint64_t runs = 0, pairs = 0;
  double largest_loss = 0;  // |log of the ratio of chances|; infinite when a neighbour cannot show the same
  std::string where;
};
// `runs` recorded runs a pair, a share of them far out in the tails.
Replayed audit_by_replay(const Subject& subject, const std::vector<TinyData>& starts, std::uint64_t runs,
                         std::uint64_t seed);
// Beyond what rounding in double makes of epsilon.
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
  double share = 1;  // of the runs asked for; small where a run is slow
  std::vector<Replay> replays;
  bool broken = false;  // must be caught
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
  // Sound and not caught, or broken and caught.
  [[nodiscard]] bool as_it_should() const { return caught() == broken; }
};
AuditRow audit(const AuditCase& audited, const SamplingOptions& options);

// Exact (Clopper, Pearson 1934): p is below the lower bound, or above the upper, with a chance of at most `error` each.
double binomial_lower(std::uint64_t successes, std::uint64_t trials, double error);
double binomial_upper(std::uint64_t successes, std::uint64_t trials, double error);

}  // namespace shoal::evaluation
