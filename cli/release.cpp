// shoal release: the main job, one private release. What it prints holds noised and public values only.
#include "shoal/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>

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
#include "shoal/text.hpp"

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
};

Source open_source(const Arguments& arguments, const CsvOptions& csv, const std::optional<Grouping>& grouping) {
  if (arguments.counts.given()) {
    const auto table = std::make_shared<CountsTable>(arguments.counts.path, arguments.input, arguments.grid, grouping);
    return {.names = table->names(),
            .used = fmt::format("cells of {}", fmt::join(table->names(), ", ")),
            .prepare = [table](const ReleaseRequest& request) {
              check(request);
              return PreparedRelease(table->read(request), request);
            }};
  }
  const std::shared_ptr<Points> points = arguments.input.open(csv);
  return {
      .names = points->names(), .used = columns_used(csv, *points), .prepare = [points](const ReleaseRequest& request) {
        const Progress progress("reading", *points);
        return PreparedRelease(*points, request);
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
  arguments.publication.check();
}

Layout layout_of(const Arguments& arguments, const std::optional<Grouping>& grouping) {
  if (grouping) return *grouping;
  return arguments.insets > 0 ? Layout(Insets{arguments.insets}) : Layout(Whole{});
}

// names: of the axes, and before them of the group, if there are groups.
ReleaseRequest request_of(const Arguments& arguments, std::vector<std::string> names,
                          const std::optional<Grouping>& grouping, Epsilon epsilon, const PrivateOptions& options) {
  if (grouping) names.erase(names.begin());
  using GridOfRequest = decltype(ReleaseRequest::grid);
  return {.grid = arguments.automatic
                      ? GridOfRequest(AutomaticGrid{arguments.grid.make_finest(names), arguments.like.earlier})
                      : GridOfRequest(arguments.grid.make(names)),
          .epsilon = epsilon,
          .options = options,
          .technique = arguments.technique,
          .outside = arguments.grid.outside_rule(),
          .layout = layout_of(arguments, grouping),
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

// Returns the grid whose cells a file of counts names by numbers. It names groups as records do.
Grid cells_of_counts(const ReleaseRequest& request) {
  const Grid grid = counted_grid(request);
  if (request.grouping() == nullptr) return grid;
  return Grid(std::vector<Axis>(grid.axes().begin() + 1, grid.axes().end()));
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
  const ReleaseRequest request = request_of(arguments, names_in_options(csv), grouping, epsilon, options);
  const auto spending = planned_spending(request);
  const std::size_t dimensions = std::max<std::size_t>(1, request.bounds().shape().pooled_axes());
  Json json{{"dry_run", true},
            {"technique", arguments.technique},
            {"epsilon", epsilon.text()},
            {"spent", spending_json(spending)}};
  if (arguments.insets > 0) json["insets"] = arguments.insets;
  const bool boxes = request.is_automatic() && makes_boxes(request.bounds());
  if (arguments.automatic && !boxes) json["grids"] = automatic_grids(dimensions);
  const Epsilon total = total_epsilon(request);
  if (grouping) {
    json["groups"] = grouping->names;
    json["max_groups"] = grouping->max_groups;
    json["total_epsilon"] = total.text();
  }
  if (arguments.counts.given()) json["counted_axes"] = json_of_axes(cells_of_counts(request));
  const std::optional<PeakMemory> memory = peak_memory(request);
  if (memory) json["memory_bytes"] = memory->bytes;
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
  if (boxes) {
    console.line(
        "Noisy histograms select boxes between places with few records, or a grid of the axes with structure. No grid "
        "or "
        "threshold is needed.");
  } else if (arguments.automatic && !arguments.like.given()) {
    console.line(
        fmt::format("The noisy number of {} selects the grid. Cells per axis: one of {}. No threshold is needed.",
                    counted_noun(options.unit).many, fmt::join(automatic_grids(dimensions), ", ")));
  }
  if (arguments.insets > 0) {
    console.line(fmt::format("The noisy overview selects up to {} insets. They do not overlap, so they cost once.",
                             arguments.insets));
  }
  if (arguments.counts.given()) say_counted_grid(console, cells_of_counts(request));
  if (memory) {
    console.line(fmt::format("It takes at most {:.0f} MB of memory: {}.",
                             std::ceil(static_cast<double>(memory->bytes) / 1e6), memory->words));
  } else {
    console.line("Its memory depends on the occupied cells, because the grid is past the dense limit.");
  }
  if (arguments.records > 0) {
    const std::uint64_t records =
        grouping ? records_in_a_group(arguments.records, *grouping, options.unit) : arguments.records;
    const std::string what =
        grouping ? fmt::format("Each group, of about {}, would show",
                               counted(records, counted_noun(options.unit).one, counted_noun(options.unit).many))
                 : "It would show";
    console.line(what + ", simulated without data: " +
                 planned_line({.grid = request.bounds(),
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
ReleaseSet trimmed(const ReleaseSet& release) {
  try {
    return release.trimmed_to();
  } catch (const std::bad_alloc&) {
    return release.without_noisy_values();
  }
}

// All that can be written is; JSON first, which the others can be made of again. What cannot be written ends the run,
// with the release kept somewhere in any case.
void write_all(const Arguments& arguments, const ReleaseSet& release, const Payment& payment, Outputs& outputs) {
  std::vector<std::string> files = all_outputs(arguments), failures;
  std::stable_partition(files.begin(), files.end(),
                        [&](const std::string& file) { return format_of(arguments, file).ends_with(".json"); });
  std::optional<std::string> whole;
  for (const std::string& file : files) {
    const std::string format = format_of(arguments, file);
    try {
      const bool fixed = arguments.fixed && format.ends_with(".html");
      const Doubtful doubtful = arguments.doubtful ? Doubtful::keep : Doubtful::leave_out;
      outputs.write(file, fixed ? release.report() : release.contents(format, doubtful));
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

// Prints how a plain release was made, and its clusters.
void say_release(const Arguments& arguments, const Release& release, const Console& console) {
  const ReleaseParts& parts = release.parts();
  if (const auto& chosen = parts.automatic) {
    const std::vector<ClusterConfidence>& confidence = release.confidence();
    const bool sure = !std::all_of(confidence.begin(), confidence.end(), is_doubtful);
    const bool as_before = arguments.like.earlier && arguments.like.earlier->grid == parts.grid;
    console.line(fmt::format("  {}: grid {} for about {}{}", as_before ? "as before" : "chosen",
                             fmt::join(parts.grid.shape(), " x "), counted_records(chosen->records, parts.unit),
                             sure ? "; neither sampling nor noise explains these clusters" : ""));
    for (const std::string& words : rounding_in_words(parts)) console.line(fmt::format("  {}", words));
    if (arguments.like.given() && !as_before) {
      console.line("  These steps are wider than the cells of the earlier release, so the two cannot be compared.");
    }
  }
  if (const std::string size = cell_kilometres(parts.grid); !size.empty() && arguments.grid.geo) {
    console.line(fmt::format("  a cell in the middle is about {}", size));
  }
  if (parts.has_floor()) {
    console.line(fmt::format("  kept of {} cells: those with at least {} noisy {}; the others are unknown",
                             cell_count(parts.values()->value().shape()), parts.floor(),
                             counted_noun(parts.unit).many));
  }
  say_clusters(console, release);
  if (release.confidence().empty() && !release.clusters().empty()) {
    console.line(fmt::format("Confidence unavailable: {}", without_confidence(parts.technique)));
  }
}

// Prints the first line about a release: what it shows, of what, and at what cost.
void say_headline(const Arguments& arguments, const Source& source, const ReleaseSet& release, const Console& console) {
  const std::string epsilon = release.epsilon().text();
  if (release.is_whole()) {
    console.line(fmt::format("{} in {}, by {}, epsilon {}:", counted_clusters(release.first()), source.used,
                             arguments.technique, epsilon));
  } else if (const Grouping* groups = release.grouping()) {
    console.line(
        fmt::format("Groups of {}, by {}, {}:", groups->axis.name(), arguments.technique,
                    cost_in_words(release.first().parts().epsilon, release.epsilon(), release.parts().size())));
  } else {
    console.line(fmt::format("An overview and {} of {}, epsilon {}:", counted(release.insets().size(), "inset"),
                             source.used, epsilon));
  }
}

// Returns the next useful command, if there is one. file: the JSON file of the release.
std::optional<std::string> next_step(const ReleaseSet& release, const std::string& file) {
  if (file.empty()) return std::nullopt;
  if (release.is_whole()) return next_command(release.first(), file);
  if (release.grouping() == nullptr) {
    return fmt::format("shoal reshape {} --group 1 -o inset.html   (free: one inset by itself)", shell_word(file));
  }
  if (release.parts().size() == 1) return std::nullopt;
  return fmt::format("shoal compare {}   (free: what changed from group to group)", shell_word(file));
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
  Outputs outputs = arguments.json.open(arguments.publication.files(std::move(inputs)), arguments.outputs);
  const Source source = open_source(arguments, csv, grouping);
  const ReleaseRequest request = request_of(arguments, source.names, grouping, epsilon, options);
  const Publication publication = arguments.publication.over({}, request.bounds());
  for (const std::string& output : all_outputs(arguments)) {
    outputs.at(output).reserve(bytes_to_reserve(request, format_of(arguments, output)) +
                               2 * publication.base_map.size());
  }
  PreparedRelease prepared = source.prepare(request);
  say_what_is_kept(arguments);
  const HeldSignals held;
  const Payment payment{"release", prepared.epsilon(), arguments.ledger, prepared.charge(), arguments.json.to_stdout()};
  ReleaseSet release = trimmed(drawn(payment, [&] { return prepared.draw(); }));
  release.publish(publication);
  write_all(arguments, release, payment, outputs);
  if (arguments.counts.given()) console.notice(bounded_elsewhere(release.unit(), grouping));
  arguments.input.warn(console);
  for (const std::string& notice : release.notices()) console.notice(notice);
  const bool nothing = release.shows_nothing(), whole = release.is_whole();
  if (arguments.json.to_stdout()) return check_counted(arguments, nothing);
  const std::optional<std::string> uniform = whole ? notice_of_uniform_area(release.first()) : std::nullopt;
  if (uniform) console.notice(*uniform);

  if (arguments.seed) console.line("NOT PRIVATE: a seeded run, for studies only.");
  say_headline(arguments, source, release, console);
  if (!grouping) say_spending(console, release.spent());
  say_unit(console, arguments.privacy);
  if (whole) {
    say_release(arguments, release.first(), console);
  } else {
    say_parts(console, release);
  }
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  if (release.first().parts().values() == nullptr && release.first().parts().boxes() == nullptr) {
    console.line(
        "The noisy values are too large for a file. The release was written without them and cannot be reshaped.");
  }
  if (const std::optional<std::string> next = next_step(release, first_json(arguments.outputs))) console.next(*next);
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
  command->add_option("-o,--output", arguments->outputs, "Output file: .json .geojson .gpkg .tif .csv .html .svg .png");
  command->add_flag("--static", arguments->fixed, "Write .html as a report without scripts");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal datasets ds2 -o spirals.csv\n"
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
