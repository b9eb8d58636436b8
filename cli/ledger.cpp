// shoal ledger: the owner's privacy budgets.
#include "shoal/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "plan_arguments.hpp"
#include "recorded.hpp"
#include "shoal/error.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string path, dataset, cap, head, release, epsilon;
  PlanArguments plan;
  JsonArgument json;
};

void run_create(const Arguments& arguments) {
  Ledger::create(arguments.path, arguments.dataset, Epsilon::parse(arguments.cap));
  const Console console(arguments.json);
  console.line(fmt::format("{}: '{}' may spend epsilon {} in total", arguments.path, arguments.dataset,
                           Epsilon::parse(arguments.cap).text()));
  console.next(fmt::format("shoal release INPUT ... --epsilon E --ledger {} --dataset {}", shell_word(arguments.path),
                           shell_word(arguments.dataset)));
}

// Returns the first digits of the chain's head, which an owner can write down.
std::string short_head(const LedgerHead& head) { return head.hash.substr(0, 16); }

std::string chain_line(const LedgerHead& head) {
  return fmt::format("chain intact, {} {}, head {}", head.entries, head.entries == 1 ? "entry" : "entries",
                     short_head(head));
}

void run_show(const Arguments& arguments) {
  Outputs outputs = arguments.json.open(Ledger::files(arguments.path));
  const Ledger ledger(arguments.path);
  Json accounts = Json::array();
  const Console console(arguments.json);
  if (!arguments.json.to_stdout())
    console.line(fmt::format("{:30} {:>14} {:>14} {:>14} {:>8}", "dataset", "cap", "spent", "left", "debits"));
  for (const LedgerAccount& account : ledger.accounts()) {
    const Epsilon left = account.cap - account.spent;
    accounts.push_back({{"dataset", account.dataset},
                        {"cap", account.cap.text()},
                        {"spent", account.spent.text()},
                        {"left", left.text()},
                        {"debits", account.debits}});
    if (!arguments.json.to_stdout()) {
      console.line(fmt::format("{:30} {:>14} {:>14} {:>14} {:>8}", account.dataset, account.cap.text(),
                               account.spent.text(), left.text(), account.debits));
    }
  }
  const LedgerHead head = ledger.head();
  arguments.json.write(
      {{"ledger", arguments.path}, {"accounts", accounts}, {"entries", head.entries}, {"head", head.hash}}, outputs);
  if (arguments.json.to_stdout()) return;
  console.line(chain_line(head));
  console.next(fmt::format("shoal ledger history {}", shell_word(arguments.path)));
}

void run_history(const Arguments& arguments) {
  Outputs outputs = arguments.json.open(Ledger::files(arguments.path));
  const Ledger ledger(arguments.path);
  Json entries = Json::array();
  const Console console(arguments.json);
  if (!arguments.json.to_stdout())
    console.line(fmt::format("{:>6}  {:20}  {:24} {:>14}  {}", "id", "time (UTC)", "dataset", "epsilon", "for"));
  for (const LedgerEntry& entry : ledger.history(arguments.dataset)) {
    entries.push_back({{"id", entry.id},
                       {"time", entry.time},
                       {"dataset", entry.dataset},
                       {"epsilon", entry.epsilon.text()},
                       {"purpose", entry.purpose}});
    if (!arguments.json.to_stdout()) {
      console.line(fmt::format("{:>6}  {:20}  {:24} {:>14}  {}", entry.id, entry.time, entry.dataset,
                               entry.epsilon.text(), entry.purpose));
    }
  }
  const LedgerHead head = ledger.head();
  arguments.json.write(
      {{"ledger", arguments.path}, {"history", entries}, {"entries", head.entries}, {"head", head.hash}}, outputs);
  if (!arguments.json.to_stdout()) console.line(chain_line(head));
}

void run_verify(const Arguments& given) {
  Arguments arguments = given;
  if (arguments.head.empty() == arguments.release.empty()) {
    throw Error(ErrorKind::usage, "give --head HASH or --release FILE, one of them");
  }
  std::vector<std::string> files = Ledger::files(arguments.path);
  if (!arguments.release.empty()) files.push_back(arguments.release);
  Outputs outputs = arguments.json.open(files);
  const Ledger ledger(arguments.path);
  if (!arguments.release.empty()) {
    const StatedCharge charge = stated_charge(ReleaseSet::load(arguments.release), arguments.release);
    arguments.head = charge.head;
    static_cast<void>(recorded_entry(ledger, arguments.path, charge, arguments.release));
  }
  const std::optional<std::uint64_t> since = ledger.entries_since(arguments.head);
  if (!since) {
    throw InputError(
        fmt::format("the ledger '{}' has no entry with head {}: entries were removed, or it is a different ledger",
                    arguments.path, arguments.head));
  }
  const LedgerHead head = ledger.head();
  const Console console(arguments.json);
  arguments.json.write({{"ledger", arguments.path}, {"entries", head.entries}, {"head", head.hash}, {"since", *since}},
                       outputs);
  if (arguments.json.to_stdout()) return;
  if (!arguments.release.empty()) console.line(fmt::format("'{}' is recorded in the ledger", arguments.release));
  console.line(fmt::format("{}; {} added since {}", chain_line(head), *since, arguments.head.substr(0, 16)));
}

// How many releases of one epsilon fit under what is left, and what each would show.
void run_forecast(const Arguments& arguments) {
  Outputs outputs = arguments.json.open(Ledger::files(arguments.path));
  const Epsilon epsilon = Epsilon::parse(arguments.epsilon);
  const Ledger ledger(arguments.path);
  const std::vector<LedgerAccount> accounts = ledger.accounts();
  const auto account = std::find_if(accounts.begin(), accounts.end(), [&](const LedgerAccount& candidate) {
    return candidate.dataset == arguments.dataset;
  });
  if (account == accounts.end()) {
    throw InputError(fmt::format("the ledger '{}' has no account '{}'; shoal ledger show lists the accounts",
                                 arguments.path, arguments.dataset));
  }
  const Epsilon left = account->cap - account->spent;
  const std::uint64_t more = left.units() / epsilon.units();
  std::optional<PlanOptions> planned;
  if (arguments.plan.records > 0) {
    if (arguments.plan.grid.bounds.empty()) throw Error(ErrorKind::usage, "--records needs --bounds");
    planned = arguments.plan.options({epsilon});
  }
  Json json{{"ledger", arguments.path},
            {"dataset", account->dataset},
            {"left", left.text()},
            {"epsilon", epsilon.text()},
            {"releases", more}};
  const Console console(arguments.json);
  if (planned && !arguments.json.path.empty()) json["plan"] = Json::parse(plan_json(*planned, plan(*planned)));
  arguments.json.write(json, outputs);
  if (arguments.json.to_stdout()) return;
  console.line(fmt::format("'{}' has epsilon {} left of {}: {} more release{} with epsilon {} fit{}", account->dataset,
                           left.text(), account->cap.text(), more, more == 1 ? "" : "s", epsilon.text(),
                           more == 1 ? "s" : ""));
  if (more > 0) {
    console.line(fmt::format("All releases together then have epsilon {}: their epsilons add up.",
                             Epsilon::from_units(account->spent.units() + more * epsilon.units()).text()));
  }
  if (planned) console.line("Each would show, simulated without data: " + planned_line(*planned));
}

}  // namespace

void add_ledger(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand("ledger", "Manage privacy budgets: create, show, history, forecast, verify");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n  shoal ledger create budget.db --dataset patients --cap 1.5\n  shoal ledger show budget.db");
  const auto add = [&](const char* name, const char* what, void (*body)(const Arguments&)) {
    auto arguments = std::make_shared<Arguments>();
    auto* sub = command->add_subcommand(name, what);
    sub->add_option("FILE", arguments->path, "Ledger file (SQLite)")->required();
    arguments->json.add(*sub);
    start_group(*sub, "Account");
    sub->callback([arguments, body, &run] { run = [arguments, body] { body(*arguments); }; });
    return std::pair{sub, arguments};
  };
  const auto [create, created] = add("create", "Create an account with a cap on total epsilon", run_create);
  create->add_option("--dataset", created->dataset, "Account name")->required();
  create->add_option("--cap", created->cap, "Maximum total epsilon, as a decimal")->required();
  create->footer("Example:\n  shoal ledger create budget.db --dataset patients --cap 1.5");
  const auto [show, shown] = add("show", "Show cap, spent and remaining epsilon of each account", run_show);
  show->footer("Example:\n  shoal ledger show budget.db");
  const auto [history, of_history] = add("history", "List every debit", run_history);
  history->add_option("--dataset", of_history->dataset, "List only this account");
  history->footer("Example:\n  shoal ledger history budget.db --dataset patients");
  const auto [forecast, foreseen] = add("forecast", "How many more releases fit under the cap", run_forecast);
  forecast->add_option("--dataset", foreseen->dataset, "Account name")->required();
  forecast->add_option("--epsilon", foreseen->epsilon, "Epsilon of each further release")->required();
  foreseen->plan.add(*forecast, false);
  forecast->footer("Example:\n  shoal ledger forecast budget.db --dataset patients --epsilon 0.25");
  const auto [verify, verified] = add("verify", "Check that a release or an earlier head is recorded", run_verify);
  verify->add_option("--head", verified->head, "Head printed by an earlier ledger show");
  verify->add_option("--release", verified->release, "Release file (.json) that was charged");
  verify->footer("Example:\n  shoal ledger verify budget.db --head 5f0c1d9e2a7b4c83");
}

}  // namespace shoal::cli
