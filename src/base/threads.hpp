// How many workers a request for `threads` means: 0 asks for all cores.
#pragma once

#include <algorithm>
#include <thread>

namespace shoal {

inline unsigned worker_count(unsigned threads) {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace shoal
