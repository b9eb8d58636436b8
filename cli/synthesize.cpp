// shoal synthesize: private synthetic points. Everything it writes or prints is noised or public.
#include <fmt/format.h>

#include "command.hpp"
#include "privacy_arguments.hpp"
#include "shoal/bounding.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/notices.hpp"
#include "shoal/publishing.hpp"

namespace shoal::cli {

namespace {

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
    throw Error(ErrorKind::usage, "where should the points go? Give -o FILE, or -o - for standard output");
  }
  if (arguments.output == "-" && arguments.json.to_stdout()) {
    throw Error(ErrorKind::usage, "points and --json cannot both go to standard output; give -o FILE");
  }
}

// Public parameters only: the input is not opened.
void dry_run(const Arguments& arguments, Epsilon epsilon, const Talk& talk) {
  const auto names = names_in_options(arguments.privacy.csv(arguments.input, arguments.grid));
  const std::string& publisher = arguments.privacy.publisher;
  const auto spending =
      planned_publication(publisher, arguments.grid.make(names), epsilon, arguments.privacy.privacy_unit());
  Outputs outputs = arguments.json.open({arguments.input.path});
  arguments.json.write(
      {{"dry_run", true}, {"publisher", publisher}, {"epsilon", epsilon.text()}, {"spent", spending_json(spending)}},
      outputs);
  if (arguments.json.to_stdout()) return;
  for (const std::string& notice : notices(arguments.privacy.privacy_unit(), epsilon)) talk.notice(notice);
  talk.line(fmt::format("{} would spend epsilon {} (nothing was read or spent now):", publisher, epsilon.text()));
  say_spending(talk, spending);
  talk.next("the same command without --dry-run");
}

struct Drawn {
  std::uint64_t points = 0;
  double share = 1;  // below 1: thinned to --max-points
};

Drawn write_points(const Arguments& arguments, const Grid& grid, Noise& noise, const Noised<Synopsis>& synopsis,
                   PendingFile& out) {
  std::string text;
  for (const Axis& axis : grid.axes()) text += (text.empty() ? "" : ",") + axis.name();
  text += '\n';
  Drawn drawn;
  const auto append = [&](const PointBlock& block) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      for (std::size_t a = 0; a < block.columns.size(); ++a) {
        fmt::format_to(std::back_inserter(text), "{}{}", a == 0 ? "" : ",", block.columns[a][row]);
      }
      text += '\n';
    }
    drawn.points += block.rows();
    out.write(text);
    text.clear();
  };
  drawn.share = draw_points(noise, synopsis, append, arguments.most);
  out.write(text);
  out.commit();
  return drawn;
}

void run_synthesize(const Arguments& arguments) {
  check(arguments);
  const Talk talk(arguments.json);
  const Epsilon epsilon = Epsilon::parse(arguments.epsilon);
  if (arguments.dry_run) return dry_run(arguments, epsilon, talk);

  std::vector<std::string> inputs = Ledger::files(arguments.ledger);
  inputs.push_back(arguments.input.path);
  Outputs outputs = arguments.json.open(inputs, {arguments.output});
  const std::string& publisher = arguments.privacy.publisher;
  const PrivacyUnit unit = arguments.privacy.privacy_unit();
  const CsvOptions csv = arguments.privacy.csv(arguments.input, arguments.grid);
  const auto source = open_csv(arguments.input.path, csv);
  const Grid grid = arguments.grid.make(source->names());
  static_cast<void>(planned_publication(publisher, grid, epsilon, unit));  // refuses what cannot be planned
  std::optional<Ledger> ledger;
  if (!arguments.ledger.empty()) {
    ledger.emplace(arguments.ledger);
    ledger->check(arguments.dataset, epsilon);
  }
  const auto noise = secure_noise();
  const auto progress = std::make_unique<Progress>("reading", *source);
  const auto bounded = unit.column.empty() ? nullptr : bound_contributions(*source, unit.max_contributions, *noise);
  const PointTable points = collect(bounded ? *bounded : *source, grid, arguments.grid.outside_rule());
  if (ledger) ledger->debit(arguments.dataset, epsilon, "synthesize " + publisher);

  Mechanisms mechanisms(*noise, unit, epsilon);
  const Noised<Synopsis> synopsis = publish(publisher, points, grid, epsilon, mechanisms);
  const Drawn drawn = write_points(arguments, grid, *noise, synopsis, outputs.at(arguments.output));
  arguments.json.write({{"publisher", publisher},
                        {"epsilon", epsilon.text()},
                        {"spent", spending_json(mechanisms.spent())},
                        {"neighbors", arguments.privacy.neighbors},
                        {"unit", arguments.privacy.unit.value_or("record")},
                        {"axes", axes_json(grid)},
                        {"boxes", synopsis.value().boxes()},
                        {"synthetic_points", drawn.points},
                        {"share", drawn.share},
                        {"private", mechanisms.is_private()}},
                       outputs);
  if (arguments.json.to_stdout() || arguments.output == "-") return;
  for (const std::string& notice : notices(unit, epsilon)) talk.notice(notice);
  talk.line(fmt::format("{} synthetic points of {} from {} boxes by {}, epsilon {}; wrote {}", drawn.points,
                        columns_used(csv, *source), synopsis.value().boxes(), publisher, epsilon.text(),
                        arguments.output));
  if (drawn.share < 1) {
    talk.line(fmt::format("these are one in {:.0f} of the points that the boxes stand for, as --max-points asks",
                          1 / drawn.share));
  }
  talk.next(fmt::format("shoal cluster {} --bounds {} --grid {} --percentile 10   (free: the points are public)",
                        shell_word(arguments.output), arguments.grid.bounds, arguments.grid.grid));
}

}  // namespace

void add_synthesize(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("synthesize", "Private synthetic points that stand for the data");
  arguments->input.add(*command);
  command->add_option("--epsilon", arguments->epsilon, "Privacy budget to spend, as a decimal: smaller hides more")
      ->required();
  arguments->grid.add(*command, true);
  command
      ->add_option("--publisher", arguments->privacy.publisher,
                   fmt::format("{}; --grid matters to privelet alone", fmt::join(publisher_names(), ", ")))
      ->capture_default_str();
  arguments->privacy.add(*command);
  command->add_option("--max-points", arguments->most, "Most points to write; more are thinned at random")
      ->capture_default_str();
  command->add_option("--ledger", arguments->ledger,
                      "Ledger to charge before any noise is drawn (shoal ledger create)");
  command->add_option("--dataset", arguments->dataset, "Account of the ledger");
  command->add_flag("--dry-run", arguments->dry_run, "Show what would be spent on what; reads no data");
  command->add_option("-o,--output", arguments->output, "CSV file to write; - for standard output");
  arguments->json.add(*command);
  command->footer(
      "Example:\n  shoal datasets ds2 -o spirals.csv\n"
      "  shoal synthesize spirals.csv --columns x,y --bounds 0:1,0:1 --epsilon 1 -o synthetic.csv");
  command->callback([arguments, &run] { run = [arguments] { run_synthesize(*arguments); }; });
}

}  // namespace shoal::cli
