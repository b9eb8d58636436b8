// Allocates memory that returns to the system as soon as it is freed. This is for many tables that grow side by side:
// with an ordinary allocator, the blocks that one table outgrows stay with the process, too small for what the other
// tables request next.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace shoal {

template <class T>
struct PageAllocator {
  using value_type = T;

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>& /*other*/) noexcept {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < least_pages) return static_cast<T*>(::operator new(bytes));
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < least_pages) {
      ::operator delete(memory);
    } else {
      ::munmap(memory, bytes);
    }
  }

  friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }

 private:
  static constexpr std::size_t least_pages = std::size_t{1} << 17;  // bytes; smaller blocks are cheaper to keep
};

template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

}  // namespace shoal
