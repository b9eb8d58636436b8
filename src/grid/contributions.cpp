#include "grid/contributions.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <compare>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include "base/cell_index.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/wide.hpp"
#include "grid/cell_table.hpp"
#include "grid/unit_table.hpp"
#include "shoal/error.hpp"

namespace shoal {

ContributionKey ContributionKey::draw(UniformSource& random) {
  ContributionKey key{};
  for (char& digit : key.digits) digit = "0123456789abcdef"[random.below(16)];
  return key;
}

struct RecordRank::Digest {
  std::unique_ptr<EVP_MD, void (*)(EVP_MD*)> method{EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free};
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  std::vector<char> text;
};

namespace {
constexpr std::size_t key_size = std::tuple_size_v<decltype(ContributionKey::digits)>;
constexpr std::size_t most_digits = 20;  // of 64 bits

[[noreturn]] void fail_digest() { throw Error(ErrorKind::internal, "OpenSSL cannot compute SHA-256"); }
}  // namespace

RecordRank::RecordRank(const ContributionKey& key) : digest_(std::make_unique<Digest>()) {
  if (!digest_->method || !digest_->context) fail_digest();
  digest_->text.assign(key.digits.begin(), key.digits.end());
}
RecordRank::~RecordRank() = default;

std::uint64_t RecordRank::operator()(std::uint64_t cell, std::uint64_t copy, std::string_view unit) {
  std::vector<char>& text = digest_->text;
  text.resize(std::max(text.size(), key_size + 2 * most_digits + 3 + unit.size()));
  char* end = text.data() + key_size;
  *end++ = ':';
  end = std::to_chars(end, end + most_digits, cell).ptr;
  *end++ = ':';
  end = std::to_chars(end, end + most_digits, copy).ptr;
  *end++ = ':';
  end = std::copy(unit.begin(), unit.end(), end);
  std::array<unsigned char, 32> digest{};
  EVP_MD_CTX* const context = digest_->context.get();
  if (EVP_DigestInit_ex2(context, digest_->method.get(), nullptr) != 1 ||
      EVP_DigestUpdate(context, text.data(), static_cast<std::size_t>(end - text.data())) != 1 ||
      EVP_DigestFinal_ex(context, digest.data(), nullptr) != 1) {
    fail_digest();
  }
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < 8; ++i) rank = rank << 8 | digest[i];
  return rank;
}

KeptRecords::KeptRecords(std::uint64_t most, const ContributionKey& key) : most_(most), rank_(key) {
  if (most == 0) throw InputError("max-contributions is 0; choose at least 1 record per unit");
}

std::span<const KeptRecords::Record> KeptRecords::choose(std::string_view unit, std::span<const UnitCell> cells) {
  std::uint64_t records = 0;
  for (const UnitCell& cell : cells) records += cell.count;
  kept_.clear();
  if (records <= most_) return kept_;
  for (const auto& [cell, count] : cells) {
    for (std::uint64_t copy = 1; copy <= count; ++copy) {
      const Record record{rank_(cell, copy, unit), cell, copy};
      if (kept_.size() == most_) {
        if (record > kept_.front()) continue;
        std::pop_heap(kept_.begin(), kept_.end());
        kept_.pop_back();
      }
      kept_.push_back(record);
      std::push_heap(kept_.begin(), kept_.end());
    }
  }
  return kept_;
}

namespace {
auto place_of(std::vector<UnitCell>& cells, std::uint64_t cell) {
  return std::lower_bound(cells.begin(), cells.end(), cell,
                          [](const UnitCell& a, std::uint64_t b) { return a.cell < b; });
}
}  // namespace

void KeptRecords::operator()(std::string_view unit, std::vector<UnitCell>& cells) {
  const std::span<const Record> chosen = choose(unit, cells);
  if (chosen.empty()) return;
  for (UnitCell& cell : cells) cell.count = 0;
  for (const Record& record : chosen) ++place_of(cells, record.cell)->count;
  std::erase_if(cells, [](const UnitCell& cell) { return cell.count == 0; });
}

namespace {

// Where the units' cells add up. From several threads, each with its number.
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
    total_.fetch_add(cell.count, std::memory_order_relaxed);
  }
  Counts take() && {
    Cells<std::int64_t> cells = sparse_.empty() ? Cells<std::int64_t>::dense(grid_.shape(), std::move(dense_))
                                                : sparse_cells(grid_.shape(), take_all(sparse_));
    return {grid_, std::move(cells), total_, 0};
  }

 private:
  const Grid& grid_;
  Values<std::int64_t> dense_;
  std::vector<CellTable> sparse_;
  std::atomic<std::uint64_t> total_ = 0;
};

// The records of units by cell, in parts by the hash of the unit. A record is a word: unit, cell and count side by
// side, so that sorted words are grouped by unit and equal records can be put together. What a part holds is sorted
// and put together whenever it has doubled.
template <class Word>
class Records {
 public:
  // The word holds the cell: at most 2^32 cells in 64 bits.
  explicit Records(std::uint64_t cells)
      : cell_bits_(static_cast<unsigned>(std::bit_width(cells - 1))),
        most_units_(std::uint64_t{1} << std::min<unsigned>(32, word_bits - count_bits - cell_bits_)),
        parts_(part_count) {}

  // Rows of one stretch, ready to be taken over part by part. One per worker.
  struct Stretch {
    std::vector<std::uint64_t> cells, hashes;
    std::vector<std::uint32_t> rows;  // by part
    std::array<std::uint32_t, 257> first{};
  };
  static constexpr std::size_t part_count = 256;
  static constexpr std::size_t stretch_rows = 8192;

  // Rows [first, first + cells.size()) of the block, those in a cell.
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
    for (std::size_t part = 0; part < part_count; ++part) {
      const std::span<const std::uint32_t> some(stretch.rows.data() + stretch.first[part],
                                                stretch.first[part + 1] - stretch.first[part]);
      if (!some.empty()) parts_[part].add(*this, block, first, stretch, some);
    }
  }

  // Hands every unit with its cells to visit(worker, unit, cells), from several threads; empty afterwards.
  template <class Visit>
  void take(unsigned workers, const Visit& visit) {
    std::atomic<std::size_t> next = 0;
    parallel_for(workers, workers, [&](std::uint64_t worker) {
      for (std::size_t part = next++; part < part_count; part = next++) {
        parts_[part].take(*this, [&](std::string_view unit, std::vector<UnitCell>& cells) {
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

  class Part {
   public:
    void add(const Records& all, const PointBlock& block, std::size_t first, const Stretch& stretch,
             std::span<const std::uint32_t> rows) {
      const std::lock_guard lock(guard_);
      for (const std::uint32_t row : rows) units_.prefetch(stretch.hashes[row]);
      for (const std::uint32_t row : rows) {
        const std::uint32_t unit = units_.number(block.units[first + row], stretch.hashes[row]);
        if (unit >= all.most_units_) {
          throw InputError(fmt::format("more than {} units on a grid this fine; use fewer cells per axis",
                                       all.most_units_ * part_count));
        }
        if (words_.size() == words_.capacity()) make_room();
        words_.push_back((Word{unit} << all.cell_bits_ | stretch.cells[row]) << count_bits | 1);
      }
    }

    template <class Visit>
    void take(const Records& all, const Visit& visit) {
      put_together();
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
      words_ = {};
      units_ = {};
    }

   private:
    void make_room() {
      put_together();
      if (words_.size() > words_.capacity() / 2) words_.reserve(std::max<std::size_t>(256, 2 * words_.size()));
    }

    void put_together() {
      const auto middle = words_.begin() + static_cast<std::ptrdiff_t>(sorted_);
      std::sort(middle, words_.end());
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
    std::vector<Word> words_;
    std::size_t sorted_ = 0;  // so many, the first, are in order and put together
  };

  unsigned cell_bits_;
  std::uint64_t most_units_;  // in a part
  std::vector<Part> parts_;
};

template <class Word>
Counts counted(Points& points, const Grid& grid, const QuantizeOptions& options, std::uint64_t most,
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
  std::vector<std::optional<KeptRecords>> keep(workers);
  for (auto& mine : keep) mine.emplace(most, key);
  records.take(workers, [&](unsigned worker, std::string_view unit, std::vector<UnitCell>& cells) {
    (*keep[worker])(unit, cells);
    for (const UnitCell& cell : cells) counts.add(worker, cell);
  });
  return std::move(counts).take();
}

}  // namespace

Counts bounded_counts(Points& points, const Grid& grid, const QuantizeOptions& options, std::uint64_t most,
                      const ContributionKey& key) {
  if (points.dimensions() != grid.dimensions()) {
    throw InputError(fmt::format("the points have {} columns and the grid has {} axes; give bounds for every column",
                                 points.dimensions(), grid.dimensions()));
  }
  try {
    return grid.cell_count() <= std::uint64_t{1} << 32 ? counted<std::uint64_t>(points, grid, options, most, key)
                                                       : counted<Uint128>(points, grid, options, most, key);
  } catch (const std::bad_alloc&) {
    throw InputError(fmt::format("the units' records on the grid {} do not fit in memory; use fewer cells per axis",
                                 fmt::join(grid.shape(), " x ")));
  }
}

namespace {

// Whether two rows of a cell are in order. Equal ones are interchangeable.
bool comes_before(const PointTable& rows, std::size_t a, std::size_t b) {
  for (const auto& column : rows.columns) {
    const std::strong_ordering order = std::strong_order(column[a], column[b]);
    if (order != 0) return order < 0;
  }
  return false;
}

std::vector<std::uint64_t> cells_of(const PointTable& rows, const Grid& grid) {
  std::vector<std::uint64_t> cells(rows.rows());
  for (std::size_t row = 0; row < cells.size(); ++row) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      cells[row] = cells[row] * grid.axis(i).cells() + grid.axis(i).cell(rows.columns[i][row]);
    }
  }
  return cells;
}

PointTable kept(const PointTable& rows, const Grid& grid, std::span<const std::string_view> names, std::uint64_t most,
                const ContributionKey& key) {
  const std::vector<std::uint64_t> cell = cells_of(rows, grid);
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (rows.units[a] != rows.units[b]) return rows.units[a] < rows.units[b];
    return cell[a] != cell[b] ? cell[a] < cell[b] : comes_before(rows, a, b);
  });
  KeptRecords keep(most, key);
  std::vector<bool> stays(rows.rows(), false);
  std::vector<UnitCell> cells;
  std::vector<std::size_t> first;  // of each cell, in `order`
  for (std::size_t at = 0, end = 0; at < order.size(); at = end) {
    const std::uint32_t unit = rows.units[order[at]];
    cells.clear();
    first.clear();
    for (end = at; end < order.size() && rows.units[order[end]] == unit; ++end) {
      if (cells.empty() || cells.back().cell != cell[order[end]]) {
        cells.push_back({cell[order[end]], 0});
        first.push_back(end);
      }
      ++cells.back().count;
    }
    const auto chosen = keep.choose(names[unit], cells);
    for (std::size_t i = at; i < end; ++i) stays[order[i]] = chosen.empty();
    for (const KeptRecords::Record& record : chosen) {
      const auto place = static_cast<std::size_t>(place_of(cells, record.cell) - cells.begin());
      stays[order[first[place] + record.copy - 1]] = true;
    }
  }
  PointTable result;
  for (const auto& column : rows.columns) {
    auto& those = result.columns.emplace_back();
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (stays[row]) those.push_back(column[row]);
    }
  }
  return result;
}

}  // namespace

PointTable bounded_points(Points& points, const Grid& grid, Outside outside, std::uint64_t most,
                          const ContributionKey& key) {
  UnitTable units;
  const PointTable rows = collect_units(points, grid, outside, units);
  return kept(rows, grid, units.names(), most, key);
}

PointTable bounded_points(const PointTable& rows, const Grid& grid, std::uint64_t most, const ContributionKey& key) {
  std::vector<std::string> numbers;
  for (const std::uint32_t unit : rows.units) {
    while (numbers.size() <= unit) numbers.push_back(std::to_string(numbers.size()));
  }
  return kept(rows, grid, std::vector<std::string_view>(numbers.begin(), numbers.end()), most, key);
}

}  // namespace shoal
