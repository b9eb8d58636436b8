// What may cross the wall: values that a mechanism has noised. Only Mechanisms (and the reader of a
// release file, whose values were noised when it was written) can make one.
#pragma once

#include <cstdint>
#include <utility>

#include "shoal/cells.hpp"
#include "shoal/grid.hpp"

namespace shoal {

class NoisedKey {
  NoisedKey() = default;
  friend class Mechanisms;
  friend class ReleaseReader;
};

template <class T>
class Noised {
 public:
  Noised(NoisedKey, T value) : value_(std::move(value)) {}
  [[nodiscard]] const T& value() const noexcept { return value_; }

 private:
  T value_;
};

// Counts plus noise on every cell of the grid.
using NoisyCounts = Noised<Cells<std::int64_t>>;

}  // namespace shoal
