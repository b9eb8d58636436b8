// The profile of values on cells, privwave's second question: how the values are spread over octaves.
//
//   level j of U:  the sum over all cells of clip(W - 2^j + 1, 0, 2^j)
//
// which is the number of cells with W >= w, added up over w in [2^j, 2^(j+1)). Level 0 is |L|. A value is poured into
// buckets of 1, 2, 4, ... one after the other, so that one more in a cell is one more in one bucket: all levels
// together move by as much as the values do.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace shoal {

inline constexpr std::size_t profile_levels = 24;  // values past 2^24 - 1 count as that

inline constexpr std::uint64_t most_profile_scale = 4096;  // steps to a record, where values are no whole records

// One noisy sum per level.
using ProfileSums = std::array<std::int64_t, profile_levels>;

// What the profile may cost, in tenths of epsilon.
inline constexpr unsigned least_profile_share = 1;
inline constexpr unsigned most_profile_share = 6;

// Values below a censoring point may be raised to it before they get their noise. A record that comes or goes below it
// then moves no value, and the profile's first levels, which are about just these records, may be seen with the noise
// of all tenths of epsilon. censored_levels: how many levels these are.
inline constexpr unsigned most_censored_levels = 6;
constexpr std::int64_t censoring_point(unsigned levels) { return (std::int64_t{1} << levels) - 1; }
constexpr unsigned censored_levels_of(std::int64_t point) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(point)));
}

// What is chosen from a first view.
struct ProfileChoice {
  unsigned share;  // tenths of epsilon for the profile
  unsigned censored_levels = 0;
};

}  // namespace shoal
