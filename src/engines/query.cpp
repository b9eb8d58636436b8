#include "engines/query.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>

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

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// By suffix; nothing when it is no format that an engine reads.
std::optional<EngineInput::Kind> kind_of_file(const std::string& path) {
  std::string name = lower(path);
  if (ends_with_any(name, {".parquet", ".pq"})) return EngineInput::Kind::parquet;
  if (name.ends_with(".duckdb")) return EngineInput::Kind::duckdb;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  if (ends_with_any(name, {".jsonl", ".ndjson"})) return EngineInput::Kind::json_lines;
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
    throw InputError("an object store is read as Parquet or JSON lines; give a name that ends in .parquet or .jsonl");
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

// ['a.parquet', 'b.parquet']
std::string file_list(const EngineInput& input) {
  std::vector<std::string> files;
  if (input.remote) files.push_back(quoted_text(input.place));
  if (!input.remote) {
    for (const std::string& file : engine_files(input.place)) files.push_back(quoted_text(exact_name(file)));
  }
  return fmt::format("[{}]", fmt::join(files, ", "));
}

// A field of a JSON object, as text. A JSON pointer names it, in which ~ and / are escaped.
std::string json_field(const std::string& name) {
  std::string pointer(1, '/');
  for (const char c : name) {
    if (c == '~' || c == '/') pointer += '~';
    pointer += c == '~' ? '0' : c == '/' ? '1' : c;
  }
  return fmt::format("json_extract_string(json, {}) as {}", quoted_text(pointer), quoted_name(name));
}

// No types are guessed: every line is an object of its own, whose fields are texts.
std::string json_lines(const EngineInput& input, const EngineOptions& options) {
  std::vector<std::string> names = options.columns;
  if (options.unit_column) names.push_back(*options.unit_column);
  std::vector<std::string> fields = {"json"};
  for (const std::string& name : names) fields.push_back(json_field(name));
  return fmt::format("(select {} from read_ndjson_objects({}))", fmt::join(fields, ", "), file_list(input));
}

std::string source(const EngineInput& input, const EngineOptions& options) {
  switch (input.kind) {
    case EngineInput::Kind::parquet:
      return fmt::format("read_parquet({}, hive_partitioning = false)", file_list(input));
    case EngineInput::Kind::json_lines:
      return json_lines(input, options);
    case EngineInput::Kind::iceberg:
      return fmt::format("iceberg_scan({})", quoted_text(input.place));
    default:
      return quoted_table(options.table);
  }
}

// What a bracket opens with where it holds a query.
constexpr std::array<std::string_view, 12> begins_query{"from",  "with",      "table",       "values",
                                                        "pivot", "unpivot",   "describe",    "desc",
                                                        "show",  "summarize", "pivot_wider", "pivot_longer"};
// Where a row stands among the others, or who wrote it: it moves when another row goes.
constexpr std::array<std::string_view, 2> duckdb_places{"file_row_number", "rowid"};
constexpr std::array<std::string_view, 5> postgresql_places{"ctid", "xmin", "xmax", "cmin", "cmax"};
// How functions of PostgreSQL begin that run a query, or tell of a whole table.
constexpr std::array<std::string_view, 6> looks_around{"query_to_xml",    "table_to_xml",  "schema_to_xml",
                                                       "database_to_xml", "cursor_to_xml", "pg_"};

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

[[noreturn]] void refuse_condition(std::string_view found) {
  throw InputError(fmt::format(
      "--where holds {}; it is a condition on one row, such as \"age >= 18\"; a query goes to --sql", found));
}

void check_name(const std::string& name, Engine engine) {
  const bool is_place = engine == Engine::duckdb ? is_one_of(duckdb_places, name) : is_one_of(postgresql_places, name);
  if (is_place) refuse_condition("the place of a row, which depends on other rows");
  if (engine == Engine::duckdb) return;
  if (std::any_of(looks_around.begin(), looks_around.end(), [&](auto start) { return name.starts_with(start); })) {
    refuse_condition("a function that looks at other rows");
  }
}

}  // namespace

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }
std::string quoted_text(std::string_view text) { return quoted(text, '\''); }

std::string quoted_table(std::string_view table) {
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
  for (std::string& part : parts) {
    if (part.empty()) throw InputError("--table has an empty name; give NAME or SCHEMA.NAME");
    part = quoted_name(part);
  }
  return fmt::format("{}", fmt::join(parts, "."));
}

void check_condition(std::string_view where, Engine engine) {
  int open = 0;
  bool starts = true;  // an expression: at the beginning and behind a bracket
  for (std::size_t at = 0; at < where.size(); ++at) {
    const char c = where[at];
    if (c == '\'' || c == '"') {
      const std::size_t end = where.find(c, at + 1);
      if (end == std::string_view::npos) refuse_condition("a quote that is not closed");
      if (c == '"') check_name(lower(where.substr(at + 1, end - at - 1)), engine);
      at = end;
      starts = false;
    } else if (is_word(c)) {
      std::size_t end = at;
      while (end < where.size() && is_word(where[end])) ++end;
      const std::string word = lower(where.substr(at, end - at));
      if (word == "select" || (starts && is_one_of(begins_query, word))) {
        refuse_condition("a query inside it, which looks at other rows");
      }
      check_name(word, engine);
      at = end - 1;
      starts = false;
    } else if (c == '(' || c == ')') {
      open += c == '(' ? 1 : -1;
      if (open < 0) refuse_condition("a bracket that was not opened");
      starts = c == '(';
    } else if (c == ';' || c == '\\' || c == '$' || c == '\0' || where.substr(at).starts_with("--") ||
               where.substr(at).starts_with("/*")) {
      refuse_condition("one of ; \\ $ -- /*");
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      starts = false;
    }
  }
  if (open != 0) refuse_condition("a bracket that is not closed");
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
  const std::string& path = found->place;
  if (std::filesystem::exists(path) || path.find_first_of("*?[") == std::string::npos) return {path};
  if (path.find("**") != std::string::npos) {
    throw InputError("a pattern with ** is not read; give one * per folder, such as 'trips/*/*.parquet'");
  }
  glob_t matches{};
  const int failed = ::glob(path.c_str(), 0, nullptr, &matches);
  std::vector<std::string> files;
  if (failed == 0) files.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  ::globfree(&matches);
  if (files.empty()) throw InputError(fmt::format("no file matches '{}'; check the pattern", path));
  return files;
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
        "the address holds a password (or a port that is no number), which everybody on this machine can see; set "
        "PGPASSWORD or use ~/.pgpass");
  }
}

std::string row_query(const EngineInput& input, const EngineOptions& options) {
  if (!options.sql.empty() && (!options.table.empty() || !options.where.empty())) {
    throw Error(ErrorKind::usage, "--sql is a whole query; remove --table and --where, or --sql");
  }
  if (input.is_database() ? options.sql.empty() && options.table.empty() : !options.table.empty()) {
    throw Error(ErrorKind::usage, input.is_database()
                                      ? "a database has tables; give --table NAME or --table SCHEMA.NAME"
                                      : "--table names a table of a database; a file has none");
  }
  if (!options.sql.empty()) {
    std::string sql = options.sql;
    while (!sql.empty() && (sql.back() == ';' || std::isspace(static_cast<unsigned char>(sql.back())) != 0)) {
      sql.pop_back();
    }
    const std::string with =
        input.is_database() ? "" : fmt::format("with input as (select * from {})\n", source(input, options));
    return fmt::format("{}select * from ({}{}\n) own", with, own_sql_mark, sql);
  }
  std::string all = fmt::format("select * from {}", source(input, options));
  if (options.where.empty()) return all;
  check_condition(options.where, input.engine());
  return fmt::format("{} where ({}{}\n)", all, own_sql_mark, options.where);
}

}  // namespace shoal
