// From noised values alone to k', d' and the clusters: what every technique does after the noise. A technique runs it
// once (through Release), a reshape runs it again with other options.
#pragma once

#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

struct NoisySegmentation {
  std::uint64_t k = 0;
  KSource source = KSource::rule;
  double threshold = 0;
  Clusters clusters;
  std::vector<ClusterConfidence> confidence;  // modes only: they are found together
};

// W' as the options want it. Noisy sums are W' already at their own level; coarser levels add them up.
Transformed transformed_noisy(const ReleaseParts& parts, const ClusterOptions& options);

// parts holds noisy counts or noisy sums that options can be applied to (check_reshape says so); w: their W'.
NoisySegmentation segment_noisy(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options);

// Throws InputError when the noisy values of `parts` cannot give what `options` asks.
void check_reshape(const ReleaseParts& parts, const ClusterOptions& options);

// The noisy values as numbers of records: noisy counts, or noisy sums in which every cell counts once.
Cells<std::int64_t> noisy_records(const ReleaseParts& parts);
// The noisy values as a picture shows them: what lies at or below the censoring point is as good as empty.
Cells<std::int64_t> shown_values(const ReleaseParts& parts);

// Noisy records of each cluster (index id - 1).
std::vector<std::int64_t> noisy_sizes(const ReleaseParts& parts, const Clusters& clusters);

}  // namespace shoal
