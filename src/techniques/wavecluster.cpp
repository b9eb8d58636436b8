#include "shoal/wavecluster.hpp"

#include "base/parallel.hpp"
#include "clusters/gradual_transform.hpp"

namespace shoal {

Transformed transform(const Counts& counts, const ClusterOptions& options) {
  GradualTransform gradual(counts.grid().shape(), options);
  if (!counts.is_dense() || gradual.slabs() == 0) return transform(counts.raw(), options);
  parallel_for(gradual.slabs(), options.threads, [&](std::uint64_t i) {
    const auto [begin, end] = gradual.slab(i);
    const auto slab = std::make_unique_for_overwrite<std::int64_t[]>(end - begin);
    counts.read(begin, end, slab.get());
    gradual.sum(i, {slab.get(), end - begin});
  });
  return std::move(gradual).finish();
}

// WaveCluster(counts M, percentile p):
//   W <- average subband of the wavelet transform of M
//   d <- the k-th largest of L = {w in W : w > 0}, k = ceil((1 - p) |L|)
//   significant cells <- {w in L : w >= d}
//   clusters <- connected components of the significant cells
Segmentation wavecluster(const Counts& counts, const ClusterOptions& options) {
  return segment(transform(counts, options), options);
}

}  // namespace shoal
