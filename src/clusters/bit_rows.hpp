// Joining runs where the box is small enough for a bit a cell: 64 cells of two rows are compared at once.
//
//   Two runs of neighbouring rows meet where the later of the two begins, or one cell after the end of the earlier one
//   under full adjacency:
//
//     row a   ..####...##        row a   ..####...
//     row b   ....####..#        row b   ......##.   (corner)
//     meet    ....1....1#        meet    ......1..
//
//   A run's number is how many runs begin up to that place.
//
// Rows that differ along two outer axes or more need no look where a row between them holds a cell at that place or the
// one before it: that cell touches both.
#pragma once

#include "clusters/runs.hpp"
#include "clusters/sets.hpp"

namespace shoal {

// runs.bits must be there.
void join_bit_rows(const Runs& runs, Adjacency adjacency, Sets& sets, unsigned threads);

}  // namespace shoal
