// transform() of counts that come to be stretch by stretch, so that they are read while they are in the cache.
// Decimated Haar sums can be had so: the box is cut along its first axis into slabs of whole blocks, whose sums depend
// on nothing else. All other transforms are made at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/options.hpp"

namespace shoal {

class StreamingTransform {
 public:
  StreamingTransform(Shape shape, const ClusterOptions& options);

  // The counts of [begin, end) are there: once for each cell, from any thread; counts: the whole box. The call that
  // fills a slab sums it.
  void on_filled(std::span<const std::int64_t> counts, std::uint64_t begin, std::uint64_t end);
  // What transform() gives, once all were filled.
  [[nodiscard]] Transformed finish(const Cells<std::int64_t>& counts) &&;

  // For counts that never lie in one box: the cells of each slab, and its sums from them. No slab: not possible.
  struct Slab {
    std::uint64_t begin, end;
  };
  [[nodiscard]] std::uint64_t slabs() const noexcept { return missing_.size(); }
  [[nodiscard]] Slab slab(std::uint64_t i) const noexcept;
  void sum(std::uint64_t slab, std::span<const std::int64_t> counts);
  [[nodiscard]] Transformed finish() &&;  // once all slabs were summed

 private:
  Shape shape_;
  ClusterOptions options_;
  std::uint64_t row_ = 1;                            // cells of one step along the first axis
  std::uint64_t slab_cells_ = 0;                     // but for the last slab
  std::vector<std::atomic<std::uint64_t>> missing_;  // cells of a slab that are not filled yet
  Cells<std::int64_t> sums_;
};

}  // namespace shoal
