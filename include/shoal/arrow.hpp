// Reads points from an Arrow C stream (https://arrow.apache.org/docs/format/CStreamInterface.html), which databases,
// data frames and Arrow's own readers produce. This header is on the raw side: the points are not private.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/axis_kind.hpp"
#include "shoal/points.hpp"

namespace shoal {

// Selects the columns and rows that arrow_points() reads.
struct ArrowOptions {
  // Names of the coordinate columns, in the order of the axes. A column may hold numbers of any type, including
  // decimals. If the kind of its axis reads text, the column may also hold dates, times or text. A null becomes NaN.
  std::vector<std::string> columns = {};
  // Name of the column that identifies the privacy unit. It must hold text, whole numbers, or dictionaries of these. A
  // row without a value gets an empty key, which a release refuses.
  std::optional<std::string> unit_column = std::nullopt;
  // Kind of each column, in the order of `columns`. If empty, all columns hold numbers.
  std::vector<AxisKind> kinds = {};
  // Condition that each row must meet to be read (docs/where.md). If empty, all rows are read.
  std::string where = {};
};

// Returns the points of an Arrow stream. `stream` is the address of an ArrowArrayStream of tables. The result takes
// ownership of the stream's content and leaves the stream empty. It can be scanned once. Columns of doubles without
// nulls are read in place, without a copy. Several threads convert batches, but only one thread at a time requests the
// next batch. Throws if the stream was already read, does not hold tables, or lacks a requested column, and if a column
// has an unsuitable type.
std::unique_ptr<Points> arrow_points(void* stream, const ArrowOptions& options);

}  // namespace shoal
