// The profile on the raw side, and noise for it that can be made finer after a first view.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "privacy/noise.hpp"
#include "shoal/profile.hpp"

namespace shoal {

// U of values given in steps of 1 / scale: level j is the sum of clip(value - (2^j - 1) scale, 0, 2^j scale). Negative
// values count as 0. When one value moves by d, at most d moves in all levels together. Sums stop at 2^62, which moves
// neighbours no further apart. scale: 1 to 2^24.
ProfileSums profile_of(std::span<const std::int64_t> values, std::int64_t scale = 1);

// Shares of epsilon at which a profile can be seen, in tenths.
inline constexpr std::array<unsigned, 7> profile_shares = {1, 2, 3, 4, 5, 6, 10};
static_assert(profile_shares.front() == least_profile_share);

// Noise Z_a for each share a: discrete Laplace of rate a * tenth, on every level independently, and with b the next
// share Z_a = Z_b + Y_a, Y_a independent of Z_b and all finer ones. So who has seen U + Z_a and then sees U + Z_b, b >
// a, has learned no more than who sees U + Z_b alone: the first can be made of the second by adding noise.
//
// Exactly, with q = exp(-tenth) and G geometric, P(G = g) = (1 - q) q^g:
// - floor(G / a) is geometric of ratio q^a, and P(G mod b < a) = (1 - q^a) / (1 - q^b) for a <= b.
// - Discrete Laplace of rate r is the difference of two independent geometrics of ratio exp(-r).
// - One side of the chain, from b to a < b: g_a = g_b + A, A = 0 with probability (1 - q^a) / (1 - q^b), else 1 +
//   a geometric of ratio q^a. The generating function of A is
//     (1 - q^a)/(1 - q^b) + (1 - (1 - q^a)/(1 - q^b)) z (1 - q^a)/(1 - q^a z)
//       = (1 - q^a)/(1 - q^b) * (1 - q^a z + (q^a - q^b) z) / (1 - q^a z) = (1 - q^a)/(1 - q^b) * (1 - q^b z)/(1 - q^a
//       z),
//   and times that of g_b, (1 - q^b)/(1 - q^b z), it is that of g_a.
// - G itself is a discrete Laplace of rate `tenth`, drawn again while it is negative.
class RefinableNoise {
 public:
  RefinableNoise(Noise& noise, Rate tenth);
  // sums + Z_share, clamped to [-2^62, 2^62]. share: one of profile_shares.
  [[nodiscard]] ProfileSums added_to(const ProfileSums& sums, unsigned share) const;

 private:
  std::array<ProfileSums, profile_shares.size()> noise_{};
};

// One view of a profile.
struct ProfileQuery {
  unsigned share;                       // no smaller than that of the view before
  std::size_t levels = profile_levels;  // the first so many are seen
  bool is_first = false;                // at this profile
};

// Views of profiles, each finer than the one before.
class ProfileQueries {
 public:
  virtual ~ProfileQueries() = default;
  // sums + Z_share; what it gives for levels that are not seen does not matter.
  virtual ProfileSums at(const ProfileSums& sums, const ProfileQuery& query) = 0;
};
// By a chain that is drawn at the first view.
std::unique_ptr<ProfileQueries> chained_queries(Noise& noise, Rate tenth);

}  // namespace shoal
