// The bounds of what privwave pays for its profile (noised.hpp), and how it censors small values.
#pragma once

#include <bit>
#include <cstdint>

namespace shoal {

// Maximum number of steps per record, for values that are not whole records.
inline constexpr std::uint64_t most_profile_scale = 4096;

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
