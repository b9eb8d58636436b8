// shoal columns: what an input calls its columns. Reads the first line of a text, or the declaration of a table. With
// --rows it shows the first records of a text, for the owner.
#include <fmt/format.h>

#include <utility>

#include "command.hpp"
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
  input.header = arguments.header;
  input.delimiter = arguments.delimiter;
  CsvHead head = csv_head(arguments.path, input.csv(), arguments.rows);
  Shown shown{.columns = {}, .rows = std::move(head.rows), .delimiter = std::string(1, head.delimiter)};
  for (std::string& name : head.names) shown.columns.push_back({std::move(name), {}});
  return shown;
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
  const Shown shown =
      engine ? Shown{.columns = engine_columns(arguments.path, {.table = arguments.table}), .rows = {}, .delimiter = {}}
             : text_columns(arguments);
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
  command->footer("Examples:\n  shoal columns trips.parquet\n  shoal columns visits.csv --rows 5");
  command->callback([arguments, &run] { run = [arguments] { run_columns(*arguments); }; });
}

}  // namespace shoal::cli
