// Values on the cells of an n-dimensional box, in row-major order (the last axis varies fastest). A dense box stores
// one value per cell. A sparse box stores only the listed cells, in ascending order of their index; all other cells
// hold zero.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace shoal {

// Not part of the interface.
namespace detail {

// Allocate and free memory that is filled with zeros and uses large pages where available. allocate_zeros() throws
// std::bad_alloc if there is not enough memory.
void* allocate_zeros(std::size_t bytes);
void free_zeros(void* memory) noexcept;

// Allocator of such memory. It does not initialise elements that are created without arguments.
template <class T>
struct ZeroAllocator {
  using value_type = T;

  ZeroAllocator() = default;
  template <class U>
  ZeroAllocator(const ZeroAllocator<U>& /*other*/) noexcept {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_zeros(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { free_zeros(memory); }

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const ZeroAllocator&, const ZeroAllocator&) { return true; }
};

}  // namespace detail

// The values of a box: a std::vector with three special properties.
// - Values<T>(n) holds zeros in memory that no thread has touched yet. The system provides each page when a thread
//   first writes to it, so threads that fill a box together share this cost.
// - Elements are not initialised when they are created. After a later resize(), new elements may hold
//   old data.
// - Large vectors use large pages if the system has them, which causes fewer page faults and fewer misses of address
//   translation.
template <class T>
using Values = std::vector<T, detail::ZeroAllocator<T>>;

// Defines which cells of an axis are neighbours.
enum class Border : std::uint8_t {
  open,    // Each cell touches the cell before it and the cell after it.
  circle,  // In addition, the first cell and the last cell touch.
  apart,   // No cells touch.
};

// Properties of one axis of a box.
struct Side {
  Border border = Border::open;
  bool pooled = true;  // Transforms combine neighbouring cells of this axis.
  friend bool operator==(const Side&, const Side&) = default;
};

// The number of cells along each axis of a box, and how cells touch along that axis. A shape that is built from a list
// of extents has open borders and pools all axes.
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
  // Number of axes along which transforms combine cells, and number of axes along which cells touch.
  [[nodiscard]] std::size_t pooled_axes() const noexcept;
  [[nodiscard]] std::size_t touching_axes() const noexcept;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::uint64_t> extents_;
  // Empty if all axes have the default properties.
  std::vector<Side> sides_;
};

// Returns the product of the extents. Throws if the product is above 2^62 (checked without overflow), if there is no
// axis, or if an extent is zero.
std::uint64_t cell_count(const Shape& shape);

// The default maximum number of cells of a dense box: 2^27 cells (1 GiB of 64-bit values). Larger boxes are sparse.
inline constexpr std::uint64_t dense_limit = std::uint64_t{1} << 27;

template <class T>
class Cells {
 public:
  Cells() = default;

  // Returns a dense box with one value per cell. values.size() must equal cell_count(shape). The box takes ownership of
  // Values<T> and copies other vectors.
  template <std::same_as<detail::ZeroAllocator<T>> Allocator>
  static Cells dense(Shape shape, std::vector<T, Allocator> values) {
    return Cells(std::move(shape), std::move(values), {}, true);
  }
  static Cells dense(Shape shape, const std::vector<T>& values) {
    return Cells(std::move(shape), {values.begin(), values.end()}, {}, true);
  }
  // Returns a sparse box. `index` must be ascending and free of duplicates, and `values` must hold one value per index.
  template <std::same_as<detail::ZeroAllocator<T>> Allocator>
  static Cells sparse(Shape shape, std::vector<std::uint64_t> index, std::vector<T, Allocator> values) {
    return Cells(std::move(shape), std::move(values), std::move(index), false);
  }
  static Cells sparse(Shape shape, std::vector<std::uint64_t> index, const std::vector<T>& values) {
    return Cells(std::move(shape), {values.begin(), values.end()}, std::move(index), false);
  }

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] bool is_dense() const noexcept { return dense_; }
  [[nodiscard]] std::uint64_t cell_count() const { return shape_.empty() ? 0 : shoal::cell_count(shape_); }
  // Returns the number of stored cells. A dense box stores all of its cells.
  [[nodiscard]] std::size_t stored() const noexcept { return values_.size(); }
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }
  [[nodiscard]] std::span<T> values() noexcept { return values_; }
  // Returns the linear indices of the stored cells. Only for a sparse box.
  [[nodiscard]] std::span<const std::uint64_t> index() const noexcept { return index_; }
  // Returns the linear index of the i-th stored value.
  [[nodiscard]] std::uint64_t index_of(std::size_t i) const noexcept { return dense_ ? i : index_[i]; }
  // Returns the value of a cell by its linear index. The value is zero if a sparse box does not list the cell.
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

// Returns, for each axis, the distance in linear index between neighbouring cells along that axis.
std::vector<std::uint64_t> strides(const Shape& shape);
// Returns the coordinates of the cell with this linear index, one per axis.
std::vector<std::uint64_t> coordinates(std::uint64_t index, const Shape& shape);
// Writes the coordinates into `at`. at.size() must equal shape.size().
void coordinates(std::uint64_t index, const Shape& shape, std::span<std::uint64_t> at);

}  // namespace shoal
