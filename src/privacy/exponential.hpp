// The exponential mechanism's draw: an index with probability exactly proportional to measure * exp(-rate cost).
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

// exp(-rate d) from below, as a product over the digits of d in base 256; factors are kept. Each factor is rounded down
// at p bits, and so is each product: at most 16 roundings of a relative 2^(1-p).
class Decay {
 public:
  Decay(Rate rate, mpfr_prec_t precision) : rate_(rate), precision_(precision) {}
  // result := exp(-rate d), a little low; 0 when it is below exp(-2^40).
  void at(std::uint64_t d, mpfr_ptr result);
  [[nodiscard]] mpfr_prec_t precision() const noexcept { return precision_; }

 private:
  mpfr_srcptr factor(unsigned place, std::uint64_t digit);
  Rate rate_;
  mpfr_prec_t precision_;
  std::vector<std::optional<Real>> factors_{std::size_t{8} * 256};
};

// By inversion: V uniform on [0, 1), the outcome is the first index whose weights so far exceed V times all weights.
// Sums are known between certified bounds; where these and the bits of V known so far leave the outcome open, both are
// made finer. So the outcome is always the one that V's infinitely many bits define.
class ExponentialSampler {
 public:
  explicit ExponentialSampler(Rate rate);
  // Refuses when no measure is positive.
  std::size_t choose(std::span<const WeightedInterval> intervals, RandomBits& bits);
  // The outcome of the V that `uniform` is the beginning of; takes further bits as it needs them.
  std::size_t choose(std::span<const WeightedInterval> intervals, LazyUniform& uniform, RandomBits& bits);

 private:
  Rate rate_;
  Decay decay_;  // at the precision that nearly always suffices
};

}  // namespace shoal
