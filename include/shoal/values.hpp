// Memory for the values of a box: a std::vector with two habits of its own.
// - Values<T>(n) and resize(n) leave new elements unset: they are touched first by the thread that fills them.
// - Large ones lie on large pages where the system has them: fewer faults, fewer misses of address translations.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace shoal {

void* allocate_pages(std::size_t bytes);
void free_pages(void* memory) noexcept;

template <class T>
struct PageAllocator {
  using value_type = T;

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>& /*other*/) noexcept {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { free_pages(memory); }

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }
};

template <class T>
using Values = std::vector<T, PageAllocator<T>>;

}  // namespace shoal
