// A second, slow sampler of the discrete Laplace that shares nothing with the library's: Canonne, Kamath and Steinke,
// "The Discrete Gaussian for Differential Privacy" (2020), algorithms 1 and 2, in integers alone. Test double: its
// generator is not cryptographic.
#pragma once

#include <cstdint>
#include <random>

namespace shoal::testing {

class IndependentLaplace {
 public:
  explicit IndependentLaplace(std::uint64_t seed) : engine_(seed) {}

  // P(x) proportional to exp(-|x| numerator / denominator). Both below 2^31.
  std::int64_t draw(std::uint64_t numerator, std::uint64_t denominator) {
    for (;;) {
      const std::uint64_t u = below(denominator);
      if (!bernoulli_exp_fraction(u, denominator)) continue;
      std::uint64_t v = 0;
      while (bernoulli_exp_fraction(1, 1)) ++v;
      const std::uint64_t y = (u + denominator * v) / numerator;
      const bool negative = below(2) == 1;
      if (negative && y == 0) continue;
      return negative ? -static_cast<std::int64_t>(y) : static_cast<std::int64_t>(y);
    }
  }

 private:
  std::uint64_t below(std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(engine_);
  }

  // True with probability exp(-a / b), a <= b: the first k with a failure of Bernoulli(a / (b k)) is odd.
  bool bernoulli_exp_fraction(std::uint64_t a, std::uint64_t b) {
    std::uint64_t k = 1;
    while (below(b * k) < a) ++k;
    return k % 2 == 1;
  }

  std::mt19937_64 engine_;
};

}  // namespace shoal::testing
