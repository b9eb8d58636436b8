// shoal columns: what an input calls its columns. Reads the first line of a text, or the declaration of a table.
#include <fmt/format.h>

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
  JsonArgument json;
};

// Empty names where the text has none.
std::vector<EngineColumn> text_columns(const Arguments& arguments) {
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
  std::vector<EngineColumn> columns(layout.roles.size());
  for (std::size_t i = 0; i < layout.field_names.size(); ++i) columns[i].name = layout.field_names[i];
  return columns;
}

void run_columns(const Arguments& arguments) {
  const Console console(arguments.json);
  Outputs outputs = arguments.json.open({arguments.path});
  const bool engine = is_engine_input(arguments.path);
  if (!engine && !arguments.table.empty()) throw Error(ErrorKind::usage, "--table is for databases; remove it");
  if (!engine && is_json_lines(arguments.path)) {
    throw InputError(fmt::format("'{}' holds JSON lines, which declare no columns", arguments.path));
  }
  const std::vector<EngineColumn> columns =
      engine ? engine_columns(arguments.path, {.table = arguments.table}) : text_columns(arguments);
  Json json = Json::array();
  for (const EngineColumn& column : columns) json.push_back({{"name", column.name}, {"type", column.type}});
  arguments.json.write({{"columns", json}}, outputs);
  if (arguments.json.to_stdout()) return;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    console.line(fmt::format("{:>4}  {}{}", i + 1, columns[i].name.empty() ? "(no name)" : columns[i].name,
                             columns[i].type.empty() ? "" : ": " + columns[i].type));
  }
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
  arguments->json.add(*command);
  command->footer("Example:\n  shoal columns trips.parquet");
  command->callback([arguments, &run] { run = [arguments] { run_columns(*arguments); }; });
}

}  // namespace shoal::cli
