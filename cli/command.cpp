#include "command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "config.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/private_release.hpp"
#include "shoal/text.hpp"
#include "shoal/tree.hpp"
#include "words.hpp"

namespace shoal::cli {

namespace {
Error usage(const std::string& message) { return {ErrorKind::usage, message}; }

template <class Value>
Value one_of(const std::string& text, const std::string& option,
             const std::vector<std::pair<std::string, Value>>& known) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known) {
    if (name == text) return value;
    names.push_back(name);
  }
  throw usage(
      fmt::format("{} is '{}'{}; choose one of: {}", option, text, did_you_mean(text, names), fmt::join(names, ", ")));
}

// A column that is asked for by its place instead of its name.
bool is_position(const std::string& column) {
  return !column.empty() && column.find_first_not_of("0123456789") == std::string::npos;
}

std::optional<char> delimiter_named(const std::string& word) {
  if (word.size() == 1) return word.front();
  for (const auto& [name, character] :
       {std::pair("comma", ','), std::pair("tab", '\t'), std::pair("semicolon", ';'), std::pair("space", ' ')}) {
    if (word == name) return character;
  }
  if (word == "auto") return std::nullopt;
  throw usage(fmt::format(
      "--delimiter is '{}'; choose auto, comma, tab, semicolon, space, or one character of ASCII, such as '|'", word));
}
}  // namespace

double parse_number(const std::string& text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw usage(fmt::format("{}: '{}' is not a number", option, text));
  }
  return value;
}

std::vector<std::uint64_t> parse_cells(const std::string& text, const std::string& option) {
  std::vector<std::uint64_t> cells;
  for (const std::string& part : split(text, ',')) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size()) {
      std::string meant = text;
      std::replace_if(
          meant.begin(), meant.end(), [](char letter) { return std::string_view("xX*;").find(letter) < 4; }, ',');
      const bool clear = meant != text && meant.find_first_not_of("0123456789,") == std::string::npos;
      throw usage(fmt::format("{} is '{}'; {}", option, text,
                              clear ? fmt::format("write {} {}", option, meant)
                                    : "give a whole number such as 64, or one for every axis such as 64,48"));
    }
    cells.push_back(value);
  }
  return cells;
}

void start_group(CLI::App& command, const std::string& name) { command.option_defaults()->group(name); }

void GridArguments::add(CLI::App& command, bool bounds_required) {
  start_group(command, "Grid");
  auto* option =
      command.add_option("--bounds", bounds, "Public range of each axis: 0:1,-90:90 or age=0:110:int (docs/axes.md)");
  if (bounds_required) option->required();
  command.add_option("--grid", grid, "Cells per axis: one number, or one per axis")->capture_default_str();
  command.add_flag("--geo", geo, "Cells of equal area for axes named lon and lat");
  command.add_option("--outside", outside, "Points outside the bounds: drop, or clamp to the bound")
      ->capture_default_str();
}

namespace {
// The name of an axis whose column has none.
std::string nameless(std::size_t axis) { return fmt::format("axis {}", axis + 1); }
}  // namespace

Outside GridArguments::outside_rule() const {
  return one_of<Outside>(outside, "--outside", {{"drop", Outside::drop}, {"clamp", Outside::clamp}});
}

std::vector<DeclaredAxis> GridArguments::axes() const {
  std::vector<DeclaredAxis> axes;
  if (earlier) {
    for (std::size_t i = 0; i < earlier->dimensions(); ++i) {
      const Axis& axis = earlier->axis(i);
      const bool unnamed = axis.name().empty() || axis.name() == nameless(i);
      axes.push_back({unnamed ? std::string() : axis.name(), axis.lo(), axis.hi(), axis.kind()});
    }
    return axes;
  }
  if (!bounds.empty()) axes = declared_axes(bounds);
  if (geo) make_geographic(axes);
  return axes;
}

Grid GridArguments::make(const std::vector<std::string>& names) const {
  if (earlier) {
    for (std::size_t i = 0; i < names.size() && names.size() == earlier->dimensions(); ++i) {
      if (names[i].empty() || names[i] == earlier->axis(i).name() || earlier->axis(i).name() == nameless(i)) continue;
      throw usage(fmt::format("column {} is '{}', but the release of --like has '{}' there; remove --columns or --like",
                              i + 1, names[i], earlier->axis(i).name()));
    }
    return *earlier;
  }
  const auto given = axes();
  auto cells = parse_cells(grid, "--grid");
  if (given.size() != names.size()) {
    throw usage(fmt::format("--bounds has {}, but {} read; give one LOWER:UPPER per column",
                            counted(given.size(), "range"), counted(names.size(), "column is", "columns are")));
  }
  if (cells.size() == 1) cells.resize(given.size(), cells.front());
  if (cells.size() != given.size()) {
    throw usage(fmt::format("--grid has {} numbers, but there are {} axes; give one number, or one per axis",
                            cells.size(), given.size()));
  }
  std::vector<Axis> result;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool by_name = !given[i].name.empty() && !names[i].empty();
    const auto found =
        std::find_if(given.begin(), given.end(), [&](const DeclaredAxis& axis) { return axis.name == names[i]; });
    if (by_name && found == given.end()) {
      throw usage(fmt::format("--bounds has no range for column '{}'; add {}=LOWER:UPPER", names[i], names[i]));
    }
    const DeclaredAxis& axis = by_name ? *found : given[i];
    const std::string& name = names[i].empty() ? axis.name : names[i];
    result.push_back(axis.fitted(cells[i], name.empty() ? nameless(i) : name));
  }
  return Grid(std::move(result));
}

Grid GridArguments::make_finest(const std::vector<std::string>& names) const {
  const auto all = axes();
  const auto pooled = std::count_if(all.begin(), all.end(), [](const auto& axis) { return axis.kind.is_pooled(); });
  const std::uint64_t cells = cells_of_automatic_bounds(static_cast<std::size_t>(pooled));
  if (earlier) return make(names);
  GridArguments finest = *this;
  finest.grid = std::to_string(cells);
  return finest.make(names);
}

void add_delimiter(CLI::App& command, std::string& delimiter) {
  command.add_option("--delimiter", delimiter, "Delimiter: auto, comma, tab, semicolon, space, or a character")
      ->capture_default_str();
}

void InputArguments::add(CLI::App& command) {
  start_group(command, "Input");
  command.add_option("INPUT", path, "CSV, Parquet, JSON lines, DuckDB, postgresql:// (docs/engines.md); - reads stdin")
      ->required();
  command.add_option("--columns", columns, "Coordinate columns, by name or position: x,y or 1,2")->delimiter(',');
  add_delimiter(command, delimiter);
  command.add_option("--header", header, "Whether line 1 holds column names: auto, yes or no")->capture_default_str();
  command.add_option("--on-bad-row", on_bad_row, "Rows that do not parse: fail or skip")->capture_default_str();
  command.add_flag("--multiline", multiline, "Allow quoted fields that span lines");
  command.add_option("--decimal", decimal, "Decimal mark of numbers: point or comma")
      ->check(CLI::IsMember({"point", "comma"}))
      ->capture_default_str();
  command.add_option("--thousands", thousands, "Thousands mark: none, comma, point, space or apostrophe")
      ->capture_default_str();
  command.add_option("--date-format", date_format, "Layout of dates in text, such as %d.%m.%Y");
  command.add_option("--na", missing, "Values that are missing, such as NA,999; also empty fields")->delimiter(',');
  const auto not_empty = [](const std::string& text) {
    return text.empty() ? std::string("is empty; give it a value or remove it") : std::string();
  };
  command.add_option("--table", table, "Table of a database: NAME or SCHEMA.NAME")->check(not_empty);
  command.add_option("--where", where, "Condition on one row, such as \"age >= 18\" (docs/where.md)")->check(not_empty);
  command.add_option("--sql", sql, "Whole query; LIMIT, DISTINCT, windows, joins couple records")->check(not_empty);
  command.add_flag("--verbose", verbose, "Show the engine's own error message, which may hold values");
}

CsvOptions InputArguments::csv(const GridArguments& grid) const {
  CsvOptions options;
  for (const std::string& column : columns) options.columns.emplace_back(unit_key(column));
  options.delimiter = delimiter_named(delimiter);
  options.header = one_of<CsvHeader>(header, "--header",
                                     {{"auto", CsvHeader::detect}, {"yes", CsvHeader::yes}, {"no", CsvHeader::no}});
  options.on_bad_row =
      one_of<OnBadRow>(on_bad_row, "--on-bad-row", {{"fail", OnBadRow::fail}, {"skip", OnBadRow::skip}});
  options.multiline = multiline;

  for (const std::string& text : missing) options.missing.emplace_back(unit_key(text));
  options.decimal = decimal == "comma" ? ',' : '.';
  options.thousands = one_of<char>(
      thousands, "--thousands", {{"none", '\0'}, {"comma", ','}, {"point", '.'}, {"space", ' '}, {"apostrophe", '\''}});

  const auto axes = grid.axes();
  if (!axes.empty()) options.dimensions = axes.size();
  for (const DeclaredAxis& axis : axes) options.kinds.push_back(axis.kind);
  if (axes.empty() || axes.front().name.empty()) return options;
  std::vector<std::string> named;
  for (const DeclaredAxis& axis : axes) named.push_back(axis.name);
  if (options.columns.empty()) {
    if (options.header != CsvHeader::no) options.columns = named;
    return options;
  }
  const bool by_position = std::any_of(options.columns.begin(), options.columns.end(), is_position);
  if (by_position && options.header != CsvHeader::no) {
    throw usage(
        "--bounds uses names and --columns uses positions, so they cannot be matched; use names in both, or add "
        "--header no if the file has no names");
  }
  for (const std::string& name : named) {
    if (!by_position && std::find(options.columns.begin(), options.columns.end(), name) == options.columns.end()) {
      throw usage(fmt::format("--bounds names '{}', which is not in --columns {}; use the same names in both", name,
                              fmt::join(options.columns, ",")));
    }
  }
  if (by_position) return options;
  options.kinds.clear();
  for (const std::string& column : options.columns) {
    const auto found = std::find(named.begin(), named.end(), column);
    options.kinds.push_back(found == named.end() ? AxisKind{}
                                                 : axes[static_cast<std::size_t>(found - named.begin())].kind);
  }
  return options;
}

std::vector<std::string> names_in_options(const CsvOptions& options) {
  std::vector<std::string> names = options.columns;
  if (names.empty()) names.resize(options.dimensions);
  for (std::string& name : names) {
    if (is_position(name)) name.clear();
  }
  return names;
}

std::string columns_used(const CsvOptions& options, const Points& points) {
  std::vector<std::string> used = points.names();
  std::size_t position = 0;
  for (std::size_t i = 0; i < used.size(); ++i) {
    ++position;
    if (options.unit_column && *options.unit_column == std::to_string(position)) ++position;
    if (used[i].empty()) used[i] = options.columns.empty() ? std::to_string(position) : options.columns[i];
  }
  return fmt::format("{} {}", used.size() == 1 ? "column" : "columns", fmt::join(used, ", "));
}

void ClusterArguments::add(CLI::App& command) {
  start_group(command, "Threshold (give one)");
  command.add_option("--percentile", percentile, "Drop the least dense P % of non-empty cells");
  command.add_option("--coverage", coverage, "Keep the densest cells that hold P % of records");
  command.add_option("--top", top, "Keep the N densest cells");
  command.add_option("--density", density, "Keep cells of at least this density after the transform");
  start_group(command, "Transform and clusters");
  command.add_option("--wavelet", wavelet,
                     "Wavelet: haar (default), db1..db20, sym2..sym20, coif1..coif5, bior1.1.., rbio1.1..");
  command.add_option("--level", level, "Transform levels, each halving the grid (default 1)");
  command.add_option("--transform", transform, "Transform: decimated (default) or stationary");
  command.add_option("--adjacency", adjacency, "Neighbouring cells: full (default, with corners) or face");
  command.add_option("--min-cells", min_cells, "Minimum cells per cluster (default 1)");
  command.add_option("--threads", threads, "Number of threads; 0 uses all cores")->capture_default_str();
}

ClusterOptions ClusterArguments::over(ClusterOptions start) const {
  if ((percentile ? 1 : 0) + (top ? 1 : 0) + (density ? 1 : 0) + (coverage ? 1 : 0) > 1) {
    throw usage("give only one of --percentile, --coverage, --top and --density");
  }
  if (percentile) start.threshold = Percentile(*percentile);
  if (top) start.threshold = Top(*top);
  if (density) start.threshold = Density(*density);
  if (coverage) start.threshold = Coverage(*coverage);
  if (wavelet) start.wavelet = Wavelet::named(*wavelet);
  if (level) start.level = *level;
  if (transform) {
    start.transform = one_of<Transform>(*transform, "--transform",
                                        {{"decimated", Transform::decimated}, {"stationary", Transform::stationary}});
  }
  if (adjacency) {
    start.adjacency =
        one_of<Adjacency>(*adjacency, "--adjacency", {{"full", Adjacency::full}, {"face", Adjacency::face}});
  }
  if (min_cells) start.min_cells = *min_cells;
  start.threads = threads;
  return start;
}

void LevelsArgument::add(CLI::App& command) {
  command.add_option("--levels", text, "Several levels at once, such as 1-5 (docs/techniques.md)")
      ->group("Transform and clusters");
}

void LevelsArgument::check(const ClusterArguments& cluster, const std::vector<std::string>& outputs) const {
  if (cluster.level) throw usage("give only one of --level and --levels");
  for (const std::string& output : outputs) {
    if (!output.ends_with(".csv") && !output.ends_with(".geojson")) continue;
    throw InputError(
        fmt::format("several levels cannot be written to '{}'; use the suffix .html, .svg, .png or .json", output));
  }
}

std::string option_of(const Threshold& threshold) {
  if (const auto* percentile = std::get_if<Percentile>(&threshold)) {
    return fmt::format("--percentile {}", percentile->percent());
  }
  if (const auto* coverage = std::get_if<Coverage>(&threshold))
    return fmt::format("--coverage {}", coverage->percent());
  if (const auto* top = std::get_if<Top>(&threshold)) return fmt::format("--top {}", top->cells());
  if (const auto* density = std::get_if<Density>(&threshold)) return fmt::format("--density {}", density->least());
  return "--auto";
}

std::string options_of(const ClusterOptions& options) {
  const ClusterOptions usual{.threshold = options.threshold};
  std::string words = option_of(options.threshold);
  if (options.wavelet != usual.wavelet) words += fmt::format(" --wavelet {}", options.wavelet.name());
  if (options.level != usual.level) words += fmt::format(" --level {}", options.level);
  if (options.transform != usual.transform) words += " --transform stationary";
  if (options.adjacency != usual.adjacency) words += " --adjacency face";
  if (options.min_cells != usual.min_cells) words += fmt::format(" --min-cells {}", options.min_cells);
  return words;
}

void JsonArgument::add(CLI::App& command) {
  start_group(command, "Output");
  command.add_option("--json", path, "Write the result as JSON; - for standard output");
  add_force(command, force);
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "Overwrite existing output files, but never an input");
}

Outputs open_outputs(bool force, const std::vector<std::string>& inputs, const std::vector<std::string>& paths) {
  Outputs outputs(force ? Existing::replace : Existing::refuse);
  outputs.keep(config_file());
  for (const std::string& input : inputs) outputs.keep(input);
  for (const std::string& path : paths) {
    if (!path.empty()) outputs.add(path);
  }
  return outputs;
}

namespace {
// Refuses -o map.html,map.json, which would be one file of that name.
void check_one_file(const std::string& path) {
  const std::vector<std::string> names = split(path, ',');
  if (names.size() < 2) return;
  const bool all_have_suffixes = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return std::filesystem::path(name).extension().string().size() > 3;
  });
  if (!all_have_suffixes) return;
  throw usage(
      fmt::format("'{}' would be one file; give the option once per file: -o {}", path, fmt::join(names, " -o ")));
}
}  // namespace

Outputs JsonArgument::open(const std::vector<std::string>& inputs, const std::vector<std::string>& others) const {
  std::vector<std::string> paths = others;
  paths.push_back(path);
  for (const std::string& each : paths) check_one_file(each);
  return open_outputs(force, inputs, paths);
}

void JsonArgument::write(const Json& json, Outputs& outputs) const {
  if (!path.empty()) outputs.write(path, json.dump(2) + "\n");
}

void Console::line(const std::string& text) const { fmt::print(out_, "{}\n", text); }

void Console::notice(const std::string& text) const {
  const bool colour = ::isatty(::fileno(out_)) != 0 && std::getenv("NO_COLOR") == nullptr;
  fmt::print(out_, "{}{}{}\n", colour ? "\033[33m" : "", text, colour ? "\033[0m" : "");
}

void Console::next(const std::string& command) const { fmt::print(out_, "\nNext: {}\n", command); }

std::string shell_word(const std::string& path) {
  if (!path.empty() && path.find_first_of(" \t'\"\\$&|;<>()*?[]#~`!{}") == std::string::npos) return path;
  std::string result = "'";
  for (const char c : path) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::optional<std::string> next_command(const Release& release, const std::string& path) {
  if (const std::optional<BetterShape> better = better_shape(release)) {
    return fmt::format("shoal reshape {} {} -o reshaped.html   (free: {})", shell_word(path), better->options,
                       better->why);
  }
  if (release.clusters().size() == release.doubtful().size()) return std::nullopt;  // nothing would be labelled
  return fmt::format("shoal predict {} POINTS.csv -o labels.csv   (free: labels every point)", shell_word(path));
}

std::string first_json(const std::vector<std::string>& outputs) {
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [](const std::string& output) { return output.ends_with(".json"); });
  return found == outputs.end() ? "" : *found;
}

void check_output(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  static const std::vector<std::string> known = {".json", ".geojson", ".gpkg", ".tif", ".csv", ".html", ".svg", ".png"};
  if (std::find(known.begin(), known.end(), suffix) == known.end()) {
    throw InputError(fmt::format("cannot write '{}': the suffix '{}' is unknown; use one of {}", path, suffix,
                                 fmt::join(known, " ")));
  }
}

Json json_of_axes(const Grid& grid) { return Json::parse(axes_json(grid)); }

namespace {

// 12,345,678.
std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

namespace {

// For a program that reads them: "progress 0.43", negative where the share is unknown.
bool as_lines() {
  const char* how = std::getenv("SHOAL_PROGRESS");
  return how != nullptr && std::string_view(how) == "lines";
}

bool shows_progress() { return as_lines() || ::isatty(STDERR_FILENO) != 0; }

}  // namespace

// Paints from a thread of its own, so that the work need not know of it.
struct Progress::Painter {
  std::string what;
  std::function<double()> done;
  const Points* source = nullptr;
  bool lines = as_lines();
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  std::thread thread;

  void paint() {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex);
    if (wake.wait_for(lock, 1s, [&] { return stop; })) return;
    const auto start = std::chrono::steady_clock::now();
    while (!stop) {
      const double share = done();
      if (lines) {
        fmt::print(stderr, "progress {:.3f}\n", share);
        std::fflush(stderr);
        wake.wait_for(lock, 200ms, [&] { return stop; });
        continue;
      }
      const double seconds = 1 + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (share >= 0) {
        const int filled = static_cast<int>(std::lround(30 * std::min(share, 1.0)));
        fmt::print(stderr, "\r{} [{}{}] {:3.0f} %  {:.0f} s ", what, std::string(filled, '#'),
                   std::string(30 - filled, '.'), 100 * share, seconds);
      } else {
        fmt::print(stderr, "\r{} {} {:.0f} s \033[K", what, so_far(seconds), seconds);
      }
      std::fflush(stderr);
      wake.wait_for(lock, 200ms, [&] { return stop; });
    }
    if (!lines) fmt::print(stderr, "\r\033[K");
  }

  [[nodiscard]] std::string so_far(double seconds) const {
    const Points::Taken taken = source == nullptr ? Points::Taken{} : source->taken();
    if (taken.bytes == 0) return "...";
    return fmt::format("{} rows, {:.3g} GB, {:.0f} MB/s", with_commas(taken.rows),
                       static_cast<double>(taken.bytes) / 1e9, static_cast<double>(taken.bytes) / seconds / 1e6);
  }

  void start() {
    thread = std::thread([this] { paint(); });
  }
};

Progress::Progress(std::string what, std::function<double()> done) {
  if (!shows_progress()) return;
  painter_ = std::make_unique<Painter>();
  painter_->what = std::move(what);
  painter_->done = std::move(done);
  painter_->start();
}

Progress::Progress(std::string what, const Points& source) {
  if (!shows_progress()) return;
  painter_ = std::make_unique<Painter>();
  painter_->what = std::move(what);
  painter_->done = [&source] { return source.progress(); };
  painter_->source = &source;
  painter_->start();
}

Progress::~Progress() {
  if (!painter_) return;
  {
    const std::lock_guard lock(painter_->mutex);
    painter_->stop = true;
  }
  painter_->wake.notify_all();
  painter_->thread.join();
}

}  // namespace shoal::cli
