// Counts what units add, by way of a flat table of units and cells.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>

#include "base/cell_index.hpp"
#include "base/page_allocator.hpp"
#include "base/parallel.hpp"
#include "base/wide.hpp"
#include "grid/cell_table.hpp"
#include "grid/contributions.hpp"
#include "grid/unit_table.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// Adds up the cells of the units. Called from several threads, each with its own worker number.
class SharedCounts {
 public:
  SharedCounts(const Grid& grid, bool dense, unsigned workers)
      : grid_(grid), dense_(dense ? grid.cell_count() : 0), sparse_(dense ? 0 : workers) {}

  void add(unsigned worker, const UnitCell& cell) {
    const auto count = static_cast<std::int64_t>(cell.count);
    if (sparse_.empty()) {
      std::atomic_ref(dense_[cell.cell]).fetch_add(count, std::memory_order_relaxed);
    } else {
      sparse_[worker].add(cell.cell, count);
    }
  }
  Counts take() && {
    Cells<std::int64_t> cells = sparse_.empty() ? Cells<std::int64_t>::dense(grid_.shape(), std::move(dense_))
                                                : sparse_cells(grid_.shape(), take_all(sparse_));
    std::uint64_t total = 0;
    for (const std::int64_t value : std::as_const(cells).values()) total += static_cast<std::uint64_t>(value);
    return {grid_, std::move(cells), total, 0};
  }

 private:
  const Grid& grid_;
  Values<std::int64_t> dense_;
  std::vector<CellTable> sparse_;
};

// Sorts words in ascending order of their bits from `first` to below `end`; higher bits must be 0. This is a radix sort
// by bytes, the lowest first; words that are equal in these bits keep their order. room: scratch memory of the same
// size.
template <class Word>
void sort_words(std::span<Word> words, std::span<Word> room, unsigned first, unsigned end) {
  const std::span<Word> place = words;
  for (unsigned shift = first; shift < end; shift += 8) {
    const auto digit = [shift](Word word) { return static_cast<std::size_t>(word >> shift) & 255; };
    std::array<std::size_t, 257> next{};
    for (const Word word : words) ++next[digit(word) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const Word word : words) room[next[digit(word)]++] = word;
    std::swap(words, room);
  }
  if (words.data() != place.data()) std::copy(words.begin(), words.end(), place.begin());
}

// The records of units by cell, in shards by the hash of the unit. A record is one word that holds unit, cell and
// count, so that sorting groups the words by unit and equal records can be merged. A shard is sorted and merged
// whenever it has doubled.
template <class Word>
class Records {
 public:
  // The word must hold the cell: 64-bit words allow at most 2^32 cells.
  explicit Records(std::uint64_t cells)
      : cell_bits_(static_cast<unsigned>(std::bit_width(cells - 1))),
        most_units_(std::uint64_t{1} << std::min<unsigned>(32, word_bits - count_bits - cell_bits_)),
        shards_(shard_count) {}

  // Rows of one stretch, ready to be appended shard by shard. One per worker.
  struct Stretch {
    std::vector<std::uint64_t> cells, hashes;
    std::vector<std::uint32_t> rows;  // by shard
    std::array<std::uint32_t, 257> first{};
    std::vector<Word> room;  // for sorting
  };
  static constexpr std::size_t shard_count = 256;
  static constexpr std::size_t stretch_rows = 8192;

  // Adds rows [first, first + cells.size()) of the block, omitting those in no cell.
  void add(const PointBlock& block, std::size_t first, std::uint64_t no_cell, Stretch& stretch) {
    const std::size_t rows = stretch.cells.size();
    stretch.hashes.resize(rows);
    stretch.rows.resize(rows);
    stretch.first.fill(0);
    for (std::size_t i = 0; i < rows; ++i) {
      if (stretch.cells[i] == no_cell) continue;
      stretch.hashes[i] = UnitTable::hash(checked_unit(block.units[first + i]));
      ++stretch.first[part_of(stretch.hashes[i]) + 1];
    }
    std::partial_sum(stretch.first.begin(), stretch.first.end(), stretch.first.begin());
    std::array<std::uint32_t, 257> next = stretch.first;
    for (std::size_t i = 0; i < rows; ++i) {
      if (stretch.cells[i] == no_cell) continue;
      stretch.rows[next[part_of(stretch.hashes[i])]++] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t shard = 0; shard < shard_count; ++shard) {
      const std::span<const std::uint32_t> some(stretch.rows.data() + stretch.first[shard],
                                                stretch.first[shard + 1] - stretch.first[shard]);
      if (!some.empty()) shards_[shard].add(*this, block, first, some, stretch);
    }
  }

  // Passes every unit with its cells to visit(worker, unit, cells), from several threads. Empty afterwards.
  template <class Visit>
  void take(unsigned workers, const Visit& visit) {
    std::atomic<std::size_t> next = 0;
    parallel_for(workers, workers, [&](std::uint64_t worker) {
      std::vector<Word> room;
      for (std::size_t shard = next++; shard < shard_count; shard = next++) {
        shards_[shard].take(*this, room, [&](std::string_view unit, std::vector<UnitCell>& cells) {
          visit(static_cast<unsigned>(worker), unit, cells);
        });
      }
    });
  }

 private:
  static constexpr unsigned word_bits = sizeof(Word) * 8;
  static constexpr unsigned count_bits = word_bits == 64 ? 12 : 32;
  static constexpr Word most_count = (Word{1} << count_bits) - 1;

  static std::size_t part_of(std::uint64_t hash) { return hash >> 56; }
  [[nodiscard]] static std::uint64_t count_of(Word word) { return static_cast<std::uint64_t>(word & most_count); }
  [[nodiscard]] std::uint64_t cell_of(Word word) const {
    return static_cast<std::uint64_t>(word >> count_bits & ((Word{1} << cell_bits_) - 1));
  }
  [[nodiscard]] std::uint64_t unit_of(Word word) const {
    return static_cast<std::uint64_t>(word >> count_bits >> cell_bits_);
  }

  class Shard {
   public:
    void add(const Records& all, const PointBlock& block, std::size_t first, std::span<const std::uint32_t> rows,
             Stretch& stretch) {
      const std::lock_guard lock(guard_);
      for (const std::uint32_t row : rows) units_.prefetch(stretch.hashes[row]);
      for (const std::uint32_t row : rows) {
        const std::uint32_t unit = units_.number(block.units[first + row], stretch.hashes[row]);
        if (unit >= all.most_units_) {
          throw InputError(fmt::format("more than {} units on a grid this fine; use fewer cells per axis",
                                       all.most_units_ * shard_count));
        }
        if (words_.size() == words_.capacity()) make_room(all, stretch.room);
        words_.push_back((Word{unit} << all.cell_bits_ | stretch.cells[row]) << count_bits | 1);
      }
    }

    template <class Visit>
    void take(const Records& all, std::vector<Word>& room, const Visit& visit) {
      put_together(all, room);
      const std::vector<std::string_view> names = units_.names();
      std::vector<UnitCell> cells;
      for (auto word = words_.begin(); word != words_.end();) {
        const std::uint64_t unit = all.unit_of(*word);
        cells.clear();
        for (; word != words_.end() && all.unit_of(*word) == unit; ++word) {
          const std::uint64_t cell = all.cell_of(*word);
          if (cells.empty() || cells.back().cell != cell) cells.push_back({cell, 0});
          cells.back().count += count_of(*word);
        }
        visit(names[unit], cells);
      }
      PageVector<Word>().swap(words_);
      units_ = {};
    }

   private:
    void make_room(const Records& all, std::vector<Word>& room) {
      put_together(all, room);
      if (words_.size() > words_.capacity() / 2) words_.reserve(std::max<std::size_t>(256, 2 * words_.size()));
    }

    void put_together(const Records& all, std::vector<Word>& room) {
      const auto middle = words_.begin() + static_cast<std::ptrdiff_t>(sorted_);
      const std::size_t unsorted = words_.size() - sorted_;
      if (room.size() < unsorted) room.resize(unsorted);
      sort_words<Word>({middle, words_.end()}, std::span(room).first(unsorted), count_bits,
                       count_bits + all.cell_bits_ + static_cast<unsigned>(std::bit_width(units_.size())));
      std::inplace_merge(words_.begin(), middle, words_.end());
      auto last = words_.begin();  // where the current record goes
      for (auto word = words_.begin(); word != words_.end(); ++word) {
        if (word == last) continue;
        if (*word >> count_bits != *last >> count_bits) {
          *++last = *word;
          continue;
        }
        const Word sum = (*last & most_count) + (*word & most_count);
        if (sum <= most_count) {
          *last += *word & most_count;
        } else {
          const Word record = *word & ~most_count;
          *last = record | most_count;
          *++last = record | (sum - most_count);
        }
      }
      if (!words_.empty()) words_.erase(last + 1, words_.end());
      sorted_ = words_.size();
    }

    std::mutex guard_;
    UnitTable units_;
    PageVector<Word> words_;
    std::size_t sorted_ = 0;  // the first `sorted_` words are sorted and merged
  };

  unsigned cell_bits_;
  std::uint64_t most_units_;  // per shard
  std::vector<Shard> shards_;
};

template <class Word>
Counts counted(Points& points, const Grid& grid, const QuantizeOptions& options, const Contribution& contribution,
               const ContributionKey& key) {
  const unsigned workers = thread_count(options.threads);
  const CellIndexer indexer(grid, options.outside == Outside::clamp);
  Records<Word> records(grid.cell_count());
  std::vector<typename Records<Word>::Stretch> stretches(workers);
  points.scan(workers, [&](unsigned worker, const PointBlock& block) {
    require_units(block);
    auto& stretch = stretches[worker];
    for (std::size_t first = 0; first < block.rows(); first += Records<Word>::stretch_rows) {
      stretch.cells.resize(std::min(Records<Word>::stretch_rows, block.rows() - first));
      const std::span<std::uint64_t> cells(stretch.cells);
      for (std::size_t i = 0; i < cells.size(); i += CellIndexer::block) {
        indexer(block.columns, first + i, cells.subspan(i, std::min(CellIndexer::block, cells.size() - i)));
      }
      records.add(block, first, indexer.cell_count(), stretch);
    }
  });
  SharedCounts counts(grid, grid.cell_count() <= options.dense_limit, workers);
  std::vector<std::unique_ptr<BoundedUnit>> bounded;
  for (unsigned worker = 0; worker < workers; ++worker) {
    bounded.push_back(std::make_unique<BoundedUnit>(contribution, key));
  }
  records.take(workers, [&](unsigned worker, std::string_view unit, std::vector<UnitCell>& cells) {
    (*bounded[worker])(unit, cells);
    for (const UnitCell& cell : cells) counts.add(worker, cell);
  });
  return std::move(counts).take();
}

}  // namespace

Counts bounded_counts(Points& points, const Grid& grid, const QuantizeOptions& options,
                      const Contribution& contribution, const ContributionKey& key) {
  if (points.dimensions() != grid.dimensions()) {
    throw InputError(fmt::format("the points have {} columns and the grid has {} axes; give bounds for every column",
                                 points.dimensions(), grid.dimensions()));
  }
  try {
    return grid.cell_count() <= std::uint64_t{1} << 32
               ? counted<std::uint64_t>(points, grid, options, contribution, key)
               : counted<Uint128>(points, grid, options, contribution, key);
  } catch (const std::bad_alloc&) {
    throw InputError(fmt::format("the units' records on the grid {} do not fit in memory; use fewer cells per axis",
                                 fmt::join(grid.shape(), " x ")));
  }
}

Counts in_parts(const Counts& counts, std::uint64_t parts) {
  Cells<std::int64_t> cells = counts.raw();
  for (std::int64_t& value : cells.values()) value *= static_cast<std::int64_t>(parts);
  return {counts.grid(), std::move(cells), counts.points(), counts.outside()};
}

}  // namespace shoal
