// Dense counts while they are being taken, in bytes, which keep a fine grid in the cache. A byte that overflows carries
// 256 to the wide counter of the cell. There is a wide counter for every cell, but its memory is touched only where
// something was carried; the rest is first touched by the thread that writes the final values.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/counts.hpp"

namespace shoal {

class WideCounters {
 public:
  static constexpr std::size_t stretch = 4096;  // number of cells that are touched together

  explicit WideCounters(std::size_t cells) : values(cells), touched(cells / stretch + 1) {}

  // May be called from any thread.
  void carry(std::size_t cell) {
    std::atomic_ref(values[cell]).fetch_add(256, std::memory_order_relaxed);
    std::atomic_ref(touched[cell / stretch]).store(1, std::memory_order_relaxed);
  }

  Values<std::int64_t> values;
  Values<std::uint8_t> touched;  // one flag per stretch
};

class NarrowCounters {
 public:
  explicit NarrowCounters(std::size_t cells) : bytes_(cells) {}

  template <class Index>
  void add(std::span<const Index> cells, WideCounters& wide) {
    std::uint8_t* const bytes = bytes_.data();
    for (const Index cell : cells) {
      if (++bytes[cell] == 0) wide.carry(cell);
    }
  }
  [[nodiscard]] const std::uint8_t* data() const noexcept { return bytes_.data(); }

 private:
  Values<std::uint8_t> bytes_;
};

// Everything that was counted except the wide counters themselves, which are stored where the counts will be.
class NarrowCounts {
 public:
  NarrowCounts(Values<std::uint8_t> touched, std::vector<NarrowCounters> bytes)
      : touched_(std::move(touched)), bytes_(std::move(bytes)) {}

  // Sets out[0] to the count of cell `begin`, and so on. wide: the counter of cell 0. out may be wide + begin; then
  // each cell may be widened only once.
  void widen(std::uint64_t begin, std::uint64_t end, const std::int64_t* wide, std::int64_t* out) const {
    for (std::uint64_t next = 0; begin < end; begin = next) {
      const std::uint64_t stretch = begin / WideCounters::stretch;
      next = std::min<std::uint64_t>(end, (stretch + 1) * WideCounters::stretch);
      widen_part(begin, next - begin, touched_[stretch] != 0 ? wide + begin : nullptr, out);
      out += next - begin;
    }
  }

 private:
  void widen_part(std::uint64_t begin, std::uint64_t cells, const std::int64_t* carried, std::int64_t* out) const {
    std::size_t worker = 0;
    if (carried == nullptr && bytes_.empty()) {
      std::fill_n(out, cells, 0);
    } else if (carried == nullptr) {
      std::copy_n(bytes_[worker++].data() + begin, cells, out);
    } else if (carried != out) {
      std::copy_n(carried, cells, out);
    }
    for (; worker < bytes_.size(); ++worker) {
      const std::uint8_t* const bytes = bytes_[worker].data() + begin;
      for (std::uint64_t i = 0; i < cells; ++i) out[i] += bytes[i];
    }
  }

  Values<std::uint8_t> touched_;
  std::vector<NarrowCounters> bytes_;
};

// Makes dense counts that are split between `wide` and `narrow`. The count of a cell is the sum of both. `threads` is
// the number of threads that add them up when they are first read.
class CountsInTwoParts {
 public:
  static Counts made(Counts wide, NarrowCounts narrow, unsigned threads);
};

}  // namespace shoal
