// Between NumPy arrays and what the library takes and gives, without copies.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "shoal/points.hpp"

namespace shoal_python {

// Hands a vector over to NumPy.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
  if (shape.empty()) shape.push_back(values.size());
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const nb::capsule owner(owned.release(), [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  return {data, shape.size(), shape.data(), owner};
}

// A read-only array of what `owner` keeps alive.
template <class T>
nb::ndarray<nb::numpy, const T> view(std::span<const T> values, nb::handle owner, std::vector<std::size_t> shape = {}) {
  if (shape.empty()) shape.push_back(values.size());
  return {values.data(), shape.size(), shape.data(), owner};
}

// One array per axis; strided ones (a column of a matrix) are read in place.
using ColumnArray = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;

inline std::size_t rows_of(const std::vector<ColumnArray>& arrays) {
  const std::size_t rows = arrays.empty() ? 0 : arrays.front().shape(0);
  for (const ColumnArray& array : arrays) {
    if (array.shape(0) != rows) throw nb::value_error("the columns differ in length");
  }
  return rows;
}

inline std::unique_ptr<shoal::Points> points_of(const std::vector<ColumnArray>& arrays) {
  std::vector<shoal::Column> columns;
  for (const ColumnArray& array : arrays) columns.push_back({array.data(), array.stride(0)});
  return shoal::array_points(std::move(columns), rows_of(arrays));
}

}  // namespace shoal_python
