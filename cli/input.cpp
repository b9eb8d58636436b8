// Where points come from: delimited text, JSON lines, or an engine.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "command.hpp"
#include "shoal/engines.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"
#include "shoal/readers.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> interrupted_by = 0;

// The first signal asks the query to end; a second one ends the program at once.
void on_signal(int signal) {
  interrupted_by = signal;
  if (!interrupted.exchange(true)) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// While one lives, Ctrl-C and requests to end set `interrupted`.
class SignalsAsked {
 public:
  SignalsAsked() {
    interrupted = false;
    interrupted_by = 0;
    struct sigaction asked {};
    asked.sa_handler = on_signal;
    sigemptyset(&asked.sa_mask);
    for (std::size_t i = 0; i < before_.size(); ++i) ::sigaction(signals[i], &asked, &before_[i]);
  }
  ~SignalsAsked() {
    for (std::size_t i = 0; i < before_.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  SignalsAsked(const SignalsAsked&) = delete;
  SignalsAsked& operator=(const SignalsAsked&) = delete;

 private:
  static constexpr std::array<int, 2> signals = {SIGINT, SIGTERM};
  std::array<struct sigaction, 2> before_{};
};

// A query that a signal cancels, whereupon the program does with the signal what it does elsewhere.
class CancelledBySignal final : public Points, public OrderedScan {
 public:
  explicit CancelledBySignal(std::unique_ptr<Points> source) : source_(std::move(source)) {
    source_->stop_when(&interrupted);
  }
  [[nodiscard]] std::size_t dimensions() const override { return source_->dimensions(); }
  [[nodiscard]] std::vector<std::string> names() const override { return source_->names(); }
  [[nodiscard]] double progress() const override { return source_->progress(); }
  [[nodiscard]] Taken taken() const override { return source_->taken(); }
  [[nodiscard]] std::uint64_t skipped() const override { return source_->skipped(); }

  void scan(unsigned threads, const Visit& visit) override {
    cancelled([&] { source_->scan(threads, visit); });
  }

  void scan_in_order(unsigned threads, const Visit& visit, const HandOver& hand_over) override {
    cancelled([&] { shoal::scan_in_order(*source_, threads, visit, hand_over); });
  }

 private:
  template <class Scan>
  static void cancelled(const Scan& scan) {
    try {
      const SignalsAsked asked;
      scan();
    } catch (...) {
      if (interrupted) std::raise(interrupted_by);
      throw;
    }
    if (interrupted) std::raise(interrupted_by);
  }

  std::unique_ptr<Points> source_;
};

// Files of other programs: how they are called, and the command that writes their rows as CSV. {0} is the file, {1} the
// CSV.
struct OtherFile {
  std::vector<std::string> suffixes;
  const char* kind;
  const char* command;
};

const std::vector<OtherFile>& other_files() {
  static const std::vector<OtherFile> files = {
      {{".xlsx", ".xlsm", ".xls", ".ods", ".numbers"},
       "a workbook; save the sheet as CSV in its program",
       "soffice --headless --convert-to csv {0}"},
      {{".geojson", ".shp", ".gpkg", ".kml"}, "a map file", "ogr2ogr -f CSV {1} {0} -lco GEOMETRY=AS_XY"},
      {{".sqlite", ".sqlite3", ".db"}, "a SQLite database", "sqlite3 -header -csv {0} 'SELECT * FROM TABLE' > {1}"},
      {{".zip"}, "an archive", "unzip -p {0} > {1}"},
      {{".sav", ".dta", ".sas7bdat", ".rds", ".rdata"},
       "a file of a statistics program; save the table as CSV there",
       ""},
      {{".feather", ".arrow"}, "an Arrow file; save the table as Parquet or as CSV in the program that wrote it", ""},
  };
  return files;
}

// Refuses files of other programs by their names, and says how to write one that can be read.
void check_kind(const std::string& path) {
  const std::filesystem::path file(path);
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const auto renamed = [&](const char* other) {
    return shell_word(std::filesystem::path(file).replace_extension(other).string());
  };
  for (const OtherFile& other : other_files()) {
    if (std::find(other.suffixes.begin(), other.suffixes.end(), suffix) == other.suffixes.end()) continue;
    const std::string command = fmt::format(fmt::runtime(other.command), shell_word(path), renamed(".csv"));
    throw InputError(fmt::format("'{}' is {}{}; then give {} in its place", path, other.kind,
                                 command.empty() ? "" : ", or run: " + command, renamed(".csv")));
  }
  if (suffix != ".json") return;
  std::ifstream stream(path);
  char first = '\0';
  stream >> first;
  if (first != '[' && first != '{') return;
  throw InputError(fmt::format(
      "'{0}' is JSON, which is read as one object per line; run: jq -c '{1}' {2} > {3}; then give {3} in its place",
      path, first == '[' ? ".[]" : ".", shell_word(path), renamed(".jsonl")));
}

void check_no_text_options(const CsvOptions& csv) {
  const CsvOptions usual;
  if (csv.delimiter || csv.header != usual.header || csv.multiline || csv.decimal != usual.decimal ||
      csv.thousands != usual.thousands) {
    throw Error(ErrorKind::usage,
                "--delimiter, --header, --multiline, --decimal and --thousands are for delimited text; remove them");
  }
}

EngineOptions engine_options(const InputArguments& input, const CsvOptions& csv) {
  check_no_text_options(csv);
  EngineOptions options{.table = input.table,
                        .where = input.where,
                        .sql = input.sql,
                        .columns = csv.columns,
                        .dimensions = csv.dimensions,
                        .unit_column = csv.unit_column,
                        .skip_without_unit = csv.on_bad_row == OnBadRow::skip,
                        .date_layout = csv.date_layout,
                        .missing = csv.missing,
                        .kinds = csv.kinds,
                        .no_column = csv.no_column};
  if (input.verbose) {
    options.on_message = [](const std::string& message) { fmt::print(stderr, "{}\n", message); };
  }
  return options;
}

JsonLinesOptions json_lines_options(const InputArguments& input, const CsvOptions& csv) {
  check_no_text_options(csv);
  return {.columns = csv.columns,
          .unit_column = csv.unit_column,
          .where = input.where,
          .kinds = csv.kinds,
          .date_layout = csv.date_layout,
          .missing = csv.missing,
          .on_bad_line = csv.on_bad_line,
          .on_bad_row = csv.on_bad_row,
          .no_column = csv.no_column};
}

}  // namespace

std::unique_ptr<Points> InputArguments::open(const CsvOptions& given) const {
  CsvOptions options = given;
  if (!date_format.empty()) {
    check_date_layout(date_format);
    options.date_layout = date_format;
    for (AxisKind& kind : options.kinds) {
      if (auto* instants = std::get_if<Instants>(&kind.scale)) instants->layout = date_format;
    }
  }
  std::vector<double> numbers;
  for (const std::string& text : options.missing) {
    double number = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr == end && !text.empty()) numbers.push_back(number);
  }
  return without_missing(open_input(options), std::move(numbers), options.kinds);
}

std::unique_ptr<Points> InputArguments::open_input(const CsvOptions& options) const {
  check_kind(path);
  if (is_engine_input(path)) {
    return std::make_unique<CancelledBySignal>(open_engine(path, engine_options(*this, options)));
  }
  if (!table.empty() || !sql.empty()) {
    throw Error(ErrorKind::usage,
                "--table and --sql are for Parquet and databases; --where selects records of CSV files and JSON lines");
  }
  if (is_json_lines(path)) return open_json_lines(path, json_lines_options(*this, options));
  CsvOptions selected = options;
  selected.where = where;
  return open_csv(path, selected);
}

std::vector<std::string> InputArguments::files() const {
  if (is_engine_input(path)) return engine_files(path);
  return is_json_lines(path) ? json_lines_files(path) : std::vector<std::string>{path};
}

std::string InputArguments::words() const {
  std::string result = shell_word(path);
  if (!table.empty()) result += " --table " + shell_word(table);
  if (!where.empty()) result += " --where " + shell_word(where);
  if (!sql.empty()) result += " --sql " + shell_word(sql);
  return result;
}

void InputArguments::warn(const Console& console) const {
  if (sql.empty()) return;
  console.notice(
      "Warning: the privacy of this release rests on --sql. LIMIT, DISTINCT, windows, joins, groups and subqueries let "
      "one "
      "record change how others are counted; then epsilon does not hold. --table with --where is always safe.");
}

std::string InputArguments::short_name() const {
  return table.empty() ? std::filesystem::path(path).stem().string() : table;
}

}  // namespace shoal::cli
