// The profile of values on cells, which is the second query of privwave: how the values are distributed over octaves.
//
//   level j of U:  the sum over all cells of clip(W - 2^j + 1, 0, 2^j)
//
// This is the number of cells with W >= w, summed over w in [2^j, 2^(j+1)). Level 0 is |L|. A value is poured into
// buckets of size 1, 2, 4 and so on, one after the other. Adding 1 to a cell therefore adds 1 to one bucket: all levels
// together change by as much as the values do.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace shoal {

// Number of levels. Values above 2^24 - 1 count as 2^24 - 1.
inline constexpr std::size_t profile_levels = 24;

// Maximum number of steps per record, for values that are not whole records.
inline constexpr std::uint64_t most_profile_scale = 4096;

// One noisy sum per level.
using ProfileSums = std::array<std::int64_t, profile_levels>;

// Minimum and maximum cost of the profile, in tenths of epsilon.
inline constexpr unsigned least_profile_share = 1;
inline constexpr unsigned most_profile_share = 6;

// Values below a censoring point may be raised to it before noise is added. Adding or removing a record below it then
// changes no value. The first levels of the profile, which describe exactly these records, may therefore be observed
// with the noise of all ten tenths of epsilon. censoring_point() returns the point for a number of such levels, and
// censored_levels_of() returns the number of levels for a point. most_censored_levels is the maximum number.
inline constexpr unsigned most_censored_levels = 6;
constexpr std::int64_t censoring_point(unsigned levels) { return (std::int64_t{1} << levels) - 1; }
constexpr unsigned censored_levels_of(std::int64_t point) {
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(point)));
}

// What privwave chooses after a first view of the profile.
struct ProfileChoice {
  unsigned share;  // Tenths of epsilon for the profile.
  unsigned censored_levels = 0;
};

}  // namespace shoal
