// Draws for the exponential mechanism: an index with probability exactly proportional to measure * exp(-rate cost).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "privacy/certified.hpp"
#include "privacy/lazy_uniform.hpp"
#include "privacy/noise.hpp"
#include "privacy/random_bits.hpp"

namespace shoal {

// Computes exp(-rate d), rounded down, as a product over the digits of d in base 256. Factors are cached. Each factor
// is rounded down to p bits, and so is each product: at most 16 roundings with a relative error of 2^(1-p).
class Decay {
 public:
  Decay(Rate rate, mpfr_prec_t precision) : rate_(rate), precision_(precision) {}
  // Sets result to a lower bound of exp(-rate d), or to 0 if it is below exp(-2^40).
  void at(std::uint64_t d, mpfr_ptr result);
  [[nodiscard]] mpfr_prec_t precision() const noexcept { return precision_; }

 private:
  mpfr_srcptr factor(unsigned place, std::uint64_t digit);
  Rate rate_;
  mpfr_prec_t precision_;
  std::vector<std::optional<Real>> factors_{std::size_t{8} * 256};
};

// Draws by inversion: V is uniform on [0, 1), and the outcome is the first index at which the sum of the weights so far
// exceeds V times the sum of all weights. Sums are known between certified bounds. Where these bounds and the known
// bits of V leave the outcome open, both are refined. So the outcome is always the one that the infinitely many bits of
// V define.
class ExponentialSampler {
 public:
  explicit ExponentialSampler(Rate rate);
  // Throws if no measure is positive.
  std::size_t choose(std::span<const WeightedInterval> intervals, RandomBits& bits);
  // Returns the outcome for the V whose first bits `uniform` holds. Draws further bits as needed.
  std::size_t choose(std::span<const WeightedInterval> intervals, LazyUniform& uniform, RandomBits& bits);

 private:
  Rate rate_;
  Decay decay_;  // at the precision that nearly always suffices
};

}  // namespace shoal
