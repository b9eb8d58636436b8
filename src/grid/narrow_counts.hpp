// Dense counts as they are taken: bytes, which keep a fine grid in the cache. A byte that runs over carries 256 to the
// cell's wide counter. Wide counters are there for all cells, but memory is touched only where something was carried:
// the rest is first touched by whoever writes the final values there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shoal/values.hpp"

namespace shoal {

class WideCounters {
 public:
  static constexpr std::size_t stretch = 4096;  // cells that are touched together

  explicit WideCounters(std::size_t cells) : values(cells), touched(cells / stretch + 1) {}

  // From any thread.
  void carry(std::size_t cell) {
    std::atomic_ref(values[cell]).fetch_add(256, std::memory_order_relaxed);
    std::atomic_ref(touched[cell / stretch]).store(1, std::memory_order_relaxed);
  }

  Values<std::int64_t> values;
  Values<std::uint8_t> touched;  // a flag a stretch
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

// All that was counted but the wide counters themselves, which lie where the counts will.
class NarrowCounts {
 public:
  NarrowCounts(Values<std::uint8_t> touched, std::vector<NarrowCounters> bytes)
      : touched_(std::move(touched)), bytes_(std::move(bytes)) {}

  // out[0] := the count of cell `begin`, and so on. wide: the counter of cell 0; out may be wide + begin, once a cell.
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

}  // namespace shoal
