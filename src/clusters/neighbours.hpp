// Enumerates the cells that touch a cell of a box.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// Calls visit(neighbour) for each cell that touches a given cell. Neighbours lie inside the box; circles wrap around;
// there are none along axes whose cells are apart (Border::apart).
class Neighbours {
 public:
  Neighbours(const Shape& shape, Adjacency adjacency)
      : shape_(shape), strides_(strides(shape)), adjacency_(adjacency) {}

  template <class Visit>
  void of(std::uint64_t cell, const Visit& visit) const {
    const std::vector<std::uint64_t> at = coordinates(cell, shape_);
    if (adjacency_ == Adjacency::full) return full(at, cell, cell, 0, visit);
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (const std::uint64_t away = before(at, axis); away != 0) visit(cell + away);
      if (const std::uint64_t away = behind(at, axis); away != 0) visit(cell + away);
    }
  }

 private:
  // The steps from a cell to the one before it and to the one after it on an axis, modulo 2^64. 0 if there is no such
  // neighbour.
  [[nodiscard]] std::uint64_t before(const std::vector<std::uint64_t>& at, std::size_t axis) const {
    if (shape_.border(axis) == Border::apart) return 0;
    return at[axis] > 0 ? ~strides_[axis] + 1 : around(axis);
  }
  [[nodiscard]] std::uint64_t behind(const std::vector<std::uint64_t>& at, std::size_t axis) const {
    if (shape_.border(axis) == Border::apart) return 0;
    return at[axis] + 1 < shape_[axis] ? strides_[axis] : ~around(axis) + 1;
  }
  // The step from the first cell of a circle to the last. 0 for circles of two cells, which touch anyway.
  [[nodiscard]] std::uint64_t around(std::size_t axis) const {
    return shape_.border(axis) == Border::circle && shape_[axis] > 2 ? (shape_[axis] - 1) * strides_[axis] : 0;
  }

  template <class Visit>
  void full(const std::vector<std::uint64_t>& at, std::uint64_t cell, std::uint64_t here, std::size_t axis,
            const Visit& visit) const {
    if (axis == at.size()) {
      if (here != cell) visit(here);
      return;
    }
    if (const std::uint64_t away = before(at, axis); away != 0) full(at, cell, here + away, axis + 1, visit);
    full(at, cell, here, axis + 1, visit);
    if (const std::uint64_t away = behind(at, axis); away != 0) full(at, cell, here + away, axis + 1, visit);
  }

  const Shape& shape_;
  std::vector<std::uint64_t> strides_;
  Adjacency adjacency_;
};

}  // namespace shoal
