// Which columns of a table are read, and by which expressions of SQL. Decided by what the table declares, never by
// values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/query.hpp"
#include "points/condition.hpp"

namespace shoal {

class EngineLayout {
 public:
  // schema: all columns of the rows. Refuses columns that are missing or that no axis can read, and units that are
  // neither text nor whole numbers. Refuses names that are numbers, because names are released.
  EngineLayout(const ArrowSchema& schema, const EngineInput& input, const EngineOptions& options);

  // The coordinates, then the unit, then the columns of the condition.
  [[nodiscard]] const std::vector<std::string>& selected() const noexcept { return selected_; }
  // The names of the coordinates.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] const std::optional<BoundCondition>& condition() const noexcept { return condition_; }
  // SQL that is true for every row that the condition selects; empty: none is known.
  [[nodiscard]] const std::string& filter() const noexcept { return filter_; }

 private:
  std::vector<std::string> selected_, names_;
  std::optional<BoundCondition> condition_;
  std::string filter_;
};

// All columns of the rows.
std::vector<EngineColumn> declared_columns(const ArrowSchema& schema);

}  // namespace shoal
