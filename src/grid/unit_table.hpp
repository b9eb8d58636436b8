// Numbers units by their keys. Open addressing, linear probing, at most three quarters full. Keys are compared by their
// bytes, so two units never become one. A key of up to 8 bytes is stored in its slot, a longer one in a separate array.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/page_allocator.hpp"
#include "grid/table_hash.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"

namespace shoal {

inline void require_units(const PointBlock& block) {
  if (block.units.empty()) throw InputError("the input has no unit column; name it (--unit)");
}
inline std::string_view checked_unit(std::string_view unit) {
  if (unit.empty()) throw InputError("a row has an empty unit; give every row its unit");
  return unit;
}

class UnitTable {
 public:
  // Spreads keys over slots (by its low bits) and tables (by its high bits), even keys that were chosen to collide.
  static std::uint64_t hash(std::string_view unit) { return TableSecret::of_process().hash(unit); }

  void prefetch(std::uint64_t hash) const noexcept {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)], 1);
  }

  // Returns the number of a unit. Numbers start at 0, in the order of first calls. The unit must not be empty.
  std::uint32_t number(std::string_view unit) { return number(unit, hash(unit)); }
  std::uint32_t number(std::string_view unit, std::uint64_t hash) {
    if ((std::size_t{used_} + 1) * 4 > slots_.size() * 3) grow();
    Slot& slot = find(unit, hash);
    if (slot.size == 0) {
      slot = {head(unit), used_++, static_cast<std::uint32_t>(unit.size())};
      if (unit.size() > 8) {
        slot.head = long_units_.size();
        long_units_.insert(long_units_.end(), unit.begin(), unit.end());
      }
    }
    return slot.number;
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return used_; }

  // Returns the keys by number. They stay valid until the table changes.
  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> result(used_);
    for (const Slot& slot : slots_) {
      if (slot.size != 0) result[slot.number] = name(slot);
    }
    return result;
  }

 private:
  struct Slot {
    std::uint64_t head;  // the bytes of the key, padded with zeros; for a longer key, its start in long_units_
    std::uint32_t number;
    std::uint32_t size;  // of the key; 0: the slot is empty
  };

  static std::uint64_t head(std::string_view unit) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, unit.data(), unit.size() < 8 ? unit.size() : 8);
    return word;
  }

  [[nodiscard]] std::string_view name(const Slot& slot) const {
    if (slot.size > 8) return {long_units_.data() + slot.head, slot.size};
    return {reinterpret_cast<const char*>(&slot.head), slot.size};
  }

  // Returns the slot that holds the unit, or the empty slot where it belongs.
  Slot& find(std::string_view unit, std::uint64_t hash) {
    const std::uint64_t word = unit.size() > 8 ? 0 : head(unit);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.size == 0) return slot;
      if (slot.size != unit.size()) continue;
      if (unit.size() > 8 ? name(slot) == unit : slot.head == word) return slot;
    }
  }

  void grow() {
    PageVector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2, Slot{});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.size != 0) find(name(slot), hash(name(slot))) = slot;
    }
  }

  PageVector<Slot> slots_;
  PageVector<char> long_units_;
  std::uint32_t used_ = 0;
};

}  // namespace shoal
