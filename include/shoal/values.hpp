// Memory for the values of a box: a std::vector with two special properties.
// - Values<T>(n) holds zeros in memory that no thread has touched yet, so that the thread that fills a part is the
//   first to pay for it. For this, elements are not initialised when they are created. After a later resize(), new
//   elements may hold old data.
// - Large vectors use large pages if the system has them, which causes fewer page faults and fewer misses of address
//   translation.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace shoal {

// Allocate and free memory that is filled with zeros and uses large pages where available. allocate_zeros() throws
// std::bad_alloc if there is not enough memory.
void* allocate_zeros(std::size_t bytes);
void free_zeros(void* memory) noexcept;

// Allocator of such memory. It does not initialise elements that are created without arguments.
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

// The values of a box.
template <class T>
using Values = std::vector<T, ZeroAllocator<T>>;

}  // namespace shoal
