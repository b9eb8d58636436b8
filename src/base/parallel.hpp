// Divides work among several threads.
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

// Returns the number of threads to use: all cores if `asked` is 0. More than 1024 would only take memory.
inline unsigned thread_count(unsigned asked) {
#ifdef __EMSCRIPTEN__
  static_cast<void>(asked);
  return 1;  // a web page has one thread
#else
  constexpr unsigned most = 1024;
  return asked != 0 ? std::min(asked, most) : std::max(1U, std::thread::hardware_concurrency());
#endif
}

// A list of threads whose destructor joins them all, also after an exception. (Not every standard library has
// std::jthread.)
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

// Calls work(part) once for every part in [0, parts), from up to `threads` threads. Threads take the next part as they
// become free, so results must not depend on which thread does which part. The first exception is rethrown after all
// threads have stopped.
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
    // The system has no more threads. Those that started do all parts.
  }
  run();
  others.join();
  if (failure) std::rethrow_exception(failure);
}

// Divides [0, size) into `parts` consecutive stretches (at most `size`) and calls work(begin, end) for each, like
// parallel_for.
template <class Work>
void parallel_stretches(std::uint64_t size, std::uint64_t parts, unsigned threads, const Work& work) {
  parts = std::clamp<std::uint64_t>(parts, 1, std::max<std::uint64_t>(size, 1));
  const std::uint64_t longer = size % parts;  // number of stretches that are one longer than the others
  const auto begin = [&](std::uint64_t part) { return size / parts * part + std::min(part, longer); };
  parallel_for(parts, threads, [&](std::uint64_t part) { work(begin(part), begin(part + 1)); });
}

}  // namespace shoal
