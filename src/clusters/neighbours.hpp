// The neighbours of a cell inside the box.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// Calls visit(neighbour) for the neighbours of a cell inside the box.
class Neighbours {
 public:
  Neighbours(const Shape& shape, Adjacency adjacency)
      : shape_(shape), strides_(strides(shape)), adjacency_(adjacency) {}

  template <class Visit>
  void of(std::uint64_t cell, const Visit& visit) const {
    const std::vector<std::uint64_t> at = coordinates(cell, shape_);
    if (adjacency_ == Adjacency::face) {
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        if (at[axis] > 0) visit(cell - strides_[axis]);
        if (at[axis] + 1 < shape_[axis]) visit(cell + strides_[axis]);
      }
    } else {
      full(at, cell, cell, 0, visit);
    }
  }

 private:
  template <class Visit>
  void full(const std::vector<std::uint64_t>& at, std::uint64_t cell, std::uint64_t here, std::size_t axis,
            const Visit& visit) const {
    if (axis == at.size()) {
      if (here != cell) visit(here);
      return;
    }
    if (at[axis] > 0) full(at, cell, here - strides_[axis], axis + 1, visit);
    full(at, cell, here, axis + 1, visit);
    if (at[axis] + 1 < shape_[axis]) full(at, cell, here + strides_[axis], axis + 1, visit);
  }

  const Shape& shape_;
  std::vector<std::uint64_t> strides_;
  Adjacency adjacency_;
};

}  // namespace shoal
