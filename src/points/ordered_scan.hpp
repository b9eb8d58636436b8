// Scans on several threads whose results keep the order of the input.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>

#include "shoal/points.hpp"

namespace shoal {

// Receives what a worker made of the rows that it visited since its last call.
using HandOver = std::function<void(unsigned worker)>;

// A source of points that can keep the order of the input on several threads.
class OrderedScan {
 public:
  OrderedScan() = default;
  OrderedScan(const OrderedScan&) = delete;
  OrderedScan& operator=(const OrderedScan&) = delete;
  virtual ~OrderedScan() = default;
  // As the function of this name below.
  virtual void scan_in_order(unsigned threads, const Points::Visit& visit, const HandOver& hand_over) = 0;
};

// Calls visit for every row as Points::scan does. A worker visits consecutive rows of the input, block after block, and
// then hands them over. Calls of hand_over do not overlap and come in the order of the rows. A worker that is ahead
// waits, so memory does not grow with the rows. Other sources are read on one thread.
void scan_in_order(Points& points, unsigned threads, const Points::Visit& visit, const HandOver& hand_over);

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
