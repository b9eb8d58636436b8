// shoal predict: the cluster of every row of an input, by a release.
#include <fmt/format.h>

#include "command.hpp"
#include "labels.hpp"
#include "shoal/error.hpp"
#include "shoal/release.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string release, output = "-";
  InputArguments input;
  JsonArgument json;
};

void run_predict(Arguments arguments) {
  const Talk talk(arguments.json);
  if (arguments.output == "-" && arguments.json.to_stdout()) {
    throw Error(ErrorKind::usage, "labels and --json cannot both go to standard output; give -o FILE");
  }
  const ClusterMap map = Release::load(arguments.release).map();
  const std::size_t dimensions = map.grid().dimensions();
  if (arguments.input.columns.empty()) {
    for (const Axis& axis : map.grid().axes()) arguments.input.columns.push_back(axis.name());
  }
  if (arguments.input.columns.size() != dimensions) {
    throw Error(ErrorKind::usage,
                fmt::format("the release has {} axes; give --columns with as many columns", dimensions));
  }
  const auto points = arguments.input.open();
  const Progress progress("labelling", *points);
  const LabelCounts counts = write_labels(*points, map, Outside::drop, arguments.output);
  arguments.json.write({{"rows", counts.rows}, {"clustered", counts.clustered}, {"clusters", map.clusters().count()}});
  if (arguments.json.to_stdout() || arguments.output == "-") return;
  talk.line(fmt::format("{} rows, {} of them in one of {} clusters; wrote {}", counts.rows, counts.clustered,
                        map.clusters().count(), arguments.output));
}

}  // namespace

void add_predict(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("predict", "Label points by the released clusters; rows keep their order");
  command->add_option("RELEASE", arguments->release, "Release file (.json)")->required();
  arguments->input.add(*command);
  command
      ->add_option("-o,--output", arguments->output, "CSV to write: one line a row, 0 is noise; - for standard output")
      ->capture_default_str();
  arguments->json.add(*command);
  command->footer("Example:\n  shoal predict clusters.json new_points.csv --columns x,y -o labels.csv");
  command->callback([arguments, &run] { run = [arguments] { run_predict(*arguments); }; });
}

}  // namespace shoal::cli
