// Plain WaveCluster (Sheikholeslami, Chatterjee, Zhang 1998), for the data owner. The result is not private.
#pragma once

#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"

namespace shoal {

// Returns the average subband of the counts. It avoids a 64-bit copy of all counts if the transform allows that.
Transformed transform(const Counts& counts, const ClusterOptions& options);

// Transforms, thresholds and connects the counts.
Segmentation wavecluster(const Counts& counts, const ClusterOptions& options);

}  // namespace shoal
