// Draws noise on a huge number of values that are all zero, of which only those that reach a floor are needed. The draw
// is exact, and its time and memory grow with the result.
//
// Let q = exp(-rate), and let d >= 1 be the floor.
//
// Which values reach the floor: each does with probability p = q^d / (1 + q), independently. So the number of values
// between one that does and the next is geometric, P(gap >= g) = (1 - p)^g, and a walk by such gaps over all values
// finds them, in order.
//
// How far they reach: a geometric has no memory. Given that the noise reaches d, it exceeds d by a geometric of ratio
// q.
#pragma once

#include <cstdint>

#include "privacy/certified_edges.hpp"
#include "privacy/laplace.hpp"
#include "privacy/noise.hpp"

namespace shoal {

class NoiseTail {
 public:
  // floor: d, 1 to 2^62.
  NoiseTail(Rate rate, std::int64_t floor);

  // Returns, of `cells` values, those whose noise reaches the floor. laplace: must have the same rate.
  [[nodiscard]] LargeNoise draw(std::uint64_t cells, const LaplaceSampler& laplace, RandomBits& bits) const;

 private:
  std::int64_t floor_;
  GeometricGaps gaps_;
};

}  // namespace shoal
