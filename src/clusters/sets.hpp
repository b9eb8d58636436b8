// Disjoint sets (union-find).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

// Returns the root of the set that holds `item`, and shortens the way to it. A root is its own parent.
template <class Parents, class Item>
Item root_of(Parents& parents, Item item) {
  while (parents[item] != item) {
    parents[item] = parents[parents[item]];
    item = parents[item];
  }
  return item;
}

// Disjoint sets of runs; the root of a set is its first run.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }

  void unite(std::uint32_t a, std::uint32_t b) {
    if (parent_[a] == parent_[b]) return;
    if (parent_[b] == b && a < b) {  // the most frequent case: b is in no set yet
      parent_[b] = parent_[a];
      return;
    }
    const std::uint32_t x = root_of(parent_, a);
    const std::uint32_t y = root_of(parent_, b);
    parent_[x] = parent_[y] = parent_[a] = parent_[b] = std::min(x, y);
  }

  // Returns the parent of every run: the run itself if it is a root, otherwise an earlier run.
  Values<std::uint32_t> take() && { return std::move(parent_); }

 private:
  Values<std::uint32_t> parent_;
};

}  // namespace shoal
