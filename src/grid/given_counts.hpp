// Counts that an engine made by itself (SQL, Spark): a table of cells, each with its count. Raw side.
#pragma once

#include <cstddef>

#include "shoal/counts.hpp"

namespace shoal {

// One row per cell: a column of cell indices per axis (from 0 on, in the order of the axes) and, at `count_column`
// among them, one of counts. Cells that are not listed hold 0. Refuses what no count of records on this grid is: an
// index outside the grid, a count that is negative, and either where it is missing or no whole number; a cell listed
// twice; and a total of 2^53 or more. Messages name the row and the column, never a count.
//
// rows_without_first: whether a row without an index on the first axis is left out instead: that of a group outside the
// list.
//
// Such a table is the owner's product, not a record's: it is refused as a whole, before anything is charged.
Counts given_counts(Points& table, const Grid& grid, std::size_t count_column, bool rows_without_first = false);

}  // namespace shoal
