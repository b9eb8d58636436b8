// From points to counts. Each worker counts into memory of its own, so that the result does not depend on how the
// points were split: integers add up alike in any order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/cell_index.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "grid/cell_table.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::size_t line = 8;  // coordinates in a line of the cache

// Calls count(cells) with the cells of every block of rows, some at a time: counting waits for the counters, and the
// coordinates of the next block are fetched meanwhile. Fetching past the end of a column does no harm.
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

// One byte a cell: a fine grid stays in the cache. A byte that runs over carries 256 to the shared wide counter.
class NarrowCounters {
 public:
  explicit NarrowCounters(std::size_t cells) : bytes_(cells) {}

  template <class Index>
  void add(std::span<const Index> cells, std::int64_t* wide) {
    std::uint8_t* const bytes = bytes_.data();
    for (const Index cell : cells) {
      if (++bytes[cell] == 0) {
        std::atomic_ref<std::int64_t>(wide[cell]).fetch_add(256, std::memory_order_relaxed);
      }
    }
  }
  void add_to(std::int64_t* wide, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) wide[i] += bytes_[i];
  }

 private:
  Values<std::uint8_t> bytes_;
};

// Fine grids, whose bytes do not stay in the cache: each worker puts cells aside by region of the grid, and counts them
// when a region has enough of them to be worth fetching its bytes. So few visits need no bytes of every worker's own.
class Regions {
 public:
  explicit Regions(std::size_t counters) : bytes_(counters), guards_(((counters - 1) >> bits) + 1) {}

  template <class Index>
  class Aside {
   public:
    explicit Aside(std::size_t regions) : held_(regions * lot), size_(regions) {}

   private:
    friend class Regions;
    Values<Index> held_;
    std::vector<std::uint32_t> size_;
  };
  [[nodiscard]] std::size_t count() const noexcept { return guards_.size(); }

  template <class Index>
  void add(std::span<const Index> cells, Aside<Index>& aside, std::int64_t* wide) {
    for (const Index cell : cells) {
      const std::size_t region = cell >> bits;
      aside.held_[region * lot + aside.size_[region]++] = cell;
      if (aside.size_[region] == lot) take(region, aside, wide);
    }
  }
  template <class Index>
  void take_all(Aside<Index>& aside, std::int64_t* wide) {
    for (std::size_t region = 0; region < count(); ++region) take(region, aside, wide);
  }
  void add_to(std::int64_t* wide, std::size_t begin, std::size_t end) const { bytes_.add_to(wide, begin, end); }

 private:
  static constexpr unsigned bits = 17;  // their bytes and the cells put aside fit in a core's cache together
  static constexpr std::size_t lot = std::size_t{1} << 15;

  template <class Index>
  void take(std::size_t region, Aside<Index>& aside, std::int64_t* wide) {
    const std::size_t size = std::exchange(aside.size_[region], 0);
    const std::lock_guard lock(guards_[region]);
    bytes_.add(std::span<const Index>(aside.held_.data() + region * lot, size), wide);
  }

  NarrowCounters bytes_;
  std::vector<std::mutex> guards_;
};

constexpr std::size_t least_fine = std::size_t{1} << 21;  // counters

using Rows = std::atomic<std::uint64_t>;  // how many were seen, by all workers

// The last counter is for the points that lie in no cell.
template <class Index>
Values<std::int64_t> count_coarse(Points& points, const CellIndexer& indexer, unsigned workers, Rows& rows) {
  Values<std::int64_t> wide(indexer.cell_count() + 1);
  std::vector<std::unique_ptr<NarrowCounters>> narrow(workers);
  points.scan(workers, [&](unsigned worker, const PointBlock& block) {
    if (!narrow[worker]) narrow[worker] = std::make_unique<NarrowCounters>(wide.size());
    NarrowCounters& mine = *narrow[worker];
    for_cells<Index>(indexer, block, [&](std::span<const Index> cells) { mine.add(cells, wide.data()); });
    rows += block.rows();
  });
  parallel_stretches(wide.size(), wide.size() >> 16, workers, [&](std::uint64_t begin, std::uint64_t end) {
    for (const auto& mine : narrow) {
      if (mine) mine->add_to(wide.data(), begin, end);
    }
  });
  return wide;
}

template <class Index>
Values<std::int64_t> count_fine(Points& points, const CellIndexer& indexer, unsigned workers, Rows& rows) {
  Values<std::int64_t> wide(indexer.cell_count() + 1);
  Regions regions(wide.size());
  std::vector<std::unique_ptr<Regions::Aside<Index>>> aside(workers);
  points.scan(workers, [&](unsigned worker, const PointBlock& block) {
    if (!aside[worker]) aside[worker] = std::make_unique<Regions::Aside<Index>>(regions.count());
    Regions::Aside<Index>& mine = *aside[worker];
    for_cells<Index>(indexer, block, [&](std::span<const Index> cells) { regions.add(cells, mine, wide.data()); });
    rows += block.rows();
  });
  parallel_for(workers, workers, [&](std::uint64_t worker) {
    if (aside[worker]) regions.take_all(*aside[worker], wide.data());
    aside[worker].reset();
  });
  parallel_stretches(wide.size(), wide.size() >> 16, workers,
                     [&](auto begin, auto end) { regions.add_to(wide.data(), begin, end); });
  return wide;
}

template <class Index>
Values<std::int64_t> count_dense(Points& points, const CellIndexer& indexer, unsigned workers, Rows& rows) {
  return indexer.cell_count() < least_fine ? count_coarse<Index>(points, indexer, workers, rows)
                                           : count_fine<Index>(points, indexer, workers, rows);
}

Counts quantize_dense(Points& points, const Grid& grid, const CellIndexer& indexer, unsigned workers) {
  Rows rows = 0;
  Values<std::int64_t> counts = indexer.cell_count() < UINT32_MAX
                                    ? count_dense<std::uint32_t>(points, indexer, workers, rows)
                                    : count_dense<std::uint64_t>(points, indexer, workers, rows);
  const auto outside = static_cast<std::uint64_t>(counts.back());
  counts.pop_back();
  return {grid, Cells<std::int64_t>::dense(grid.shape(), std::move(counts)), rows - points.skipped(),
          outside - points.skipped()};  // skipped rows came as NaN: they are no points
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
  for (unsigned worker = 1; worker < workers; ++worker) {
    for (const auto& entry : tables[worker].take()) tables[0].add(entry.cell, entry.count);
  }
  std::vector<CellTable::Entry> entries = tables[0].take();
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });

  std::uint64_t outside = 0;
  if (!entries.empty() && entries.back().cell == indexer.cell_count()) {
    outside = static_cast<std::uint64_t>(entries.back().count);
    entries.pop_back();
  }
  std::vector<std::uint64_t> index;
  Values<std::int64_t> values;
  index.reserve(entries.size());
  values.reserve(entries.size());
  for (const auto& [cell, count] : entries) {
    index.push_back(cell);
    values.push_back(count);
  }
  return {grid, Cells<std::int64_t>::sparse(grid.shape(), std::move(index), std::move(values)), rows - points.skipped(),
          outside - points.skipped()};
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
