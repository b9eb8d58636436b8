// Points from a stream of Arrow's C interface (https://arrow.apache.org/docs/format/CStreamInterface.html): what
// databases, data frames and Arrow's own readers hand out. Raw side.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/axis_kind.hpp"
#include "shoal/points.hpp"

namespace shoal {

// Which columns are read.
struct ArrowOptions {
  // Coordinates by name: any type of number, decimals; dates, times and texts where the axis reads them. Null is NaN.
  std::vector<std::string> columns = {};
  // Texts, whole numbers, or dictionaries of these. A row without one is handed on with an empty key, which is refused.
  std::optional<std::string> unit_column = std::nullopt;
  std::vector<AxisKind> kinds = {};  // of the columns, in their order; empty: numbers
  std::string where = {};            // a condition on one row (docs/where.md); empty: all rows are handed on
};

// stream: the address of an ArrowArrayStream of tables. It is used up: its content is moved out of it. Can be scanned
// once. Doubles without nulls are read in place. Several threads convert batches; one at a time asks for the next.
std::unique_ptr<Points> arrow_points(void* stream, const ArrowOptions& options);

}  // namespace shoal
