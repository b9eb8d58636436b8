// Draws the largest of a huge number of noisy values, most of which are noise on zero, from the top downwards.
#pragma once

#include <cstdint>
#include <memory>

#include "privacy/noise.hpp"
#include "shoal/cells.hpp"

namespace shoal {

// nearest_whole returns the whole number nearest to a value that is given in parts, `parts` to a whole. least_near
// returns the smallest value, in parts, whose nearest whole number is `whole`.
std::int64_t nearest_whole(std::int64_t value, std::uint64_t parts);
std::int64_t least_near(std::int64_t whole, std::uint64_t parts);

struct LargestValues {
  std::int64_t floor = 1;     // the k-th largest value, or `least` if that is larger
  Cells<std::int64_t> cells;  // all values that reach the floor, ties included: sparse
};

// Adds the sum of `terms` discrete Laplace draws to every value of a box and keeps the k largest results, ties with the
// k-th included. Nothing below `least` is kept, which bounds what noise alone brings in; `least` is from 1 to
// 2^55 / parts. Values and noise are in parts, `parts` to a whole. Values are compared, and returned, as the whole
// number nearest to the value with its noise, rounding halves up: w covers the parts from w * parts - parts / 2.
//
// Distribution: that of noise on every value, followed by a selection. Stored values get their noise one by one. All
// others are zero and alike. For these, it is first drawn how many are positive; given that, how many of these reach a
// level; given that, how many of the rest reach the next lower level; until there are k, or the level is the least.
// Each step is a binomial draw, because the values are independent. Given that a value lies between two levels, nothing
// more is known about it: its law is that of the noise in that band. The cells are chosen only at the end: every set of
// that many empty cells is equally likely. The levels affect only the running time: they follow from what was drawn so
// far.
class LargestSearch {
 public:
  // Draws the noise of the stored values, and how many of the other values are positive.
  LargestSearch(Noise& noise, Cells<std::int64_t> values, std::uint64_t terms, Rate rate, std::uint64_t parts,
                std::int64_t least, unsigned threads);
  ~LargestSearch();
  [[nodiscard]] std::uint64_t positive() const noexcept;
  // May be called once. k is clamped to 1, ..., positive().
  [[nodiscard]] LargestValues from(std::uint64_t k);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shoal
