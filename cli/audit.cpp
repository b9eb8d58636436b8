// shoal audit: tries to break the privacy claim of the techniques. Needs no data of the owner's.
#include "evaluation/audit.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "command.hpp"
#include "evaluation/broken.hpp"
#include "evaluation/random_attack.hpp"
#include "shoal/error.hpp"

namespace shoal::cli {

namespace {

using evaluation::AuditCase;
using evaluation::AuditRow;

struct Arguments {
  std::vector<std::string> techniques;
  std::string epsilon = "1", neighbors = "both";
  std::uint64_t runs = 1'000'000, seed = 1;
  unsigned threads = 0;
  bool broken = false;
  std::optional<double> random;  // seconds
  std::uint64_t replays = 0;
  JsonArgument json;
};

// The names asked for; baseline alone stands for all its publishers.
std::vector<std::string> names_of(const std::vector<std::string>& asked) {
  if (asked.empty()) return evaluation::audit_names();
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (name != "baseline") {
      names.push_back(name);
      continue;
    }
    for (const std::string& each : evaluation::audit_names()) {
      if (each.starts_with("baseline/")) names.push_back(each);
    }
  }
  return names;
}

std::vector<AuditCase> cases_of(const Arguments& arguments) {
  if (arguments.runs < 1000) {
    throw InputError(fmt::format("--runs is {}; give at least 1000", arguments.runs));
  }
  const Epsilon epsilon = Epsilon::parse(arguments.epsilon);
  std::vector<AuditCase> cases;
  for (const std::string& name : names_of(arguments.techniques)) {
    for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
      const bool replace = neighbors == Neighbors::replace;
      if (arguments.neighbors == (replace ? "add-remove" : "replace")) continue;
      cases.push_back(evaluation::audit_case(name, epsilon, neighbors));
    }
  }
  if (arguments.broken) {
    for (AuditCase& each : evaluation::broken_cases_not_private(epsilon)) cases.push_back(std::move(each));
  }
  return cases;
}

const char* relation(Neighbors neighbors) { return neighbors == Neighbors::replace ? "replace" : "add-remove"; }

std::string verdict(const AuditRow& row) {
  if (!row.caught()) return row.broken ? "MISSED" : "holds";
  const char* by = !row.caught_by_replay() ? "sampling" : row.caught_by_sampling() ? "both" : "replay";
  return fmt::format("{} ({})", row.broken ? "caught" : "VIOLATED", by);
}

std::string table_line(const AuditRow& row) {
  const std::string loss = row.replayed.runs == 0 ? "-" : fmt::format("{:.4f}", row.replayed.largest_loss);
  return fmt::format("{:30} {:10} {:>9} {:>5} {:>8} {:>8} {:>11.4f} {:>9}  {}", row.name, relation(row.neighbors),
                     row.sampled.runs, row.sampled.pairs + row.replayed.pairs, row.sampled.events, row.claimed.text(),
                     row.sampled.lower_bound, loss, verdict(row));
}

Json row_json(const AuditRow& row) {
  const double loss = row.replayed.largest_loss;
  return {{"name", row.name},
          {"neighbors", relation(row.neighbors)},
          {"broken_on_purpose", row.broken},
          {"claimed_epsilon", row.claimed.text()},
          {"sampling",
           {{"runs", row.sampled.runs},
            {"datasets", row.sampled.datasets},
            {"pairs", row.sampled.pairs},
            {"events", row.sampled.events},
            {"epsilon_lower_bound", row.sampled.lower_bound},
            {"where", row.sampled.where}}},
          {"replay",
           {{"runs", row.replayed.runs},
            {"pairs", row.replayed.pairs},
            {"largest_loss", std::isfinite(loss) ? Json(loss) : Json("infinite")},
            {"where", row.replayed.where}}},
          {"caught_by_sampling", row.caught_by_sampling()},
          {"caught_by_replay", row.caught_by_replay()},
          {"as_it_should", row.as_it_should()}};
}

// ---- --random ------------------------------------------------------------------------------------------------------

Json loss_json(double loss) { return std::isfinite(loss) ? Json(loss) : Json("infinite"); }

Json worst_json(const evaluation::WorstCase& worst) {
  return {{"loss", loss_json(worst.loss)},
          {"claimed_epsilon", worst.claimed},
          {"share_of_claim", loss_json(worst.share)},
          {"setting", worst.setting},
          {"seed", worst.seed},
          {"why", worst.why}};
}

std::string worst_text(const evaluation::WorstCase& worst) {
  return fmt::format("loss {:.6f} of {} claimed, {}\n  shoal release {}\n  again: shoal audit --random 0 --seed {}",
                     worst.loss, worst.claimed, worst.why, worst.setting, worst.seed);
}

evaluation::RandomFound attacked_at_random(const Arguments& arguments, evaluation::PlantedFault fault) {
  std::atomic<std::uint64_t> done{0};
  const auto start = std::chrono::steady_clock::now();
  const Progress progress("attacking", [&] {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return arguments.replays > 0 ? static_cast<double>(done) / static_cast<double>(arguments.replays)
                                 : elapsed.count() / std::max(*arguments.random, 1e-9);
  });
  return evaluation::attack_at_random({.seconds = *arguments.random,
                                       .seed = arguments.seed,
                                       .threads = arguments.threads,
                                       .replays = arguments.replays,
                                       .fault = fault,
                                       .done = &done});
}

void run_random(const Arguments& arguments) {
  const Console console(arguments.json);
  if (!(*arguments.random >= 0)) throw InputError("--random takes a number of seconds, at least 0");
  if (!arguments.techniques.empty()) {
    throw InputError("--random draws techniques itself; remove --technique, or remove --random");
  }
  Outputs outputs = arguments.json.open({});
  const evaluation::RandomFound found = attacked_at_random(arguments, evaluation::PlantedFault::none);
  const bool quiet = arguments.json.to_stdout();
  if (!quiet) {
    console.line(fmt::format("{} settings, {} replays, {} settings refused by their plans, {:.0f} s", found.settings,
                             found.replays, found.refused, found.seconds));
    console.line("Worst case: " + worst_text(found.worst));
  }
  std::vector<std::string> faults;
  if (found.worst.exceeds) faults.push_back("a claim does not hold: " + worst_text(found.worst));
  Json rows = Json::array();
  if (arguments.broken) {
    if (!quiet)
      console.line(fmt::format("\n{:32} {:>9} {:>8} {:>9}  {}", "planted fault", "settings", "seconds", "loss", "of"));
    for (const evaluation::NamedFault& planted : evaluation::planted_faults()) {
      const evaluation::RandomFound caught = attacked_at_random(arguments, planted.fault);
      rows.push_back({{"name", planted.name},
                      {"caught", caught.worst.exceeds},
                      {"settings", caught.settings},
                      {"seconds", caught.seconds},
                      {"worst", worst_json(caught.worst)}});
      if (!quiet) {
        console.line(fmt::format("{:32} {:>9} {:>8.1f} {:>9.4f}  {}", planted.name, caught.settings, caught.seconds,
                                 caught.worst.loss, caught.worst.claimed));
      }
      if (!caught.worst.exceeds) faults.push_back(fmt::format("'{}' was not caught", planted.name));
    }
  }
  arguments.json.write({{"holds", faults.empty()},
                        {"settings", found.settings},
                        {"refused", found.refused},
                        {"replays", found.replays},
                        {"worst", worst_json(found.worst)},
                        {"planted", rows}},
                       outputs);
  if (!faults.empty()) throw Error(ErrorKind::internal, fmt::format("{}", fmt::join(faults, "; ")));
  if (!quiet && !arguments.broken) {
    console.next(
        fmt::format("shoal audit --random {} --broken   (shows that planted faults are found)", *arguments.random));
  }
}

void explain(const Console& console) {
  console.line("");
  console.line(
      "lower bound   Lower bound on the epsilon actually spent, estimated from the runs. It must not exceed the");
  console.line("              claim. All bounds hold together with probability 1 - 1e-6. More --runs tighten them.");
  console.line(
      "loss          Exact log-ratio of the probabilities of one release on two neighbours, computed from what");
  console.line("              the code passes to its noise. Infinite: a neighbour cannot produce the same release.");
  console.line("              -: replay does not apply.");
  console.line("verdict       'holds': these attacks failed on these tiny datasets. The proof is in docs/proofs.md.");
}

void run_audit(const Arguments& arguments) {
  const Console console(arguments.json);
  const std::vector<AuditCase> cases = cases_of(arguments);
  Outputs outputs = arguments.json.open({});
  double all = 0;
  for (const AuditCase& each : cases) all += each.share * static_cast<double>(arguments.runs);
  std::atomic<std::uint64_t> done{0};
  evaluation::SamplingOptions options{.runs = arguments.runs,
                                      .error = 1e-6 / static_cast<double>(cases.size()),
                                      .seed = arguments.seed,
                                      .threads = arguments.threads,
                                      .done = &done};
  if (!arguments.json.to_stdout()) {
    console.line(fmt::format("{:30} {:10} {:>9} {:>5} {:>8} {:>8} {:>11} {:>9}  {}", "technique", "neighbours", "runs",
                             "pairs", "events", "claimed", "lower bound", "loss", "verdict"));
  }
  Json rows = Json::array();
  std::vector<std::string> faults;
  for (const AuditCase& each : cases) {
    const AuditRow row = [&] {
      const Progress progress("attacking", [&] { return static_cast<double>(done) / all; });
      return evaluation::audit(each, options);
    }();
    rows.push_back(row_json(row));
    if (!arguments.json.to_stdout()) console.line(table_line(row));
    if (row.as_it_should()) continue;
    faults.push_back(row.broken ? fmt::format("'{}' was not caught", row.name)
                                : fmt::format("{} ({}) breaks its claim: {}", row.name, relation(row.neighbors),
                                              row.caught_by_replay() ? row.replayed.where : row.sampled.where));
  }
  arguments.json.write({{"epsilon", arguments.epsilon}, {"holds", faults.empty()}, {"rows", rows}}, outputs);
  if (!arguments.json.to_stdout()) explain(console);
  if (!faults.empty()) throw Error(ErrorKind::internal, fmt::format("{}", fmt::join(faults, "; ")));
  if (!arguments.json.to_stdout()) {
    console.next(arguments.broken ? "shoal release --help"
                                  : "shoal audit --broken   (shows that broken techniques are caught)");
  }
}

}  // namespace

void add_audit(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("audit", "Attack the privacy claim on tiny datasets; needs no data");
  command->add_option("--technique", arguments->techniques, "Technique to attack; repeatable (default: all)");
  command->add_option("--epsilon", arguments->epsilon, "Claimed epsilon to attack")->capture_default_str();
  command->add_option("--runs", arguments->runs, "Runs per technique; the publishers of baseline share them")
      ->capture_default_str();
  command->add_option("--neighbors", arguments->neighbors, "Neighbouring relation to attack")
      ->check(CLI::IsMember({"add-remove", "replace", "both"}))
      ->capture_default_str();
  command->add_flag("--broken", arguments->broken, "Also attack deliberately broken techniques, which must be caught");
  command->add_option("--random", arguments->random, "Attack random settings for this many seconds")
      ->type_name("SECONDS");
  command->add_option("--replays", arguments->replays, "With --random: stop after this many replays instead")
      ->type_name("N");
  command->add_option("--seed", arguments->seed, "Seed of the runs, or of the first setting")->capture_default_str();
  command->add_option("--threads", arguments->threads, "Number of threads; 0 uses all cores")->capture_default_str();
  arguments->json.add(*command);
  command->footer(
      fmt::format("Examples:\n  shoal audit --technique privthr --runs 200000\n  shoal audit --random 60 --seed 1\n"
                  "Techniques (baseline alone: all of its publishers): {}.\n"
                  "The audit runs each technique on tiny datasets and all their neighbours.\n"
                  "The exit code is 1 if a claim does not hold.",
                  fmt::join(evaluation::audit_names(), ", ")));
  command->callback(
      [arguments, &run] { run = [arguments] { arguments->random ? run_random(*arguments) : run_audit(*arguments); }; });
}

}  // namespace shoal::cli
