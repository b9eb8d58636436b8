// The largest of a huge number of noisy values, most of which are noise on zero: drawn from the top downwards.
#pragma once

#include <cstdint>
#include <memory>

#include "privacy/noise.hpp"
#include "shoal/cells.hpp"

namespace shoal {

// The whole that is nearest to a value in parts, so many to a whole, and the least value for which that is `whole`.
std::int64_t nearest_whole(std::int64_t value, std::uint64_t parts);
std::int64_t least_near(std::int64_t whole, std::uint64_t parts);

struct LargestValues {
  std::int64_t floor = 1;     // the k-th largest, or `least` if that is larger
  Cells<std::int64_t> cells;  // all that reach it, ties included: sparse
};

// Every value of the box plus the sum of `terms` discrete Laplace draws, of which the largest are kept: k of them, ties
// with the k-th included; but none below `least`, from 1 to 2^55 / parts, which bounds what noise alone brings in.
// Values and noise come in parts, so many to a whole. What a value is compared by, and what comes out, is the whole
// that is nearest to it with its noise, of two the larger: w from the parts w * parts - parts / 2 on.
//
// Distribution: that of noise on every value, followed by a selection. Values that are stored get their noise one by
// one. Of the others, all zero and alike, it is first drawn how many are positive; given that, how many of these reach
// a level; given that, how many of the rest reach the next lower level; until there are k, or the level is the least.
// A binomial law each time, as
// the values are independent, and given that a value lies between two levels nothing more is known of it: its
// law is that of the noise in that band. Which cells they are has not been asked until then: every set of so
// many empty cells is as likely. Where the levels lie decides about time alone: they follow what was drawn so far.
class LargestSearch {
 public:
  // Draws the noise of the stored values, and how many of the others are positive.
  LargestSearch(Noise& noise, Cells<std::int64_t> values, std::uint64_t terms, Rate rate, std::uint64_t parts,
                std::int64_t least, unsigned threads);
  ~LargestSearch();
  [[nodiscard]] std::uint64_t positive() const noexcept;
  // Once. k is moved into 1, ..., positive().
  [[nodiscard]] LargestValues from(std::uint64_t k);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shoal
