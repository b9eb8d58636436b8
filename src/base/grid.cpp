#include "shoal/grid.hpp"

#include <fmt/format.h>

#include <cmath>

#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::uint64_t most_cells = std::uint64_t{1} << 62;
constexpr std::uint64_t most_cells_an_axis = std::uint64_t{1} << 31;
constexpr std::size_t most_dimensions = 16;

Shape shape_of(const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& axis : axes) shape.push_back(axis.cells());
  return shape;
}
}  // namespace

Axis::Axis(double lo, double hi, std::uint64_t cells, std::string name)
    : lo_(lo),
      hi_(hi),
      width_(hi - lo),
      cells_as_double_(static_cast<double>(cells)),
      cells_(cells),
      name_(std::move(name)) {
  const std::string which = name_.empty() ? std::string("an axis") : fmt::format("axis '{}'", name_);
  if (!std::isfinite(lo) || !std::isfinite(hi)) {
    throw InputError(fmt::format("bounds of {} are {}:{}; both must be finite numbers", which, lo, hi));
  }
  if (!(lo < hi)) {
    throw InputError(fmt::format("bounds of {} are {}:{}; the lower must be below the upper", which, lo, hi));
  }
  if (cells < 1 || cells > most_cells_an_axis) {
    throw InputError(fmt::format("{} has {} cells; choose 1 to {}", which, cells, most_cells_an_axis));
  }
  if (!std::isfinite(width_ * cells_as_double_)) {
    throw InputError(
        fmt::format("bounds of {} are {}:{}, too wide to be cut into {} cells; scale the data", which, lo, hi, cells));
  }
  // Every cell needs a width of its own: edges closer than the spacing of doubles cannot be told apart.
  const double largest = std::max(std::fabs(lo), std::fabs(hi));
  if (width_ / cells_as_double_ <= largest * 0x1p-52) {
    throw InputError(
        fmt::format("bounds of {} are {}:{}, too narrow to be cut into {} cells; use fewer cells or shift the data",
                    which, lo, hi, cells));
  }
}

std::uint64_t Axis::coarse_cells(unsigned level) const noexcept {
  std::uint64_t cells = cells_;
  for (unsigned i = 0; i < level && cells > 1; ++i) cells = (cells + 1) / 2;
  return cells;
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
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = index % shape[i];
    index /= shape[i];
  }
}

Grid::Grid(std::vector<Axis> axes)
    : axes_(std::move(axes)), shape_(shape_of(axes_)), cell_count_(shoal::cell_count(shape_)) {
  if (axes_.size() > most_dimensions) {
    throw InputError(fmt::format("{} dimensions are more than the {} that a grid can have; choose fewer columns",
                                 axes_.size(), most_dimensions));
  }
}

}  // namespace shoal
