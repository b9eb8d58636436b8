#include "base/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>

#include "shoal/cells.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
double machine_memory() {
  static const long pages = ::sysconf(_SC_PHYS_PAGES);
  static const long page = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? static_cast<double>(pages) * static_cast<double>(page) : 0x1p63;
}
}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

void require_memory(double bytes, const std::string& what, const std::string& advice) {
  if (bytes > machine_memory()) refuse_memory(bytes, what, advice);
  void* const trial = std::malloc(std::max<std::size_t>(static_cast<std::size_t>(bytes), 1));
  if (trial == nullptr) refuse_memory(bytes, what, advice);
  std::free(trial);
}

void refuse_memory(double bytes, const std::string& what, const std::string& advice) {
  throw InputError(fmt::format("{} would need {} of memory{}; {}", what, bytes_text(bytes),
                               bytes > machine_memory()
                                   ? fmt::format(" and this machine has {}", bytes_text(machine_memory()))
                                   : ", more than the system grants",
                               advice));
}

void advise_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (address + page - 1) & ~(page - 1);
  const std::uintptr_t end = (address + bytes) & ~(page - 1);
  if (begin < end) ::madvise(static_cast<char*>(data) + (begin - address), end - begin, MADV_HUGEPAGE);
#endif
}

// For a large array, calloc gets pages from the system that are zero without being touched.
void* detail::allocate_zeros(std::size_t bytes) {
  void* memory = std::calloc(std::max<std::size_t>(bytes, 1), 1);
  if (memory == nullptr) throw std::bad_alloc();
  advise_large_pages(memory, bytes);
  return memory;
}

void detail::free_zeros(void* memory) noexcept { std::free(memory); }

}  // namespace shoal
