// Refusing what memory cannot hold before it is asked for: the system would grant it and end the process later.
#pragma once

#include <cstdint>
#include <string>

namespace shoal {

// "1.5 GiB"
std::string bytes_text(double bytes);

// Throws InputError when `bytes` are more than the machine's memory, or more than the system grants at once (a limit of
// the process). The trial is given back untouched. what: "counts of the grid 9 x 9"; advice: how to
// need less.
void require_memory(double bytes, const std::string& what, const std::string& advice);

// The same complaint for an allocation that failed.
[[noreturn]] void refuse_memory(double bytes, const std::string& what, const std::string& advice);

// Asks for large pages: random access to a large array then misses fewer address translations, and the first touch
// faults less often. A hint; nothing happens where it is not understood.
void advise_large_pages(void* data, std::size_t bytes) noexcept;

}  // namespace shoal
