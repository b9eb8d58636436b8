// Refuses requests for more memory than there is. The system would grant them and kill the process later.
#pragma once

#include <cstdint>
#include <string>

namespace shoal {

// Returns a number of bytes as text, such as "1.5 GiB".
std::string bytes_text(double bytes);

// Throws InputError if `bytes` exceeds the memory of the machine, or what the system grants at once (such as a limit on
// the process). To find out, the function allocates the memory and frees it untouched. what: describes the data, such
// as "counts of the grid 9 x 9". advice: tells how to need less.
void require_memory(double bytes, const std::string& what, const std::string& advice);

// Throws the same error for an allocation that has failed.
[[noreturn]] void refuse_memory(double bytes, const std::string& what, const std::string& advice);

// Asks the system for large pages. Random access to a large array then misses fewer address translations, and the first
// touch causes fewer page faults. This is only a hint; systems without large pages ignore it.
void advise_large_pages(void* data, std::size_t bytes) noexcept;

}  // namespace shoal
