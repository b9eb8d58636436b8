// shoal synthesize: private synthetic points. Everything it writes or prints is noised or public.
#include <fmt/format.h>

#include "command.hpp"
#include "paid.hpp"
#include "privacy_arguments.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/notices.hpp"
#include "shoal/synthesis.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

// Set aside before epsilon is spent. How many points there will be is not public: most sets fit.
constexpr std::uint64_t bytes_for_points = std::uint64_t{1} << 24;
constexpr std::uint64_t bytes_for_json = std::uint64_t{1} << 16;

struct Arguments {
  InputArguments input;
  GridArguments grid;
  PrivacyArguments privacy;
  JsonArgument json;
  std::string epsilon, ledger, dataset, output;
  std::uint64_t most = most_synthetic_points;
  bool dry_run = false;
};

// Everything that can be refused without data is refused before data is read and budget is spent.
void check(const Arguments& arguments) {
  if (arguments.ledger.empty() != arguments.dataset.empty()) {
    throw Error(ErrorKind::usage, "--ledger FILE and --dataset NAME go together");
  }
  if (arguments.output.empty() && !arguments.dry_run) {
    throw Error(ErrorKind::usage, "no output is given; add -o FILE, or -o - for standard output");
  }
  if (arguments.output == "-" && arguments.json.to_stdout()) {
    throw Error(ErrorKind::usage, "points and --json cannot both go to standard output; give -o FILE");
  }
}

SynthesisRequest request_of(const Arguments& arguments, const std::vector<std::string>& names, Epsilon epsilon) {
  return {.grid = arguments.grid.make(names),
          .epsilon = epsilon,
          .publisher = arguments.privacy.publisher,
          .unit = arguments.privacy.privacy_unit(),
          .outside = arguments.grid.outside_rule(),
          .ledger = arguments.ledger.empty() ? std::nullopt : std::optional(arguments.ledger),
          .dataset = arguments.dataset};
}

// Public parameters only: the input is not opened.
void dry_run(const Arguments& arguments, Epsilon epsilon, const Console& console) {
  const SynthesisRequest request =
      request_of(arguments, names_in_options(arguments.privacy.csv(arguments.input, arguments.grid)), epsilon);
  const auto spending = planned_spending(request);
  Outputs outputs = arguments.json.open(arguments.input.files());
  arguments.json.write({{"dry_run", true},
                        {"publisher", request.publisher},
                        {"epsilon", request.epsilon.text()},
                        {"spent", spending_json(spending)}},
                       outputs);
  if (arguments.json.to_stdout()) return;
  for (const std::string& notice : notices(request.unit, request.epsilon)) console.notice(notice);
  console.line(fmt::format("Dry run: nothing was read or spent. {} would spend epsilon {}:", request.publisher,
                           request.epsilon.text()));
  say_spending(console, spending);
  say_unit(console, arguments.privacy);
  console.next("the same command without --dry-run");
}

struct Written {
  std::uint64_t points = 0;
  double share = 1;  // below 1: thinned to --max-points
};

Written write_points(const Grid& grid, const Synthesis& synthesis, std::uint64_t most, PendingFile& out) {
  std::string text;
  for (const Axis& axis : grid.axes()) text += (text.empty() ? "" : ",") + axis.name();
  text += '\n';
  Written written;
  const auto append = [&](const PointBlock& block) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      for (std::size_t a = 0; a < block.columns.size(); ++a) {
        text += a == 0 ? "" : ",";
        if (grid.axis(a).kind() == AxisKind{}) {
          fmt::format_to(std::back_inserter(text), "{}", block.columns[a][row]);
        } else {
          text += csv_field(shoal::coordinate_text(grid.axis(a), block.columns[a][row]));
        }
      }
      text += '\n';
    }
    written.points += block.rows();
    out.write(text);
    text.clear();
  };
  written.share = synthesis.draw(append, most);
  out.write(text);
  return written;
}

void run_synthesize(const Arguments& arguments) {
  check(arguments);
  const Console console(arguments.json);
  const Epsilon epsilon = Epsilon::parse(arguments.epsilon);
  if (arguments.dry_run) return dry_run(arguments, epsilon, console);

  std::vector<std::string> inputs = Ledger::files(arguments.ledger);
  for (const std::string& file : arguments.input.files()) inputs.push_back(file);
  Outputs outputs = arguments.json.open(inputs, {arguments.output});
  const CsvOptions csv = arguments.privacy.csv(arguments.input, arguments.grid);
  const auto source = arguments.input.open(csv);
  const SynthesisRequest request = request_of(arguments, source->names(), epsilon);
  arguments.input.warn(console);
  outputs.at(arguments.output).reserve(bytes_for_points);
  if (!arguments.json.path.empty()) outputs.at(arguments.json.path).reserve(bytes_for_json);
  PreparedSynthesis prepared = [&] {
    const Progress progress("reading", *source);
    return PreparedSynthesis(*source, request);
  }();
  const HeldSignals held;
  const Payment payment{"synthetic data", request.epsilon, arguments.ledger, prepared.charge(),
                        arguments.output == "-"};
  const Synthesis synthesis = drawn(payment, [&] { return prepared.publish(); });
  const Written written = [&] {
    try {
      PendingFile& file = outputs.at(arguments.output);
      const Written all = write_points(request.grid, synthesis, arguments.most, file);
      file.commit();
      return all;
    } catch (const std::exception& error) {
      outputs = Outputs();  // the room that was set aside goes back
      keep_elsewhere(payment, {error.what()}, ".csv", "use it as any CSV file", [&](PendingFile& file) {
        static_cast<void>(write_points(request.grid, synthesis, arguments.most, file));
      });
    }
  }();
  const Json facts{{"publisher", request.publisher},
                   {"epsilon", request.epsilon.text()},
                   {"spent", spending_json(synthesis.spent())},
                   {"neighbors", arguments.privacy.neighbors},
                   {"unit", arguments.privacy.unit.value_or("record")},
                   {"axes", json_of_axes(request.grid)},
                   {"boxes", synthesis.boxes()},
                   {"synthetic_points", written.points},
                   {"share", written.share},
                   {"private", synthesis.is_private()}};
  try {
    arguments.json.write(facts, outputs);
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}; the points were written to {}", error.what(),
                                 arguments.output == "-" ? "standard output" : "'" + arguments.output + "'"));
  }
  if (arguments.json.to_stdout() || arguments.output == "-") return;
  for (const std::string& notice : notices(request.unit, request.epsilon)) console.notice(notice);
  console.line(fmt::format("{} in {} from {}, by {}, epsilon {}; wrote {}", counted(written.points, "synthetic point"),
                           columns_used(csv, *source), counted(synthesis.boxes(), "box", "boxes"), request.publisher,
                           request.epsilon.text(), arguments.output));
  if (written.share < 1) {
    console.line(fmt::format("--max-points: one in {:.0f} points was written, sampled at random", 1 / written.share));
  }
  console.next(fmt::format("shoal cluster {} --bounds {} --grid {} --percentile 10   (free: the points are public)",
                           shell_word(arguments.output), shell_word(arguments.grid.bounds), arguments.grid.grid));
}

}  // namespace

void add_synthesize(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("synthesize", "Release synthetic points with differential privacy");
  arguments->input.add(*command);
  arguments->grid.add(*command, true);
  start_group(*command, "Privacy");
  command->add_option("--epsilon", arguments->epsilon, "Privacy budget to spend; smaller is more private")->required();
  arguments->privacy.add(*command);
  command->add_option("--ledger", arguments->ledger, "Ledger file to charge before noise is drawn");
  command->add_option("--dataset", arguments->dataset, "Account in the ledger");
  command->add_flag("--dry-run", arguments->dry_run, "Show the planned spending; read and spend nothing");
  start_group(*command, "Points");
  command
      ->add_option("--publisher", arguments->privacy.publisher,
                   fmt::format("Method: {}", fmt::join(publisher_names(), ", ")))
      ->capture_default_str();
  command->add_option("--max-points", arguments->most, "Maximum points written; more are sampled down at random")
      ->capture_default_str();
  start_group(*command, "Output");
  command->add_option("-o,--output", arguments->output, "Output CSV file; - for standard output");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n"
      "  shoal synthesize spirals.csv --columns x,y --bounds 0:1,0:1 --epsilon 1 -o synthetic.csv\n"
      "  shoal synthesize visits.csv --bounds lon=13:13.8,lat=52.3:52.7 --epsilon 0.5 --unit patient --contribution "
      "share "
      "-o synthetic.csv\n"
      "Only privelet uses --grid. Choose epsilon and bounds without looking at the data.\n"
      "Create a ledger with: shoal ledger create");
  command->callback([arguments, &run] { run = [arguments] { run_synthesize(*arguments); }; });
}

}  // namespace shoal::cli
