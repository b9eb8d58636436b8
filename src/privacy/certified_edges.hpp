// Compares uniform draws with real numbers that are known between bounds. No floating-point number decides.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "privacy/certified.hpp"
#include "privacy/lazy_uniform.hpp"
#include "privacy/random_bits.hpp"

namespace shoal {

// Real numbers C_0, C_1, ... in (0, 1), none of them a multiple of 2^-k for any k; called edges. Decides whether a
// uniform V lies below them. The first word of V decides, unless it equals floor(2^64 C_i); then further bits are
// compared with finer bounds.
class CertifiedEdges {
 public:
  // Returns bounds of all edges at a given precision. They converge to the edges as the precision grows.
  using Maker = std::function<std::vector<Bounds>(mpfr_prec_t)>;
  explicit CertifiedEdges(Maker maker);

  // Returns floor(2^64 C_i) for each edge.
  [[nodiscard]] const std::vector<std::uint64_t>& words() const noexcept { return words_; }
  // Returns whether V lies below an edge. `word` holds the first 64 bits of V; `more` provides further bits if needed.
  bool is_below(std::uint64_t word, std::size_t edge, RandomBits& more) const;

 private:
  Maker maker_;
  std::vector<std::uint64_t> words_;
};

// Draws G with P(G = g) = (1 - s) s^g: the number of failures before the first success, which has probability 1 - s.
//
// The binary digits of G are independent, P(digit i is 1) = s^(2^i) / (1 + s^(2^i)), because s^g is the product of
// s^(2^i) over the digits that are set. The lowest 62 digits are drawn. With probability s^(2^62), independently of
// them, G is 2^62 or more, and nothing else is reported. A draw takes the same steps whatever its outcome.
class GeometricGaps {
 public:
  static constexpr unsigned digits = 62;
  // ratio: returns bounds of s in (0, 1) at a given precision. s must be transcendental, as every non-constant rational
  // function of exp(-rate) is.
  explicit GeometricGaps(const std::function<Bounds(mpfr_prec_t)>& ratio);
  // Returns G, or 2^62 if G is 2^62 or more.
  std::uint64_t draw(RandomBits& bits) const;

 private:
  CertifiedEdges edges_;  // the probabilities of the digits, and of G being 2^62 or more
};

}  // namespace shoal
