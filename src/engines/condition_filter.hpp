// What an engine can decide of a condition, in SQL. Shoal evaluates the whole condition itself, row by row
// (condition.hpp); this filter only spares the rows that cannot be selected their way to Shoal.
#pragma once

#include <span>
#include <string>

#include "engines/session.hpp"
#include "points/condition.hpp"

namespace shoal {

// A column of the condition, as its table declares it.
struct FilterColumn {
  std::string name;        // in quotes
  std::string expression;  // what Shoal reads of it
  std::string format;      // of Arrow; empty: nothing but null is told apart
};

// An expression that is true for every row that the condition selects. It may be true for others. Empty: none is known.
std::string condition_filter(const BoundCondition& condition, std::span<const FilterColumn> columns, Engine engine);

}  // namespace shoal
