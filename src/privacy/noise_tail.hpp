// Draws noise on a huge number of values that are all zero, of which only those that reach a floor are needed. The draw
// is exact, and its time and memory grow with the result.
//
// Let S be the sum of m independent discrete Laplace draws of one rate, q = exp(-rate), and d >= 1 the floor.
//
// Which values reach the floor: each does with probability p = P(S >= d), independently. So the number of values
// between one that does and the next is geometric, P(gap >= g) = (1 - p)^g, and a walk by such gaps over all values
// finds them, in order.
//
// How far they reach: given S >= d, S - d is a sum of L independent geometrics of ratio q, with L drawn from {1, ...,
// m} by weights v_L that add up to p. For m = 1 this says that the geometric has no memory: L = 1, v_1 = p = q^d / (1 +
// q). In general, S has the generating function ((1-q)^2 / ((1-qz)(1-q/z)))^m. With u = 1 - qz and c = 1/(1-q^2),
//   ((1-qz)(1-q/z))^-m = c^m u^-m ((1-u) / (1-cu))^m.
// The powers of z in it that are not negative come from the poles at u = 0. With ((1-u)/(1-cu))^m = sum a_i u^i, where
// all a_i are positive because (1-u)/(1-cu) = 1 + (c-1)u/(1-cu), they are
//   ((1-q)/(1+q))^m sum_j a_(m-j) (1-q)^-j  ((1-q)/(1-qz))^j,    j = 1, ..., m:
// a mixture of sums N_j of j geometrics. N_j counts failures (of probability q each) before the j-th success. It is d
// or more if and only if the d-th failure comes after i < j successes, which has probability C(d-1+i, i) (1-q)^i q^d,
// and the rest is then N_(j-i). Adding up over j - i = l,
//   v_l = ((1-q)/(1+q))^m q^d (1-q)^-l b_(m-l),    sum b_i u^i = ((1-u)/(1-cu))^m (1-u)^-d.
// The logarithmic derivative of the series gives, with b_0 = 1 and b_-1 = 0,
//   (i+1) b_(i+1) = (d + m(c-1) + (1+c) i) b_i - c (d + i - 1) b_(i-1).
//
// Given that S lies in a band [from, below), it reaches d with probability
//   (P(S >= d) - P(S >= below)) / (P(S >= from) - P(S >= below)).
// A value in the band is drawn as one that reaches `from`, repeatedly until it is below `below`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "privacy/binomial.hpp"
#include "privacy/certified_edges.hpp"
#include "privacy/laplace.hpp"
#include "privacy/noise.hpp"

namespace shoal {

// Returns P(S >= floor) to twelve digits (0 if it is below 10^-300), for estimates of sizes.
double tail_chance(Rate rate, std::uint64_t terms, std::int64_t floor);

// Returns the law of how many of many sums S reach the floor, given what is known about them (Noise::count_reaching).
Binomial reaching_the_floor(Rate rate, std::uint64_t terms, std::int64_t floor, const std::optional<NoiseBand>& known);

class NoiseTail {
 public:
  // terms: m, 1 to most_terms. floor: d, 1 to 2^62.
  NoiseTail(Rate rate, std::uint64_t terms, std::int64_t floor);

  // Returns, of `cells` values, those whose noise reaches the floor. laplace: must have the same rate.
  [[nodiscard]] LargeNoise draw(std::uint64_t cells, const LaplaceSampler& laplace, RandomBits& bits) const;

  // Draws values, given that they reach the floor and are smaller than `below`.
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
