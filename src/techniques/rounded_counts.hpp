// Counts of rounded values. Raw side.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// Returns the histograms of rounding_tests(counts.grid()), concatenated. A record lies in at most one bin per axis.
std::vector<std::int64_t> rounding_histograms(const Counts& counts);
// Returns the number of axes with a test: the number of bins that one record can change.
std::uint64_t rounding_axes(const Grid& grid);

// A rounded value stands for all values that are at most half a step away. So the records of a cell from which that
// range reaches over the edge of a block of `chosen` (two of its cells) are split, as the edge splits the range:
//
//   cells of `finest`   ... [  )[  )[ x)|[  )[  ) ...     x: the multiple, |: the edge of a block
//   stands for                   <----x-|-->              here 30 % go to the cell behind the edge
//
// The result lies on the same grid. A cell with c records hands over floor(c * share + its offset),
// share at most 1/2, so a record more in a cell is one more in exactly one of the two: the result's L1 sensitivity is
// that of the counts. The share comes from `rounded` and the public grids, the offset from the cell's number alone.
Counts spread_rounded(const Counts& finest, const Grid& chosen, const std::vector<RoundedValues>& rounded);

}  // namespace shoal
