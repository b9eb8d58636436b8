// Options, input, output and progress, which all commands of the program share. One reader of options, one writer of
// files.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"
#include "shoal/files.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"
#include "shoal/readers.hpp"
#include "shoal/release.hpp"

namespace shoal::cli {

using Json = nlohmann::ordered_json;

// The function that main() runs after the command line is parsed.
using Run = std::function<void()>;

class Console;

// The public grid.
struct GridArguments {
  std::string bounds, grid = "64";
  std::string outside = "drop";
  bool geo = false;
  std::optional<Grid> earlier;  // --like: replaces --bounds and --grid
  void add(CLI::App& command, bool bounds_required);
  // Returns one declaration per axis, or none without --bounds. Either all have names or none has.
  [[nodiscard]] std::vector<DeclaredAxis> axes() const;
  // Returns the grid. names: the known names of the columns. Bounds are matched by name, or by order if they have none.
  [[nodiscard]] Grid make(const std::vector<std::string>& names) const;
  // The same for --auto, without moving bounds to the edges of cells. Throws if there are too many axes for --auto.
  [[nodiscard]] Grid make_finest(const std::vector<std::string>& names) const;
  [[nodiscard]] Outside outside_rule() const;
};

// The source of the rows, and how they are read.
struct InputArguments {
  std::string path;
  std::vector<std::string> columns;
  std::string delimiter = "auto", header = "auto", on_bad_row = "fail";
  bool multiline = false;
  std::string decimal = "point", thousands = "none", date_format;
  std::vector<std::string> missing;  // --na
  std::string table, where, sql;
  bool verbose = false;
  void add(CLI::App& command);
  // Uses the columns of --columns, else those that --bounds names, else as many as there are bounds.
  [[nodiscard]] CsvOptions csv(const GridArguments& grid) const;
  [[nodiscard]] CsvOptions csv() const { return csv(GridArguments{}); }
  // Opens the points under these options, with a reader of text or with an engine. Ctrl-C cancels an engine's
  // query.
  [[nodiscard]] std::unique_ptr<Points> open(const CsvOptions& options) const;
  [[nodiscard]] std::unique_ptr<Points> open_input(
      const CsvOptions& options) const;  // without conversion of dates and numbers
  // Returns the files that must not be overwritten.
  [[nodiscard]] std::vector<std::string> files() const;
  // Returns the words of a command line for this input, including its conditions.
  [[nodiscard]] std::string words() const;
  // Warns which guarantee a release loses with --sql.
  void warn(const Console& console) const;
  // Returns a short name of the input.
  [[nodiscard]] std::string short_name() const;
};

// Returns the names of the columns that the options state, without reading data; at least one entry per column.
std::vector<std::string> names_in_options(const CsvOptions& options);
// Returns "columns x, y": the columns that were read, by name if known, else by position.
std::string columns_used(const CsvOptions& options, const Points& points);

// Options of the clustering.
struct ClusterArguments {
  std::optional<double> percentile, density, coverage;
  std::optional<std::uint64_t> top;
  std::optional<std::string> wavelet, transform, adjacency;
  std::optional<unsigned> level;
  std::optional<std::uint64_t> min_cells;
  unsigned threads = 0;
  void add(CLI::App& command);
  // Returns `start` with the given options applied. Throws if several thresholds are given.
  [[nodiscard]] ClusterOptions over(ClusterOptions start) const;
  [[nodiscard]] bool has_threshold() const { return percentile || density || coverage || top; }
};

// --levels 1-5: several resolutions at once, of `cluster` and `reshape`.
struct LevelsArgument {
  std::string text;
  void add(CLI::App& command);
  [[nodiscard]] bool is_given() const { return !text.empty(); }
  // Throws if --level is given too, or an output cannot hold several levels.
  void check(const ClusterArguments& cluster, const std::vector<std::string>& outputs) const;
};

// Returns the option for a threshold, such as "--percentile 58"; "--auto" for DensityModes.
std::string option_of(const Threshold& threshold);
// Returns the threshold's option, and those of the clustering that differ from the default.
std::string options_of(const ClusterOptions& options);

// --json FILE: machine-readable output; "-" is standard output, which then holds nothing else. Includes --force.
struct JsonArgument {
  std::string path;
  bool force = false;
  void add(CLI::App& command);
  [[nodiscard]] bool to_stdout() const { return path == "-"; }
  // Opens this output and `others`, before anything is read. Throws if one of them is one of `inputs`.
  [[nodiscard]] Outputs open(const std::vector<std::string>& inputs, const std::vector<std::string>& others = {}) const;
  // Does nothing if no path was given.
  void write(const Json& json, Outputs& outputs) const;
};

// --force, and the outputs of a command that has no --json.
void add_force(CLI::App& command, bool& force);
Outputs open_outputs(bool force, const std::vector<std::string>& inputs, const std::vector<std::string>& paths);

// Starts a group: options that are added after this call appear under this title in --help.
void start_group(CLI::App& command, const std::string& name);
// --delimiter, as InputArguments::csv() reads it.
void add_delimiter(CLI::App& command, std::string& delimiter);

// Lines for people, on standard output; on standard error if standard output holds JSON.
class Console {
 public:
  explicit Console(const JsonArgument& json) : out_(json.to_stdout() ? stderr : stdout) {}
  void line(const std::string& text) const;
  // Prints a warning, in amber on a terminal unless NO_COLOR is set.
  void notice(const std::string& text) const;
  // Prints the next useful command after an empty line.
  void next(const std::string& command) const;

 private:
  std::FILE* out_;
};

// Shows a bar on a terminal for work that takes over a second. `done` returns a share in [0, 1], or -1 if unknown.
class Progress {
 public:
  Progress(std::string what, std::function<double()> done);
  // Shows the progress of reading. If the size is unknown, shows rows and bytes so far and their rate.
  Progress(std::string what, const Points& source);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  struct Painter;
  std::unique_ptr<Painter> painter_;
};

// Returns a path as a word of a command line, quoted if necessary.
std::string shell_word(const std::string& path);
// Returns commands that show more of the release in that file or label points; none if it shows no cluster.
std::optional<std::string> next_command(const Release& release, const std::string& path);
// Returns the first .json among the written files, or an empty string.
std::string first_json(const std::vector<std::string>& outputs);
// Parses lists such as "64,48". `option` names the option in error messages.
std::vector<std::uint64_t> parse_cells(const std::string& text, const std::string& option);
double parse_number(const std::string& text, const std::string& option);

// Throws if Shoal writes no format with the suffix of `path`.
void check_output(const std::string& path);

Json json_of_axes(const Grid& grid);

// Each adds a command to the program; if the command is chosen, it sets `run`.
void add_audit(CLI::App& program, Run& run);
void add_check(CLI::App& program, Run& run);
void add_cluster(CLI::App& program, Run& run);
void add_columns(CLI::App& program, Run& run);
void add_compare(CLI::App& program, Run& run);
void add_evaluate(CLI::App& program, Run& run);
void add_explain(CLI::App& program, Run& run);
void add_datasets(CLI::App& program, Run& run);
void add_ledger(CLI::App& program, Run& run);
void add_plan(CLI::App& program, Run& run);
void add_predict(CLI::App& program, Run& run);
void add_release(CLI::App& program, Run& run);
void add_reproduce(CLI::App& program, Run& run);
void add_reshape(CLI::App& program, Run& run);
void add_serve(CLI::App& program, Run& run);
void add_shell(CLI::App& program, Run& run);
void add_studio(CLI::App& program, Run& run);
void add_synthesize(CLI::App& program, Run& run);
void add_tree(CLI::App& program, Run& run);

}  // namespace shoal::cli
