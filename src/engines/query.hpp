// The SQL that an engine is asked. All of it is written here, except an owner's own query (--sql).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engines/session.hpp"
#include "shoal/engines.hpp"

namespace shoal {

// An identifier in quotes.
std::string quoted_name(std::string_view name);
// A text literal.
std::string quoted_text(std::string_view text);
// The parts of NAME or SCHEMA.NAME. A part in double quotes may hold dots. Throws if a part is empty, or there are
// more.
std::vector<std::string> table_parts(std::string_view table);
// A query that finds a table in the catalogue: its answer has the columns schema and name, and a row if it is there.
std::string catalogue_query(std::string_view table, Engine engine);

// An input, by its kind.
struct EngineInput {
  enum class Kind { parquet, duckdb, iceberg, postgresql };
  Kind kind = Kind::parquet;
  bool remote = false;     // s3:// or https://
  std::string place = {};  // without the scheme that is ours

  [[nodiscard]] Engine engine() const { return kind == Kind::postgresql ? Engine::postgresql : Engine::duckdb; }
  [[nodiscard]] bool is_database() const { return kind == Kind::postgresql || kind == Kind::duckdb; }
};
EngineInput engine_input(const std::string& input);
// How it is called in messages: a file's name, a server without its address.
std::string engine_input_name(const EngineInput& input);
// The files that it means, as a list of SQL: ['a.parquet', 'b.parquet'].
std::string file_list(const EngineInput& input);
// The address of a server, which must hold no password.
void check_address(const std::string& address);

// Throws unless exactly one of the table and the query is given where there are tables, and no table where there is
// none.
void check_options(const EngineInput& input, const EngineOptions& options);
// The rows, as a query of their own: all columns of the table or files; or the owner's query. `table` is in quotes.
std::string row_query(const EngineInput& input, const EngineOptions& options, const std::string& table);

}  // namespace shoal
