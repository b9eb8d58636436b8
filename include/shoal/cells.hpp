// Values on the cells of an n-dimensional box, in row-major order (the last axis runs fastest).
// Dense: one value per cell. Sparse: the listed cells only, ascending by index; all others hold zero.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "shoal/axis_kind.hpp"
#include "shoal/values.hpp"

namespace shoal {

// What may be special about an axis of a box.
struct Side {
  Border border = Border::open;
  bool pooled = true;  // transforms put cells of this axis together
  friend bool operator==(const Side&, const Side&) = default;
};

// Cells along each axis of a box, and how they touch there. A list of extents has open borders.
class Shape {
 public:
  using value_type = std::uint64_t;
  using iterator = std::vector<std::uint64_t>::iterator;
  using const_iterator = std::vector<std::uint64_t>::const_iterator;

  Shape() = default;
  Shape(std::initializer_list<std::uint64_t> extents) : extents_(extents) {}
  Shape(std::size_t axes, std::uint64_t extent) : extents_(axes, extent) {}
  Shape(std::vector<std::uint64_t> extents) : extents_(std::move(extents)) {}  // NOLINT(google-explicit-constructor)
  void push_back(std::uint64_t extent, Side side = {});

  [[nodiscard]] std::size_t size() const noexcept { return extents_.size(); }
  [[nodiscard]] bool empty() const noexcept { return extents_.empty(); }
  [[nodiscard]] std::uint64_t operator[](std::size_t axis) const noexcept { return extents_[axis]; }
  [[nodiscard]] std::uint64_t& operator[](std::size_t axis) noexcept { return extents_[axis]; }
  [[nodiscard]] std::uint64_t front() const noexcept { return extents_.front(); }
  [[nodiscard]] std::uint64_t& front() noexcept { return extents_.front(); }
  [[nodiscard]] std::uint64_t back() const noexcept { return extents_.back(); }
  [[nodiscard]] const_iterator begin() const noexcept { return extents_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return extents_.end(); }
  [[nodiscard]] iterator begin() noexcept { return extents_.begin(); }
  [[nodiscard]] iterator end() noexcept { return extents_.end(); }
  [[nodiscard]] const std::vector<std::uint64_t>& extents() const noexcept { return extents_; }

  [[nodiscard]] Side side(std::size_t axis) const noexcept { return sides_.empty() ? Side{} : sides_[axis]; }
  [[nodiscard]] Border border(std::size_t axis) const noexcept { return side(axis).border; }
  [[nodiscard]] bool all_open() const noexcept { return sides_.empty(); }
  // How many axes transforms put cells together on; on how many cells touch others.
  [[nodiscard]] std::size_t pooled_axes() const noexcept;
  [[nodiscard]] std::size_t touching_axes() const noexcept;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::uint64_t> extents_;
  std::vector<Side> sides_;  // empty: nothing special
};

// Product of the extents. Refuses more than 2^62 cells (products are checked before they overflow),
// no axis at all, and an extent of zero.
std::uint64_t cell_count(const Shape& shape);

// Up to this many cells are kept dense by default: 2^27 (1 GiB of 64-bit values). Past it: sparse.
inline constexpr std::uint64_t dense_limit = std::uint64_t{1} << 27;

template <class T>
class Cells {
 public:
  Cells() = default;

  // Dense, one value per cell. values.size() must be cell_count(shape). Values<T> are taken over, others copied.
  template <std::same_as<ZeroAllocator<T>> Allocator>
  static Cells dense(Shape shape, std::vector<T, Allocator> values) {
    return Cells(std::move(shape), std::move(values), {}, true);
  }
  static Cells dense(Shape shape, const std::vector<T>& values) {
    return Cells(std::move(shape), {values.begin(), values.end()}, {}, true);
  }
  // Sparse: index ascending and unique, one value each.
  template <std::same_as<ZeroAllocator<T>> Allocator>
  static Cells sparse(Shape shape, std::vector<std::uint64_t> index, std::vector<T, Allocator> values) {
    return Cells(std::move(shape), std::move(values), std::move(index), false);
  }
  static Cells sparse(Shape shape, std::vector<std::uint64_t> index, const std::vector<T>& values) {
    return Cells(std::move(shape), {values.begin(), values.end()}, std::move(index), false);
  }

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] bool is_dense() const noexcept { return dense_; }
  [[nodiscard]] std::uint64_t cell_count() const { return shape_.empty() ? 0 : shoal::cell_count(shape_); }
  // How many cells are stored: all of them when dense.
  [[nodiscard]] std::size_t stored() const noexcept { return values_.size(); }
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }
  [[nodiscard]] std::span<T> values() noexcept { return values_; }
  [[nodiscard]] std::span<const std::uint64_t> index() const noexcept { return index_; }  // sparse only
  // Linear index of the i-th stored value.
  [[nodiscard]] std::uint64_t index_of(std::size_t i) const noexcept { return dense_ ? i : index_[i]; }
  // Value of a cell by its linear index; zero where a sparse box lists nothing.
  [[nodiscard]] T at(std::uint64_t cell) const noexcept;

  friend bool operator==(const Cells&, const Cells&) = default;

 private:
  Cells(Shape shape, Values<T> values, std::vector<std::uint64_t> index, bool dense)
      : shape_(std::move(shape)), values_(std::move(values)), index_(std::move(index)), dense_(dense) {}

  Shape shape_;
  Values<T> values_;
  std::vector<std::uint64_t> index_;
  bool dense_ = true;
};

template <class T>
T Cells<T>::at(std::uint64_t cell) const noexcept {
  if (dense_) return values_[cell];
  std::size_t low = 0;
  std::size_t high = index_.size();
  while (low < high) {
    const std::size_t mid = low + (high - low) / 2;
    if (index_[mid] < cell) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low < index_.size() && index_[low] == cell ? values_[low] : T{};
}

// Distance in linear index between neighbours along each axis.
std::vector<std::uint64_t> strides(const Shape& shape);
// Coordinates of a linear index, one per axis.
std::vector<std::uint64_t> coordinates(std::uint64_t index, const Shape& shape);
// The same into existing memory; at.size() == shape.size().
void coordinates(std::uint64_t index, const Shape& shape, std::span<std::uint64_t> at);

}  // namespace shoal
