// Runs the same work on several threads and brings home what it throws.
#pragma once

#include <functional>

namespace shoal {

// Calls work(0), ..., work(threads - 1) at the same time, work(0) on the calling thread, and returns when all are done.
// Rethrows what the lowest worker threw. When the system gives fewer threads, work is called for the first ones
// only: work must share out what there is to do by itself. 0 threads are taken as 1.
void run_workers(unsigned threads, const std::function<void(unsigned worker)>& work);

}  // namespace shoal
