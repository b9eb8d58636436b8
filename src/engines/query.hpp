// The SQL that an engine is asked: composed here, but for the owner's condition or query.
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
// NAME or SCHEMA.NAME, each in quotes; a part may be given in quotes, and then holds dots.
std::string quoted_table(std::string_view table);
// Refuses a condition that could look at another row than its own, or end the statement it stands in. docs/engines.md.
void check_condition(std::string_view where, Engine engine);

// An input, by its kind.
struct EngineInput {
  enum class Kind { parquet, json_lines, duckdb, iceberg, postgresql };
  Kind kind = Kind::parquet;
  bool remote = false;     // s3:// or https://
  std::string place = {};  // without the scheme that is ours

  [[nodiscard]] Engine engine() const { return kind == Kind::postgresql ? Engine::postgresql : Engine::duckdb; }
  [[nodiscard]] bool is_database() const { return kind == Kind::postgresql || kind == Kind::duckdb; }
};
EngineInput engine_input(const std::string& input);
// How it is called in messages: a file's name, a server without its address.
std::string engine_input_name(const EngineInput& input);
// The address of a server, which must hold no password.
void check_address(const std::string& address);

// The rows, as a query of their own: all columns of the table or files, filtered; or the owner's query. For JSON lines
// the columns are the named ones, as texts, and `json`.
std::string row_query(const EngineInput& input, const EngineOptions& options);

}  // namespace shoal
