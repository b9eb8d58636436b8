// shoal plan: what a release would give, from public parameters alone.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "group_arguments.hpp"
#include "plan_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  PlanArguments plan;
  GroupArguments groups;
  std::vector<std::string> epsilons{"0.1", "0.5", "1"}, outputs;
  std::uint64_t seed = 1, runs = 4;
  JsonArgument json;
};

void say_rows(const Console& console, const PlanOptions& options, const std::vector<PlanRow>& rows) {
  const PlanTable table = plan_table(options, rows);
  const auto say = [&](const std::string& first, const auto& value) {
    std::string line = fmt::format("{:>8}", first);
    for (const PlanMeasure& measure : table.measures) {
      std::size_t width = measure.title.size();
      for (const std::string& text : measure.values) width = std::max(width, text.size());
      line += fmt::format("  {:>{}}", value(measure), width);
    }
    console.line(line);
  };
  say("epsilon", [](const PlanMeasure& measure) { return measure.title; });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    say(rows[i].epsilon.text(), [i](const PlanMeasure& measure) { return measure.values[i]; });
  }
  for (const std::string& left_out : table.left_out) console.line(fmt::format("{:>8}  {}", "", left_out));
}

void run_plan(const Arguments& arguments) {
  const Console console(arguments.json);
  for (const std::string& output : arguments.outputs) {
    check_output(output);
    if (output.ends_with(".csv") || output.ends_with(".geojson")) {
      throw InputError(fmt::format("a plan cannot be written to '{}'; end it in .html, .svg, .png or .json", output));
    }
  }
  arguments.groups.check(arguments.plan.insets);
  Outputs outputs = arguments.json.open({}, arguments.outputs);
  std::vector<Epsilon> epsilons;
  for (const std::string& text : arguments.epsilons) epsilons.push_back(Epsilon::parse(text));
  PlanOptions options = arguments.plan.options(std::move(epsilons));
  options.runs = arguments.runs;
  options.seed = arguments.seed;
  if (arguments.groups.given()) options.groups = arguments.groups.make(options.options.unit);
  const PlanResult result = [&] {
    const Progress progress("simulating", [] { return -1.0; });
    return plan(options);
  }();
  for (const std::string& output : arguments.outputs) outputs.write(output, plan_contents(options, result, output));
  if (!arguments.json.path.empty()) arguments.json.write(Json::parse(plan_json(options, result)), outputs);
  if (arguments.json.to_stdout()) return;
  const std::string counted = counted_noun(options.options.unit).many;
  console.line(fmt::format("Simulated with {} made-up {} of {} shapes: no data were read, nothing was spent.",
                           grouped(static_cast<double>(options.records)),
                           options.records == 1 ? counted_noun(options.options.unit).one : counted,
                           plan_shapes().size()));
  if (options.groups) console.line(planned_groups_words(options));
  if (options.insets > 0) console.line("The overview, with 0.2 of epsilon:");
  say_rows(console, options, result.rows);
  if (options.insets > 0) {
    console.line(planned_inset_words(options) + ", with 0.8 of epsilon:");
    say_rows(console, options, result.insets);
  }
  console.line(
      fmt::format("A guess of 50 % that {} is in the data becomes at most as sure as this. Likeness: to the clusters "
                  "without noise, 1 is the same (adjusted Rand index).",
                  with_article(noun_of(options.options.unit).one)));
  console.line(
      fmt::format("Least {}: in a cluster one smoothed cell wide that is found in 19 of 20 cases. Finest distance: "
                  "between two that "
                  "are found as two. Size: error in 19 of 20 cases.",
                  counted));
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  console.next("shoal release INPUT with the same options and --epsilon E --dry-run");
}

}  // namespace

void PlanArguments::add(CLI::App& command, bool required) {
  grid.add(command, required);
  command.add_option("--records", records, "Number of records inside the bounds, as you guess it");
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
  if (records == 0) {
    const PrivacyUnit unit = privacy.privacy_unit();
    throw Error(ErrorKind::usage, fmt::format("--records is required: your guess of the number of {} inside the bounds",
                                              counted_noun(unit).many));
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
  return fmt::format("the overview, with 0.2 of epsilon: {}.\n{}, would show, with 0.8 of epsilon: {}; cells: {}",
                     first, planned_inset_words(options), in_words(result.insets.front(), options),
                     finer_words(result.insets.front()));
}

void add_plan(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("plan", "What a release would show: simulated, reads no data");
  arguments->plan.add(*command, true);
  arguments->groups.add(*command);
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
      "Examples:\n  shoal plan --bounds age=0:110:int,day=2026-01-01:2026-12-31 --auto --records 20000 --unit patient "
      "--contribution share\n"
      "  shoal plan --bounds x=0:1,y=0:1 --grid 64 --percentile 58 --records 30000 --epsilons 0.1,0.5,1 -o plan.html");
  command->callback([arguments, command, &run] {
    arguments->plan.grid_given = command->count("--grid") > 0;
    run = [arguments] { run_plan(*arguments); };
  });
}

}  // namespace shoal::cli
