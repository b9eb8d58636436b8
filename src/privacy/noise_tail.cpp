#include "privacy/noise_tail.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace shoal {

namespace {

// ---- arithmetic between bounds, on numbers that are not negative
// -----------------------------------------------------

Bounds whole(std::uint64_t x, mpfr_prec_t precision) {
  Bounds result(precision);
  mpfr_set_uj(result.lo, x, MPFR_RNDD);
  mpfr_set_uj(result.hi, x, MPFR_RNDU);
  return result;
}

Bounds operator+(const Bounds& a, const Bounds& b) {
  Bounds result(mpfr_get_prec(a.lo));
  mpfr_add(result.lo, a.lo, b.lo, MPFR_RNDD);
  mpfr_add(result.hi, a.hi, b.hi, MPFR_RNDU);
  return result;
}

// Returns a - b, which must not be negative.
Bounds operator-(const Bounds& a, const Bounds& b) {
  Bounds result(mpfr_get_prec(a.lo));
  mpfr_sub(result.lo, a.lo, b.hi, MPFR_RNDD);
  mpfr_sub(result.hi, a.hi, b.lo, MPFR_RNDU);
  if (mpfr_sgn(static_cast<mpfr_srcptr>(result.lo)) < 0) mpfr_set_zero(result.lo, 1);
  return result;
}

Bounds operator*(const Bounds& a, const Bounds& b) {
  Bounds result(mpfr_get_prec(a.lo));
  mpfr_mul(result.lo, a.lo, b.lo, MPFR_RNDD);
  mpfr_mul(result.hi, a.hi, b.hi, MPFR_RNDU);
  return result;
}

// Requires b.hi > 0.
Bounds operator/(const Bounds& a, const Bounds& b) {
  Bounds result(mpfr_get_prec(a.lo));
  mpfr_div(result.lo, a.lo, b.hi, MPFR_RNDD);
  mpfr_div(result.hi, a.hi, b.lo, MPFR_RNDU);  // b.lo = 0 gives no upper bound; a higher precision is then requested
  return result;
}

Bounds power(const Bounds& a, std::uint64_t exponent) {
  Bounds result(mpfr_get_prec(a.lo));
  mpfr_pow_ui(result.lo, a.lo, exponent, MPFR_RNDD);
  mpfr_pow_ui(result.hi, a.hi, exponent, MPFR_RNDU);
  return result;
}

// ---- the weights
// ------------------------------------------------------------------------------------------------------

// Returns v_1, v_1 + v_2, ..., v_1 + ... + v_m = p.
std::vector<Bounds> cumulative_weights(Rate rate, std::uint64_t terms, std::uint64_t floor, mpfr_prec_t precision) {
  const auto number = [precision](std::uint64_t x) { return whole(x, precision); };
  const Bounds q = exp_of_minus(bounds_of(rate, precision));
  const Bounds rest = number(1) - q;                                  // 1 - q
  const Bounds c = number(1) / (rest * (number(1) + q));              // 1 / (1 - q^2)
  const Bounds excess = number(terms) * (c * q * q) + number(floor);  // d + m(c-1): c - 1 = c q^2
  std::vector<Bounds> b{number(1)};
  for (std::uint64_t i = 0; i + 1 < terms; ++i) {
    Bounds next = (excess + (number(1) + c) * number(i)) * b[i];
    if (i > 0) next = next - c * number(floor + i - 1) * b[i - 1];
    b.push_back(next / number(i + 1));
  }
  const Bounds scale = power(rest / (number(1) + q), terms) * power(q, floor);
  std::vector<Bounds> sums;
  Bounds divisor = number(1);
  for (std::uint64_t l = 1; l <= terms; ++l) {
    divisor = divisor * rest;
    const Bounds v = scale * b[terms - l] / divisor;
    sums.push_back(l == 1 ? v : sums.back() + v);
  }
  return sums;
}

Bounds miss_chance(Rate rate, std::uint64_t terms, std::uint64_t floor, mpfr_prec_t precision) {
  return whole(1, precision) - cumulative_weights(rate, terms, floor, precision).back();
}

Bounds reach_chance(Rate rate, std::uint64_t terms, std::int64_t floor, mpfr_prec_t precision) {
  return cumulative_weights(rate, terms, static_cast<std::uint64_t>(floor), precision).back();
}

// Returns all sums but the last, each divided by the last.
std::vector<Bounds> shares(std::vector<Bounds> sums) {
  const Bounds all = sums.back();
  std::vector<Bounds> result;
  for (std::size_t i = 0; i + 1 < sums.size(); ++i) result.push_back(sums[i] / all);
  return result;
}

// Draws geometrics, P(g) ~ exp(-rate g): discrete Laplace draws that are not negative.
class Geometric {
 public:
  Geometric(const LaplaceSampler& laplace, RandomBits& bits) : laplace_(laplace), bits_(bits) {}
  ~Geometric() { ::explicit_bzero(drawn_.data(), sizeof drawn_); }
  Geometric(const Geometric&) = delete;
  Geometric& operator=(const Geometric&) = delete;

  std::int64_t next() {
    for (;;) {
      if (used_ == drawn_.size()) {
        drawn_.fill(0);
        laplace_.add(drawn_, bits_);
        used_ = 0;
      }
      const std::int64_t x = drawn_[used_++];
      if (x >= 0) return x;
    }
  }

 private:
  const LaplaceSampler& laplace_;
  RandomBits& bits_;
  std::array<std::int64_t, 256> drawn_{};
  std::size_t used_ = 256;
};

}  // namespace

double tail_chance(Rate rate, std::uint64_t terms, std::int64_t floor) {
  for (mpfr_prec_t precision = 256;; precision *= 2) {
    const Bounds chance = cumulative_weights(rate, terms, static_cast<std::uint64_t>(floor), precision).back();
    const double low = mpfr_get_d(chance.lo, MPFR_RNDN);
    const double high = mpfr_get_d(chance.hi, MPFR_RNDN);
    if (high - low <= 1e-12 * low || high < 1e-300) return high;
  }
}

Binomial reaching_the_floor(Rate rate, std::uint64_t terms, std::int64_t floor, const std::optional<NoiseBand>& known) {
  return Binomial([=](mpfr_prec_t precision) {
    Bounds reached = reach_chance(rate, terms, floor, precision);
    if (!known) return reached;
    const Bounds all = reach_chance(rate, terms, known->from, precision);
    if (known->below == NoiseBand::unbounded) return reached / all;
    const Bounds past = reach_chance(rate, terms, known->below, precision);
    return (reached - past) / (all - past);
  });
}

NoiseTail::NoiseTail(Rate rate, std::uint64_t terms, std::int64_t floor)
    : floor_(floor),
      gaps_([=](mpfr_prec_t precision) {
        return miss_chance(rate, terms, static_cast<std::uint64_t>(floor), precision);
      }),
      lengths_([=](mpfr_prec_t precision) {
        return shares(cumulative_weights(rate, terms, static_cast<std::uint64_t>(floor), precision));
      }) {}

template <class Geometric>
std::int64_t NoiseTail::value(Geometric& geometric, RandomBits& bits) const {
  const std::size_t length = lengths_.size() == 0 ? 1 : 1 + lengths_.passed(bits.next(), 0, lengths_.size(), bits);
  std::int64_t value = floor_;
  for (std::size_t i = 0; i < length; ++i) value += std::min(geometric.next(), largest_noised - value);
  return value;
}

LargeNoise NoiseTail::draw(std::uint64_t cells, const LaplaceSampler& laplace, RandomBits& bits) const {
  LargeNoise result;
  Geometric geometric(laplace, bits);
  for (std::uint64_t cell = gaps_.draw(bits); cell < cells; cell += 1 + gaps_.draw(bits)) {
    result.cells.push_back(cell);
    result.values.push_back(value(geometric, bits));
  }
  return result;
}

void NoiseTail::fill(std::span<std::int64_t> values, std::int64_t below, const LaplaceSampler& laplace,
                     RandomBits& bits) const {
  Geometric geometric(laplace, bits);
  for (std::int64_t& drawn : values) {
    do {
      drawn = value(geometric, bits);
    } while (drawn >= below);
  }
}

}  // namespace shoal
