// What every command of the program shares: options, input, output, progress. One reader of options, one writer of
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

#include "base/files.hpp"
#include "shoal/counts.hpp"
#include "shoal/csv.hpp"
#include "shoal/declared_axis.hpp"
#include "shoal/grid.hpp"
#include "shoal/options.hpp"
#include "shoal/points.hpp"
#include "shoal/release.hpp"

namespace shoal::cli {

using Json = nlohmann::ordered_json;

// What main() runs once the command line is understood.
using Run = std::function<void()>;

class Console;

// The public grid.
struct GridArguments {
  std::string bounds, grid = "64";
  std::string outside = "drop";
  bool geo = false;
  std::optional<Grid> earlier;  // --like: takes the place of --bounds and --grid
  void add(CLI::App& command, bool bounds_required);
  // One per axis, none without --bounds. All have names or none.
  [[nodiscard]] std::vector<DeclaredAxis> axes() const;
  // names: of the columns, as far as known. Bounds that have names go by them; else the order counts.
  [[nodiscard]] Grid make(const std::vector<std::string>& names) const;
  // The same for --auto: bounds are not moved to the ends of cells of --grid. Refuses more axes than it can choose for.
  [[nodiscard]] Grid make_finest(const std::vector<std::string>& names) const;
  [[nodiscard]] Outside outside_rule() const;
};

// Where rows come from and how they are read.
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
  // Columns: as --columns says, else those that --bounds names, else as many as there are bounds.
  [[nodiscard]] CsvOptions csv(const GridArguments& grid) const;
  [[nodiscard]] CsvOptions csv() const { return csv(GridArguments{}); }
  // The points, read as the options say: by a reader of delimited text or by an engine. Ctrl-C cancels an engine's
  // query.
  [[nodiscard]] std::unique_ptr<Points> open(const CsvOptions& options) const;
  [[nodiscard]] std::unique_ptr<Points> open_input(const CsvOptions& options) const;  // dates and numbers as they are
  // Files that must not be overwritten.
  [[nodiscard]] std::vector<std::string> files() const;
  // The input as a command line has it, with what selects its rows.
  [[nodiscard]] std::string words() const;
  // Says what --sql takes away from a release.
  void warn(const Console& console) const;
  // What it is called where a short name is needed.
  [[nodiscard]] std::string short_name() const;
};

// Names of the columns as far as options tell them, without reading anything; at least one per column.
std::vector<std::string> names_in_options(const CsvOptions& options);
// "columns x, y": what was read, by name where names are known, else by position.
std::string columns_used(const CsvOptions& options, const Points& points);

// What changes the clustering.
struct ClusterArguments {
  std::optional<double> percentile, density, coverage;
  std::optional<std::uint64_t> top;
  std::optional<std::string> wavelet, transform, adjacency;
  std::optional<unsigned> level;
  std::optional<std::uint64_t> min_cells;
  unsigned threads = 0;
  void add(CLI::App& command);
  // `start` with everything that was given put over it; refuses more than one threshold.
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

// The option that gives it: "--percentile 58"; of DensityModes "--auto".
std::string option_of(const Threshold& threshold);

// --json FILE: machine-readable, "-" for standard output and nothing else there. With it --force, for all outputs.
struct JsonArgument {
  std::string path;
  bool force = false;
  void add(CLI::App& command);
  [[nodiscard]] bool to_stdout() const { return path == "-"; }
  // The command's outputs, this one and `others`; none of them may be one of `inputs`. Before anything is read.
  [[nodiscard]] Outputs open(const std::vector<std::string>& inputs, const std::vector<std::string>& others = {}) const;
  // Nothing when no path was given.
  void write(const Json& json, Outputs& outputs) const;
};

// --force, and the outputs of a command that has no --json.
void add_force(CLI::App& command, bool& force);
Outputs open_outputs(bool force, const std::vector<std::string>& inputs, const std::vector<std::string>& paths);

// Options added from here on stand under this title in --help.
void start_group(CLI::App& command, const std::string& name);
// --delimiter, as InputArguments::csv() reads it.
void add_delimiter(CLI::App& command, std::string& delimiter);

// Lines for people: on standard output, or on standard error when that carries JSON.
class Console {
 public:
  explicit Console(const JsonArgument& json) : out_(json.to_stdout() ? stderr : stdout) {}
  void line(const std::string& text) const;
  // A warning: amber on a terminal, unless NO_COLOR is set.
  void notice(const std::string& text) const;
  // The next useful command, set apart.
  void next(const std::string& command) const;

 private:
  std::FILE* out_;
};

// A bar on a terminal for work over a second; nothing elsewhere. `done` gives a share in [0, 1], negative when unknown.
class Progress {
 public:
  Progress(std::string what, std::function<double()> done);
  // Of reading; where the size is unknown: rows and bytes so far and how many a second.
  Progress(std::string what, const Points& source);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  struct Painter;
  std::unique_ptr<Painter> painter_;
};

// Text of a path for a command line: quoted when it needs to be.
std::string shell_word(const std::string& path);
// What shows more of the release in that file, or labels points by it; none: it shows no cluster.
std::optional<std::string> next_command(const Release& release, const std::string& path);
// The first .json among the files that were written; empty: none.
std::string first_json(const std::vector<std::string>& outputs);
// "64,48" and the like; `option` names the option in refusals.
std::vector<std::uint64_t> parse_cells(const std::string& text, const std::string& option);
double parse_number(const std::string& text, const std::string& option);

// Refuses a file whose suffix is no format of ours.
void check_output(const std::string& path);

Json axes_json(const Grid& grid);

// Each command adds itself to the program and, when it was chosen, sets `run`.
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
