// Points that Python hands over: one batch or an iterator of them, read in place.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "bindings.hpp"
#include "shoal/points.hpp"

namespace shoal_python {

// A column, or rows by columns: any real numbers, also strided. float64 that lies close is handed on without a copy.
using NumberArray = nb::ndarray<nb::ro, nb::device::cpu>;

// Holds the arrays: to be let go of under the interpreter's lock.
class NumberColumns {
 public:
  explicit NumberColumns(std::vector<NumberArray> arrays);

  // The same columns behind this one.
  [[nodiscard]] NumberColumns behind(NumberArray first) const;
  [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  // Rows [first, first + count) as doubles; `copies` holds those that are not doubles close by.
  void read(std::size_t first, std::size_t count, std::vector<std::vector<double>>& copies,
            std::vector<std::span<const double>>& block) const;

 private:
  using Read = void (*)(const void* data, std::ptrdiff_t stride, std::size_t first, std::span<double> to);
  struct One {
    const void* data;
    std::ptrdiff_t stride;  // in elements
    Read read;              // nullptr: doubles that lie close
  };
  std::vector<NumberArray> arrays_;
  std::vector<One> columns_;
  std::size_t rows_ = 0;
};

// NumberColumns of Python, or such as are made of a list of arrays.
class HeldColumns {
 public:
  explicit HeldColumns(nb::handle columns);
  HeldColumns(const HeldColumns&) = delete;
  HeldColumns& operator=(const HeldColumns&) = delete;
  ~HeldColumns() = default;
  const NumberColumns& operator*() const noexcept { return *columns_; }

 private:
  nb::object owner_;
  std::optional<NumberColumns> made_;
  const NumberColumns* columns_;
};

// Every item of `batches`, anything to iterate over, is (columns, units): what HeldColumns takes, and a UnitColumn or
// None. scan() is called without the interpreter's lock; Ctrl-C ends it with
// KeyboardInterrupt.
std::unique_ptr<shoal::Points> python_points(std::size_t dimensions, nb::handle batches);

// Lets Python see to its signals: throws what a handler raised. Takes the lock itself.
void check_signals();

}  // namespace shoal_python
