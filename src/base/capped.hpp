// Arithmetic on numbers of cells and steps that stops at the ends of 64 bits instead of wrapping around. Bounds stay
// bounds.
#pragma once

#include <algorithm>
#include <cstdint>

namespace shoal {

constexpr std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
constexpr std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
constexpr std::uint64_t capped_difference(std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); }

}  // namespace shoal
