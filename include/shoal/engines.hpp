// Reads points through an engine: DuckDB reads Parquet and DuckDB files, and PostgreSQL reads its tables.
// This header is on the raw side.
//
// An engine is a library that is loaded when it is first needed (ADBC; docs/engines.md). It filters rows and passes on
// columns; Shoal converts and counts them. Each row is handled independently of all others: types come from the
// declaration of the table, never from values, and a value that is not a coordinate is missing. Engines run read-only,
// write no files, and load extensions only by name. Their messages may contain values and are shown only to an owner
// who asks for them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// Selects what an engine reads.
struct EngineOptions {
  // The table of a database, as NAME or SCHEMA.NAME. Empty for files.
  std::string table = {};
  // Condition that each row must meet (docs/where.md). If empty, all rows are read.
  std::string where = {};
  // A whole query in SQL that replaces `table` and `where`. Files have the name `input` in it. LIMIT, DISTINCT,
  // windows, joins and groups let one record change how others are counted. The author of the query is then responsible
  // for the privacy of the release.
  std::string sql = {};
  // Coordinate columns, by name or by position, starting at 1. If empty, all columns except the unit column are used,
  // and there must be `dimensions` of them.
  std::vector<std::string> columns = {};
  std::size_t dimensions = 2;
  // Column that identifies the privacy unit. It must hold text or whole numbers. A row without a value gets an empty
  // key, which a release refuses, unless `skip_without_unit` is set: then the row is skipped.
  std::optional<std::string> unit_column = std::nullopt;
  bool skip_without_unit = false;
  // Layout of dates in texts that `where` compares with dates, such as %d.%m.%Y. If empty, they are in ISO 8601.
  std::string date_layout = {};
  // Texts that denote a missing value, in coordinates and in `where`; in `where` also numbers.
  std::vector<std::string> missing = {};
  // Kind of each column, in the order of `columns`. If empty, all columns hold numbers.
  std::vector<AxisKind> kinds = {};
  // A name that no column of the table may have; the table is refused if one has it.
  std::optional<std::string> no_column = std::nullopt;
  // Receives the engine's own message if the engine fails. The message may contain values; errors contain none.
  std::function<void(const std::string&)> on_message = {};
};

// Returns true if an engine reads the input. The suffix or the scheme decides: .parquet, .pq, .duckdb, postgresql://,
// postgres://, s3://, https:// or iceberg:. JSON lines and delimited text need no engine. Throws if the scheme is any
// other.
bool is_engine_input(const std::string& input);
// Returns the local files that the input denotes. A pattern (* ? [) denotes the files that it matches, in order of
// their names. Empty for a server. Throws if a pattern matches no file.
std::vector<std::string> engine_files(const std::string& input);
// A column as its table declares it.
struct EngineColumn {
  std::string name;
  // "number", "whole number", "date", "text", or "other". No axis accepts a column of type "other".
  std::string type;
};
// Returns the declared columns of a table or query. Loads the engine, connects, and reads only the declaration. `table`
// or `sql` of the options selects what is described.
std::vector<EngineColumn> engine_columns(const std::string& input, const EngineOptions& options);
// Opens the input of an engine. Loads the engine, connects, and reads the declaration of the columns. The result can be
// scanned several times; each scan runs a query. Stopping a scan cancels its query.
std::unique_ptr<Points> open_engine(const std::string& input, const EngineOptions& options);

}  // namespace shoal
