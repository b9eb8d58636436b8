// The public grid. It has one Axis per dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/axis.hpp"
#include "shoal/cells.hpp"

namespace shoal {

class Grid {
 public:
  // Throws if there are no axes, more than 16 axes, or more than 2^62 cells.
  explicit Grid(std::vector<Axis> axes);

  [[nodiscard]] std::size_t dimensions() const noexcept { return axes_.size(); }
  [[nodiscard]] const std::vector<Axis>& axes() const noexcept { return axes_; }
  [[nodiscard]] const Axis& axis(std::size_t i) const noexcept { return axes_[i]; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint64_t cell_count() const noexcept { return cell_count_; }

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::vector<Axis> axes_;
  Shape shape_;
  std::uint64_t cell_count_;
};

}  // namespace shoal
