#include "clusters/flow.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace shoal {

namespace {
constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();
}

std::size_t Flow::add_arc(std::uint32_t from, std::uint32_t to, std::int64_t capacity, std::int64_t cost) {
  const auto number = static_cast<std::uint32_t>(arcs_.size());
  arcs_.push_back({to, first_[from], capacity, cost});
  first_[from] = number;
  arcs_.push_back({from, first_[to], 0, -cost});
  first_[to] = number + 1;
  return number / 2;
}

std::int64_t Flow::send(std::uint32_t source, std::uint32_t sink) {
  price_.assign(first_.size(), 0);
  std::int64_t amount = 0;
  while (shortest_paths(source, sink)) {
    while (levels(source, sink)) amount += blocking_flow(source, sink);
  }
  return amount;
}

// Dijkstra on cost + price[from] - price[to] until the sink is settled; then the prices take the distances in. Nodes
// that are farther than the sink move by the sink's distance, which keeps every arc at zero or more.
bool Flow::shortest_paths(std::uint32_t source, std::uint32_t sink) {
  using Entry = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance_.assign(first_.size(), infinite);
  distance_[source] = 0;
  queue.emplace(0, source);
  while (!queue.empty()) {
    const auto [distance, node] = queue.top();
    queue.pop();
    if (distance > distance_[node]) continue;
    if (node == sink) break;
    for (std::uint32_t at = first_[node]; at != none; at = arcs_[at].next) {
      const Arc& arc = arcs_[at];
      if (arc.capacity == 0) continue;
      const std::int64_t there = distance + arc.cost + price_[node] - price_[arc.to];
      if (there < distance_[arc.to]) {
        distance_[arc.to] = there;
        queue.emplace(there, arc.to);
      }
    }
  }
  if (distance_[sink] == infinite) return false;
  for (std::size_t node = 0; node < first_.size(); ++node) {
    price_[node] += std::min(distance_[node], distance_[sink]);
  }
  return true;
}

// Breadth first over the tight arcs: how many arcs each node lies from the source.
bool Flow::levels(std::uint32_t source, std::uint32_t sink) {
  level_.assign(first_.size(), none);
  level_[source] = 0;
  std::vector<std::uint32_t> reached{source};
  for (std::size_t head = 0; head < reached.size() && level_[sink] == none; ++head) {
    const std::uint32_t node = reached[head];
    for (std::uint32_t at = first_[node]; at != none; at = arcs_[at].next) {
      if (level_[arcs_[at].to] == none && is_tight(node, arcs_[at])) {
        level_[arcs_[at].to] = level_[node] + 1;
        reached.push_back(arcs_[at].to);
      }
    }
  }
  return level_[sink] != none;
}

// Dinic: depth first, each tight arc that climbs a level is given up at most once.
std::int64_t Flow::blocking_flow(std::uint32_t source, std::uint32_t sink) {
  current_ = first_;
  std::vector<std::uint32_t> path;  // arcs from the source to `node`
  std::int64_t amount = 0;
  std::uint32_t node = source;
  for (;;) {
    if (node == sink) {
      std::int64_t least = infinite;
      for (const std::uint32_t at : path) least = std::min(least, arcs_[at].capacity);
      std::size_t keep = path.size();
      for (std::size_t i = path.size(); i-- > 0;) {
        arcs_[path[i]].capacity -= least;
        arcs_[path[i] ^ 1].capacity += least;
        if (arcs_[path[i]].capacity == 0) keep = i;
      }
      amount += least;
      node = arcs_[path[keep] ^ 1].to;
      path.resize(keep);
    }
    std::uint32_t& at = current_[node];
    while (at != none && !(level_[arcs_[at].to] == level_[node] + 1 && is_tight(node, arcs_[at]))) at = arcs_[at].next;
    if (at != none) {
      path.push_back(at);
      node = arcs_[at].to;
    } else if (node == source) {
      return amount;
    } else {
      level_[node] = none;
      node = arcs_[path.back() ^ 1].to;
      path.pop_back();
    }
  }
}

}  // namespace shoal
