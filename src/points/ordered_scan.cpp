#include "points/ordered_scan.hpp"

#include <algorithm>

namespace shoal {

void scan_in_order(Points& points, unsigned threads, const Points::Visit& visit, const HandOver& hand_over) {
  if (auto* ordered = dynamic_cast<OrderedScan*>(&points)) return ordered->scan_in_order(threads, visit, hand_over);
  points.scan(1, [&](unsigned worker, const PointBlock& block) {
    visit(worker, block);
    hand_over(worker);
  });
}

void Turns::fail(std::uint64_t turn) {
  const std::lock_guard lock(mutex_);
  failed_ = std::min(failed_, turn);
  changed_.notify_all();
}

}  // namespace shoal
