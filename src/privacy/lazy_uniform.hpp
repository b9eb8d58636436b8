// A uniform real number that can be extended by further bits.
#pragma once

#include <cstdint>

#include "privacy/certified.hpp"
#include "privacy/random_bits.hpp"

namespace shoal {

// V in [number, number + 1) / 2^known, extended by random words.
class LazyUniform {
 public:
  LazyUniform(std::uint64_t prefix, unsigned known) : known_(known) {
    mpz_init(number_);
    mpz_set_ui(number_, prefix);
  }
  ~LazyUniform() { mpz_clear(number_); }
  LazyUniform(const LazyUniform&) = delete;
  LazyUniform& operator=(const LazyUniform&) = delete;

  void extend(RandomBits& bits) {
    mpz_mul_2exp(number_, number_, 64);
    mpz_add_ui(number_, number_, bits.next());
    known_ += 64;
  }
  // The precision at which bounds() is exact, with bits to spare for what is computed from it.
  [[nodiscard]] mpfr_prec_t precision() const noexcept { return known_ + 128; }
  [[nodiscard]] Bounds bounds() const {
    Bounds v(precision());
    mpfr_set_z_2exp(v.lo, number_, -static_cast<mpfr_exp_t>(known_), MPFR_RNDN);
    mpz_t above;
    mpz_init(above);
    mpz_add_ui(above, number_, 1);
    mpfr_set_z_2exp(v.hi, above, -static_cast<mpfr_exp_t>(known_), MPFR_RNDN);
    mpz_clear(above);
    return v;
  }

 private:
  static_assert(sizeof(unsigned long) == 8, "GMP's unsigned long holds a word");
  mpz_t number_;
  mpfr_prec_t known_;
};

}  // namespace shoal
