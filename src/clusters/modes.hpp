// Finds clusters without a threshold: the modes of the density that neither chance in the sample nor noise explains. Of
// the ways to separate them, it chooses the one that a coarser view confirms. docs/quality.md says why and how well.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

// The noise of each value, independent between values. A value is a count of records plus noise. Records are added and
// removed in groups of `together` (1: each by itself).
struct CellNoise {
  double variance = 0;
  double scale = 0;  // of the exponential tail: the noise exceeds x with probability at most exp(-x / scale)
  double together = 1;
};

// How far the peak of a cluster rises above the highest saddle that leads to another cluster.
struct Rise {
  double peak = 0, saddle = 0;  // smoothed values; the saddle of the only cluster is 0
  // Exponent of Bernstein's bound: the probability of such a rise by chance, at a given place, is bounded by
  // exp(-evidence).
  double evidence = 0;
  double doubt = 0;           // expected share of chance among the rises of the field that are at least as strong
  std::uint32_t towards = 0;  // the cluster beyond that saddle; 0 if there is no other, or only in other categories
};

// Returns the evidence that the peak of a rise over nothing is higher than the mean of the box. It is proportional to
// the square of the difference.
double evidence_over_mean(const Rise& rise, double mean);

struct Modes {
  Clusters clusters;
  std::vector<Rise> rises;  // of cluster i + 1
  // For each cell of the clusters: how much smaller its value could be before its smoothed value excludes it.
  std::vector<double> margins;
  double smoothing = 0;  // standard deviation of the Gaussian, in cells
  double depth = 0;      // every saddle lies below the lower of its two peaks by at least this share of it
  double lowest = 0;     // smoothed value; no cell of a cluster has less
};

// Returns the evidence at which a rise counts by itself. On data without structure, chance produces such a rise
// anywhere in at most 5 % of runs. Where many rises are nearly as strong, weaker ones count too, as long as at most 5 %
// of all are due to chance.
double least_evidence(const Shape& shape);

// values: must be dense. min_cells: smaller clusters are dropped.
Modes find_modes(const Cells<std::int64_t>& values, const CellNoise& noise, std::uint64_t min_cells = 1);

}  // namespace shoal
