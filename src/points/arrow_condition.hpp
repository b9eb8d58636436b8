// Conditions on rows of Arrow columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "points/arrow_columns.hpp"
#include "points/condition.hpp"

namespace shoal {

// The type that a column has in a condition, by its declared type alone: numbers and decimals are numbers, dates and
// times are dates, and text, also true and false, is text. Throws InputError for other types. what: names the source.
ConditionKind arrow_condition_kind(const ArrowSchema& schema, const std::string& name, const std::string& what);

// Evaluates a condition row by row. One object per thread.
class ArrowSelection {
 public:
  explicit ArrowSelection(const BoundCondition& condition);

  // The rows for which the condition holds, in their order. columns: those of the condition.
  const std::vector<std::size_t>& select(std::span<const ArrowColumn> columns);

 private:
  const BoundCondition& condition_;
  std::vector<std::vector<double>> copies_;
  std::vector<ConditionValue> record_;
  std::vector<std::size_t> selected_;
};

}  // namespace shoal
