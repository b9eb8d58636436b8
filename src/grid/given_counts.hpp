// Counts that another engine computed (SQL, Spark): a table of cells, each with its count. Raw side.
#pragma once

#include <cstddef>

#include "shoal/counts.hpp"

namespace shoal {

// Reads one row per cell: one column of cell indices per axis (starting at 0, in the order of the axes) and, at
// position `count_column` among them, the counts. Cells that are not listed hold 0. Throws on anything that cannot be a
// count of records on this grid: an index outside the grid, a negative count, an index or a count that is missing or is
// not a whole number, a cell that is listed twice, and a total of 2^53 or more. Messages name the row and the column,
// never a count.
//
// rows_without_first: if true, a row without an index on the first axis is skipped instead. It belongs to a group
// outside the list.
//
// Such a table is made by the owner, not by a record: it is refused as a whole, before anything is charged.
Counts given_counts(Points& table, const Grid& grid, std::size_t count_column, bool rows_without_first = false);

}  // namespace shoal
