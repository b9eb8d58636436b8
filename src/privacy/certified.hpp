// Real numbers that are known between two bounds: MPFR with directed rounding. Used for set-up and for the rare draws
// that a table cannot settle.
#pragma once

#include <cstdint>

#define MPFR_USE_INTMAX_T  // declares the functions on 64-bit integers
#include <mpfr.h>

#include "shoal/privacy.hpp"

namespace shoal {

// MPFR keeps constants and a pool of numbers for each thread. This frees them when the thread ends.
struct FreesCaches {
  ~FreesCaches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

// An MPFR number that frees itself.
class Real {
 public:
  explicit Real(mpfr_prec_t precision) {
    thread_local const FreesCaches frees;
    mpfr_init2(value_, precision);
  }
  ~Real() { mpfr_clear(value_); }
  Real(const Real& other) {
    mpfr_init2(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);  // exact: same precision
  }
  Real& operator=(const Real& other) {
    if (this == &other) return *this;
    mpfr_set_prec(value_, mpfr_get_prec(other.value_));
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  operator mpfr_ptr() noexcept { return value_; }           // NOLINT: passes for an mpfr_t everywhere
  operator mpfr_srcptr() const noexcept { return value_; }  // NOLINT

 private:
  mpfr_t value_;
};

// lo <= x <= hi.
struct Bounds {
  explicit Bounds(mpfr_prec_t precision) : lo(precision), hi(precision) {}
  Real lo, hi;
};

// Returns bounds of the exact ratio.
inline Bounds bounds_of(Rate rate, mpfr_prec_t precision) {
  Bounds x(precision);
  Real numerator(64);
  mpfr_set_uj(numerator, rate.numerator, MPFR_RNDN);  // exact
  Real denominator(64);
  mpfr_set_uj(denominator, rate.denominator, MPFR_RNDN);
  mpfr_div(x.lo, numerator, denominator, MPFR_RNDD);
  mpfr_div(x.hi, numerator, denominator, MPFR_RNDU);
  return x;
}

// Returns bounds of exp(-x) for all x within the given bounds.
inline Bounds exp_of_minus(const Bounds& x) {
  Bounds result(mpfr_get_prec(x.lo));
  mpfr_neg(result.lo, x.hi, MPFR_RNDN);
  mpfr_exp(result.lo, result.lo, MPFR_RNDD);
  mpfr_neg(result.hi, x.lo, MPFR_RNDN);
  mpfr_exp(result.hi, result.hi, MPFR_RNDU);
  return result;
}

}  // namespace shoal
