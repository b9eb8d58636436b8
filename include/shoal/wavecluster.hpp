// Plain WaveCluster (Sheikholeslami, Chatterjee, Zhang 1998), the owner's own view. Not private.
#pragma once

#include "shoal/counts.hpp"
#include "shoal/options.hpp"

namespace shoal {

// The average subband of the counts, without a wide copy of all of them where the transform can do without.
Transformed transform(const Counts& counts, const ClusterOptions& options);

// Transforms, thresholds and connects.
Segmentation wavecluster(const Counts& counts, const ClusterOptions& options);

}  // namespace shoal
