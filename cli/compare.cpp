// shoal compare: which clusters changed between releases, and how surely. Free of budget.
#include "shoal/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "group_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::vector<std::string> releases, outputs;
  GroupChoice group;
  JsonArgument json;
};

std::string numbers(const std::vector<std::uint32_t>& ids) {
  return ids.empty() ? "-" : fmt::format("{}", fmt::join(ids, ","));
}

void say_changes(const Console& console, const Changes& changes, const ReleaseParts& parts, const std::string& before,
                 const std::string& after) {
  const std::string total = changes.total
                                ? fmt::format("; all {}: {}", parts.unit.groups ? "that are counted" : "together",
                                              with_growth(changes.total->before, changes.total->after,
                                                          changes.total->reach, counted_noun(parts.unit).many))
                                : "";
  console.line(fmt::format("{} to {}: {} of {} changed{}", before, after, changes.changed_count(),
                           counted(changes.clusters.size(), "cluster"), total));
  constexpr std::size_t most_lines = 40;
  std::size_t lines = 0;
  for (const ClusterChange& change : changes.clusters) {
    if (change.found.front().change == Change::unclear) continue;
    if (++lines > most_lines) continue;
    console.line(
        fmt::format("  {:>5} to {:<5} {}{}", numbers(change.before), numbers(change.after),
                    in_words(change, parts.grid, parts.unit),
                    change.changed() ? "; probability " + probability_at_least(change.found.front().probability) : ""));
  }
  if (lines > most_lines) console.line(fmt::format("  and {} more", lines - most_lines));
  const auto unclear = std::count_if(changes.clusters.begin(), changes.clusters.end(), [](const ClusterChange& change) {
    return change.found.front().change == Change::unclear;
  });
  if (unclear > 0)
    console.line(fmt::format("  {} in only one release, which noise explains",
                             counted(static_cast<std::uint64_t>(unclear), "cluster")));
}

struct Series {
  std::vector<std::string> names;
  std::vector<Release> releases;
};

// A file of groups stands for its groups, in their order.
Series series_of(const Arguments& arguments) {
  Series result;
  for (const std::string& path : arguments.releases) {
    const ReleaseSet set = arguments.group.load_set(path);
    if (!set.insets().empty()) static_cast<void>(arguments.group.load(path));  // refuses it
    for (const NamedRelease& part : set.parts()) {
      result.names.push_back(set.is_whole()                   ? path
                             : arguments.releases.size() == 1 ? part.name
                                                              : fmt::format("{} {}", path, part.name));
      result.releases.push_back(part.release);
    }
  }
  return result;
}

void run_compare(const Arguments& arguments) {
  const Console console(arguments.json);
  for (const std::string& output : arguments.outputs) {
    check_output(output);
    if (output.ends_with(".csv") || output.ends_with(".geojson")) {
      throw InputError(
          fmt::format("a comparison cannot be written to '{}'; use the suffix .html, .svg, .png or .json", output));
    }
  }
  Outputs outputs = arguments.json.open(arguments.releases, arguments.outputs);
  const auto [names, releases] = series_of(arguments);
  const std::vector<Changes> changes = compare(releases);
  for (const std::string& output : arguments.outputs) {
    outputs.write(output, compare_contents(releases, names, output));
  }
  if (!arguments.json.path.empty()) {
    arguments.json.write(Json::parse(compare_json(releases, names)), outputs);
  }
  if (arguments.json.to_stdout()) return;
  if (const std::optional<std::string> groups = counted_in_groups(releases.front().parts().unit)) {
    console.notice(*groups);
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    say_changes(console, changes[i], releases[i].parts(), names[i], names[i + 1]);
  }
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  if (arguments.outputs.empty()) {
    std::string files;
    for (const std::string& path : arguments.releases) files += shell_word(path) + " ";
    console.next(fmt::format("shoal compare {}-o changes.html   (free: maps side by side)", files));
  }
}

}  // namespace

void add_compare(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("compare", "Show clusters that changed between releases; spends nothing");
  command->add_option("RELEASES", arguments->releases, "Release files (.json), the earliest first; or one with groups")
      ->required()
      ->expected(1, 1000);
  arguments->group.add(*command);
  start_group(*command, "Output");
  command->add_option("-o,--output", arguments->outputs, "Output file (.html .svg .png .json); repeatable");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal compare january.json february.json -o changes.html\n"
      "  shoal compare weeks.json   (made with shoal release --by day=2026-W01..2026-W12)");
  command->callback([arguments, &run] { run = [arguments] { run_compare(*arguments); }; });
}

}  // namespace shoal::cli
