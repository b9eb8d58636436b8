// shoal cluster: plain WaveCluster, the owner's own view.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "command.hpp"
#include "labels.hpp"
#include "privacy_arguments.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/notices.hpp"
#include "shoal/owner.hpp"
#include "shoal/text.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  InputArguments input;
  GridArguments grid;
  ClusterArguments cluster;
  LevelsArgument levels;
  JsonArgument json;
  std::vector<std::string> outputs;
  std::string labels;
  bool automatic = false, grid_given = false;
};

// Bounds of the data itself: fine for the owner's eyes, never for a release.
std::string bounds_of_data(Points& points) {
  std::vector<std::pair<double, double>> ends(
      points.dimensions(), {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
  points.scan(1, [&](unsigned, const PointBlock& block) {
    for (std::size_t axis = 0; axis < ends.size(); ++axis) {
      for (const double x : block.columns[axis]) {
        if (!std::isfinite(x)) continue;
        ends[axis].first = std::min(ends[axis].first, x);
        ends[axis].second = std::max(ends[axis].second, x);
      }
    }
  });
  std::vector<std::string> parts;
  for (auto& [lo, hi] : ends) {
    if (!(lo <= hi)) throw InputError("the input has no points to take bounds from; give --bounds");
    if (lo == hi) hi = lo + std::max(1.0, std::fabs(lo));
    parts.push_back(fmt::format("{}:{}", lo, hi));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

constexpr const char* not_private =
    "NOT PRIVATE: computed from the raw data, for the data owner only. Do not share it.";

// In a release they would tell the extreme records.
constexpr const char* bounds_are_open =
    "--bounds was not given: the minimum and maximum of the data were used. A release needs bounds that were chosen "
    "without looking at the data.";

// LOW:HIGH,LOW:HIGH
std::string open_bounds(std::size_t dimensions) {
  return fmt::format("{}", fmt::join(std::vector<std::string>(dimensions, "LOW:HIGH"), ","));
}

void cluster_levels(const Arguments& arguments, const Counts& counts, const ClusterOptions& options, Outputs& outputs,
                    const Console& console) {
  const OwnerLevels levels = owner_levels(arguments.input.path, counts, options, parse_levels(arguments.levels.text));
  for (const std::string& output : arguments.outputs) outputs.write(output, levels.contents(output));
  arguments.json.write(Json::parse(levels.json()), outputs);
  if (arguments.json.to_stdout()) return;
  console.line(not_private);
  for (std::size_t i = 0; i < levels.views.size(); ++i) {
    const std::string held = held_in_words(levels.views, i);
    console.line(fmt::format("level {}: {}{}", levels.views[i].level,
                             counted(levels.views[i].map.clusters().count(), "cluster"),
                             held.empty() ? "" : ": " + held));
  }
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
}

void check_levels_of(const Arguments& arguments) {
  arguments.levels.check(arguments.cluster, arguments.outputs);
  if (arguments.automatic) {
    throw Error(ErrorKind::usage, "--auto chooses the resolution by itself; remove --auto or --levels");
  }
  if (!arguments.labels.empty()) {
    throw Error(ErrorKind::usage, "--labels needs one level; give --level in the place of --levels");
  }
}

void run_cluster(Arguments arguments) {
  const Console console(arguments.json);
  if (arguments.levels.is_given()) check_levels_of(arguments);
  if (arguments.automatic) check_automatic(arguments.cluster, arguments.grid_given, false);
  const ClusterOptions options =
      arguments.cluster.over({.threshold = arguments.automatic ? Threshold(DensityModes{}) : Percentile(50)});
  for (const std::string& output : arguments.outputs) {
    check_output(output);
    if (output.ends_with(".gpkg") || output.ends_with(".tif")) {
      throw InputError(fmt::format("'{}' is a format of releases; use .geojson, .csv, .html, .svg or .png", output));
    }
  }
  std::vector<std::string> files = arguments.outputs;
  files.push_back(arguments.labels);
  Outputs outputs = arguments.json.open(arguments.input.files(), files);
  const CsvOptions csv = arguments.input.csv(arguments.grid);
  const auto points = arguments.input.open(csv);
  const bool twice = arguments.grid.bounds.empty() || !arguments.labels.empty();
  if (arguments.input.path == "-" && twice) {
    throw Error(ErrorKind::usage,
                "standard input can be read only once; give --bounds and no --labels, or a file instead of -");
  }
  const bool bounds_given = !arguments.grid.bounds.empty();
  if (!bounds_given) arguments.grid.bounds = bounds_of_data(*points);
  const Grid bounds =
      arguments.automatic ? arguments.grid.make_finest(points->names()) : arguments.grid.make(points->names());
  const Outside outside = arguments.grid.outside_rule();

  std::vector<RoundedValues> rounded;
  const Counts counts = [&] {
    const Progress progress("reading", *points);
    const QuantizeOptions counting{.outside = outside, .threads = options.threads};
    if (!arguments.automatic) return quantize(*points, bounds, counting);
    AutomaticCounts chosen = automatic_counts(*points, bounds, counting);
    rounded = std::move(chosen.rounded);
    return std::move(chosen.counts);
  }();
  if (arguments.levels.is_given()) return cluster_levels(arguments, counts, options, outputs, console);
  const Grid& grid = counts.grid();
  const Segmentation result = wavecluster(counts, options);
  const ClusterMap map(grid, options.level, options.transform, result.clusters);

  const OwnerView view{arguments.input.path, counts, map, options, result};
  for (const std::string& output : arguments.outputs) outputs.write(output, view.contents(output));
  if (!arguments.labels.empty()) {
    const Labeller labeller(map.assigned(arguments.automatic ? Assign::halo : Assign::none));
    write_labels(*points, labeller, outside, false, options.threads, outputs.at(arguments.labels));
  }
  arguments.json.write(Json::parse(view.json()), outputs);

  if (arguments.json.to_stdout()) return;
  console.line(not_private);
  console.line(fmt::format("{} in {}, {} outside the bounds; grid {}", counted(counts.points(), "point"),
                           columns_used(csv, *points), counts.outside(), fmt::join(grid.shape(), " x ")));
  console.line(fmt::format(
      "{} of {} cells are non-empty after the transform; {} are {}", result.positive,
      result.positive + result.nonpositive, result.significant,
      arguments.automatic ? "in clusters" : fmt::format("significant (threshold {:.6g})", result.threshold)));
  constexpr std::size_t most_shown = 20;
  const auto& sizes = result.clusters.sizes();
  const std::vector<std::uint64_t> shown(
      sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(std::min(most_shown, sizes.size())));
  console.line(fmt::format("{}{}{}{}", counted(sizes.size(), "cluster"), sizes.empty() ? "" : ", cells: ",
                           fmt::join(shown, ", "), sizes.size() > most_shown ? ", ..." : ""));
  for (const std::string& words : rounding_in_words(grid, rounded)) console.line(words);
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  if (!arguments.labels.empty()) console.line(fmt::format("wrote {}", arguments.labels));
  const std::string columns =
      arguments.input.columns.empty() ? "" : fmt::format(" --columns {}", fmt::join(arguments.input.columns, ","));
  if (const auto notice = notice_of_long_filter(grid, options)) console.notice(*notice);
  if (!arguments.automatic) {
    for (const std::string& notice : notices_of_rounding(counts, options)) console.notice(notice);
  }
  if (!bounds_given) console.line(bounds_are_open);
  console.next(fmt::format(
      "shoal release {}{} --bounds {}{} {} --epsilon 1 -o clusters.json -o clusters.html", arguments.input.words(),
      columns, bounds_given ? shell_word(arguments.grid.bounds) : open_bounds(grid.dimensions()),
      arguments.automatic ? "" : fmt::format(" --grid {}", arguments.grid.grid), options_of(options)));
}

}  // namespace

void add_cluster(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("cluster", "Run plain WaveCluster; not private, for the data owner only");
  arguments->input.add(*command);
  arguments->grid.add(*command, false);
  arguments->cluster.add(*command);
  arguments->levels.add(*command);
  start_group(*command, "Output");
  command->add_option("-o,--output", arguments->outputs,
                      "Output file (.html .svg .png .json .csv .geojson); repeatable");
  command->add_option("--labels", arguments->labels, "Write the cluster of each row as CSV; 0: unclustered");
  command->add_flag("--auto", arguments->automatic, "Choose grid and threshold from the data")
      ->group("Threshold (give one)");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal datasets ds2 -o spirals.csv\n"
      "  shoal cluster spirals.csv --columns x,y --bounds 0:1,0:1 --grid 40 --percentile 10 -o spirals.html\n"
      "  shoal cluster spirals.csv --columns x,y --bounds 0:1,0:1 --auto -o spirals.html\n"
      "  shoal cluster spirals.csv --columns x,y --bounds 0:1,0:1 --grid 64 --percentile 10 --levels 1-4 -o "
      "levels.html");
  command->callback([arguments, command, &run] {
    arguments->grid_given = command->count("--grid") > 0;
    run = [arguments] { run_cluster(*arguments); };
  });
}

}  // namespace shoal::cli
