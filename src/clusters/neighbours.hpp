// Enumerates the cells that touch a cell of a box.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// visit(cell, use) calls use(neighbour) for each cell that touches a cell. Neighbours lie inside the box; circles wrap
// around; there are none along axes whose cells are apart (Border::apart).
class Neighbours {
 public:
  Neighbours(const Shape& shape, Adjacency adjacency) : shape_(shape), strides_(strides(shape)), adjacency_(adjacency) {
    if (adjacency == Adjacency::full && shape.touching_axes() <= most_axes_listed) list_steps(0, 0);
  }

  template <class Visit>
  void visit(std::uint64_t cell, const Visit& use) const {
    Place at;
    coordinates(cell, shape_, std::span(at).first(shape_.size()));
    if (!steps_.empty() && is_inside(at)) {
      for (const std::uint64_t step : steps_) use(cell + step);
      return;
    }
    if (adjacency_ == Adjacency::full) return full(at, cell, cell, 0, use);
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      if (const std::uint64_t away = before(at, axis); away != 0) use(cell + away);
      if (const std::uint64_t away = behind(at, axis); away != 0) use(cell + away);
    }
  }

 private:
  using Place = std::array<std::uint64_t, 16>;  // a grid has no more axes
  static constexpr std::size_t most_axes_listed = 4;

  // Lists the steps to all neighbours of a cell that is not at a border, in the order of full().
  void list_steps(std::size_t axis, std::uint64_t step) {
    if (axis == shape_.size()) {
      if (step != 0) steps_.push_back(step);
      return;
    }
    const bool apart = is_apart(axis);
    if (!apart) list_steps(axis + 1, step - strides_[axis]);
    list_steps(axis + 1, step);
    if (!apart) list_steps(axis + 1, step + strides_[axis]);
  }
  [[nodiscard]] bool is_apart(std::size_t axis) const {
    return shape_.border(axis) == Border::apart || shape_[axis] == 1;
  }
  [[nodiscard]] bool is_inside(const Place& at) const {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      if (!is_apart(axis) && (at[axis] == 0 || at[axis] + 1 >= shape_[axis])) return false;
    }
    return true;
  }

  // The steps from a cell to the one before it and to the one after it on an axis, modulo 2^64. 0 if there is no such
  // neighbour.
  [[nodiscard]] std::uint64_t before(const Place& at, std::size_t axis) const {
    if (shape_.border(axis) == Border::apart) return 0;
    return at[axis] > 0 ? ~strides_[axis] + 1 : around(axis);
  }
  [[nodiscard]] std::uint64_t behind(const Place& at, std::size_t axis) const {
    if (shape_.border(axis) == Border::apart) return 0;
    return at[axis] + 1 < shape_[axis] ? strides_[axis] : ~around(axis) + 1;
  }
  // The step from the first cell of a circle to the last. 0 for circles of two cells, which touch anyway.
  [[nodiscard]] std::uint64_t around(std::size_t axis) const {
    return shape_.border(axis) == Border::circle && shape_[axis] > 2 ? (shape_[axis] - 1) * strides_[axis] : 0;
  }

  template <class Visit>
  void full(const Place& at, std::uint64_t cell, std::uint64_t here, std::size_t axis, const Visit& visit) const {
    if (axis == shape_.size()) {
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
  std::vector<std::uint64_t> steps_;  // modulo 2^64
};

}  // namespace shoal
