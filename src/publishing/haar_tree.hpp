// The full Haar decomposition on integers, axis by axis (the standard decomposition of an n-dimensional box).
//
// Along an axis of m = 2^l values, slot 0 holds the sum of all; slots 2^d, ..., 2^(d+1) - 1 hold, for the 2^d blocks of
// depth d, the sum of the left half less the sum of the right half:
//
//   values   a b c d      slot 0   a + b + c + d
//                         slot 1   (a + b) - (c + d)
//                         slot 2   a - b      slot 3   c - d
//
// Adding 1 to one value moves 1 + l slots by 1 or -1: the sum, and one difference per depth.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal::publishing {

// All extents must be powers of two. The result is exact.
std::vector<std::int64_t> haar_coefficients(std::vector<std::int64_t> values, const Shape& shape);
// Returns the values that have these coefficients. Exact while they stay within 53 bits.
std::vector<double> haar_inverse(std::vector<double> coefficients, const Shape& shape);
// Returns how far one record moves the coefficients, in L1: the product of (1 + log2 extent).
std::uint64_t haar_sensitivity(const Shape& shape);

}  // namespace shoal::publishing
