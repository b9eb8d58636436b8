// Computes transform() of counts that arrive stretch by stretch, so that they are read while they are in the cache.
// This works for decimated Haar sums: the box is cut along its first axis into slabs of whole blocks, whose sums depend
// on nothing else. All other transforms are computed at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

class StreamingTransform {
 public:
  StreamingTransform(Shape shape, const ClusterOptions& options);

  // Reports that the counts of cells [begin, end) are filled. Must be called once for each cell, from any thread.
  // counts: the whole box. The call that completes a slab sums it.
  void on_filled(std::span<const std::int64_t> counts, std::uint64_t begin, std::uint64_t end);
  // Returns what transform() returns. All cells must have been filled.
  [[nodiscard]] Transformed finish(const Cells<std::int64_t>& counts) &&;

  // For counts that are never all in one box: the cells of each slab, and a function that sums them. There are no slabs
  // if the transform cannot be computed by slabs.
  struct Slab {
    std::uint64_t begin, end;
  };
  [[nodiscard]] std::uint64_t slabs() const noexcept { return missing_.size(); }
  [[nodiscard]] Slab slab(std::uint64_t i) const noexcept;
  void sum(std::uint64_t slab, std::span<const std::int64_t> counts);
  [[nodiscard]] Transformed finish() &&;  // all slabs must have been summed

 private:
  Shape shape_;
  ClusterOptions options_;
  std::uint64_t row_ = 1;                            // number of cells of one step along the first axis
  std::uint64_t slab_cells_ = 0;                     // number of cells of each slab except the last
  std::vector<std::atomic<std::uint64_t>> missing_;  // number of cells of each slab that are not filled yet
  Cells<std::int64_t> sums_;
};

}  // namespace shoal
