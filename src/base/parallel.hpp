// Work in parts on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace shoal {

// 0: all cores. More than these only take memory.
inline unsigned thread_count(unsigned asked) {
#ifdef __EMSCRIPTEN__
  static_cast<void>(asked);
  return 1;  // a page has one thread
#else
  constexpr unsigned most = 1024;
  return asked != 0 ? std::min(asked, most) : std::max(1U, std::thread::hardware_concurrency());
#endif
}

// Waits for all of them, whatever happens. (Not every standard library has std::jthread.)
struct Threads : std::vector<std::thread> {
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { join(); }
  void join() {
    for (std::thread& thread : *this) thread.join();
    clear();
  }
};

// Calls work(part) once for every part in [0, parts), from up to `threads` threads; parts are handed out as threads
// become free, so results must not depend on who does which. The first exception is passed on after all have stopped.
template <class Work>
void parallel_for(std::uint64_t parts, unsigned threads, const Work& work) {
  const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(thread_count(threads), parts));
  if (workers <= 1) {
    for (std::uint64_t part = 0; part < parts; ++part) work(part);
    return;
  }
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto run = [&] {
    try {
      for (std::uint64_t part = next++; part < parts; part = next++) work(part);
    } catch (...) {
      next = parts;
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  Threads others;
  try {
    for (unsigned i = 1; i < workers; ++i) others.emplace_back(run);
  } catch (const std::system_error&) {
    // The machine has no more threads. Those there are do all parts.
  }
  run();
  others.join();
  if (failure) std::rethrow_exception(failure);
}

// The same on stretches: work(begin, end) for `parts` stretches (at most `size`) that make up [0, size) in order.
template <class Work>
void parallel_stretches(std::uint64_t size, std::uint64_t parts, unsigned threads, const Work& work) {
  parts = std::clamp<std::uint64_t>(parts, 1, std::max<std::uint64_t>(size, 1));
  const std::uint64_t longer = size % parts;  // so many are longer by one
  const auto begin = [&](std::uint64_t part) { return size / parts * part + std::min(part, longer); };
  parallel_for(parts, threads, [&](std::uint64_t part) { work(begin(part), begin(part + 1)); });
}

}  // namespace shoal
