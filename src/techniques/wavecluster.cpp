#include "shoal/wavecluster.hpp"

#include "base/parallel.hpp"
#include "clusters/runs.hpp"
#include "clusters/streaming_transform.hpp"

namespace shoal {

Transformed transform(const Counts& counts, const ClusterOptions& options) {
  StreamingTransform streaming(counts.grid().shape(), options);
  if (!counts.is_dense() || streaming.slabs() == 0) return transform(counts.raw(), options);
  const std::uint64_t parts = parts_of(counts.grid().cell_count());
  parallel_stretches(streaming.slabs(), parts, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::int64_t> cells;
    for (std::uint64_t i = first; i < last; ++i) {
      const auto [begin, end] = streaming.slab(i);
      cells.resize(end - begin);
      counts.read(begin, end, cells.data());
      streaming.sum(i, cells);
    }
  });
  return std::move(streaming).finish();
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
