// 128-bit integers for exact products, and sums that are clamped to 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace shoal {
__extension__ using Uint128 = unsigned __int128;
__extension__ using Int128 = __int128;

// Values and sums of values are clamped to within 2^62 of 0. Clamping never moves two sums further apart, and it never
// throws: neither raw nor noisy values can make a release fail.
inline constexpr std::int64_t largest_sum = std::int64_t{1} << 62;
constexpr std::int64_t within_64_bits(Int128 value) {
  return static_cast<std::int64_t>(std::clamp<Int128>(value, -Int128{largest_sum}, Int128{largest_sum}));
}
constexpr std::int64_t sum_within_64_bits(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? within_64_bits(Int128{a} + b) : sum;
}
}  // namespace shoal
