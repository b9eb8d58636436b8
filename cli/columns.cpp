// shoal columns: what an input calls its columns. Reads the first line of a text, or the declaration of a table. With
// --rows it shows the first records of a text, for the owner.
#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "command.hpp"
#include "points/byte_source.hpp"
#include "points/csv_layout.hpp"
#include "shoal/engines.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string path, table, header = "yes", delimiter = "auto";
  std::size_t rows = 0;
  JsonArgument json;
};

struct Shown {
  std::vector<EngineColumn> columns;           // with empty names where the text has none
  std::vector<std::vector<std::string>> rows;  // as many as asked for, if the first 64 kB hold them
  std::string delimiter;                       // of a text
};

Shown text_columns(const Arguments& arguments) {
  InputArguments input;
  input.columns = {"1"};  // any: the layout names them all
  input.header = arguments.header;
  input.delimiter = arguments.delimiter;
  const CsvOptions options = input.csv();
  ByteProgress progress;
  ByteSource source(arguments.path, progress, [] {});
  std::string head;
  constexpr std::size_t piece = std::size_t{1} << 16;
  bool complete = false;
  while (!complete && !holds_record(head, options)) {
    if (head.size() > csv_longest_record) throw InputError("the first line is too long for a file of records");
    std::string more(piece, '\0');
    more.resize(source.read(more.data(), more.size()));
    complete = more.size() < piece;
    head += more;
  }
  const CsvLayout layout = find_layout(head, complete, options, source.name());
  Shown shown{.columns = std::vector<EngineColumn>(layout.roles.size()),
              .rows = first_records(head, complete, layout, arguments.rows),
              .delimiter = std::string(1, layout.delimiter)};
  for (std::size_t i = 0; i < layout.field_names.size(); ++i) shown.columns[i].name = layout.field_names[i];
  return shown;
}

// JSON holds UTF-8 alone. A field of another encoding is shown with its other bytes replaced; a name could not be asked
// for, so it is refused.
void make_utf8(Shown& shown, const std::string& source) {
  for (std::size_t i = 0; i < shown.columns.size(); ++i) {
    if (is_utf8(shown.columns[i].name)) continue;
    throw InputError(
        fmt::format("{}: the name of column {} is not UTF-8, so the file has another encoding; convert it first: iconv "
                    "-f WINDOWS-1252 -t UTF-8 FILE > NEW",
                    source, i + 1));
  }
  for (std::vector<std::string>& row : shown.rows) {
    for (std::string& field : row) {
      if (is_utf8(field)) continue;
      std::replace_if(
          field.begin(), field.end(), [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; }, '?');
    }
  }
}

void run_columns(const Arguments& arguments) {
  const Console console(arguments.json);
  Outputs outputs = arguments.json.open({arguments.path});
  const bool engine = is_engine_input(arguments.path);
  if (!engine && !arguments.table.empty()) throw Error(ErrorKind::usage, "--table is for databases; remove it");
  if (!engine && is_json_lines(arguments.path)) {
    throw InputError(fmt::format("'{}' holds JSON lines, which declare no columns", arguments.path));
  }
  if (engine && arguments.rows > 0) {
    throw Error(ErrorKind::usage, "--rows shows the first records of delimited text; remove it");
  }
  Shown shown =
      engine ? Shown{.columns = engine_columns(arguments.path, {.table = arguments.table}), .rows = {}, .delimiter = {}}
             : text_columns(arguments);
  make_utf8(shown, arguments.path);
  const std::vector<EngineColumn>& columns = shown.columns;
  Json json = Json::array();
  for (const EngineColumn& column : columns) json.push_back({{"name", column.name}, {"type", column.type}});
  Json result{{"columns", json}};
  if (arguments.rows > 0) {
    result["private"] = false;
    result["delimiter"] = shown.delimiter;
    result["rows"] = shown.rows;
  }
  arguments.json.write(result, outputs);
  if (arguments.json.to_stdout()) return;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    console.line(fmt::format("{:>4}  {}{}", i + 1, columns[i].name.empty() ? "(no name)" : columns[i].name,
                             columns[i].type.empty() ? "" : ": " + columns[i].type));
  }
  if (arguments.rows > 0) console.line("NOT PRIVATE: the first records of the data, for the data owner only.");
  for (const std::vector<std::string>& row : shown.rows) console.line(fmt::format("{}", fmt::join(row, " | ")));
}

}  // namespace

void add_columns(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("columns", "List the columns of an input; reads no values");
  start_group(*command, "Input");
  command->add_option("INPUT", arguments->path, "CSV, Parquet, DuckDB or postgresql:// (docs/engines.md)")->required();
  command->add_option("--table", arguments->table, "Table of a database: NAME or SCHEMA.NAME");
  command->add_option("--header", arguments->header, "Whether line 1 holds column names: yes or no")
      ->check(CLI::IsMember({"yes", "no"}))
      ->capture_default_str();
  add_delimiter(*command, arguments->delimiter);
  command->add_option("--rows", arguments->rows, "Also show the first records of a text; not private")
      ->check(CLI::Range(1, 100));
  arguments->json.add(*command);
  command->footer("Example:\n  shoal columns trips.parquet");
  command->callback([arguments, &run] { run = [arguments] { run_columns(*arguments); }; });
}

}  // namespace shoal::cli
