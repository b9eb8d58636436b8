// How many of n independent trials succeed, exactly, for n up to 2^62, in time of the digits of n.
//
// A trial succeeds when a uniform V lies below p. Compare digit by digit: of the trials that agree with p so far, a
// fair coin each says whether the next digit is 0. Where p's digit is 1, those with 0 have succeeded and the others go
// on; where it is 0, those with 1 have failed. About half go on, so few are ever left when p's first 64 digits are
// used up, and these are settled one by one.
//
// That leaves fair coins: the number of heads H among n = 2h of them (an odd one is tossed first). Let b = ceil(sqrt
// n). A proposal takes a side, a block j with chance 2^-(j+1), and a distance d in [j b, (j+1) b) uniformly: H = h + d
// or h - 1 - d, each with chance 2^-(j+2) / b. It is accepted with chance
//   A = C(n, H) 2^-n * b 2^j,
// which leaves just the chances C(n, H) 2^-n, times 1/4. A <= 1 for h >= 64: let r(d) = C(n, h+d) / C(n, h), a product
// of (h-i+1) / (h+i) for i = 1, ..., d, which fall with i. So r(j b) <= r(b)^j, and
//   ln r(b) <= -sum (2i-1) / (h+i) <= -b^2 / (h+b) <= -2h / (h+b) < -ln 2,
// as b <= h/4 from there on; and C(n, h) 2^-n b <= (sqrt(2h) + 1) / sqrt(pi h) < 1. A is compared with a uniform
// between bounds from MPFR, of as many bits as it takes.
#pragma once

#include <cstdint>

#include "privacy/certified_edges.hpp"

namespace shoal {

// Heads among at most 2^62 fair coins. Up to `tossed` (at least 128) are tossed one by one, 64 a word, which is
// quicker.
std::uint64_t heads(std::uint64_t coins, RandomBits& bits, std::uint64_t tossed = std::uint64_t{1} << 22);

class Binomial {
 public:
  // Bounds of p in (0, 1) at a precision. p must be transcendental, as every rational function of exp(-rate) is.
  explicit Binomial(const std::function<Bounds(mpfr_prec_t)>& chance);
  std::uint64_t draw(std::uint64_t trials, RandomBits& bits) const;

 private:
  CertifiedEdges edge_;
};

}  // namespace shoal
