// shoal evaluate: techniques x budgets x runs against the truth. For the owner; every run is seeded, none is a release.
#include "evaluation/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <utility>

#include "command.hpp"
#include "evaluation/evaluation_report.hpp"
#include "privacy_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

using namespace shoal::evaluation;

struct Arguments {
  InputArguments input;
  GridArguments grid;
  ClusterArguments cluster;
  PrivacyArguments privacy;
  JsonArgument json;
  std::vector<std::string> techniques;  // none: all that take the threshold
  std::vector<std::string> epsilons = {"0.1", "0.5", "1"};
  std::uint64_t runs = 10, seed = 1;
  std::string name, csv, html, truth;
  bool automatic = false, grid_given = false;
  bool theory = false, no_classifier = false, unclustered_class = false, unpruned = false;
  double omega = 0.1;
};

EvaluationOptions evaluation_options(const Arguments& arguments) {
  EvaluationOptions options{.technique = arguments.privacy.over(arguments.cluster.over({.threshold = DensityModes{}}))};
  options.dataset = arguments.name.empty() ? arguments.input.short_name() : arguments.name;
  options.automatic = arguments.automatic;
  for (const std::string& epsilon : arguments.epsilons) options.epsilons.push_back(Epsilon::parse(epsilon));
  options.runs = arguments.runs;
  options.techniques = !arguments.techniques.empty() ? arguments.techniques
                       : arguments.automatic
                           ? std::vector<std::string>{"privwave"}
                           : technique_names(options.technique.cluster.threshold, options.technique.unit);
  options.classify = !arguments.no_classifier;
  options.unclustered_class = arguments.unclustered_class ? UnclusteredClass::kept : UnclusteredClass::left_out;
  options.tree.prune = !arguments.unpruned;
  options.seed = arguments.seed;
  options.threads = arguments.cluster.threads;
  return options;
}

// The points of an evaluation, and the label that the data have for each; no labels without --truth.
struct Read {
  PointTable points;
  std::vector<std::uint32_t> labels{};
};

// The labels are read as units are: one key per row. With --unit the file is read once more for them.
Read read_points(const Arguments& arguments, const CsvOptions& csv, Points& source, const Grid& grid, bool has_units) {
  const Outside outside = arguments.grid.outside_rule();
  if (arguments.truth.empty())
    return {has_units ? collect_units(source, grid, outside) : collect(source, grid, outside)};
  if (!has_units) {
    PointTable points = collect_units(source, grid, outside);
    std::vector<std::uint32_t> labels = std::exchange(points.units, {});
    return {std::move(points), std::move(labels)};
  }
  if (arguments.input.path == "-") {
    throw Error(ErrorKind::usage,
                "standard input can be read only once; give a file, or only one of --unit and --truth");
  }
  // Rows without a unit and rows without a label would be skipped by one reading each, and labels would change rows.
  if (csv.on_bad_row == OnBadRow::skip) {
    throw Error(ErrorKind::usage,
                "with --unit and --truth every row needs a unit and a label; remove --on-bad-row skip");
  }
  PointTable points = collect_units(source, grid, outside);
  CsvOptions by_label = csv;
  by_label.unit_column = arguments.truth;
  PointTable labelled = collect_units(*arguments.input.open(by_label), grid, outside);
  if (labelled.columns != points.columns) {
    throw InputError(fmt::format("the rows with a label in column '{}' are not those with a unit; give every row both",
                                 arguments.truth));
  }
  return {std::move(points), std::move(labelled.units)};
}

void say_summaries(const Console& console, const std::vector<Summary>& summaries) {
  const bool labels = is_measured(summaries, 5);
  console.line(fmt::format("{:34} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}{}", "technique", "epsilon", "k'",
                           "clusters", "DSG_C", "F-measure", "OCM", "2CE", "Rand", labels ? "    labels" : ""));
  const auto shown = [](const std::optional<Interval>& value) {
    return value ? fmt::format("{:.4f}", value->mean) : std::string("-");
  };
  for (const Summary& summary : summaries) {
    console.line(fmt::format("{:34} {:>8} {:>9.1f} {:>9.1f} {:>9} {:>9} {:>9} {:>9} {:>9}{}", summary.technique,
                             summary.epsilon.text(), summary.k.mean, summary.clusters.mean, shown(summary.measured[0]),
                             shown(summary.measured[1]), shown(summary.measured[2]), shown(summary.measured[3]),
                             shown(summary.measured[4]),
                             labels ? fmt::format(" {:>9}", shown(summary.measured[5])) : std::string()));
  }
}

void say_theory(const Console& console, const std::vector<TheoryCheck>& checks, double omega) {
  console.line(fmt::format("\nBounds of theorems 4 to 6 at omega {}, and the measured values:", omega));
  console.line(fmt::format("{:34} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}", "technique", "epsilon",
                           "eta1", "eta2", "gamma", "beta", "k'_min", "k'_max", "k'", "covered", "within"));
  for (const TheoryCheck& check : checks) {
    const TheoryBounds& bounds = check.bounds;
    console.line(fmt::format("{:34} {:>8} {:>9.2f} {:>9.2f} {:>9.2f} {:>9} {:>9.1f} {:>9.1f} {:>9.1f} {:>9} {:>8.2f}",
                             check.technique, check.epsilon.text(), bounds.eta1, bounds.eta2, bounds.gamma,
                             bounds.beta ? fmt::format("{:.2f}", *bounds.beta) : "-", bounds.k_min, bounds.k_max,
                             check.k.mean, fmt::format("{}+{}", bounds.surely_kept, bounds.surely_dropped),
                             check.within));
  }
}

void check(const Arguments& arguments) {
  if (arguments.automatic) {
    const bool other = !arguments.techniques.empty() && arguments.techniques != std::vector<std::string>{"privwave"};
    check_automatic(arguments.cluster, arguments.grid_given, other);
    if (arguments.theory) throw Error(ErrorKind::usage, "--bounds-of-theory needs a percentile; remove --auto");
  } else if (!arguments.cluster.has_threshold()) {
    throw Error(ErrorKind::usage,
                "an evaluation needs a threshold: give --percentile, --coverage, --top or --density, or use --auto");
  }
}

// The release that was studied, with what the owner gave. The budget stays open: it is the owner's promise, and one
// that was chosen by these figures would carry something of the data out.
std::string release_command(const Arguments& arguments, const EvaluationOptions& options) {
  std::string words = fmt::format("shoal release {}", arguments.input.words());
  if (!arguments.input.columns.empty()) {
    words += fmt::format(" --columns {}", shell_word(fmt::format("{}", fmt::join(arguments.input.columns, ","))));
  }
  words += fmt::format(" --bounds {}", shell_word(arguments.grid.bounds));
  if (!options.technique.unit.column.empty()) {
    words += fmt::format(" --unit {} ", shell_word(*arguments.privacy.unit));
    words += options.technique.unit.share
                 ? std::string("--contribution share")
                 : fmt::format("--max-contributions {}", options.technique.unit.max_contributions);
  }
  if (options.automatic) {
    words += " --auto";
  } else {
    words += fmt::format(" --grid {}", arguments.grid.grid);
    words += " " + options_of(options.technique.cluster);
    const std::vector<std::string> released = technique_names();
    const bool one = arguments.techniques.size() == 1 &&
                     std::find(released.begin(), released.end(), arguments.techniques.front()) != released.end();
    if (one) words += fmt::format(" --technique {}", arguments.techniques.front());
  }
  return words + " --epsilon E -o clusters.json -o clusters.html";
}

void run_evaluate(const Arguments& arguments) {
  const Console console(arguments.json);
  check(arguments);
  EvaluationOptions options = evaluation_options(arguments);
  Outputs outputs = arguments.json.open(arguments.input.files(), {arguments.csv, arguments.html});
  CsvOptions csv = arguments.privacy.csv(arguments.input, arguments.grid);
  const bool has_units = !options.technique.unit.column.empty();
  if (!arguments.truth.empty() && !has_units) csv.unit_column = arguments.truth;
  const auto source = arguments.input.open(csv);
  const Grid grid = evaluated_grid(
      options.automatic ? arguments.grid.make_finest(source->names()) : arguments.grid.make(source->names()), options);
  const Read read = read_points(arguments, csv, *source, grid, has_units);
  const Counts counts = quantize(read.points, grid, {.threads = arguments.cluster.threads});
  const EvaluationData data{counts, &read.points, read.labels};

  std::atomic<double> share = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    share = static_cast<double>(done) / static_cast<double>(total);
  };
  const Evaluation evaluation = [&] {
    const Progress progress("evaluating", [&] { return share.load(); });
    return evaluate(data, options);
  }();
  const auto summaries = summarize(evaluation.rows);
  std::vector<TheoryCheck> theory;
  if (arguments.theory) {
    theory = compare_with_theory(profile_of(counts, options.technique.cluster), evaluation.rows, options.technique,
                                 arguments.omega);
  }

  if (!arguments.csv.empty()) outputs.write(arguments.csv, rows_csv(evaluation.rows));
  if (!arguments.html.empty())
    outputs.write(arguments.html,
                  evaluation_html(data, options, evaluation, {.picture_epsilon = {}, .theory = theory}));
  if (!arguments.json.path.empty()) {
    arguments.json.write(Json::parse(evaluation_json(evaluation, options, theory)), outputs);
  }
  if (arguments.json.to_stdout()) return;
  console.line("NOT PRIVATE: compared with the raw data, for the data owner only. Do not share it.");
  console.line(what_was_compared(options));
  if (evaluation.truth) {
    console.line(fmt::format("Without noise, {} give k = {} and {}.", columns_used(csv, *source), evaluation.truth->k,
                             counted(evaluation.truth->clusters.count(), "cluster")));
  }
  if (evaluation.truth_adjusted_rand) {
    console.line(
        fmt::format("Without noise, the points' labels agree with column '{}' to an adjusted Rand index of {:.4f}.",
                    arguments.truth, *evaluation.truth_adjusted_rand));
  }
  console.line(fmt::format("Mean of {}:", counted(options.runs, "run")));
  say_summaries(console, summaries);
  if (arguments.theory) say_theory(console, theory, arguments.omega);
  console.line("\n" + advice(summaries));
  console.line(
      "These figures depend on the data. Settings chosen by them reveal something about the data that no budget "
      "accounts "
      "for.");
  for (const std::string& file : {arguments.csv, arguments.html}) {
    if (!file.empty()) console.line("wrote " + file);
  }
  console.next(release_command(arguments, options) + "   (E: the privacy budget that you choose)");
}

}  // namespace

void add_evaluate(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("evaluate", "Compare techniques with the true clusters; not private");
  arguments->input.add(*command);
  arguments->grid.add(*command, true);
  arguments->cluster.add(*command);
  command->add_flag("--auto", arguments->automatic, "Evaluate release --auto: each run chooses grid and threshold")
      ->group("Threshold (give one)");
  start_group(*command, "Runs");
  command
      ->add_option("--techniques", arguments->techniques, "Techniques to compare (default: all that can be released)")
      ->delimiter(',');
  command->add_option("--epsilons", arguments->epsilons, "Privacy budgets to compare")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "Runs per technique and budget")->capture_default_str();
  command->add_option("--seed", arguments->seed, "Seed; the same seed gives the same rows")->capture_default_str();
  command->add_option("--name", arguments->name, "Dataset name in the rows (default: the file name)");
  arguments->privacy.add(*command);
  arguments->privacy.add_technique(*command);
  start_group(*command, "Measures");
  command->add_option("--truth", arguments->truth, "Column with a label per row to compare with");
  command->add_flag("--bounds-of-theory", arguments->theory, "Print the bounds of the paper's theorems 4 to 6");
  command->add_option("--omega", arguments->omega, "Error probability of these bounds")->capture_default_str();
  command->add_flag("--no-classifier", arguments->no_classifier, "Skip OCM and 2CE; much faster");
  command->add_flag("--unclustered-class", arguments->unclustered_class,
                    "Keep unclustered points as a class in OCM and 2CE");
  command->add_flag("--unpruned", arguments->unpruned, "Use unpruned trees in OCM and 2CE");
  start_group(*command, "Output");
  command->add_option("--csv", arguments->csv, "Write one row per run as CSV");
  command->add_option("--html", arguments->html, "Write a report with pictures, curves and advice");
  arguments->json.add(*command);
  command->footer(fmt::format(
      "Examples:\n"
      "  shoal evaluate spirals.csv --columns x,y --bounds 0:1,0:1 --grid 40 --percentile 10 --epsilons 0.1,0.5,1 "
      "--runs 10 --html report.html\n"
      "  shoal evaluate spirals.csv --columns x,y --bounds 0:1,0:1 --grid 40 --percentile 10 --techniques "
      "privwave,privthr "
      "--runs 50 --csv runs.csv\n"
      "Techniques: {}.\n"
      "The default is every technique of shoal release that supports the threshold.\n"
      "Rand is the adjusted Rand index of the points' labels with those of plain WaveCluster, labels with --truth.\n"
      "The paper's authors use --unclustered-class and --unpruned.",
      fmt::join(studied_technique_names(), ", ")));
  command->callback([arguments, command, &run] {
    arguments->grid_given = command->count("--grid") > 0;
    run = [arguments] { run_evaluate(*arguments); };
  });
}

}  // namespace shoal::cli
