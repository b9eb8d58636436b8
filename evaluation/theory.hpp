// Theorems 4, 5 and 6: the paper's bounds for k', and for the values that are certainly kept or dropped, for Haar. The
// formulas are as published; comments mark cases that the paper leaves open.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"

namespace shoal::evaluation {

// The true W, on which the theorems depend.
struct Profile {
  std::vector<double> positives;   // L, descending, in the units of W
  std::uint64_t nonpositives = 0;  // |Z|
  std::uint64_t block = 4;         // number of cells per value of W: 2^(n level); the paper has 2-D at level 1
};
// Throws for wavelets other than Haar and for the stationary transform, because the theorems need disjoint blocks
// (docs/techniques.md says what carries over).
Profile profile_of(const Counts& counts, const ClusterOptions& options);

// The bounds, in the paper's notation.
struct TheoryBounds {
  double k = 0;      // (1 - p)|L|
  double theta = 0;  // E|L'_n|: values of L that noise is expected to make non-positive (0 in theorem 6)
  double eta1 = 0, eta2 = 0;
  double gamma = 0;
  std::optional<double> beta;  // theorem 5 only
  double k_min = 0, k_max = 0;
  double probability = 0;  // lower bound of the probability of each claim below
  // Claim 1: all values of L above `kept_above` are output. Claim 2: none below `dropped_below` is.
  double kept_above = 0, dropped_below = 0;
  std::uint64_t surely_kept = 0, surely_dropped = 0;  // how many values of L the claims cover
};

// percentile in [0, 100), epsilon > 0, alpha and omega in (0, 1).
TheoryBounds theorem4(const Profile& profile, double percentile, double epsilon, double omega);  // PrivQT
TheoryBounds theorem5(const Profile& profile, double percentile, double epsilon, double alpha,
                      double omega);  // PrivTHR
// PrivTHR_EM. If W_max = W_k, no value lies above W_k: then eta1 is 0, and eta2 is the rest, |L| - k.
TheoryBounds theorem6(const Profile& profile, double percentile, double epsilon, double alpha, double omega);

// sum over L of P(T <= -W), T the noise on a value of W: the sum of `block` discrete Laplace draws of rate
// epsilon, over sqrt(block).
double expected_lost(const Profile& profile, double epsilon);

}  // namespace shoal::evaluation
