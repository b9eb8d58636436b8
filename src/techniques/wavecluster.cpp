#include "shoal/wavecluster.hpp"

namespace shoal {

// WaveCluster(counts M, percentile p):
//   W <- average subband of the wavelet transform of M
//   d <- the k-th largest of L = {w in W : w > 0}, k = ceil((1 - p) |L|)
//   significant cells <- {w in L : w >= d}
//   clusters <- connected components of the significant cells
Segmentation wavecluster(const Counts& counts, const ClusterOptions& options) {
  const Transformed transformed = transform(counts.raw(), options);
  return segment(transformed, options);
}

}  // namespace shoal
