// Base measures of the threshold's exponential mechanism on {1, ..., max}: positive integers that depend on max alone.
#pragma once

#include <cstdint>

#include "shoal/mechanisms.hpp"

namespace shoal {

// uniform:     every x has measure 1.
// logarithmic: x has measure 2^(K - floor(log2 x)), K = floor(log2 max): every octave [2^k, 2^(k+1)) has the same mass
//              (the last one is cut at max), and x about 1/x of it.
class Measure {
 public:
  // Refuses max outside 1 .. 2^56.
  Measure(BaseMeasure base, std::uint64_t max);
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  // Measure of {1, ..., x}, x <= max; up_to(0) is 0. Strictly increasing.
  [[nodiscard]] std::uint64_t up_to(std::uint64_t x) const noexcept;
  // The smallest x with up_to(x) > mass; mass < up_to(max). A uniform mass below up_to(max) makes x follow the measure.
  [[nodiscard]] std::uint64_t at(std::uint64_t mass) const noexcept;

 private:
  BaseMeasure base_;
  std::uint64_t max_;
  unsigned top_octave_;  // K
};

}  // namespace shoal
