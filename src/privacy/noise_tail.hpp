// Noise on a huge number of values that are all zero, of which only what reaches a floor is of interest: drawn exactly,
// in time and memory of the result.
//
// Let S be the sum of m independent discrete Laplace of one rate, q = exp(-rate), and d >= 1 the floor.
//
// Which values reach it: each does with chance p = P(S >= d), independently. So the number of values between one that
// does and the next is geometric, P(gap >= g) = (1 - p)^g, and a walk by such gaps over all values finds them, in
// order.
//
// How far they reach: given S >= d, S - d is a sum of L independent geometrics of ratio q, with L drawn from {1, ...,
// m} by weights v_L that add up to p. For m = 1 this says that the geometric has no memory: L = 1, v_1 = p = q^d / (1 +
// q). In general: S has the generating function ((1-q)^2 / ((1-qz)(1-q/z)))^m. With u = 1 - qz and c = 1/(1-q^2),
//   ((1-qz)(1-q/z))^-m = c^m u^-m ((1-u) / (1-cu))^m,
// of which the powers of z that are not negative are the poles at u = 0: with ((1-u)/(1-cu))^m = sum a_i u^i, all a_i
// positive because (1-u)/(1-cu) = 1 + (c-1)u/(1-cu), they are
//   ((1-q)/(1+q))^m sum_j a_(m-j) (1-q)^-j  ((1-q)/(1-qz))^j,    j = 1, ..., m:
// a mixture of sums N_j of j geometrics. N_j counts failures (chance q each) before the j-th success; it is d or more
// just when the d-th failure comes after i < j successes, with chance C(d-1+i, i) (1-q)^i q^d, and what is left then is
// N_(j-i). Adding up over j - i = l,
//   v_l = ((1-q)/(1+q))^m q^d (1-q)^-l b_(m-l),    sum b_i u^i = ((1-u)/(1-cu))^m (1-u)^-d.
// The logarithmic derivative of the series gives, with b_0 = 1 and b_-1 = 0,
//   (i+1) b_(i+1) = (d + m(c-1) + (1+c) i) b_i - c (d + i - 1) b_(i-1).
//
// Given that S lies in a band [from, below), it reaches d with chance (P(S >= d) - P(S >= below)) / (P(S >= from) -
// P(S >= below)); a value in the band is one that reaches `from`, drawn until it is below `below`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "privacy/binomial.hpp"
#include "privacy/certified_edges.hpp"
#include "privacy/laplace.hpp"
#include "privacy/noise.hpp"

namespace shoal {

// P(S >= floor), good to twelve digits (0 where it is below 10^-300): for estimates of sizes.
double tail_chance(Rate rate, std::uint64_t terms, std::int64_t floor);

// Whether S reaches the floor, given what is known of it (Noise::count_reaching): how many of many do.
Binomial reaching_the_floor(Rate rate, std::uint64_t terms, std::int64_t floor, const std::optional<NoiseBand>& known);

class NoiseTail {
 public:
  // terms: m, 1 to most_terms. floor: d, 1 to 2^62.
  NoiseTail(Rate rate, std::uint64_t terms, std::int64_t floor);

  // Of `cells` values, those whose noise reaches the floor. laplace: of the same rate.
  [[nodiscard]] LargeNoise draw(std::uint64_t cells, const LaplaceSampler& laplace, RandomBits& bits) const;

  // Values given that they reach the floor and are smaller than `below`.
  void fill(std::span<std::int64_t> values, std::int64_t below, const LaplaceSampler& laplace, RandomBits& bits) const;

  static constexpr std::uint64_t most_terms = std::uint64_t{1} << 16;

 private:
  template <class Geometric>
  std::int64_t value(Geometric& geometric, RandomBits& bits) const;

  std::int64_t floor_;
  GeometricGaps gaps_;
  CertifiedEdges lengths_;  // P(L <= 1), P(L <= 2), ..., P(L <= m - 1), given that the floor is reached
};

}  // namespace shoal
