#include "engines/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include "points/file_pattern.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == '\0') throw InputError("a name of a column, table or file holds a zero byte; rename it");
    result += c;
    if (c == quote) result += quote;
  }
  result += quote;
  return result;
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view s) { return text.ends_with(s); });
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Returns the format by its suffix, or nothing if no engine reads it.
std::optional<EngineInput::Kind> kind_of_file(const std::string& path) {
  const std::string name = lower(path);
  if (ends_with_any(name, {".parquet", ".pq"})) return EngineInput::Kind::parquet;
  if (name.ends_with(".duckdb")) return EngineInput::Kind::duckdb;
  return std::nullopt;
}

std::optional<EngineInput> told_apart(const std::string& input) {
  if (input.starts_with("postgresql://") || input.starts_with("postgres://")) {
    return EngineInput{EngineInput::Kind::postgresql, true, input};
  }
  if (input.starts_with("iceberg:")) {
    const std::string place = input.substr(8);
    return EngineInput{EngineInput::Kind::iceberg, place.find("://") != std::string::npos, place};
  }
  const std::size_t scheme = input.find("://");
  const bool remote = input.starts_with("s3://") || input.starts_with("https://");
  if (scheme != std::string::npos && !remote && !std::filesystem::exists(input)) {  // may hold a password: not shown
    throw InputError(
        "the address given as INPUT has an unknown scheme; use postgresql://, s3://, https:// or iceberg:, or a file");
  }
  const auto kind = kind_of_file(input);
  if (remote && (!kind || *kind == EngineInput::Kind::duckdb)) {
    throw InputError(
        "an object store is read as Parquet; give a name that ends in .parquet, or copy the file here first");
  }
  if (!kind) return std::nullopt;
  return EngineInput{*kind, remote, input};
}

// DuckDB takes * ? [ in a name as a pattern, also where a file is really called so.
std::string exact_name(const std::string& path) {
  std::string result;
  for (const char c : path) {
    const bool special = c == '*' || c == '?' || c == '[';
    if (special) result += '[';
    result += c;
    if (special) result += ']';
  }
  return result;
}

std::string source(const EngineInput& input) {
  switch (input.kind) {
    case EngineInput::Kind::parquet:
      return fmt::format("read_parquet({}, hive_partitioning = false)", file_list(input));
    case EngineInput::Kind::iceberg:
      return fmt::format("iceberg_scan({})", quoted_text(input.place));
    default:
      return {};
  }
}

}  // namespace

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }
std::string quoted_text(std::string_view text) { return quoted(text, '\''); }

std::string file_list(const EngineInput& input) {
  std::vector<std::string> files;
  if (input.remote) files.push_back(quoted_text(input.place));
  if (!input.remote) {
    for (const std::string& file : engine_files(input.place)) files.push_back(quoted_text(exact_name(file)));
  }
  return fmt::format("[{}]", fmt::join(files, ", "));
}

std::vector<std::string> table_parts(std::string_view table) {
  std::vector<std::string> parts(1);
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (table[at] == '.') {
      parts.emplace_back();
    } else if (table[at] != '"') {
      parts.back() += table[at];
    } else {
      while (++at < table.size() && (table[at] != '"' || (at + 1 < table.size() && table[at + 1] == '"'))) {
        if (table[at] == '"') ++at;
        parts.back() += table[at];
      }
    }
  }
  const bool empty = std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (empty || parts.size() > 2) {
    throw InputError("--table is NAME or SCHEMA.NAME; write a name that holds a dot in double quotes");
  }
  return parts;
}

std::string catalogue_query(std::string_view table, Engine engine) {
  const std::vector<std::string> parts = table_parts(table);
  const std::string name = quoted_text(parts.back());
  const std::string schema = parts.size() == 2 ? quoted_text(parts.front()) : std::string();
  if (engine == Engine::duckdb) {
    return fmt::format(
        "select table_schema, table_name from information_schema.tables where table_catalog = current_database() and "
        "table_name = {} and table_schema = {}",
        name, schema.empty() ? "current_schema()" : schema);
  }
  return fmt::format(
      "select n.nspname::text, c.relname::text from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = "
      "c.relnamespace where c.relkind in ('r', 'v', 'm', 'f', 'p') and c.relname = {} and {}",
      name, schema.empty() ? "pg_catalog.pg_table_is_visible(c.oid)" : "n.nspname = " + schema);
}

EngineInput engine_input(const std::string& input) { return told_apart(input).value(); }

bool is_engine_input(const std::string& input) { return told_apart(input).has_value(); }

std::string engine_input_name(const EngineInput& input) {
  if (input.kind == EngineInput::Kind::postgresql) return "the table";
  return input.remote ? "the address" : fmt::format("'{}'", input.place);
}

std::vector<std::string> engine_files(const std::string& input) {
  const auto found = told_apart(input);
  if (!found || found->remote) return {};
  return matching_files(found->place);
}

void check_address(const std::string& address) {
  const std::string rest = address.substr(address.find("://") + 3);
  const std::size_t query = rest.find('?');
  const std::string authority = rest.substr(0, std::min(rest.find('/'), query));
  const std::size_t at = authority.rfind('@');
  const bool in_user = at != std::string::npos && authority.substr(0, at).find(':') != std::string::npos;
  const bool in_query = query != std::string::npos && rest.find("password=", query) != std::string::npos;
  // Without an @, what stands behind a colon may be a password too.
  const std::string host = authority.substr(at == std::string::npos ? 0 : at + 1);
  const std::size_t colon = host.find(']') == std::string::npos ? host.find(':') : std::string::npos;
  const bool in_port = colon != std::string::npos &&
                       host.find_first_not_of("0123456789,", colon + 1) != std::string::npos &&
                       host.find(',') == std::string::npos;
  if (in_user || in_query || in_port) {
    throw InputError(
        "the address holds a password (or a port that is not a number), which all users of this machine can see; set "
        "PGPASSWORD or use ~/.pgpass");
  }
}

void check_options(const EngineInput& input, const EngineOptions& options) {
  if (!options.sql.empty() && (!options.table.empty() || !options.where.empty())) {
    throw Error(ErrorKind::usage, "--sql is a whole query; remove --table and --where, or --sql");
  }
  if (input.is_database() ? options.sql.empty() && options.table.empty() : !options.table.empty()) {
    throw Error(ErrorKind::usage, input.is_database()
                                      ? "a database has tables; give --table NAME or --table SCHEMA.NAME"
                                      : "--table names a table of a database; a file has none");
  }
}

std::string row_query(const EngineInput& input, const EngineOptions& options, const std::string& table) {
  const std::string from = input.is_database() ? table : source(input);
  if (options.sql.empty()) return fmt::format("select * from {}", from);
  std::string sql = options.sql;
  while (!sql.empty() && (sql.back() == ';' || std::isspace(static_cast<unsigned char>(sql.back())) != 0)) {
    sql.pop_back();
  }
  const std::string with = input.is_database() ? "" : fmt::format("with input as (select * from {})\n", from);
  return fmt::format("{}select * from ({}{}\n) own", with, own_sql_mark, sql);
}

}  // namespace shoal
