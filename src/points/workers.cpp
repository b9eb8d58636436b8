#include "points/workers.hpp"

#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace shoal {

void run_workers(unsigned threads, const std::function<void(unsigned worker)>& work) {
  if (threads == 0) threads = 1;
  std::vector<std::exception_ptr> thrown(threads);
  const auto guarded = [&](unsigned worker) {
    try {
      work(worker);
    } catch (...) {
      thrown[worker] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(threads - 1);
    try {
      for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(guarded, worker);
    } catch (const std::system_error&) {
      // No more threads to be had: those that run do all the work.
    }
    guarded(0);
  }
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace shoal
