// shoal predict: the cluster of every row of an input, by a release.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "command.hpp"
#include "group_arguments.hpp"
#include "labels.hpp"
#include "shoal/error.hpp"
#include "shoal/release.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string release, output = "-", assign;
  GroupChoice group;
  bool strength = false;
  InputArguments input;
  JsonArgument json;
  bool doubtful = false;
  unsigned threads = 0;
};

// The axes' names; nothing when they have none, as those of a file without a header.
std::vector<std::string> named_axes(const Grid& grid) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    if (grid.axis(i).name() != fmt::format("axis {}", i + 1)) names.push_back(grid.axis(i).name());
  }
  return names.size() == grid.dimensions() ? names : std::vector<std::string>{};
}

std::optional<Assign> assign_of(const Arguments& arguments) {
  if (arguments.assign == "none") return Assign::none;
  if (arguments.assign == "halo") return Assign::halo;
  if (arguments.assign == "nearest") return Assign::nearest;
  return std::nullopt;
}

// Says how to do without the column of the groups, where the input has none.
std::unique_ptr<Points> open_rows(const Arguments& arguments, const CsvOptions& csv, const Grouping* groups) {
  try {
    return arguments.input.open(csv);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (groups == nullptr || what.find(fmt::format("no column '{}'", csv.columns.front())) == std::string::npos) throw;
    throw InputError(
        fmt::format("{}; to label all rows by one group, give --group {}", what, shell_word(groups->names.front())));
  }
}

void run_predict(const Arguments& arguments) {
  const Console console(arguments.json);
  if (arguments.output == "-" && arguments.json.to_stdout()) {
    throw Error(ErrorKind::usage, "labels and --json cannot both go to standard output; give -o FILE");
  }
  std::vector<std::string> inputs = arguments.input.files();
  inputs.push_back(arguments.release);
  Outputs outputs = arguments.json.open(inputs, {arguments.output});
  const ReleaseSet set = arguments.group.load_set(arguments.release);
  const Grouping* groups = set.grouping();
  if (groups != nullptr && groups->axis.name().empty()) {
    throw Error(ErrorKind::usage, fmt::format("'{}' names no column of its groups; choose one, such as --group {}",
                                              arguments.release, shell_word(groups->names.front())));
  }
  const Labeller labeller(set, {.doubtful = arguments.doubtful ? Doubtful::keep : Doubtful::leave_out,
                                .assign = assign_of(arguments),
                                .strength = arguments.strength});
  const Grid& grid = labeller.grid();
  CsvOptions csv = arguments.input.csv();
  csv.dimensions = grid.dimensions();
  for (const Axis& axis : grid.axes()) csv.kinds.push_back(axis.kind());
  if (csv.columns.empty() && csv.header != CsvHeader::no) csv.columns = named_axes(grid);
  if (!csv.columns.empty() && csv.columns.size() != csv.dimensions) {
    throw Error(ErrorKind::usage,
                fmt::format("the release has {0} axes; give {0} columns with --columns", csv.dimensions));
  }
  if (groups != nullptr) csv = with_group(std::move(csv), *groups);
  const auto points = open_rows(arguments, csv, groups);
  const Progress progress("labelling", *points);
  const LabelCounts counts =
      write_labels(*points, labeller, Outside::drop, set.is_private(), arguments.threads, outputs.at(arguments.output));
  Json facts = {{"rows", counts.rows},
                {"clustered", counts.clustered},
                {"clusters", labeller.clusters()},
                {"private", set.is_private()}};
  if (groups != nullptr) facts["in_no_group"] = counts.in_no_group;
  arguments.json.write(facts, outputs);
  if (arguments.json.to_stdout() || arguments.output == "-") return;
  if (!set.is_private()) console.line("NOT PRIVATE: these labels come from a seeded study.");
  const std::string elsewhere = groups != nullptr ? fmt::format(", {} of them in no group", counts.in_no_group) : "";
  console.line(fmt::format("{} of {}; {} in one of {}, {} unclustered{}; wrote {}", counted(counts.rows, "row"),
                           columns_used(csv, *points), counts.clustered, counted(labeller.clusters(), "cluster"),
                           counts.rows - counts.clustered, elsewhere, arguments.output));
}

}  // namespace

void add_predict(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("predict", "Label points with the clusters of a release");
  command->add_option("RELEASE", arguments->release, "Release file (.json)")->required();
  arguments->group.add(*command);
  arguments->input.add(*command);
  start_group(*command, "Labels");
  command->add_option("--assign", arguments->assign, "Extend clusters to rows nearby: none, halo (one cell), nearest")
      ->check(CLI::IsMember({"none", "halo", "nearest"}));
  command->add_flag("--strength", arguments->strength, "Add the strength of membership, from 0 to 1");
  command->add_flag("--doubtful", arguments->doubtful, "Label rows of doubtful clusters too");
  command->add_option("--threads", arguments->threads, "Number of threads; 0 uses all cores")->capture_default_str();
  start_group(*command, "Output");
  command->add_option("-o,--output", arguments->output, "CSV of labels in input order; 0: unclustered")
      ->capture_default_str();
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal predict clusters.json new_points.csv --columns x,y -o labels.csv\n"
      "  shoal predict weeks.json visits.csv --assign nearest -o labels.csv\n"
      "A release by group labels each row by its own group; --group labels all rows by one.\n"
      "--assign defaults to halo for a release made with --auto, otherwise to none.");
  command->callback([arguments, &run] { run = [arguments] { run_predict(*arguments); }; });
}

}  // namespace shoal::cli
