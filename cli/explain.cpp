// shoal explain: a statement about a release for a lawyer. It reads the release file and, if it is given, the ledger.
#include "shoal/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "command.hpp"
#include "recorded.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/version.hpp"

namespace shoal::cli {

namespace {

struct Arguments {
  std::string release, ledger;
  std::vector<std::string> outputs;
  JsonArgument json;
};

bool is_html(const std::string& path) { return path.ends_with(".html"); }

// The entry of the ledger that was charged for the release, and its account. Refuses a ledger that does not record it.
RecordedCharge recorded_charge(const Arguments& arguments, const ReleaseSet& release) {
  const Ledger ledger(arguments.ledger);
  const LedgerEntry entry =
      recorded_entry(ledger, arguments.ledger, stated_charge(release, arguments.release), arguments.release);
  const std::vector<LedgerAccount> accounts = ledger.accounts();
  const auto account = std::find_if(accounts.begin(), accounts.end(),
                                    [&](const LedgerAccount& candidate) { return candidate.dataset == entry.dataset; });
  const LedgerHead head = ledger.head();
  return {.ledger = std::filesystem::path(arguments.ledger).filename().string(),
          .dataset = entry.dataset,
          .entry = entry.id,
          .time = entry.time,
          .cap = account->cap,
          .spent = account->spent,
          .entries = head.entries,
          .head = head.hash};
}

Json statement_json(const PrivacyStatement& statement, const std::optional<RecordedCharge>& charge) {
  Json json{{"file", statement.file},
            {"sha256", statement.digest},
            {"version", version},
            {"epsilon", statement.epsilon.text()},
            {"most_sure", statement.most_sure}};
  if (charge) {
    json["ledger"] = {{"dataset", charge->dataset},    {"entry", charge->entry},
                      {"time", charge->time},          {"cap", charge->cap.text()},
                      {"spent", charge->spent.text()}, {"left", (charge->cap - charge->spent).text()},
                      {"entries", charge->entries},    {"head", charge->head}};
  }
  json["sections"] = Json::array();
  for (const StatementSection& section : statement.sections) {
    Json item{{"heading", section.heading}, {"paragraphs", section.paragraphs}};
    if (!section.table.rows.empty()) item["table"] = {{"head", section.table.head}, {"rows", section.table.rows}};
    if (!section.points.empty()) item["points"] = section.points;
    json["sections"].push_back(std::move(item));
  }
  return json;
}

void run_explain(const Arguments& arguments) {
  const Console console(arguments.json);
  for (const std::string& output : arguments.outputs) {
    if (!is_html(output) && !output.ends_with(".txt")) {
      throw InputError(fmt::format("a statement cannot be written to '{}'; use the suffix .html or .txt", output));
    }
  }
  std::vector<std::string> inputs = Ledger::files(arguments.ledger);
  inputs.push_back(arguments.release);
  Outputs outputs = arguments.json.open(inputs, arguments.outputs);
  const std::string text = read_file(arguments.release, Release::largest_file);
  const ReleaseSet release = ReleaseSet::parse(text, fmt::format("'{}'", arguments.release));
  std::optional<RecordedCharge> charge;
  if (!arguments.ledger.empty()) charge = recorded_charge(arguments, release);
  const PrivacyStatement statement =
      statement_of(release, std::filesystem::path(arguments.release).filename().string(), sha256(text), charge);
  for (const std::string& output : arguments.outputs) {
    outputs.write(output, is_html(output) ? statement_html(statement) : statement_text(statement));
  }
  if (!arguments.json.path.empty()) arguments.json.write(statement_json(statement, charge), outputs);
  if (arguments.json.to_stdout()) return;
  if (arguments.outputs.empty()) console.line(statement_text(statement));
  for (const std::string& output : arguments.outputs) console.line(fmt::format("wrote {}", output));
  if (arguments.outputs.empty() && arguments.json.path.empty()) {
    console.next(fmt::format("shoal explain {}{} -o statement.html   (free: one page to print)",
                             shell_word(arguments.release),
                             arguments.ledger.empty() ? "" : " --ledger " + shell_word(arguments.ledger)));
  }
}

}  // namespace

void add_explain(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("explain", "State in plain words what a release promises; spends nothing");
  command->add_option("RELEASE", arguments->release, "Release file (.json)")->required();
  command->add_option("--ledger", arguments->ledger, "Ledger that was charged: adds what is left");
  start_group(*command, "Output");
  command->add_option("-o,--output", arguments->outputs, "Output file (.html .txt); repeatable");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal explain clusters.json -o statement.html\n"
      "  shoal explain clusters.json --ledger budget.db -o statement.html");
  command->callback([arguments, &run] { run = [arguments] { run_explain(*arguments); }; });
}

}  // namespace shoal::cli
