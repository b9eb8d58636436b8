// How far an analyst can trust each released cluster. It is computed from the noisy values only, as post-processing,
// and costs no budget. docs/confidence.md explains how it is computed and how often it was right.
#pragma once

#include <cstdint>
#include <string>

namespace shoal {

// Probabilities about one released cluster, each in (0, 1). They refer to the population from which the records are
// drawn. A cell is dense in the population if its expected number of records reaches the threshold of the release. The
// clusters of the population are the connected components of its dense cells.
struct ClusterConfidence {
  // Probability that at least half of the cells of the cluster are dense in the population.
  double real = 0;
  // Given `real`: probability that at least nine tenths of those dense cells lie in one cluster of the population.
  double connected = 0;
  // Given `connected`: probability that this population cluster is not also the main one of another released cluster
  // that is at least a tenth as large.
  double separate = 0;
  // The released cluster with which this one is most likely connected, or 0 if no estimate connects it with another.
  std::uint32_t joined_with = 0;
  // Probability that the cluster is at most one ninth denser than the cells around it, so that it is part of a uniform
  // area or of a slope.
  double plain = 0;
  // Ends of a 95 % interval for the number of records of the data in the cells of the cluster. -1 means unknown.
  double least_records = -1, most_records = -1;
  // Estimate of that number, a whole number in the interval: the noisy size less the mean noise that helped to choose
  // the cells. -1 means unknown.
  double estimated_records = -1;

  [[nodiscard]] bool has_interval() const noexcept { return most_records >= 0; }
  friend bool operator==(const ClusterConfidence&, const ClusterConfidence&) = default;
};

// Value of `real` at which a cluster is considered more than noise and chance.
inline constexpr double taken_as_real = 0.8;
// Value of `plain` at which a cluster is considered part of a uniform area.
inline constexpr double taken_as_plain = 0.5;

// Returns true if `real` is below taken_as_real or `plain` is at least taken_as_plain. Doubtful clusters are counted
// and listed separately, drawn faintly, and left out of GeoJSON and labels unless requested.
bool is_doubtful(const ClusterConfidence& confidence);

// Describes the confidence as text: "almost surely real; may be part of cluster 3".
std::string in_words(const ClusterConfidence& confidence);
// Explains why a release by this technique has no confidence: "the release of baseline does not state the noise of its
// synthetic points".
std::string without_confidence(const std::string& technique);

// An estimate from noised values and its standard deviation.
struct Estimate {
  double mean = 0;
  double deviation = 0;  // Standard deviation of the estimate.
  // Number of independent draws of Laplace noise, each of the same variance, whose sum has the same tails.
  double draws = 1;
};

}  // namespace shoal
