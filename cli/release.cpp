// shoal release: the main job, one private release. What it prints holds noised and public values only.
#include "shoal/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/axis_text.hpp"
#include "base/counted.hpp"
#include "command.hpp"
#include "counts_argument.hpp"
#include "group_arguments.hpp"
#include "like.hpp"
#include "paid.hpp"
#include "plan_arguments.hpp"
#include "privacy_arguments.hpp"
#include "publication_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/notices.hpp"
#include "shoal/private_release.hpp"
#include "techniques/automatic.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  InputArguments input;
  CountsArgument counts;
  GridArguments grid;
  ClusterArguments cluster;
  PrivacyArguments privacy;
  GroupArguments groups;
  LikeArgument like;
  PublicationArguments publication;
  JsonArgument json;
  std::string epsilon, technique = "privwave", ledger, dataset;
  std::vector<std::string> outputs;
  std::optional<std::uint64_t> seed;
  bool dry_run = false;
  bool automatic = false, grid_given = false, doubtful = false, fixed = false;
  std::uint64_t insets = 0;
  std::uint64_t records = 0;  // as guessed, for the plan of a dry run

  [[nodiscard]] std::vector<std::string> files() const {
    InputArguments read = input;
    if (counts.given()) read.path = counts.path;
    return read.files();
  }
};

// Points, or counts in their place.
struct Source {
  std::vector<std::string> names;  // of the axes
  std::string used;                // "columns x, y"
  std::function<PreparedRelease(const ReleaseRequest&)> prepare;
  std::function<PreparedGroups(const ReleaseRequest&, const Grouping&)> prepare_groups;
};

Source open_source(const Arguments& arguments, const CsvOptions& csv, const std::optional<Grouping>& grouping) {
  if (arguments.counts.given()) {
    const auto table = std::make_shared<CountsTable>(arguments.counts.path, arguments.input, arguments.grid, grouping);
    return {.names = table->names(),
            .used = fmt::format("cells of {}", fmt::join(table->names(), ", ")),
            .prepare =
                [table](const ReleaseRequest& request) {
                  static_cast<void>(planned_spending(request));
                  return PreparedRelease(table->read(request), request);
                },
            .prepare_groups =
                [table](const ReleaseRequest& request, const Grouping& by) {
                  static_cast<void>(total_epsilon(request, by));
                  return PreparedGroups(table->read(request), request, by);
                }};
  }
  const std::shared_ptr<Points> points = arguments.input.open(csv);
  return {.names = points->names(),
          .used = columns_used(csv, *points),
          .prepare =
              [points](const ReleaseRequest& request) {
                const Progress progress("reading", *points);
                return PreparedRelease(*points, request);
              },
          .prepare_groups =
              [points](const ReleaseRequest& request, const Grouping& by) {
                const Progress progress("reading", *points);
                return PreparedGroups(*points, request, by);
              }};
}

// Everything that can be refused without data is refused before data is read and budget is spent.
void check(const Arguments& arguments) {
  arguments.counts.check(arguments.input, arguments.grid, arguments.technique);
  if (arguments.automatic) {
    check_automatic(arguments.cluster, arguments.grid_given, arguments.technique != "privwave");
  } else if (!arguments.cluster.has_threshold()) {
    throw Error(
        ErrorKind::usage,
        "a release needs a threshold: give --percentile, --coverage, --top or --density, chosen without looking "
        "at the data, or use --auto");
  }
  if (arguments.insets > 0 && !arguments.automatic) {
    throw Error(ErrorKind::usage, "--insets needs --auto: grids are chosen");
  }
  if (arguments.insets > 0 && arguments.like.given()) {
    throw Error(ErrorKind::usage, "--insets and --like do not go together; remove one of them");
  }
  arguments.groups.check(arguments.insets);
  if (arguments.ledger.empty() != arguments.dataset.empty()) {
    throw Error(ErrorKind::usage, "--ledger FILE and --dataset NAME go together");
  }
  if (arguments.seed && (!arguments.outputs.empty() || !arguments.ledger.empty())) {
    throw InputError(
        "a run with --seed is not private: it cannot be released (-o) or charged (--ledger); remove --seed, or for a "
        "study use --json - or shoal evaluate");
  }
  if (!arguments.seed && !arguments.dry_run && arguments.outputs.empty() && arguments.json.path.empty()) {
    throw Error(ErrorKind::usage, "no output is given; add -o FILE (.json, .geojson, .csv, .html) or --json -");
  }
  for (const std::string& output : arguments.outputs) check_output(output);
  static_cast<void>(arguments.publication.over({}));
}

ReleaseRequest request_of(const Arguments& arguments, const std::vector<std::string>& names, Epsilon epsilon,
                          const PrivateOptions& options) {
  return {.grid = arguments.automatic ? arguments.grid.make_finest(names) : arguments.grid.make(names),
          .epsilon = epsilon,
          .options = options,
          .technique = arguments.technique,
          .outside = arguments.grid.outside_rule(),
          .automatic = arguments.automatic,
          .earlier = arguments.like.earlier,
          .insets = arguments.insets,
          .ledger = arguments.ledger.empty() ? std::nullopt : std::optional(arguments.ledger),
          .dataset = arguments.dataset,
          .seed = arguments.seed};
}

// The groups and, first of its columns, how they are read; none without --by.
std::optional<Grouping> grouping_of(const Arguments& arguments, CsvOptions& csv) {
  if (!arguments.groups.given()) return std::nullopt;
  Grouping grouping = arguments.groups.make(arguments.privacy.privacy_unit());
  csv = with_group(std::move(csv), grouping);
  return grouping;
}

std::vector<std::string> coordinate_names(std::vector<std::string> names, const std::optional<Grouping>& grouping) {
  if (grouping) names.erase(names.begin());
  return names;
}

// "epsilon 0.5 for each of 12 groups, 1 in all".
std::string cost_in_words(Epsilon each, Epsilon all, std::size_t groups) {
  return fmt::format("epsilon {} for each of {}, {} in all", each.text(), counted(groups, "group"), all.text());
}

// Returns the number of records in a group, given all records, or all units if each is in every group.
std::uint64_t records_in_a_group(std::uint64_t all, const Grouping& grouping, const PrivacyUnit& unit) {
  const double groups = unit.share ? static_cast<double>(grouping.max_groups) : 1;
  const double each = static_cast<double>(all) * groups / static_cast<double>(grouping.names.size());
  return static_cast<std::uint64_t>(std::max(1.0, each));
}

// Says before epsilon is spent that pictures and tables alone keep no release. It goes to standard error, because a
// release that no file takes is printed to standard output.
void say_what_is_kept(const Arguments& arguments) {
  if (arguments.seed || !arguments.json.path.empty() || !first_json(arguments.outputs).empty()) return;
  fmt::print(stderr,
             "No .json is written: without it this release cannot be reshaped, compared or used to label points later. "
             "Add -o FILE.json.\n");
}

// Public parameters only: the input is not opened.
void dry_run(const Arguments& arguments, Epsilon epsilon, const PrivateOptions& options, const Console& console) {
  CsvOptions csv = arguments.privacy.csv(arguments.input, arguments.grid);
  const std::optional<Grouping> grouping = grouping_of(arguments, csv);
  const auto names = coordinate_names(names_in_options(csv), grouping);
  const ReleaseRequest request = request_of(arguments, names, epsilon, options);
  const auto spending = planned_spending(request);
  const std::size_t dimensions = std::max<std::size_t>(1, request.grid.shape().pooled_axes());
  Json json{{"dry_run", true},
            {"technique", arguments.technique},
            {"epsilon", epsilon.text()},
            {"spent", spending_json(spending)}};
  if (arguments.insets > 0) json["insets"] = arguments.insets;
  if (arguments.automatic) json["grids"] = automatic_grids(dimensions);
  const Epsilon total = grouping ? total_epsilon(request, *grouping) : epsilon;
  if (grouping) {
    json["groups"] = grouping->names;
    json["max_groups"] = grouping->max_groups;
    json["total_epsilon"] = total.text();
  }
  if (arguments.counts.given()) json["counted_axes"] = axes_json(counted_grid(request));
  Outputs outputs = arguments.json.open(arguments.files());
  arguments.json.write(json, outputs);
  if (arguments.json.to_stdout()) return;
  for (const std::string& notice : notices(options.unit, total)) console.notice(notice);
  if (!arguments.outputs.empty()) say_what_is_kept(arguments);
  console.line(fmt::format(
      "Dry run: nothing was read or spent. A release by {} would spend {}:", arguments.technique,
      grouping ? cost_in_words(epsilon, total, grouping->names.size()) : fmt::format("epsilon {}", epsilon.text())));
  say_spending(console, spending);
  say_unit(console, arguments.privacy);
  if (arguments.automatic && !arguments.like.given()) {
    console.line(
        fmt::format("The noisy number of {} selects the grid. Cells per axis: one of {}. No threshold is needed.",
                    counted_noun(options.unit).many, fmt::join(automatic_grids(dimensions), ", ")));
  }
  if (arguments.insets > 0) {
    console.line(fmt::format("The noisy overview selects up to {} insets. They do not overlap, so they cost once.",
                             arguments.insets));
  }
  if (arguments.counts.given()) say_counted_grid(console, counted_grid(request));
  if (arguments.records > 0) {
    const std::uint64_t records =
        grouping ? records_in_a_group(arguments.records, *grouping, options.unit) : arguments.records;
    const std::string what =
        grouping ? fmt::format("Each group, of about {}, would show",
                               counted(records, counted_noun(options.unit).one, counted_noun(options.unit).many))
                 : "It would show";
    console.line(what + ", simulated without data: " +
                 planned_line({.grid = request.grid,
                               .options = options,
                               .technique = arguments.technique,
                               .automatic = arguments.automatic,
                               .insets = arguments.insets,
                               .records = records,
                               .epsilons = {epsilon}}));
  } else {
    console.line("With --records N, your guess of their number, it also says what the release would show.");
  }
  console.next("the same command without --dry-run");
}

// Throws if the release shows nothing, so that a script sees by the exit code that the budget bought nothing. A signal
// that waits goes first. Called last, when the release is written.
void check_counted(const Arguments& arguments, bool nothing) {
  if (!nothing || arguments.seed || HeldSignals::one_waits()) return;
  throw Error(ErrorKind::nothing,
              fmt::format("epsilon {} is spent and the release is written, but it shows nothing; see the notice above. "
                          "'shoal check' finds the cause and spends nothing",
                          arguments.epsilon));
}

std::vector<std::string> all_outputs(const Arguments& arguments) {
  std::vector<std::string> all = arguments.outputs;
  if (!arguments.json.path.empty()) all.push_back(arguments.json.path);
  return all;
}

// Of --json, whatever its name.
std::string format_of(const Arguments& arguments, const std::string& output) {
  return output == arguments.json.path ? ".json" : output;
}

// What is too large for a file or for memory is kept without what makes it so.
template <class Made>
Made trimmed(const Made& release) {
  try {
    return release.trimmed_to();
  } catch (const std::bad_alloc&) {
    return release.without_noisy_values();
  }
}

// All that can be written is; JSON first, which the others can be made of again. What cannot be written ends the run,
// with the release kept somewhere in any case.
template <class Made>
void write_all(const Arguments& arguments, const Made& release, const Payment& payment, Outputs& outputs) {
  std::vector<std::string> files = all_outputs(arguments), failures;
  std::stable_partition(files.begin(), files.end(),
                        [&](const std::string& file) { return format_of(arguments, file).ends_with(".json"); });
  std::optional<std::string> whole;
  for (const std::string& file : files) {
    const std::string format = format_of(arguments, file);
    try {
      const bool fixed = arguments.fixed && format.ends_with(".html");
      const Doubtful doubtful = arguments.doubtful ? Doubtful::keep : Doubtful::leave_out;
      outputs.write(file, fixed ? static_report(release) : release.contents(format, doubtful));
      if (!whole && format.ends_with(".json")) whole = file;
    } catch (const std::exception& error) {
      failures.emplace_back(error.what());
    }
  }
  if (failures.empty()) return;
  if (whole) {
    throw InputError(
        fmt::format("{}; the release was written to {}; 'shoal reshape FILE -o NAME' creates the other files "
                    "free of budget",
                    fmt::join(failures, "; "), *whole == "-" ? "standard output" : "'" + *whole + "'"));
  }
  outputs = Outputs();  // the room that was set aside goes back
  keep_elsewhere(payment, failures, ".json", "'shoal reshape FILE -o NAME' creates the other files free of budget",
                 [&](PendingFile& file) { file.write(release.json()); });
}

// Doubtful clusters come last, under a line of their own.
void say_clusters(const Console& console, const Release& release) {
  constexpr std::size_t most_lines = 20;
  const std::vector<std::uint32_t> doubtful = release.doubtful();
  for (const bool doubted : {false, true}) {
    std::size_t lines = 0;
    if (doubted && !doubtful.empty()) console.line("doubtful:");
    for (std::size_t i = 0; i < release.clusters().size(); ++i) {
      const ReleasedCluster& cluster = release.clusters()[i];
      if (std::binary_search(doubtful.begin(), doubtful.end(), cluster.id) != doubted || ++lines > most_lines) continue;
      const std::string sure = release.confidence().empty() ? "" : ": " + in_words(release.confidence()[i]);
      console.line(fmt::format("  cluster {:<3} {:>6} cell{}, about {}, around ({}){}", cluster.id, cluster.cells,
                               cluster.cells == 1 ? "" : "s", counted_records(release, i),
                               place_text(release.parts().grid, cluster.centroid), sure));
    }
    if (lines > most_lines) console.line(fmt::format("  and {} more", lines - most_lines));
  }
}

void release_groups(const Arguments& arguments, const ReleaseRequest& request, const Grouping& grouping,
                    const Source& source, Outputs& outputs, const Console& console) {
  PreparedGroups prepared = source.prepare_groups(request, grouping);
  say_what_is_kept(arguments);
  const HeldSignals held;
  const Payment payment{"release", total_epsilon(request, grouping), arguments.ledger, prepared.charge(),
                        arguments.json.to_stdout()};
  const GroupedRelease groups =
      published(trimmed(drawn(payment, [&] { return prepared.draw(); })), arguments.publication);
  write_all(arguments, groups, payment, outputs);
  if (arguments.counts.given()) console.notice(bounded_elsewhere(groups.unit(), grouping));
  arguments.input.warn(console);
  for (const std::string& notice : groups.notices()) console.notice(notice);
  const bool nothing = groups.shows_nothing();
  if (arguments.json.to_stdout()) return check_counted(arguments, nothing);

  if (arguments.seed) console.line("NOT PRIVATE: a seeded run, for studies only.");
  console.line(fmt::format("Groups of {}, by {}, {}:", groups.by(), arguments.technique,
                           cost_in_words(groups.epsilon_each(), groups.epsilon(), groups.parts().size())));
  say_unit(console, arguments.privacy);
  say_groups(console, groups);
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  const std::string file = first_json(arguments.outputs);
  if (!file.empty() && groups.parts().size() > 1) {
    console.next(fmt::format("shoal compare {}   (free: what changed from group to group)", shell_word(file)));
  }
  check_counted(arguments, nothing);
}

void release_insets(const Arguments& arguments, const ReleaseRequest& request, const Source& source, Outputs& outputs,
                    const Console& console) {
  PreparedRelease prepared = source.prepare(request);
  say_what_is_kept(arguments);
  const HeldSignals held;
  const Payment payment{"release", request.epsilon, arguments.ledger, prepared.charge(), arguments.json.to_stdout()};
  const InsetRelease insets =
      published(trimmed(drawn(payment, [&] { return prepared.draw_insets(); })), arguments.publication);
  write_all(arguments, insets, payment, outputs);
  if (arguments.counts.given()) console.notice(bounded_elsewhere(insets.unit()));
  arguments.input.warn(console);
  for (const std::string& notice : insets.notices()) console.notice(notice);
  const bool nothing = insets.shows_nothing();
  if (arguments.json.to_stdout()) return check_counted(arguments, nothing);

  if (arguments.seed) console.line("NOT PRIVATE: a seeded run, for studies only.");
  console.line(fmt::format("An overview and {} of {}, epsilon {}:", counted(insets.insets().size(), "inset"),
                           source.used, insets.epsilon().text()));
  say_spending(console, insets.spent());
  say_unit(console, arguments.privacy);
  say_parts(console, insets);
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  const std::string file = first_json(arguments.outputs);
  if (!file.empty()) {
    console.next(
        fmt::format("shoal reshape {} --group 1 -o inset.html   (free: one inset by itself)", shell_word(file)));
  }
  check_counted(arguments, nothing);
}

void run_release(const Arguments& arguments) {
  check(arguments);
  const Console console(arguments.json);
  const Epsilon epsilon = Epsilon::parse(arguments.epsilon);
  const PrivateOptions options =
      arguments.privacy.over(arguments.cluster.over({.threshold = DensityModes{}}));  // --auto's
  if (arguments.dry_run) return dry_run(arguments, epsilon, options, console);

  std::vector<std::string> inputs = Ledger::files(arguments.ledger);
  if (arguments.like.given()) inputs.push_back(arguments.like.path);
  for (const std::string& file : arguments.files()) inputs.push_back(file);
  CsvOptions csv = arguments.privacy.csv(arguments.input, arguments.grid);
  const std::optional<Grouping> grouping = grouping_of(arguments, csv);
  Outputs outputs = arguments.json.open(inputs, arguments.outputs);
  const Source source = open_source(arguments, csv, grouping);
  const ReleaseRequest request = request_of(arguments, coordinate_names(source.names, grouping), epsilon, options);
  for (const std::string& output : all_outputs(arguments)) {
    const std::string format = format_of(arguments, output);
    outputs.at(output).reserve(grouping ? bytes_to_reserve(request, *grouping, format)
                                        : bytes_to_reserve(request, format));
  }
  if (grouping) return release_groups(arguments, request, *grouping, source, outputs, console);
  if (arguments.insets > 0) return release_insets(arguments, request, source, outputs, console);
  PreparedRelease prepared = source.prepare(request);
  say_what_is_kept(arguments);
  const HeldSignals held;
  const Payment payment{"release", epsilon, arguments.ledger, prepared.charge(), arguments.json.to_stdout()};
  const Release release = published(trimmed(drawn(payment, [&] { return prepared.draw(); })), arguments.publication);
  write_all(arguments, release, payment, outputs);
  if (arguments.counts.given()) console.notice(bounded_elsewhere(options.unit));
  arguments.input.warn(console);
  for (const std::string& notice : notices(release)) console.notice(notice);
  const bool nothing = notice_of_nothing(release).has_value();
  if (arguments.json.to_stdout()) return check_counted(arguments, nothing);
  if (const std::optional<std::string> uniform = notice_of_uniform_area(release)) console.notice(*uniform);

  if (arguments.seed) console.line("NOT PRIVATE: a seeded run, for studies only.");
  console.line(fmt::format("{} in {}, by {}, epsilon {}:", counted_clusters(release), source.used, arguments.technique,
                           epsilon.text()));
  say_spending(console, release.parts().spent());
  say_unit(console, arguments.privacy);
  if (const auto& chosen = release.parts().automatic) {
    const std::vector<ClusterConfidence>& confidence = release.confidence();
    const bool sure = !std::all_of(confidence.begin(), confidence.end(), is_doubtful);
    const bool as_before = arguments.like.earlier && arguments.like.earlier->grid == release.parts().grid;
    console.line(fmt::format("  {}: grid {} for about {}{}", as_before ? "as before" : "chosen",
                             fmt::join(release.parts().grid.shape(), " x "),
                             counted_records(chosen->records, options.unit),
                             sure ? "; neither sampling nor noise explains these clusters" : ""));
    for (const std::string& words : rounding_in_words(release.parts())) console.line(fmt::format("  {}", words));
    if (arguments.like.given() && !as_before) {
      console.line("  These steps are wider than the cells of the earlier release, so the two cannot be compared.");
    }
  }
  if (const std::string size = kilometres_a_cell(release.parts().grid); !size.empty() && arguments.grid.geo) {
    console.line(fmt::format("  a cell in the middle is about {}", size));
  }
  if (release.parts().has_floor()) {
    console.line(fmt::format("  kept of {} cells: those with at least {} noisy {}; the others are unknown",
                             cell_count(release.parts().values()->value().shape()), release.parts().floor(),
                             counted_noun(release.parts().unit).many));
  }
  say_clusters(console, release);
  if (release.confidence().empty() && !release.clusters().empty()) {
    console.line(fmt::format("Confidence unavailable: {}", without_confidence(release.parts().technique)));
  }
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  const bool whole = release.parts().values() != nullptr;
  if (!whole) {
    console.line(
        "The noisy values are too large for a file. The release was written without them and cannot be reshaped.");
  }
  const std::string file = first_json(arguments.outputs);
  const auto next = file.empty() ? std::nullopt : next_command(release, file);
  if (next) console.next(*next);
  check_counted(arguments, nothing);
}

}  // namespace

void add_release(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("release", "Release the clusters with differential privacy");
  arguments->input.add(*command);
  arguments->counts.add(*command);
  arguments->grid.add(*command, true);
  arguments->like.add(*command);
  arguments->cluster.add(*command);
  command->add_flag("--auto", arguments->automatic, "Choose grid and threshold from noisy values, same epsilon")
      ->group("Threshold (give one)");
  command->add_option("--insets", arguments->insets, "With --auto: at most N finer maps where records crowd")
      ->group("Threshold (give one)");
  start_group(*command, "Privacy");
  command->add_option("--epsilon", arguments->epsilon, "Privacy budget to spend; smaller is more private")->required();
  arguments->privacy.add(*command);
  command->add_option("--ledger", arguments->ledger, "Ledger file to charge before noise is drawn");
  command->add_option("--dataset", arguments->dataset, "Account in the ledger");
  command->add_flag("--dry-run", arguments->dry_run, "Show the planned spending; read and spend nothing");
  command->add_option("--records", arguments->records, "With --dry-run: number of records, as you guess it");
  command->add_option("--seed", arguments->seed, "Repeatable run for studies; not private, cannot be released");
  arguments->groups.add(*command);
  start_group(*command, "Technique");
  command
      ->add_option("--technique", arguments->technique,
                   fmt::format("Technique: {}", fmt::join(technique_names(), ", ")))
      ->capture_default_str();
  arguments->privacy.add_technique(*command);
  arguments->publication.add(*command);
  start_group(*command, "Output");
  command->add_flag("--doubtful", arguments->doubtful, "Keep doubtful clusters in GeoJSON");
  command->add_option("-o,--output", arguments->outputs,
                      "Output file (.json .geojson .csv .html .svg .png); repeatable");
  command->add_flag("--static", arguments->fixed, "Write .html as a report without scripts");
  arguments->json.add(*command);
  command->footer(
      "Example:\n  shoal datasets ds2 -o spirals.csv\n"
      "  shoal release spirals.csv --columns x,y --bounds 0:1,0:1 --grid 40 --percentile 10 --epsilon 1 -o "
      "clusters.json -o clusters.html\n"
      "  shoal release spirals.csv --columns x,y --bounds 0:1,0:1 --auto --epsilon 1 -o clusters.json\n"
      "  shoal release --counts cells.csv --bounds x=0:1,y=0:1 --grid 40 --percentile 10 --epsilon 1 -o clusters.json\n"
      "  shoal release february.csv --like january.json --epsilon 1 -o february.json\n"
      "Choose epsilon, bounds and threshold without looking at the data.\n"
      "Create a ledger with: shoal ledger create\n"
      "Exit code 5: the release is made and paid for, but shows nothing.");
  command->callback([arguments, command, &run] {
    arguments->grid_given = command->count("--grid") > 0;
    run = [arguments, command] {
      if (arguments->like.given()) {
        arguments->like.apply(*command, arguments->grid, arguments->cluster, arguments->privacy, arguments->technique,
                              arguments->automatic);
        arguments->grid_given = arguments->grid_given && !arguments->automatic;
      }
      run_release(*arguments);
    };
  });
}

}  // namespace shoal::cli
