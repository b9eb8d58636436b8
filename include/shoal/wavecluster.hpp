// Plain WaveCluster (Sheikholeslami, Chatterjee, Zhang 1998), the owner's own view. Not private.
#pragma once

#include "shoal/counts.hpp"
#include "shoal/options.hpp"

namespace shoal {

Segmentation wavecluster(const Counts& counts, const ClusterOptions& options);

}  // namespace shoal
