#include "shoal/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::uint64_t most_cells = std::uint64_t{1} << 62;
constexpr std::size_t most_dimensions = 16;

Shape shape_of(const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& axis : axes) shape.push_back(axis.cells(), {axis.kind().border, axis.kind().is_pooled()});
  return shape;
}
}  // namespace

void Shape::push_back(std::uint64_t extent, Side side) {
  if (sides_.empty() && side != Side{}) sides_.resize(extents_.size());
  extents_.push_back(extent);
  if (!sides_.empty() || side != Side{}) sides_.push_back(side);
}

std::size_t Shape::pooled_axes() const noexcept {
  return size() - static_cast<std::size_t>(
                      std::count_if(sides_.begin(), sides_.end(), [](const Side& side) { return !side.pooled; }));
}

std::size_t Shape::touching_axes() const noexcept {
  std::size_t axes = 0;
  for (std::size_t axis = 0; axis < size(); ++axis) axes += border(axis) != Border::apart && extents_[axis] > 1 ? 1 : 0;
  return axes;
}

std::uint64_t cell_count(const Shape& shape) {
  if (shape.empty()) throw InputError("a grid needs at least one axis");
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (extent == 0) throw InputError("a grid needs at least one cell on every axis");
    if (count > most_cells / extent) {
      throw InputError(
          fmt::format("the grid {} has more than 2^62 cells; use fewer cells per axis", fmt::join(shape, " x ")));
    }
    count *= extent;
  }
  return count;
}

std::vector<std::uint64_t> strides(const Shape& shape) {
  std::vector<std::uint64_t> result(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) result[i - 1] = result[i] * shape[i];
  return result;
}

std::vector<std::uint64_t> coordinates(std::uint64_t index, const Shape& shape) {
  std::vector<std::uint64_t> result(shape.size());
  coordinates(index, shape, result);
  return result;
}

void coordinates(std::uint64_t index, const Shape& shape, std::span<std::uint64_t> at) {
  for (std::size_t i = shape.size(); i-- > 1;) {
    at[i] = index % shape[i];
    index /= shape[i];
  }
  if (shape.size() > 0) at[0] = index;
}

Grid::Grid(std::vector<Axis> axes)
    : axes_(std::move(axes)), shape_(shape_of(axes_)), cell_count_(shoal::cell_count(shape_)) {
  if (axes_.size() > most_dimensions) {
    throw InputError(fmt::format("{} dimensions are more than the {} that a grid can have; choose fewer columns",
                                 axes_.size(), most_dimensions));
  }
}

}  // namespace shoal
