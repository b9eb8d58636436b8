#include "privacy/binomial.hpp"

#include <bit>
#include <cmath>

namespace shoal {

namespace {

std::uint64_t toss(std::uint64_t coins, RandomBits& bits) {
  std::uint64_t result = 0;
  for (; coins >= 64; coins -= 64) result += static_cast<std::uint64_t>(std::popcount(bits.next()));
  if (coins > 0) result += static_cast<std::uint64_t>(std::popcount(bits.next() >> (64 - coins)));
  return result;
}

// Returns the smallest b with b^2 >= n, for n <= 2^62.
std::uint64_t root_above(std::uint64_t n) {
  auto b = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (b * b >= n) --b;
  while (b * b < n) ++b;
  return b;
}

// Draws j with P(j) = 2^-(j+1).
std::uint64_t coin_run(RandomBits& bits) {
  for (std::uint64_t run = 0;; run += 64) {
    const auto ones = static_cast<std::uint64_t>(std::countr_one(bits.next()));
    if (ones < 64) return run + ones;
  }
}

// Returns bounds of ln x!, for x < 2^63.
Bounds log_factorial(std::uint64_t x, mpfr_prec_t precision) {
  Bounds result(precision);
  Real one_more(64);
  mpfr_set_uj(one_more, x + 1, MPFR_RNDN);  // exact
  mpfr_lngamma(result.lo, one_more, MPFR_RNDD);
  mpfr_set(result.hi, result.lo, MPFR_RNDN);
  mpfr_nextabove(result.hi);  // lo is rounded down correctly, so the true value is below this
  return result;
}

// Accepts a proposal for n coins with probability C(n, chosen) 2^-n b 2^j, computed between bounds.
class Acceptance {
 public:
  Acceptance(std::uint64_t n, std::uint64_t b) : n_(n), b_(b), all_(log_factorial(n, LazyUniform(0, 64).precision())) {}
  bool draw(std::uint64_t chosen, std::uint64_t j, RandomBits& bits) const {
    for (LazyUniform uniform(bits.next(), 64);; uniform.extend(bits)) {
      const Bounds level = logarithm(chosen, j, uniform.precision());
      Bounds v = uniform.bounds();
      mpfr_log(v.lo, v.lo, MPFR_RNDD);
      mpfr_log(v.hi, v.hi, MPFR_RNDU);
      if (mpfr_lessequal_p(v.hi, level.lo) != 0) return true;
      if (mpfr_lessequal_p(level.hi, v.lo) != 0) return false;
    }
  }

 private:
  [[nodiscard]] Bounds logarithm(std::uint64_t chosen, std::uint64_t j, mpfr_prec_t precision) const {
    Bounds result = precision == mpfr_get_prec(all_.lo) ? all_ : log_factorial(n_, precision);
    const auto subtract = [&](const Bounds& other) {
      mpfr_sub(result.lo, result.lo, other.hi, MPFR_RNDD);
      mpfr_sub(result.hi, result.hi, other.lo, MPFR_RNDU);
    };
    subtract(log_factorial(chosen, precision));
    subtract(log_factorial(n_ - chosen, precision));
    Bounds powers(precision);  // (n - j) ln 2
    mpfr_const_log2(powers.lo, MPFR_RNDD);
    mpfr_const_log2(powers.hi, MPFR_RNDU);
    mpfr_mul_ui(powers.lo, powers.lo, n_ - j, MPFR_RNDD);
    mpfr_mul_ui(powers.hi, powers.hi, n_ - j, MPFR_RNDU);
    subtract(powers);
    Real width(precision);
    mpfr_log_ui(width, b_, MPFR_RNDD);
    mpfr_add(result.lo, result.lo, width, MPFR_RNDD);
    mpfr_log_ui(width, b_, MPFR_RNDU);
    mpfr_add(result.hi, result.hi, width, MPFR_RNDU);
    return result;
  }

  std::uint64_t n_, b_;
  Bounds all_;  // ln n!, at the precision that nearly always suffices
};

}  // namespace

std::uint64_t heads(std::uint64_t coins, RandomBits& bits, std::uint64_t tossed) {
  if (coins <= tossed) return toss(coins, bits);
  const std::uint64_t first = coins % 2 == 0 ? 0 : bits.next() & 1;
  const std::uint64_t n = coins & ~std::uint64_t{1};
  const std::uint64_t b = root_above(n);
  const Acceptance acceptance(n, b);
  for (;;) {
    const std::uint64_t j = coin_run(bits);
    const bool upper = (bits.next() & 1) != 0;
    const std::uint64_t offset = bits.below(b);
    if (j > n / 2 / b) continue;  // past the last coin
    const std::uint64_t distance = j * b + offset;
    if (distance + (upper ? 0 : 1) > n / 2) continue;
    const std::uint64_t chosen = upper ? n / 2 + distance : n / 2 - 1 - distance;
    if (acceptance.draw(chosen, j, bits)) return first + chosen;
  }
}

Binomial::Binomial(const std::function<Bounds(mpfr_prec_t)>& chance)
    : edge_([chance](mpfr_prec_t precision) { return std::vector<Bounds>{chance(precision)}; }) {}

std::uint64_t Binomial::draw(std::uint64_t trials, RandomBits& bits) const {
  const std::uint64_t word = edge_.words()[0];
  std::uint64_t successes = 0;
  std::uint64_t left = trials;  // number of trials that agree with p so far
  for (unsigned digit = 64; digit-- > 0 && left > 0;) {
    const std::uint64_t zeros = heads(left, bits);
    if ((word >> digit & 1) != 0) {
      successes += zeros;
      left -= zeros;
    } else {
      left = zeros;
    }
  }
  for (; left > 0; --left) successes += edge_.passed(word, 0, 1, bits) == 0 ? 1 : 0;
  return successes;
}

}  // namespace shoal
