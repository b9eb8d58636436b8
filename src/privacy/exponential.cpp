#include "privacy/exponential.hpp"

#include <algorithm>

#include "base/wide.hpp"
#include "shoal/error.hpp"

namespace shoal {

void Decay::at(std::uint64_t d, mpfr_ptr result) {
  if (static_cast<Uint128>(d) * rate_.numerator > static_cast<Uint128>(rate_.denominator) << 40) {
    mpfr_set_zero(result, 1);
    return;
  }
  mpfr_set_ui(result, 1, MPFR_RNDD);
  for (unsigned place = 0; d > 0; ++place, d >>= 8) {
    if ((d & 255) != 0) mpfr_mul(result, result, factor(place, d & 255), MPFR_RNDD);
  }
}

// Returns exp(-rate digit 256^place). The exponent is at most 2^40; 128 spare bits make its own rounding negligible
// beside the final one.
mpfr_srcptr Decay::factor(unsigned place, std::uint64_t digit) {
  std::optional<Real>& slot = factors_[place * 256 + digit];
  if (!slot) {
    Bounds exponent = bounds_of(rate_, precision_ + 128);
    mpfr_mul_ui(exponent.hi, exponent.hi, digit, MPFR_RNDU);
    mpfr_mul_2ui(exponent.hi, exponent.hi, 8 * place, MPFR_RNDU);
    mpfr_neg(exponent.hi, exponent.hi, MPFR_RNDN);
    slot.emplace(precision_);
    mpfr_exp(*slot, exponent.hi, MPFR_RNDD);
  }
  return *slot;
}

namespace {
constexpr unsigned first_known = 64;  // number of bits of V that are examined first

// The weights, divided by exp(-rate least), where `least` is the least cost: the largest is at least 1. Each call of
// each() visits the same lower bounds of the sums.
class Weights {
 public:
  Weights(std::span<const WeightedInterval> intervals, Decay& decay)
      : intervals_(intervals), decay_(decay), sum_(decay.precision()), weight_(decay.precision()) {
    bool any = false;
    for (const WeightedInterval& interval : intervals) {
      if (interval.measure == 0) continue;
      least_ = std::min(least_, interval.cost);
      any = true;
    }
    if (!any) throw InputError("no threshold can be drawn: every interval has measure zero");
  }

  // Calls visit(index, sum of the weights up to and including it), and stops when visit returns false. Skips intervals
  // of measure zero.
  template <class Visit>
  void each(const Visit& visit) {
    mpfr_set_zero(sum_, 1);
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      const auto [measure, cost] = intervals_[i];
      if (measure == 0) continue;
      decay_.at(cost - least_, weight_);
      mpfr_mul_ui(weight_, weight_, measure, MPFR_RNDD);
      mpfr_add(sum_, sum_, weight_, MPFR_RNDD);
      if (!visit(i, static_cast<mpfr_srcptr>(sum_))) return;
    }
  }

 private:
  std::span<const WeightedInterval> intervals_;
  Decay& decay_;
  Real sum_, weight_;
  std::uint64_t least_ = UINT64_MAX;
};

// Let A_i be the computed lower bounds of the sums, C_i the true sums, n the number of intervals. Every term went
// through at most n + 17 roundings down, so C_i <= A_i / (1 - 2^(1-p))^(n + 17); what was cut at exp(-2^40) is less
// than a relative 2^-p for every feasible p. Hence A_i <= C_i <= A_i + slack A_n with slack = (n + 32) 2^(2-p).
// V in [lo, hi) then has outcome i for certain if A_(i-1) + slack A_n <= lo A_n and hi A_n (1 + slack) <= A_i, because
// V C_n is at least the right-hand side of the first condition and below the left-hand side of the second.
std::optional<std::size_t> certain_outcome(std::span<const WeightedInterval> intervals, Decay& decay,
                                           const LazyUniform& uniform) {
  const mpfr_prec_t precision = decay.precision();
  Weights weights(intervals, decay);
  Real total(precision);
  weights.each([&](std::size_t, mpfr_srcptr sum) {
    mpfr_set(total, sum, MPFR_RNDN);
    return true;
  });
  const Bounds v = uniform.bounds();
  Real slack(precision);
  mpfr_set_uj_2exp(slack, intervals.size() + 32, 2 - precision, MPFR_RNDU);
  mpfr_mul(slack, slack, total, MPFR_RNDU);
  Real before(precision);  // the largest A_(i-1) that satisfies the first condition
  mpfr_mul(before, v.lo, total, MPFR_RNDD);
  mpfr_sub(before, before, slack, MPFR_RNDD);
  Real after(precision);  // an A_i of at least this satisfies the second, because hi <= 1
  mpfr_mul(after, v.hi, total, MPFR_RNDU);
  mpfr_add(after, after, slack, MPFR_RNDU);

  std::optional<std::size_t> outcome;
  Real previous(precision);
  mpfr_set_zero(previous, 1);
  bool at_start = true;
  weights.each([&](std::size_t i, mpfr_srcptr sum) {
    if (mpfr_greaterequal_p(sum, after) != 0) {
      if (at_start || mpfr_lessequal_p(previous, before) != 0) outcome = i;
      return false;
    }
    mpfr_set(previous, sum, MPFR_RNDN);
    at_start = false;
    return true;
  });
  return outcome;
}
}  // namespace

ExponentialSampler::ExponentialSampler(Rate rate)
    : rate_(rate), decay_(rate, LazyUniform(0, first_known).precision()) {}

std::size_t ExponentialSampler::choose(std::span<const WeightedInterval> intervals, RandomBits& bits) {
  LazyUniform uniform(bits.next(), first_known);
  return choose(intervals, uniform, bits);
}

std::size_t ExponentialSampler::choose(std::span<const WeightedInterval> intervals, LazyUniform& uniform,
                                       RandomBits& bits) {
  if (const auto outcome = certain_outcome(intervals, decay_, uniform)) return *outcome;
  for (;;) {
    uniform.extend(bits);
    Decay finer(rate_, uniform.precision());
    if (const auto outcome = certain_outcome(intervals, finer, uniform)) return *outcome;
  }
}

}  // namespace shoal
