// Memory for the values of a box: a std::vector with two habits of its own.
// - Values<T>(n) are zeros that nobody has touched yet: the thread that fills a part is the first to pay for it. For
//   that, elements are not set when they are made: a resize() after the first brings up whatever was there.
// - Large ones lie on large pages where the system has them: fewer faults, fewer misses of address translations.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace shoal {

// Memory of zeros, on large pages where there are such.
void* allocate_zeros(std::size_t bytes);
void free_zeros(void* memory) noexcept;

// Allocates such memory and leaves its elements as they are.
template <class T>
struct ZeroAllocator {
  using value_type = T;

  ZeroAllocator() = default;
  template <class U>
  ZeroAllocator(const ZeroAllocator<U>& /*other*/) noexcept {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_zeros(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { free_zeros(memory); }

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const ZeroAllocator&, const ZeroAllocator&) { return true; }
};

// Values of a box.
template <class T>
using Values = std::vector<T, ZeroAllocator<T>>;

}  // namespace shoal
