// Draws against real numbers that are known between bounds: no floating-point number decides.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "privacy/certified.hpp"
#include "privacy/lazy_uniform.hpp"
#include "privacy/random_bits.hpp"

namespace shoal {

// Real numbers C_0, C_1, ... in (0, 1), none of them a fraction of 2^k, and whether a uniform V lies below them. V's
// first word decides unless it is floor(2^64 C_i) itself; then further bits are compared with finer bounds.
class CertifiedEdges {
 public:
  // Bounds of all edges at a precision; they close in on the edges as it grows.
  using Maker = std::function<std::vector<Bounds>(mpfr_prec_t)>;
  explicit CertifiedEdges(Maker maker);

  [[nodiscard]] std::size_t size() const noexcept { return words_.size(); }
  // floor(2^64 C_i).
  [[nodiscard]] const std::vector<std::uint64_t>& words() const noexcept { return words_; }
  // How many of the edges first, ..., last - 1, which must be ascending, are at most V, of which `word` is the
  // beginning.
  std::size_t passed(std::uint64_t word, std::size_t first, std::size_t last, RandomBits& more) const;

 private:
  std::size_t settle(std::uint64_t word, std::size_t first, std::size_t last, RandomBits& more) const;
  Maker maker_;
  std::vector<std::uint64_t> words_;
};

// G with P(G = g) = (1 - s) s^g: how many failures come before the first success, of chance 1 - s.
//
// The binary digits of G are independent, P(digit i is 1) = s^(2^i) / (1 + s^(2^i)), because s^g is the product of
// s^(2^i) over the digits that are set. Here the lowest 62 digits, and with chance s^(2^62), independent of them, G is
// 2^62 or more and nothing else is told. A draw takes the same steps whatever comes out.
class GeometricGaps {
 public:
  static constexpr unsigned digits = 62;
  // Bounds of s in (0, 1) at a precision. s must be transcendental, as every rational function of exp(-rate) is.
  explicit GeometricGaps(const std::function<Bounds(mpfr_prec_t)>& ratio);
  // At most 2^62, which stands for all that is past it.
  std::uint64_t draw(RandomBits& bits) const;

 private:
  CertifiedEdges edges_;  // of the digits, and of `past`
};

}  // namespace shoal
