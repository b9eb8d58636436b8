// Values on the cells of an n-dimensional box, in row-major order (the last axis runs fastest).
// Dense: one value per cell. Sparse: the listed cells only, ascending by index; all others hold zero.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shoal/values.hpp"

namespace shoal {

// Extents, one per axis.
using Shape = std::vector<std::uint64_t>;

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
