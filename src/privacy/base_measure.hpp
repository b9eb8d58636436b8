// Base measures for the exponential mechanism of the threshold on {1, ..., max}. They are positive integers that depend
// only on max and shift.
#pragma once

#include <cstdint>

#include "privacy/mechanisms.hpp"

namespace shoal {

// uniform:     every x has measure 1.
// logarithmic: with y = x + shift, x has measure 2^(K - floor(log2 y)), K = floor(log2(max + shift)): every octave
//              [2^k, 2^(k+1)) of y has the same mass (the first and last may be cut), and y about 1/y of it.
class Measure {
 public:
  // Throws unless max + shift is in 1 .. 2^56. The uniform measure ignores the shift.
  Measure(BaseMeasure base, std::uint64_t max, std::uint64_t shift = 0);
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  // Returns the measure of {1, ..., x} for x <= max. up_to(0) is 0. Strictly increasing.
  [[nodiscard]] std::uint64_t up_to(std::uint64_t x) const noexcept;
  // Returns the smallest x with up_to(x) > mass, for mass < up_to(max). If mass is uniform below up_to(max), x follows
  // the measure.
  [[nodiscard]] std::uint64_t at(std::uint64_t mass) const noexcept;

 private:
  [[nodiscard]] std::uint64_t octaves_up_to(std::uint64_t y) const noexcept;
  BaseMeasure base_;
  std::uint64_t max_, shift_;
  unsigned top_octave_ = 0;  // K
};

}  // namespace shoal
