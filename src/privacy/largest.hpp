// The largest of a huge number of noisy values, most of which are noise on zero: drawn from the top downwards.
#pragma once

#include <cstdint>
#include <functional>

#include "shoal/cells.hpp"
#include "shoal/noise.hpp"

namespace shoal {

struct LargestValues {
  std::uint64_t positive = 0;  // how many noisy values of the box are positive
  std::int64_t floor = 1;      // the k-th largest
  Cells<std::int64_t> cells;   // all that reach it, ties included: sparse
};

// Every value of the box plus the sum of `terms` discrete Laplace draws, of which the largest are kept: k of them, k =
// rank(number of positive ones) moved into 1, ..., that number. Refuses more than most_largest values.
//
// Distribution: that of noise on every value, followed by a selection. Values that are stored get their noise one by
// one. Of the others, all zero and alike, it is first drawn how many are positive; given that, how many of these reach
// a level; given that, how many of the rest reach the next lower level; until there are k. A binomial law each time, as
// the values are independent, and given that a value lies between two levels nothing more is known of it: its
// law is that of the noise in that band. Which cells they are has not been asked until then: every set of so
// many empty cells is as likely. Where the levels lie decides about time alone: they follow what was drawn so far.
LargestValues largest_values(Noise& noise, const Cells<std::int64_t>& values, std::uint64_t terms, Rate rate,
                             const std::function<std::uint64_t(std::uint64_t)>& rank, unsigned threads);

inline constexpr std::uint64_t most_largest = std::uint64_t{1} << 26;

}  // namespace shoal
