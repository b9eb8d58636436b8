// Clusters without a threshold: the modes of the density that neither the chance of the sample nor noise explains, and
// of the ways to tell them apart the one that a coarser look shows too. docs/quality.md says why and how well.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

// Of each value, independent of the others. A value is a count of records, of which `together` come and go as one
// (1: each by itself), plus noise.
struct CellNoise {
  double variance = 0;
  double scale = 0;  // of its exponential tail: the noise exceeds x with probability at most exp(-x / scale)
  double together = 1;
};

// How far the peak of a cluster rises over the highest saddle that leads to another one.
struct Rise {
  double peak = 0, saddle = 0;  // smoothed values; the saddle of the only cluster is 0
  double evidence = 0;          // Bernstein's exponent: chance makes such a rise at a given place in exp(-evidence)
  double doubt = 0;             // expected share of chance among the rises of the field that are at least as strong
  std::uint32_t towards = 0;    // the cluster behind that saddle; 0: there is no other, or only in other categories
  // The mean noise in the sum of its values: noise takes part in the choice of the cells at its rim.
  double excess = 0;
};

// That the peak of a rise over nothing is higher than the mean of the box: it goes with the square of the difference.
double evidence_over_mean(const Rise& rise, double mean);

struct Modes {
  Clusters clusters;
  std::vector<Rise> rises;  // of cluster i + 1
  double smoothing = 0;     // deviation of the Gaussian, in cells
  double depth = 0;         // of every saddle: at least this share of the lower peak
  double lowest = 0;        // smoothed value: no cell of a cluster has less
};

// A rise of this evidence counts by itself: on data without structure chance makes one, anywhere, in at most 5 % of
// runs. Where many rises are nearly as strong, weaker ones count too, as long as at most 5 % of all are chance.
double least_evidence(const Shape& shape);

// values: dense. min_cells: smaller clusters are dropped.
Modes find_modes(const Cells<std::int64_t>& values, const CellNoise& noise, std::uint64_t min_cells = 1);

}  // namespace shoal
