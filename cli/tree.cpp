// shoal tree: how clusters appear and join as the threshold falls, from one release: free of budget.
#include "shoal/tree.hpp"

#include <fmt/format.h>

#include "command.hpp"
#include "group_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string release;
  GroupChoice group;
  JsonArgument json;
  std::vector<std::string> outputs;
};

void say_branches(const Console& console, const Release& release, const ClusterTree& tree) {
  const ClusterTree::Leaves leaves = tree.leaves();
  const std::vector<std::string> names = leaf_names(release, leaves);
  const std::size_t count = leaves.branch.size();
  console.line(fmt::format("{} over all thresholds; no further budget was spent", counted(count, "stable cluster")));
  if (tree.deviation() == 0) {
    console.line("The noise of this release is unknown, so no cluster can be called stable.");
  } else {
    console.line(family_wise_error(tree));
  }
  constexpr std::size_t most_lines = 20;
  std::vector<std::size_t> order = in_order(names);
  order.resize(std::min(order.size(), most_lines));
  for (const std::size_t i : order) {
    const TreeBranch& branch = tree.branches()[leaves.branch[i] - 1];
    const std::string end = branch.parent == 0 ? "the lowest" : fmt::format("{:.4g}, where it merges", branch.death);
    console.line(fmt::format("  cluster {:<3} from threshold {:.4g} down to {}: {}, about {}, around ({})", names[i],
                             branch.birth, end, counted(branch.cells, "cell"), counted_records(release, branch),
                             place_text(release.parts().grid, branch.centroid)));
  }
  if (count > most_lines) console.line(fmt::format("  and {} more", count - most_lines));
  if (count > 0) console.line("Numbers are the cluster numbers of the release; 2a and 2b are parts of cluster 2.");
}

void run_tree(const Arguments& arguments) {
  const Console console(arguments.json);
  for (const std::string& output : arguments.outputs) {
    check_output(output);
    if (output.ends_with(".csv") || output.ends_with(".geojson")) {
      throw InputError(
          fmt::format("a tree cannot be written to '{}'; use the suffix .html, .svg, .png or .json", output));
    }
  }
  Outputs outputs = arguments.json.open({arguments.release}, arguments.outputs);
  const Release release = arguments.group.load(arguments.release);
  const ClusterTree tree(release);
  for (const std::string& output : arguments.outputs) outputs.write(output, tree_contents(release, tree, output));
  if (!arguments.json.path.empty()) arguments.json.write(Json::parse(tree_json(release, tree)), outputs);
  if (arguments.json.to_stdout()) return;
  for (const std::string& notice : notices_of_rounding(release.parts())) console.notice(notice);
  say_branches(console, release, tree);
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  const ClusterTree::Level level = tree.level();
  if (level.stable > release.clusters().size()) {
    console.next(fmt::format("shoal reshape {} --density {:.6g} -o reshaped.html   (free: shows {} instead of {})",
                             shell_word(arguments.release), level.density, counted(level.stable, "stable cluster"),
                             release.clusters().size()));
  } else if (const auto next = next_command(release, arguments.release)) {
    console.next(*next);
  }
}

}  // namespace

void add_tree(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("tree", "Show how clusters merge across thresholds; spends nothing");
  command->add_option("RELEASE", arguments->release, "Release file (.json)")->required();
  arguments->group.add(*command);
  start_group(*command, "Output");
  command->add_option("-o,--output", arguments->outputs, "Output file (.html .svg .png .json); repeatable");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal tree clusters.json -o tree.html\n  shoal tree weeks.json --group 2026-W01 -o tree.svg");
  command->callback([arguments, &run] { run = [arguments] { run_tree(*arguments); }; });
}

}  // namespace shoal::cli
