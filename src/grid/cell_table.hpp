// Counts by cell; memory grows with the number of cells that occur. Open addressing, linear probing, at most half full.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grid/table_hash.hpp"
#include "shoal/cells.hpp"

namespace shoal {

class CellTable {
 public:
  struct Entry {
    std::uint64_t cell;
    std::int64_t count;
  };

  void add(std::uint64_t cell, std::int64_t count) {
    if (used_ * 2 >= slots_.size()) grow();
    Entry& slot = find(cell);
    if (slot.cell == empty) {
      slot.cell = cell;
      ++used_;
    }
    slot.count += count;
  }

  [[nodiscard]] std::size_t size() const noexcept { return used_; }

  // Moves all entries out, in no particular order. The table is empty afterwards.
  std::vector<Entry> take() {
    std::vector<Entry> entries = std::move(slots_);
    std::erase_if(entries, [](const Entry& entry) { return entry.cell == empty; });
    slots_ = {};
    used_ = 0;
    return entries;
  }

 private:
  static constexpr std::uint64_t empty = UINT64_MAX;  // not a valid cell: a grid has at most 2^62

  // Returns the slot that holds the cell, or the empty slot where it belongs.
  Entry& find(std::uint64_t cell) {
    std::size_t at = (cell * multiplier_) >> shift_;
    while (slots_[at].cell != cell && slots_[at].cell != empty) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    const std::size_t size = slots_.empty() ? 1024 : slots_.size() * 2;
    std::vector<Entry> old(size, Entry{empty, 0});
    old.swap(slots_);
    shift_ = static_cast<unsigned>(std::countl_zero(size)) + 1;
    for (const Entry& entry : old) {
      if (entry.cell != empty) find(entry.cell) = entry;
    }
  }

  std::vector<Entry> slots_;
  std::size_t used_ = 0;
  std::uint64_t multiplier_ = TableSecret::of_process().odd();
  unsigned shift_ = 63;  // 64 minus the number of bits of a slot index
};

// Returns the entries of all tables, added up and ascending by cell. The tables are empty afterwards.
inline std::vector<CellTable::Entry> take_all(std::span<CellTable> tables) {
  for (CellTable& table : tables.subspan(1)) {
    for (const auto& entry : table.take()) tables[0].add(entry.cell, entry.count);
  }
  std::vector<CellTable::Entry> entries = tables[0].take();
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  return entries;
}

inline Cells<std::int64_t> sparse_cells(const Shape& shape, std::span<const CellTable::Entry> entries) {
  std::vector<std::uint64_t> index;
  Values<std::int64_t> values;
  index.reserve(entries.size());
  values.reserve(entries.size());
  for (const auto& [cell, count] : entries) {
    index.push_back(cell);
    values.push_back(count);
  }
  return Cells<std::int64_t>::sparse(shape, std::move(index), std::move(values));
}

}  // namespace shoal
