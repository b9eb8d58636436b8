// shoal datasets: example sets from a seed.
#include "shoal/datasets.hpp"

#include <fmt/format.h>

#include "command.hpp"
#include "row_writer.hpp"
#include "shoal/error.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string name, output = "-";
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> points;
  bool labels = false;
  JsonArgument json;
};

void run_datasets(const Arguments& arguments) {
  const DatasetStream stream(arguments.name, arguments.seed, arguments.points);
  RowWriter out(arguments.output);
  std::string text = fmt::format("{}{}\n", fmt::join(stream.names(), ","), arguments.labels ? ",label" : "");
  std::uint64_t written = 0;
  const Progress progress(fmt::format("making {}", arguments.name),
                          [&] { return static_cast<double>(written) / static_cast<double>(stream.points()); });
  stream.generate([&](const std::vector<std::vector<double>>& columns, const std::vector<int>& labels) {
    const std::size_t rows = columns.front().size();
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t axis = 0; axis < columns.size(); ++axis) {
        fmt::format_to(std::back_inserter(text), "{}{}", axis == 0 ? "" : ",", columns[axis][row]);
      }
      if (arguments.labels) fmt::format_to(std::back_inserter(text), ",{}", labels[row]);
      text += '\n';
    }
    out.write(text);
    text.clear();
    written += rows;
  });
  out.write(text);
  out.finish();
}

}  // namespace

void add_datasets(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("datasets", "Make an example set from a seed");
  command->add_option("NAME", arguments->name, fmt::format("{}", fmt::join(dataset_names(), ", ")))->required();
  command->add_option("--seed", arguments->seed, "The same seed gives the same points everywhere")
      ->capture_default_str();
  command->add_option("--points", arguments->points, "How many points (default: the set's own number)");
  command->add_flag("--labels", arguments->labels, "Add a column with the shape each point was drawn from");
  command->add_option("-o,--output", arguments->output, "CSV file to write; - for standard output")
      ->capture_default_str();
  command->footer("Example:\n  shoal datasets ds2 --seed 1 -o spirals.csv");
  command->callback([arguments, &run] { run = [arguments] { run_datasets(*arguments); }; });
}

}  // namespace shoal::cli
