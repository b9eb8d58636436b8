// Files that are read together declare the same columns.
#pragma once

#include "engines/query.hpp"

namespace shoal {

// Refuses Parquet files of one pattern that differ in the names, the order or the types of their columns, and names two
// of them with what differs. DuckDB would read all of them by the types of the first: a record of that file, which
// decided a type there, would change how the records of all other files are read.
void check_one_schema(EngineSession& session, const EngineInput& input);

}  // namespace shoal
