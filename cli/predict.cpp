// shoal predict: the cluster of every row of an input, by a release.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>

#include "base/counted.hpp"
#include "command.hpp"
#include "group_arguments.hpp"
#include "labels.hpp"
#include "shoal/error.hpp"
#include "shoal/release.hpp"

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

// What the rows are labelled by.
struct Labeller {
  Grid grid;
  std::size_t clusters = 0;  // that rows may get
  bool is_private = false;
  std::function<LabelCounts(Points&, PendingFile&)> write;
  std::optional<Grouping> groups = {};  // by which the column says the group of each row
};

Labeller by_group(const Arguments& arguments, const GroupedRelease& groups, Doubtful doubtful) {
  if (groups.by().empty()) {
    throw Error(ErrorKind::usage, fmt::format("'{}' names no column of its groups; choose one, such as --group {}",
                                              arguments.release, shell_word(groups.names().front())));
  }
  const auto labels = std::make_shared<GroupLabels>(groups, doubtful, assign_of(arguments), arguments.strength);
  return {
      groups.parts().front().release.parts().grid, labels->clusters(), groups.is_private(),
      [labels, names = groups.names(), is_private = groups.is_private(), threads = arguments.threads](
          Points& points, PendingFile& out) { return write_labels(points, *labels, names, is_private, threads, out); },
      groups.grouping()};
}

Labeller labeller_of(const Arguments& arguments) {
  const Doubtful doubtful = arguments.doubtful ? Doubtful::keep : Doubtful::leave_out;
  const AnyRelease any = arguments.group.load_any(arguments.release);
  if (const auto* insets = std::get_if<InsetRelease>(&any)) {
    const auto labels = std::make_shared<InsetLabels>(*insets, doubtful, assign_of(arguments), arguments.strength);
    return {insets->overview().parts().grid, labels->clusters(), insets->is_private(),
            [labels, is_private = insets->is_private(), threads = arguments.threads](Points& points, PendingFile& out) {
              return write_labels(points, *labels, is_private, threads, out);
            }};
  }
  if (const auto* groups = std::get_if<GroupedRelease>(&any)) return by_group(arguments, *groups, doubtful);
  const Release& release = std::get<Release>(any);
  const ClusterMap map = release.labelling(doubtful).assigned(assign_of(arguments).value_or(release.usual_assign()));
  const std::size_t used = map.clusters().count() - (arguments.doubtful ? 0 : release.doubtful().size());
  const auto strength =
      arguments.strength ? std::make_shared<MembershipStrength>(release) : std::shared_ptr<MembershipStrength>();
  return {map.grid(), used, release.parts().is_private,
          [map, strength, is_private = release.parts().is_private, threads = arguments.threads](Points& points,
                                                                                                PendingFile& out) {
            return write_labels(points, map, Outside::drop, is_private, threads, out, strength.get());
          }};
}

// Says how to do without the column of the groups, where the input has none.
std::unique_ptr<Points> open_rows(const Arguments& arguments, const CsvOptions& csv, const Labeller& labeller) {
  try {
    return arguments.input.open(csv);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (!labeller.groups || what.find(fmt::format("no column '{}'", csv.columns.front())) == std::string::npos) throw;
    throw InputError(fmt::format("{}; to label all rows by one group, give --group {}", what,
                                 shell_word(labeller.groups->names.front())));
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
  const Labeller labeller = labeller_of(arguments);
  CsvOptions csv = arguments.input.csv();
  csv.dimensions = labeller.grid.dimensions();
  for (const Axis& axis : labeller.grid.axes()) csv.kinds.push_back(axis.kind());
  if (csv.columns.empty() && csv.header != CsvHeader::no) csv.columns = named_axes(labeller.grid);
  if (!csv.columns.empty() && csv.columns.size() != csv.dimensions) {
    throw Error(ErrorKind::usage,
                fmt::format("the release has {0} axes; give {0} columns with --columns", csv.dimensions));
  }
  if (labeller.groups) csv = with_group(std::move(csv), *labeller.groups);
  const auto points = open_rows(arguments, csv, labeller);
  const Progress progress("labelling", *points);
  const LabelCounts counts = labeller.write(*points, outputs.at(arguments.output));
  Json facts = {{"rows", counts.rows},
                {"clustered", counts.clustered},
                {"clusters", labeller.clusters},
                {"private", labeller.is_private}};
  if (labeller.groups) facts["in_no_group"] = counts.in_no_group;
  arguments.json.write(facts, outputs);
  if (arguments.json.to_stdout() || arguments.output == "-") return;
  if (!labeller.is_private) console.line("NOT PRIVATE: these labels come from a seeded study.");
  const std::string elsewhere = labeller.groups ? fmt::format(", {} of them in no group", counts.in_no_group) : "";
  console.line(fmt::format("{} of {}; {} in one of {}, {} unclustered{}; wrote {}", counted(counts.rows, "row"),
                           columns_used(csv, *points), counts.clustered, counted(labeller.clusters, "cluster"),
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
      "Example:\n  shoal predict clusters.json new_points.csv --columns x,y -o labels.csv\n"
      "A release by group labels each row by its own group; --group labels all rows by one.\n"
      "--assign defaults to halo for a release made with --auto, otherwise to none.");
  command->callback([arguments, &run] { run = [arguments] { run_predict(*arguments); }; });
}

}  // namespace shoal::cli
