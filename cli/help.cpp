#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "words.hpp"

namespace shoal::cli {

namespace {

struct ShortHelp {
  std::string command;
  std::vector<std::string> options;
  std::string examples;  // in place of the footer of --help-all; empty: that footer
};

// Commands whose options fit one screen are not listed.
const std::vector<ShortHelp>& short_helps() {
  static const std::vector<ShortHelp> helps = {
      {"release",
       {"--columns", "--bounds", "--auto", "--epsilon", "--unit", "--contribution", "--ledger", "--dataset",
        "--output"},
       "Examples:\n"
       "  shoal release spirals.csv --columns x,y --bounds 0:1,0:1 --auto --epsilon 1 -o clusters.json -o "
       "clusters.html\n"
       "  shoal release visits.csv --bounds lon=13:13.8,lat=52.3:52.7 --auto --epsilon 0.5 --unit patient "
       "--contribution share -o map.html -o map.json\n"
       "Choose epsilon and bounds without looking at the data."},
      {"cluster", {"--columns", "--bounds", "--grid", "--percentile", "--auto", "--output", "--labels"}, ""},
      {"check", {"--columns", "--bounds", "--unit", "--by", "--on-bad-row", "--json"}, ""},
      {"reshape", {"--percentile", "--coverage", "--wavelet", "--level", "--adjacency", "--output"}, ""},
      {"predict", {"--columns", "--group", "--assign", "--output"}, ""},
      {"synthesize",
       {"--columns", "--bounds", "--epsilon", "--unit", "--contribution", "--ledger", "--dataset", "--output"},
       ""},
      {"plan", {"--bounds", "--records", "--auto", "--grid", "--percentile", "--epsilons", "--unit", "--output"}, ""},
      {"evaluate",
       {"--columns", "--bounds", "--grid", "--percentile", "--techniques", "--epsilons", "--runs", "--csv", "--html"},
       "Examples:\n"
       "  shoal evaluate spirals.csv --columns x,y --bounds 0:1,0:1 --grid 40 --percentile 10 --html report.html\n"
       "  shoal evaluate spirals.csv --columns x,y --bounds 0:1,0:1 --grid 40 --percentile 10 --techniques "
       "privwave,privthr --runs 50 --csv runs.csv"},
      {"audit", {"--technique", "--epsilon", "--runs", "--broken", "--random", "--json"}, ""},
  };
  return helps;
}

class Formatter : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
    return text;
  }
};

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

void show_only(CLI::App& command, const ShortHelp& help) {
  std::size_t hidden = 0;
  for (const CLI::Option* each : command.get_options()) {
    CLI::Option* const option = command.get_option_no_throw(each->get_name());
    if (option == nullptr || option->get_positional() || option->get_group().empty()) continue;
    const bool shown = is_help(option->get_name()) || option->get_name() == "--config" ||
                       std::any_of(help.options.begin(), help.options.end(),
                                   [&](const std::string& name) { return option->check_name(name); });
    option->group(shown ? "Options" : "");
    if (!shown) ++hidden;
  }
  command.footer(fmt::format("{}\n{} more options, by topic: shoal {} --help-all",
                             help.examples.empty() ? command.get_footer() : help.examples, hidden, help.command));
}

}  // namespace

void set_formatter(CLI::App& program) {
  const auto formatter = std::make_shared<Formatter>();
  formatter->column_width(28);
  program.formatter(formatter);
}

std::vector<std::string> with_help(std::vector<std::string> arguments, CLI::App& program) {
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  const auto all = std::find(arguments.begin(), arguments.end(), "--help-all");
  if (all != arguments.end()) {
    *all = "--help";
    return arguments;
  }
  if (arguments.empty() || std::none_of(arguments.begin(), arguments.end(), is_help)) return arguments;
  for (const ShortHelp& help : short_helps()) {
    if (help.command == arguments.front()) show_only(*program.get_subcommand(help.command), help);
  }
  return arguments;
}

}  // namespace shoal::cli
