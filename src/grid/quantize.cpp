// Converts points to counts. On coarse grids, each worker counts into its own memory; on fine grids, the workers share
// it. The result does not depend on how the points were split, because integers add up to the same sum in any order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/cell_index.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "grid/cell_table.hpp"
#include "grid/narrow_counts.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::size_t line = 8;  // number of coordinates per cache line

// Calls count(cells) with the cells of every block of rows, some at a time. Counting waits for the counters; meanwhile
// the coordinates of the next block are prefetched. Prefetching past the end of a column is harmless.
template <class Index, class Count>
void for_cells(const CellIndexer& indexer, const PointBlock& points, Count count) {
  std::array<Index, CellIndexer::block> cells;
  const std::size_t rows = points.rows();
  for (std::size_t first = 0; first < rows; first += CellIndexer::block) {
    const std::span<Index> some(cells.data(), std::min(CellIndexer::block, rows - first));
    indexer(points.columns, first, some);
    for (std::size_t i = 0; i < some.size(); i += line) {
      for (const auto& column : points.columns) __builtin_prefetch(&column.data()[first + CellIndexer::block + i]);
      count(std::span<const Index>(some.subspan(i, std::min(line, some.size() - i))));
    }
  }
}

// For fine grids, whose bytes do not stay in the cache. Each worker buffers cells by region of the grid, and counts
// them when a region has enough cells to be worth fetching its bytes. Visits are then so rare that the workers can
// share the bytes.
class Regions {
 public:
  explicit Regions(std::size_t counters) : bytes_(counters), guards_(((counters - 1) >> bits) + 1) {}

  template <class Index>
  class Aside {
   public:
    explicit Aside(std::size_t regions) : held_(regions * cells_of_region), size_(regions) {}

   private:
    friend class Regions;
    Values<Index> held_;
    std::vector<std::uint32_t> size_;
  };
  [[nodiscard]] std::size_t count() const noexcept { return guards_.size(); }
  [[nodiscard]] NarrowCounters take_bytes() && noexcept { return std::move(bytes_); }

  template <class Index>
  void add(std::span<const Index> cells, Aside<Index>& aside, WideCounters& wide) {
    for (const Index cell : cells) {
      const std::size_t region = cell >> bits;
      aside.held_[region * cells_of_region + aside.size_[region]++] = cell;
      if (aside.size_[region] == cells_of_region) take(region, aside, wide);
    }
  }
  template <class Index>
  void take_all(Aside<Index>& aside, WideCounters& wide) {
    for (std::size_t region = 0; region < count(); ++region) take(region, aside, wide);
  }

 private:
  static constexpr unsigned bits = 18;  // the bytes of a region and its buffered cells fit in a core's cache together
  static constexpr std::size_t cells_of_region = std::size_t{1} << 14;

  template <class Index>
  void take(std::size_t region, Aside<Index>& aside, WideCounters& wide) {
    const std::size_t size = std::exchange(aside.size_[region], 0);
    const std::lock_guard lock(guards_[region]);
    bytes_.add(std::span<const Index>(aside.held_.data() + region * cells_of_region, size), wide);
  }

  NarrowCounters bytes_;
  std::vector<std::mutex> guards_;
};

constexpr std::size_t least_fine = std::size_t{1} << 21;  // counters

using Rows = std::atomic<std::uint64_t>;  // number of rows seen, by all workers

// Returns the bytes of the workers that saw points. The last counter is for the points outside all cells.
template <class Index>
std::vector<NarrowCounters> count_coarse(Points& points, const CellIndexer& indexer, unsigned workers, Rows& rows,
                                         WideCounters& wide) {
  std::vector<std::optional<NarrowCounters>> narrow(workers);
  points.scan(workers, [&](unsigned worker, const PointBlock& block) {
    if (!narrow[worker]) narrow[worker].emplace(wide.values.size());
    NarrowCounters& mine = *narrow[worker];
    for_cells<Index>(indexer, block, [&](std::span<const Index> cells) { mine.add(cells, wide); });
    rows += block.rows();
  });
  std::vector<NarrowCounters> used;
  for (auto& mine : narrow) {
    if (mine) used.push_back(std::move(*mine));
  }
  return used;
}

template <class Index>
std::vector<NarrowCounters> count_fine(Points& points, const CellIndexer& indexer, unsigned workers, Rows& rows,
                                       WideCounters& wide) {
  Regions regions(wide.values.size());
  std::vector<std::unique_ptr<Regions::Aside<Index>>> aside(workers);
  points.scan(workers, [&](unsigned worker, const PointBlock& block) {
    if (!aside[worker]) aside[worker] = std::make_unique<Regions::Aside<Index>>(regions.count());
    Regions::Aside<Index>& mine = *aside[worker];
    for_cells<Index>(indexer, block, [&](std::span<const Index> cells) { regions.add(cells, mine, wide); });
    rows += block.rows();
  });
  parallel_for(workers, workers, [&](std::uint64_t worker) {
    if (aside[worker]) regions.take_all(*aside[worker], wide);
    aside[worker].reset();
  });
  std::vector<NarrowCounters> used;
  used.push_back(std::move(regions).take_bytes());
  return used;
}

template <class Index>
std::vector<NarrowCounters> count_dense(Points& points, const CellIndexer& indexer, unsigned workers, Rows& rows,
                                        WideCounters& wide) {
  return indexer.cell_count() < least_fine ? count_coarse<Index>(points, indexer, workers, rows, wide)
                                           : count_fine<Index>(points, indexer, workers, rows, wide);
}

Counts quantize_dense(Points& points, const Grid& grid, const CellIndexer& indexer, unsigned workers) {
  Rows rows = 0;
  const std::uint64_t cells = indexer.cell_count();
  WideCounters wide(cells + 1);
  std::vector<NarrowCounters> bytes = cells < UINT32_MAX
                                          ? count_dense<std::uint32_t>(points, indexer, workers, rows, wide)
                                          : count_dense<std::uint64_t>(points, indexer, workers, rows, wide);
  NarrowCounts narrow(std::move(wide.touched), std::move(bytes));
  std::int64_t in_no_cell = 0;
  narrow.widen(cells, cells + 1, wide.values.data(), &in_no_cell);
  wide.values.pop_back();
  Counts counts(grid, Cells<std::int64_t>::dense(grid.shape(), std::move(wide.values)), rows - points.skipped(),
                static_cast<std::uint64_t>(in_no_cell) - points.skipped());  // skipped rows are NaN and not points
  return CountsInTwoParts::made(std::move(counts), std::move(narrow), workers);
}

Counts quantize_sparse(Points& points, const Grid& grid, const CellIndexer& indexer, unsigned workers) {
  Rows rows = 0;
  std::vector<CellTable> tables(workers);
  points.scan(workers, [&](unsigned worker, const PointBlock& block) {
    for_cells<std::uint64_t>(indexer, block, [&](std::span<const std::uint64_t> cells) {
      for (const std::uint64_t cell : cells) tables[worker].add(cell, 1);
    });
    rows += block.rows();
  });
  std::vector<CellTable::Entry> entries = take_all(tables);
  std::uint64_t outside = 0;
  if (!entries.empty() && entries.back().cell == indexer.cell_count()) {
    outside = static_cast<std::uint64_t>(entries.back().count);
    entries.pop_back();
  }
  return {grid, sparse_cells(grid.shape(), entries), rows - points.skipped(), outside - points.skipped()};
}

}  // namespace

Counts quantize(Points& points, const Grid& grid, const QuantizeOptions& options) {
  if (points.dimensions() != grid.dimensions()) {
    throw InputError(fmt::format("the points have {} columns and the grid has {} axes; give bounds for every column",
                                 points.dimensions(), grid.dimensions()));
  }
  const unsigned workers = thread_count(options.threads);
  const CellIndexer indexer(grid, options.outside == Outside::clamp);
  const std::string what = fmt::format("counts of the grid {}", fmt::join(grid.shape(), " x "));
  if (grid.cell_count() > options.dense_limit) {
    try {
      return quantize_sparse(points, grid, indexer, workers);
    } catch (const std::bad_alloc&) {
      throw InputError(fmt::format("{}: the occupied cells do not fit in memory; use fewer cells per axis", what));
    }
  }
  const double bytes =
      static_cast<double>(grid.cell_count()) * (sizeof(std::int64_t) + 1 + static_cast<double>(workers));
  const std::string advice = "use fewer cells per axis, or a lower dense limit to keep only the occupied cells";
  require_memory(bytes, "dense " + what, advice);
  try {
    return quantize_dense(points, grid, indexer, workers);
  } catch (const std::bad_alloc&) {
    refuse_memory(bytes, "dense " + what, advice);
  }
}

}  // namespace shoal
