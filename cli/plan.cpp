// shoal plan: what a release would give, from public parameters alone.
#include <fmt/format.h>

#include <cmath>

#include "base/axis_text.hpp"
#include "base/scale.hpp"
#include "command.hpp"
#include "plan_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"

namespace shoal::cli {

namespace {

using evaluation::PlanOptions;
using evaluation::PlanResult;
using evaluation::PlanRow;

struct Arguments {
  PlanArguments plan;
  std::vector<std::string> epsilons{"0.1", "0.5", "1"}, outputs;
  std::uint64_t seed = 1, runs = 4;
  JsonArgument json;
};

void say_rows(const Console& console, const PlanOptions& options, const std::vector<PlanRow>& rows) {
  console.line(fmt::format("{:>8}  {:<20} {:<20} {:>13} {:>15} {:>13}", "epsilon", "DSG_C", "Rand index",
                           fmt::format("least {}s", counted_word(options.options.unit)), "finest distance", "size"));
  for (const PlanRow& row : rows) {
    console.line(fmt::format("{:>8}  {:<20} {:<20} {:>13} {:>15} {:>13}{}", row.epsilon.text(), in_words(row.dsg_c),
                             in_words(row.rand),
                             row.least_records ? grouped(static_cast<double>(*row.least_records)) : "-",
                             row.finest_units ? way_at_least(options.grid.axis(0), *row.finest_units) : "-",
                             row.size_error ? fmt::format("+-{}", grouped(std::ceil(*row.size_error))) : "-",
                             row.finer ? "  cells: " + finer_words(row) : ""));
  }
}

void run_plan(const Arguments& arguments) {
  const Console console(arguments.json);
  for (const std::string& output : arguments.outputs) {
    check_output(output);
    if (output.ends_with(".csv") || output.ends_with(".geojson")) {
      throw InputError(fmt::format("a plan cannot be written to '{}'; end it in .html, .svg, .png or .json", output));
    }
  }
  Outputs outputs = arguments.json.open({}, arguments.outputs);
  std::vector<Epsilon> epsilons;
  for (const std::string& text : arguments.epsilons) epsilons.push_back(Epsilon::parse(text));
  PlanOptions options = arguments.plan.options(std::move(epsilons));
  options.runs = arguments.runs;
  options.seed = arguments.seed;
  const PlanResult result = [&] {
    const Progress progress("simulating", [] { return -1.0; });
    return plan(options);
  }();
  for (const std::string& output : arguments.outputs) outputs.write(output, plan_contents(options, result, output));
  if (!arguments.json.path.empty()) arguments.json.write(Json::parse(plan_json(options, result)), outputs);
  if (arguments.json.to_stdout()) return;
  const std::string counted = fmt::format("{}s", counted_word(options.options.unit));
  console.line(fmt::format("Simulated with {} made-up {} of {} shapes: no data were read, nothing was spent.",
                           grouped(static_cast<double>(options.records)),
                           options.records == 1 ? counted_word(options.options.unit) : counted,
                           evaluation::plan_shapes().size()));
  if (options.insets > 0) console.line("The overview, with 0.4 of epsilon:");
  say_rows(console, options, result.rows);
  if (options.insets > 0) {
    console.line(planned_inset_words(options) + ", with 0.6 of epsilon:");
    say_rows(console, options, result.insets);
  }
  console.line(fmt::format(
      "least {}: in a cluster one smoothed cell wide, found in 19 of 20 cases; finest distance: between two that are "
      "found as two, along the first axis",
      counted));
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  console.next("shoal release INPUT with the same options and --epsilon E --dry-run");
}

}  // namespace

void PlanArguments::add(CLI::App& command, bool required) {
  grid.add(command, required);
  command.add_option("--records", records, "Number of records inside the bounds, as you guess it")->required(required);
  cluster.add(command);
  command.add_option("--technique", technique, "privqt, privthr, privthr-em or privwave")->capture_default_str();
  command.add_flag("--auto", automatic, "Plan release --auto: grid and threshold are chosen");
  command.add_option("--insets", insets, "With --auto: also plan finer maps where records crowd");
  privacy.add(command);
}

PlanOptions PlanArguments::options(std::vector<Epsilon> epsilons) const {
  if (insets > 0 && !automatic) throw Error(ErrorKind::usage, "--insets needs --auto: grids are chosen");
  if (automatic) {
    check_automatic(cluster, grid_given, technique != "privwave");
  } else if (!cluster.has_threshold()) {
    throw Error(ErrorKind::usage, "a plan needs --percentile (or --coverage, --top, --density), or --auto");
  }
  const std::vector<std::string> unnamed(grid.axes().size());
  return {.grid = automatic ? grid.make_finest(unnamed) : grid.make(unnamed),
          .options = privacy.over(cluster.over({.threshold = DensityModes{}})),
          .technique = technique,
          .automatic = automatic,
          .insets = insets,
          .records = records,
          .epsilons = std::move(epsilons)};
}

std::string planned_line(const PlanOptions& options) {
  const PlanResult result = plan(options);
  std::string first = in_words(result.rows.front(), options);
  if (result.insets.empty()) return first;
  return fmt::format("the overview, with 0.4 of epsilon: {}.\n{}, would show, with 0.6 of epsilon: {}; cells: {}",
                     first, planned_inset_words(options), in_words(result.insets.front(), options),
                     finer_words(result.insets.front()));
}

void add_plan(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("plan", "What a release would show: simulated, reads no data");
  arguments->plan.add(*command, true);
  command->add_option("--epsilons,--epsilon", arguments->epsilons, "Budgets to plan for, such as 0.1,0.5,1")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "Simulated releases of each shape and budget")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "The same seed gives the same plan")->capture_default_str();
  command->add_option("-o,--output", arguments->outputs, "Output file (.html .svg .png .json); repeatable");
  arguments->json.add(*command);
  command->footer(
      "Example:\n  shoal plan --bounds x=0:1,y=0:1 --grid 64 --percentile 58 --records 30000 --epsilons 0.1,0.5,1 -o "
      "plan.html");
  command->callback([arguments, command, &run] {
    arguments->plan.grid_given = command->count("--grid") > 0;
    run = [arguments] { run_plan(*arguments); };
  });
}

}  // namespace shoal::cli
