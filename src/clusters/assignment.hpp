// Minimum-cost assignment: every member of the smaller side gets its own partner, at minimum total cost. Exact in
// integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

inline constexpr std::size_t unmatched = SIZE_MAX;

struct Assignment {
  std::vector<std::size_t> partner;  // the column of each row, or unmatched
  std::int64_t cost = 0;
};

// cost[row * columns + column]; min(rows, columns) pairs are made. Shortest augmenting paths (Jonker, Volgenant 1987;
// Crouse 2016): time O(min^2 max), memory of the matrix. Throws if sums of costs could exceed 64 bits.
Assignment assign(std::size_t rows, std::size_t columns, std::span<const std::int64_t> cost);

}  // namespace shoal
