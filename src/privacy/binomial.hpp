// Draws exactly how many of n independent trials succeed, for n up to 2^62, in time proportional to the digits of n.
//
// A trial succeeds if a uniform V lies below p. V and p are compared digit by digit: for each trial that agrees with p
// so far, a fair coin says whether the next digit of V is 0. Where p's digit is 1, the trials with 0 have succeeded and
// the others continue. Where it is 0, the trials with 1 have failed and the others continue. About half continue each
// time, so few trials are left when the first 64 digits of p are used up, and these are settled one by one.
//
// This leaves the number of heads H among n = 2h fair coins (if n is odd, one coin is tossed first). Let
// b = ceil(sqrt n). A proposal takes a side, a block j with probability 2^-(j+1), and a distance d in [j b, (j+1) b)
// uniformly: H = h + d or h - 1 - d, each with probability 2^-(j+2) / b. It is accepted with probability
//   A = C(n, H) 2^-n * b 2^j,
// so that H is proposed and accepted with probability exactly C(n, H) 2^-n / 4. A <= 1 for h >= 64: let r(d) = C(n,
// h+d) / C(n, h), a product of (h-i+1) / (h+i) for i = 1, ..., d, which decrease in i. So r(j b) <= r(b)^j, and
//   ln r(b) <= -sum (2i-1) / (h+i) <= -b^2 / (h+b) <= -2h / (h+b) < -ln 2,
// because b <= h/4 for all such h; and C(n, h) 2^-n b <= (sqrt(2h) + 1) / sqrt(pi h) < 1. A is compared with a uniform
// number by bounds from MPFR, with as many bits as necessary.
#pragma once

#include <cstdint>

#include "privacy/certified_edges.hpp"

namespace shoal {

// Returns the number of heads among at most 2^62 fair coins. Up to `tossed` coins (at least 128) are tossed one by one,
// 64 per word, which is faster.
std::uint64_t heads(std::uint64_t coins, RandomBits& bits, std::uint64_t tossed = std::uint64_t{1} << 22);

class Binomial {
 public:
  // chance: returns bounds of p in (0, 1) at a given precision. p must be transcendental, as every non-constant
  // rational function of exp(-rate) is.
  explicit Binomial(const std::function<Bounds(mpfr_prec_t)>& chance);
  std::uint64_t draw(std::uint64_t trials, RandomBits& bits) const;

 private:
  CertifiedEdges edge_;
};

}  // namespace shoal
