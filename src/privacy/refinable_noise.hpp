// The profile on the raw side, and noise for it that can be refined after a first view.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "privacy/noise.hpp"
#include "privacy/profile.hpp"
#include "shoal/noised.hpp"

namespace shoal {

// Returns the profile U of values that are given in steps of 1 / scale: level j is the sum of
// clip(value - (2^j - 1) scale, 0, 2^j scale). Negative values count as 0. If one value moves by d, all levels together
// move by at most d. Sums are clamped at 2^62, which moves neighbours no further apart. scale: 1 to 2^24.
ProfileSums profile_of(std::span<const std::int64_t> values, std::int64_t scale = 1);

// The shares of epsilon at which a profile can be seen, in tenths.
inline constexpr std::array<unsigned, 7> profile_shares = {1, 2, 3, 4, 5, 6, 10};
static_assert(profile_shares.front() == least_profile_share);

// Noise Z_a for each share a: discrete Laplace of rate a * tenth, independent between levels. With b the next share,
// Z_a = Z_b + Y_a, where Y_a is independent of Z_b and of all finer noise. So an observer who has seen U + Z_a and then
// sees U + Z_b, b > a, learns no more than from U + Z_b alone: the first can be computed from the second by adding
// noise.
//
// Exactly, with q = exp(-tenth) and G geometric, P(G = g) = (1 - q) q^g:
// - floor(G / a) is geometric of ratio q^a, and P(G mod b < a) = (1 - q^a) / (1 - q^b) for a <= b.
// - Discrete Laplace of rate r is the difference of two independent geometrics of ratio exp(-r).
// - One side of the chain, from b to a < b: g_a = g_b + A, where A = 0 with probability (1 - q^a) / (1 - q^b), else 1 +
//   a geometric of ratio q^a. The generating function of A is
//     (1 - q^a)/(1 - q^b) + (1 - (1 - q^a)/(1 - q^b)) z (1 - q^a)/(1 - q^a z)
//       = (1 - q^a)/(1 - q^b) * (1 - q^a z + (q^a - q^b) z) / (1 - q^a z)
//       = (1 - q^a)/(1 - q^b) * (1 - q^b z)/(1 - q^a z).
//   Multiplied by that of g_b, (1 - q^b)/(1 - q^b z), it is the generating function of g_a.
// - G itself is a discrete Laplace of rate `tenth`, drawn again while it is negative.
class RefinableNoise {
 public:
  RefinableNoise(Noise& noise, Rate tenth);
  // Returns sums + Z_share, clamped to [-2^62, 2^62]. share: one of profile_shares.
  [[nodiscard]] ProfileSums added_to(const ProfileSums& sums, unsigned share) const;

 private:
  std::array<ProfileSums, profile_shares.size()> noise_{};
};

// One view of a profile.
struct ProfileQuery {
  unsigned share;                       // no smaller than that of the previous view
  std::size_t levels = profile_levels;  // number of levels that are seen, starting at level 0
  bool is_first = false;                // whether this is the first view of the profile
};

// Views of profiles, each finer than the one before.
class ProfileQueries {
 public:
  virtual ~ProfileQueries() = default;
  // Returns sums + Z_share. The entries of levels that are not seen are arbitrary.
  virtual ProfileSums at(const ProfileSums& sums, const ProfileQuery& query) = 0;
};
// Returns queries whose noise is a chain (RefinableNoise) that is drawn at the first view.
std::unique_ptr<ProfileQueries> chained_queries(Noise& noise, Rate tenth);

}  // namespace shoal
