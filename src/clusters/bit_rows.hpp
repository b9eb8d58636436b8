// Joins runs in boxes that are small enough for one bit per cell: 64 cells of two rows are compared at once.
//
//   Two runs of neighbouring rows meet where the later of the two begins, or one cell after the end of the earlier one
//   under full adjacency:
//
//     row a   ..####...##        row a   ..####...
//     row b   ....####..#        row b   ......##.   (corner)
//     meet    ....1....1#        meet    ......1..
//
//   The number of a run is the number of runs that begin at or before its place.
//
// Rows that differ along two or more outer axes need not be compared where a row between them holds a cell at that
// place or the one before it: that cell touches both.
#pragma once

#include "clusters/runs.hpp"
#include "clusters/sets.hpp"

namespace shoal {

// Joins runs of neighbouring rows in `sets`. runs.bits must not be empty.
void join_bit_rows(const Runs& runs, Adjacency adjacency, Sets& sets, unsigned threads);

}  // namespace shoal
