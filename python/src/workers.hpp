// Threads of the bindings.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace shoal_python {

// Calls work(part) once for every part in [0, parts), from up to `threads` threads; 0 means all cores. The first
// exception is rethrown after all threads have stopped.
template <class Work>
void on_threads(unsigned threads, std::size_t parts, const Work& work) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex guard;
  const auto run = [&] {
    try {
      for (std::size_t part = next++; part < parts; part = next++) work(part);
    } catch (...) {
      next = parts;
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, parts); ++i) others.emplace_back(run);
  } catch (const std::system_error&) {
    // The system has no more threads. Those that started do all parts.
  }
  run();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace shoal_python
