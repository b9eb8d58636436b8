// Minimum-cost flow in sparse networks with integer capacities and costs. Exact.
#pragma once

#include <cstdint>
#include <vector>

namespace shoal {

class Flow {
 public:
  explicit Flow(std::size_t nodes) : first_(nodes, none) {}

  // Returns the arc's number. capacity > 0, cost >= 0.
  std::size_t add_arc(std::uint32_t from, std::uint32_t to, std::int64_t capacity, std::int64_t cost);

  // Sends the maximum flow from source to sink at minimum cost, and returns its amount. May be called once.
  // Primal-dual: each round finds the shortest path length, then a maximum flow over the arcs on paths of that length.
  // The number of rounds is at most the number of different path lengths, which is small if costs are small.
  std::int64_t send(std::uint32_t source, std::uint32_t sink);

  [[nodiscard]] std::int64_t sent(std::size_t arc) const { return arcs_[2 * arc + 1].capacity; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Arc {  // arc 2 i + 1 is the reverse of arc 2 i
    std::uint32_t to, next;
    std::int64_t capacity, cost;  // remaining capacity, and cost
  };

  bool shortest_paths(std::uint32_t source, std::uint32_t sink);
  bool levels(std::uint32_t source, std::uint32_t sink);
  std::int64_t blocking_flow(std::uint32_t source, std::uint32_t sink);
  [[nodiscard]] bool is_tight(std::uint32_t from, const Arc& arc) const {
    return arc.capacity > 0 && arc.cost + price_[from] == price_[arc.to];
  }

  std::vector<std::uint32_t> first_;  // the first arc of each node
  std::vector<Arc> arcs_;
  std::vector<std::int64_t> price_;     // cost + price[from] - price[to] >= 0 for every arc with capacity left
  std::vector<std::int64_t> distance_;  // of the present round
  std::vector<std::uint32_t> level_, current_;
};

}  // namespace shoal
