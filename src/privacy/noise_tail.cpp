#include "privacy/noise_tail.hpp"

#include <algorithm>

#include "privacy/geometric.hpp"

namespace shoal {

namespace {

// Returns bounds of 1 - q^floor / (1 + q), where q = exp(-rate).
Bounds miss_chance(Rate rate, std::uint64_t floor, mpfr_prec_t precision) {
  const Bounds q = exp_of_minus(bounds_of(rate, precision));
  Bounds rest(precision), result(precision);
  mpfr_add_ui(rest.lo, q.lo, 1, MPFR_RNDD);
  mpfr_add_ui(rest.hi, q.hi, 1, MPFR_RNDU);
  mpfr_pow_ui(result.lo, q.hi, floor, MPFR_RNDU);
  mpfr_pow_ui(result.hi, q.lo, floor, MPFR_RNDD);
  mpfr_div(result.lo, result.lo, rest.lo, MPFR_RNDU);
  mpfr_div(result.hi, result.hi, rest.hi, MPFR_RNDD);
  mpfr_ui_sub(result.lo, 1, result.lo, MPFR_RNDD);
  mpfr_ui_sub(result.hi, 1, result.hi, MPFR_RNDU);
  return result;
}

}  // namespace

NoiseTail::NoiseTail(Rate rate, std::int64_t floor)
    : floor_(floor),
      gaps_([=](mpfr_prec_t precision) { return miss_chance(rate, static_cast<std::uint64_t>(floor), precision); }) {}

LargeNoise NoiseTail::draw(std::uint64_t cells, const LaplaceSampler& laplace, RandomBits& bits) const {
  LargeNoise result;
  Geometric geometric([&](std::span<std::int64_t> values) { laplace.add(values, bits); });
  for (std::uint64_t cell = gaps_.draw(bits); cell < cells; cell += 1 + gaps_.draw(bits)) {
    result.cells.push_back(cell);
    result.values.push_back(floor_ + std::min(geometric.next(), largest_noised - floor_));
  }
  return result;
}

}  // namespace shoal
