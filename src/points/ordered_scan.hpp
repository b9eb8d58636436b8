// Scans on several threads whose results keep the order of the input.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>

#include "shoal/points.hpp"

namespace shoal {

// Turns of workers, numbered from 0. They end in any order and are handed over in the order of their numbers.
class Turns {
 public:
  // Waits for all turns before this one, then calls hand_over. Returns without the call if a turn up to this one
  // failed.
  template <class Call>
  void end(std::uint64_t turn, const Call& hand_over) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == turn || turn >= failed_; });
    if (turn >= failed_) return;
    hand_over();
    ++next_;
    changed_.notify_all();
  }

  // This turn and all later ones are not handed over. Turns before it still are.
  void fail(std::uint64_t turn);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  std::uint64_t failed_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace shoal
