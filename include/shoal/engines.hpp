// Points that an engine reads: Parquet, JSON lines and DuckDB files by DuckDB, tables by PostgreSQL. Raw side.
//
// An engine is a library that is loaded when it is first needed (ADBC; docs/engines.md). It filters rows and hands on
// columns; Shoal converts and counts them. A row decides about itself alone: types come from the table's declaration,
// never from values, and a value that is no coordinate is missing. Engines run read-only, write no files and load no
// extension but by name. Their messages may hold values and are shown to nobody but the owner who asks for them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/axis_kind.hpp"
#include "shoal/points.hpp"

namespace shoal {

// What is read, and how.
struct EngineOptions {
  // Of a database: the table, NAME or SCHEMA.NAME. Of files: empty.
  std::string table = {};
  // A condition on one row, in the language of docs/where.md. Empty: all rows.
  std::string where = {};
  // In place of both: a whole query, in which files go by the name `input`. LIMIT, DISTINCT, windows, joins and groups
  // let one record change how others are counted: the privacy of a release then is the query's author's task.
  std::string sql = {};
  // Coordinates by name, or by position from 1 on. Empty: all columns but the unit's, of which there must be
  // `dimensions`.
  std::vector<std::string> columns = {};
  std::size_t dimensions = 2;
  // Texts or whole numbers. A row without one is handed on with an empty key, which is refused, or is skipped.
  std::optional<std::string> unit_column = std::nullopt;
  bool skip_without_unit = false;
  // How texts that `where` compares with dates write them, such as %d.%m.%Y. Empty: ISO 8601.
  std::string date_layout = {};
  // Texts and numbers that `where` takes for missing values.
  std::vector<std::string> missing = {};
  std::vector<AxisKind> kinds = {};                     // of the columns, in their order; empty: numbers
  std::optional<std::string> no_column = std::nullopt;  // a table with a column of this name is refused
  // Takes the engine's own message, which may hold values, when it fails. Errors themselves hold none.
  std::function<void(const std::string&)> on_message = {};
};

// Whether an engine reads it, by its suffix or scheme: .parquet, .jsonl, .ndjson (also .gz, .zst), .duckdb;
// postgresql://, postgres://, s3://, https://, iceberg:. Refuses any other scheme.
bool is_engine_input(const std::string& input);
// The files of this machine that it means: those a pattern (* ? [) matches, in order of their names; none of a server.
std::vector<std::string> engine_files(const std::string& input);
// A column as its table declares it.
struct EngineColumn {
  std::string name;
  std::string type;  // "number", "whole number", "date", "text", or "other", which no axis takes
};
// Loads the engine, connects, and reads the declaration alone. Of `options`: which table, or query. Refuses JSON lines,
// which declare nothing.
std::vector<EngineColumn> engine_columns(const std::string& input, const EngineOptions& options);
// Loads the engine, connects, and reads the declaration of the columns. Can be scanned again; each scan is a query.
// A scan that is stopped cancels its query.
std::unique_ptr<Points> open_engine(const std::string& input, const EngineOptions& options);

}  // namespace shoal
