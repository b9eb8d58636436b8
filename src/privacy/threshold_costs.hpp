// The costs of thresholds for the exponential mechanism. Proof: docs/proofs.md, "threshold: exponential mechanism".
#pragma once

#include <cstdint>
#include <vector>

#include "privacy/base_measure.hpp"
#include "privacy/mechanisms.hpp"
#include "privacy/noise.hpp"

namespace shoal {

// Runs of {1, ..., max} of equal cost, ascending. Run i is (ends[i - 1], ends[i]]; the first starts at 0.
struct ThresholdRuns {
  std::vector<std::uint64_t> ends;
  std::vector<WeightedInterval> intervals;
};

// Returns the costs of all thresholds of the measure. Between neighbours, no cost changes by more than
// query.per_neighbor. most_steps: public; the cost of a value is at most that many changes of a unit.
ThresholdRuns threshold_runs(const ThresholdQuery& query, const Measure& measure, std::uint64_t most_steps);

}  // namespace shoal
