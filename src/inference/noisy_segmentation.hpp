// Computes k', d' and the clusters from noised values: the steps that every technique runs after the noise. A technique
// runs them once (through Release); a reshape runs them again with other options.
#pragma once

#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

struct NoisySegmentation {
  std::uint64_t k = 0;
  KSource source = KSource::rule;
  double threshold = 0;
  Clusters clusters;
  std::vector<ClusterConfidence> confidence;  // only for modes, which are found together with it
};

// Returns W' under the options. Noisy sums are W' at their own level; coarser levels add them up.
Transformed transformed_noisy(const ReleaseParts& parts, const ClusterOptions& options);

// Segments W'. The parts must support the options (check_transform). w: W' of the parts under the options.
NoisySegmentation segment_noisy(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options);

// Throws InputError if W' under the options cannot be computed from the noisy values of `parts`.
void check_transform(const ReleaseParts& parts, const ClusterOptions& options);

// Returns the noisy values as numbers of records: noisy counts, or noisy sums in which every cell counts once.
Cells<std::int64_t> noisy_records(const ReleaseParts& parts);
// Returns the noisy values as a picture shows them: values at or below the censoring point are shown as empty.
Cells<std::int64_t> shown_values(const ReleaseParts& parts);

// Returns the noisy number of records of each cluster, at index id - 1.
std::vector<std::int64_t> noisy_sizes(const ReleaseParts& parts, const Clusters& clusters);

}  // namespace shoal
