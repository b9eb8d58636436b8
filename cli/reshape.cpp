// shoal reshape: another look at a release, free of budget.
#include <fmt/format.h>

#include "command.hpp"
#include "group_arguments.hpp"
#include "publication_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/levels.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string release;
  GroupChoice group;
  ClusterArguments cluster;
  LevelsArgument levels;
  PublicationArguments publication;
  JsonArgument json;
  std::vector<std::string> outputs;
  bool doubtful = false, fixed = false;
};

void say_shown(const Console& console, const ReleaseSet& reshaped, const ReleaseSet& old) {
  if (reshaped.is_whole()) {
    console.line(fmt::format("{} (before: {}); no further budget was spent", counted_clusters(reshaped.first()),
                             counted_clusters(old.first())));
    return;
  }
  if (const Grouping* groups = reshaped.grouping()) {
    console.line(fmt::format("{} of {}; no further budget was spent", counted(groups->names.size(), "group"),
                             groups->axis.name()));
  } else {
    console.line(
        fmt::format("An overview and {}; no further budget was spent", counted(reshaped.insets().size(), "inset")));
  }
  say_parts(console, reshaped);
}

void reshape_levels(const Arguments& arguments, Outputs& outputs, const Console& console) {
  const Release old = arguments.group.load(arguments.release);
  const ReleaseLevels levels(old, arguments.cluster.over(old.parts().options), parse_levels(arguments.levels.text));
  for (const std::string& output : arguments.outputs) outputs.write(output, levels.contents(output));
  if (!arguments.json.path.empty()) outputs.write(arguments.json.path, levels.json());
  if (arguments.json.to_stdout()) return;
  for (const std::string& notice : notices(levels.releases().back())) console.notice(notice);
  if (!old.parts().is_private) console.line("NOT PRIVATE: a seeded run, for studies only.");
  console.line(fmt::format("{}; no further budget was spent", counted(levels.releases().size(), "level")));
  const std::vector<LevelView> views = level_views(levels);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string held = held_in_words(views, i);
    console.line(fmt::format("  level {}: {}{}", views[i].level, counted_clusters(levels.releases()[i]),
                             held.empty() ? "" : ": " + held));
  }
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  if (arguments.outputs.empty()) {
    console.next(fmt::format("shoal reshape {} --levels {} -o levels.html   (free: maps side by side)",
                             shell_word(arguments.release), arguments.levels.text));
  }
}

void run_reshape(const Arguments& arguments) {
  const Console console(arguments.json);
  for (const std::string& output : arguments.outputs) check_output(output);
  if (arguments.levels.is_given()) arguments.levels.check(arguments.cluster, arguments.outputs);
  Outputs outputs = arguments.json.open(arguments.publication.files({arguments.release}), arguments.outputs);
  if (arguments.levels.is_given()) return reshape_levels(arguments, outputs, console);
  // Where no options are given, those of the first part hold.
  const ReleaseSet old = arguments.group.load_set(arguments.release);
  const ReleaseSet reshaped =
      published(reshape(old, arguments.cluster.over(old.first().parts().options)), arguments.publication);
  for (const std::string& output : arguments.outputs) {
    const bool fixed = arguments.fixed && output.ends_with(".html");
    const Doubtful doubtful = arguments.doubtful ? Doubtful::keep : Doubtful::leave_out;
    outputs.write(output, fixed ? reshaped.report() : reshaped.contents(output, doubtful));
  }
  if (!arguments.json.path.empty()) outputs.write(arguments.json.path, reshaped.json());
  if (arguments.json.to_stdout()) return;
  for (const std::string& notice : reshaped.notices()) console.notice(notice);
  const bool whole = reshaped.is_whole();
  const std::optional<std::string> uniform = whole ? notice_of_uniform_area(reshaped.first()) : std::nullopt;
  if (uniform) console.notice(*uniform);
  if (!reshaped.is_private()) console.line("NOT PRIVATE: a seeded run, for studies only.");
  say_shown(console, reshaped, old);
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  const std::string file = first_json(arguments.outputs);
  const auto next = file.empty() || !whole ? std::nullopt : next_command(reshaped.first(), file);
  if (next) console.next(*next);
}

}  // namespace

void add_reshape(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("reshape", "Change threshold, wavelet or level of a release; spends nothing");
  command->add_option("RELEASE", arguments->release, "Release file (.json)")->required();
  arguments->group.add(*command);
  arguments->cluster.add(*command);
  arguments->levels.add(*command);
  arguments->publication.add(*command);
  start_group(*command, "Output");
  command->add_option("-o,--output", arguments->outputs, "Output file: .json .geojson .gpkg .tif .csv .html .svg .png");
  command->add_flag("--doubtful", arguments->doubtful, "Keep doubtful clusters in GeoJSON");
  command->add_flag("--static", arguments->fixed, "Write .html as a report without scripts");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal reshape clusters.json --percentile 40 -o denser.html\n"
      "  shoal reshape clusters.json --levels 1-4 -o levels.html");
  command->callback([arguments, &run] { run = [arguments] { run_reshape(*arguments); }; });
}

}  // namespace shoal::cli
