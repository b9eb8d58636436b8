// shoal datasets: example sets from a seed.
#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "command.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string name, output = "-";
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> points;
  bool labels = false, force = false;
};

// As fmt writes it: the shortest decimal that gives the same double. Coordinates have six decimals, which digit by
// digit are written several times as fast.
void append_number(std::string& text, double x) {
  constexpr double millionths = 1e6;
  const double scaled = std::nearbyint(std::fabs(x) * millionths);
  if (!(std::fabs(x) >= 1e-4 && scaled < 1e12 && scaled / millionths == std::fabs(x))) {
    fmt::format_to(std::back_inserter(text), "{}", x);
    return;
  }
  char digits[24];
  char* const end = digits + sizeof digits;
  char* at = end;
  auto rest = static_cast<std::uint64_t>(scaled);
  for (int i = 0; i < 6; ++i, rest /= 10) *--at = static_cast<char>('0' + rest % 10);
  *--at = '.';
  char* last = end;
  while (last[-1] == '0') --last;
  if (last[-1] == '.') --last;
  do {
    *--at = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (x < 0) *--at = '-';
  text.append(at, last);
}

void run_datasets(const Arguments& arguments) {
  const DatasetSettings settings = dataset_settings(arguments.name);
  const std::uint64_t total = arguments.points.value_or(settings.points);
  const auto rows = dataset_points(arguments.name, arguments.seed, arguments.points.value_or(0), arguments.labels);
  Outputs outputs = open_outputs(arguments.force, {}, {arguments.output});
  PendingFile& out = outputs.at(arguments.output);
  const std::vector<std::string> names = rows->names();
  out.write(fmt::format("{}\n", fmt::join(names, ",")));
  std::atomic<std::uint64_t> written = 0;
  {
    const Progress progress("generating " + arguments.name, [&] {
      return static_cast<double>(written.load()) / static_cast<double>(std::max<std::uint64_t>(total, 1));
    });
    std::string text;
    rows->scan(1, [&](unsigned, const PointBlock& block) {
      text.clear();
      for (std::size_t row = 0; row < block.rows(); ++row) {
        for (std::size_t axis = 0; axis < block.columns.size(); ++axis) {
          if (axis > 0) text += ',';
          if (names[axis] == "day") {
            text += date_text(block.columns[axis][row]);
          } else {
            append_number(text, block.columns[axis][row]);
          }
        }
        text += '\n';
      }
      out.write(text);
      written += block.rows();
    });
  }
  out.commit();
  if (arguments.output == "-") return;
  const Console console({});
  console.line(fmt::format("wrote {} to {}", counted(total, "point"), arguments.output));
  if (arguments.name == "visits") {
    return console.next(fmt::format(
        "shoal release {} --by day=2026-W01..2026-W06 --bounds x=0:1,y=0:1 --auto --epsilon 1 -o weeks.json",
        shell_word(arguments.output)));
  }
  std::vector<std::string> bounds;
  for (const auto& [lo, hi] : settings.bounds) bounds.push_back(fmt::format("{}:{}", lo, hi));
  console.next(fmt::format("shoal cluster {} --columns {} --bounds {} --grid {} --percentile {} -o {}.html",
                           shell_word(arguments.output), fmt::join(settings.names, ","), fmt::join(bounds, ","),
                           fmt::join(settings.cells, ","), settings.percentile, arguments.name));
}

}  // namespace

void add_datasets(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("datasets", "Generate an example dataset from a seed");
  command->add_option("NAME", arguments->name, fmt::format("Dataset: {}", fmt::join(dataset_names(), ", ")))
      ->required();
  command->add_option("--seed", arguments->seed, "Seed; the same seed gives the same points")->capture_default_str();
  command->add_option("--points", arguments->points, "Number of points (default: depends on the dataset)");
  command->add_flag("--labels", arguments->labels, "Add a column with the shape of each point");
  command->add_option("-o,--output", arguments->output, "Output CSV file; - for standard output")
      ->capture_default_str();
  add_force(*command, arguments->force);
  command->footer(
      "Examples:\n  shoal datasets ds2 --seed 1 -o spirals.csv\n  shoal datasets world --points 50000 -o world.csv");
  command->callback([arguments, &run] { run = [arguments] { run_datasets(*arguments); }; });
}

}  // namespace shoal::cli
