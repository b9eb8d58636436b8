#include "words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "shoal/error.hpp"
#include "shoal/grid.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

Error usage(const std::string& message) { return {ErrorKind::usage, message}; }

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

bool is_blank(const std::string& word) { return word.find_first_not_of(" \t\r\n") == std::string::npos; }

bool is_long_option(const std::string& word) { return word.size() > 2 && word.starts_with("--"); }

std::string name_of(const std::string& option) { return option.substr(0, option.find('=')); }

// "shoal ledger show".
std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : fmt::format("{} {}", full_name(*command.get_parent()), command.get_name());
}

void check_command(const std::vector<std::string>& arguments, const CLI::App& program) {
  const std::string what = program.get_parent() == nullptr ? "" : program.get_name() + " ";
  const std::string known = fmt::format("{}", fmt::join(command_names(program), ", "));
  if (arguments.empty())
    throw usage(fmt::format("no command is given; use shoal {}COMMAND with one of: {}", what, known));
  const std::string& word = arguments.front();
  if (word == "-h" || word == "--help" || word == "--version" || command_named(program, word) != nullptr) return;
  if (word.starts_with("-")) {
    throw usage(fmt::format("{} needs a command before it: shoal {}COMMAND {}; commands: {}", word, what, word, known));
  }
  throw usage(fmt::format("shoal has no command {}{}{}; commands: {}", what, word,
                          did_you_mean(word, command_names(program)), known));
}

// The option that starts with what was typed, if it is the only one or the others only continue it (--epsilons); else
// the nearest one.
std::string nearest_option(const std::string& typed, const std::vector<std::string>& known) {
  std::vector<std::string> starting;
  std::copy_if(known.begin(), known.end(), std::back_inserter(starting),
               [&](const std::string& name) { return name.starts_with(typed); });
  std::sort(starting.begin(), starting.end());
  const auto continues = [&](const std::string& name) { return name.starts_with(starting.front()); };
  const bool clear = typed.size() > 3 && std::all_of(starting.begin(), starting.end(), continues);
  return clear && !starting.empty() ? starting.front() : nearest(typed, known);
}

void check_option(const std::string& word, const CLI::App& command) {
  const std::string option = name_of(word);
  const std::vector<std::string> known = option_names(command);
  if (std::find(known.begin(), known.end(), option) != known.end()) return;
  if (option == "--like") {
    throw usage(
        fmt::format("--like is for shoal release alone: it repeats the grid and the settings of an earlier release, so "
                    "that shoal compare can compare the two; give {} its options themselves",
                    full_name(command)));
  }
  const std::string meant = nearest_option(option, known);
  if (!meant.empty()) {
    throw usage(fmt::format("{} has no option {}; did you mean {}? see {} --help", full_name(command), option, meant,
                            full_name(command)));
  }
  throw usage(fmt::format("{} has no option {}; its options: {}", full_name(command), option, fmt::join(known, ", ")));
}

// What CLI11 lets pass: empty items of a list (--columns x,,y), and negative numbers, which it takes modulo 2^64.
void check_value(const std::string& word, const std::string& next, const CLI::App& command) {
  const CLI::Option& option = *command.get_option(name_of(word));
  const std::size_t equals = word.find('=');
  const std::string value = equals == std::string::npos ? next : word.substr(equals + 1);
  if (option.get_type_name() == "UINT" && value.starts_with("-")) {
    throw usage(fmt::format("{} is '{}'; give a whole number of at least 0", name_of(word), value));
  }
  if (option.get_delimiter() == '\0') return;
  const std::vector<std::string> items = split(value, option.get_delimiter());
  if (std::none_of(items.begin(), items.end(), is_blank)) return;
  throw usage(fmt::format("{} has an empty item; give a value for each item", name_of(word)));
}

void check_not_empty(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t equals = word.find('=');
    const bool joined = is_long_option(word) && equals != std::string::npos && is_blank(word.substr(equals + 1));
    if (!joined && !is_blank(word)) continue;
    const bool is_value = !joined && i > 0 && arguments[i - 1].starts_with("-");
    const std::string what = joined ? name_of(word) : is_value ? arguments[i - 1] : fmt::format("argument {}", i + 1);
    throw usage(fmt::format("{} is empty; give a value or remove it", what));
  }
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

// Whether the word is a range of --bounds or a piece of one, and not an input such as 2026.csv or postgresql://host.
bool is_range(const std::string& word) {
  const std::string range = word.substr(word.find('=') + 1);
  const bool begins = range.empty() || std::string("0123456789.-:[(").find(range.front()) != std::string::npos;
  return begins && range.find_first_not_of("0123456789.-+:,=[]()eT") == std::string::npos;
}

// The bounds without spaces, in the form that --bounds reads if it is clear which is meant.
std::string readable_bounds(std::string text) {
  try {
    static_cast<void>(declared_axes(text));
  } catch (const Error& error) {
    const std::string message = error.what(), marker = "write --bounds ";
    const std::size_t at = message.find(marker);
    if (at != std::string::npos) return message.substr(at + marker.size());
  }
  std::erase(text, ' ');
  return text;
}

// Refuses a list whose items are separated by spaces, such as --columns x, y or --bounds 0:1 0:1.
void check_spaces(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    const bool joined = is_long_option(arguments[i]) && arguments[i].find('=') != std::string::npos;
    const bool is_value = i > 0 && is_long_option(arguments[i - 1]) && !is_long_option(arguments[i]);
    if (!joined && !is_value) continue;
    const std::string option = joined ? name_of(arguments[i]) : arguments[i - 1];
    const bool bounds = option == "--bounds";
    std::string list = joined ? arguments[i].substr(option.size() + 1) : arguments[i];
    std::size_t next = i + 1;
    for (; next < arguments.size(); ++next) {
      const std::string& word = arguments[next];
      if (is_option(word) || is_long_option(word)) break;
      const bool comma = list.ends_with(",") || word.starts_with(",");
      if (!comma && !(bounds && (is_range(word) || word == "to"))) break;
      list += (bounds ? " " : "") + word;
    }
    if (next == i + 1) continue;
    throw usage(fmt::format("there is a space before '{}'; write the list without spaces: {}{}{}", arguments[i + 1],
                            option, joined ? "=" : " ", bounds ? readable_bounds(list) : list));
  }
}

// Refuses spaces inside an option: -- epsilon 1, --epsilon = 1.
void check_spaces_in_option(const std::vector<std::string>& arguments, const CLI::App& command) {
  const std::vector<std::string> known = option_names(command);
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string joined = "--" + name_of(arguments[i + 1]);
    if (arguments[i] == "--" && std::find(known.begin(), known.end(), joined) != known.end()) {
      throw usage(fmt::format("there is a space after --; write --{}", arguments[i + 1]));
    }
    if (arguments[i] == "--") return;
    if (!is_long_option(arguments[i]) || arguments[i + 1] != "=") continue;
    throw usage(fmt::format("there is a space around =; write {} {}", arguments[i],
                            i + 2 < arguments.size() ? arguments[i + 2] : "VALUE"));
  }
}

// Refuses -epsilon where --epsilon is an option.
void check_dashes(const std::string& word, const CLI::App& command) {
  if (word.size() < 3 || word.front() != '-' || word[1] == '-') return;
  const std::vector<std::string> known = option_names(command);
  const std::string meant = "-" + name_of(word);
  if (std::find(known.begin(), known.end(), meant) == known.end()) return;
  throw usage(fmt::format("{} has one dash; write {}", name_of(word), "-" + word));
}

}  // namespace

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

const CLI::App* command_named(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : commands_of(program)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end == std::string::npos ? end : end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

const CLI::App* chosen_command(const std::vector<std::string>& arguments, const CLI::App& program) {
  const CLI::App* command = arguments.empty() ? nullptr : command_named(program, arguments.front());
  if (command == nullptr || arguments.size() < 2) return command;
  const CLI::App* inner = command_named(*command, arguments[1]);
  return inner == nullptr ? command : inner;
}

void check_words(const std::vector<std::string>& arguments, const CLI::App& program) {
  check_not_empty(arguments);
  check_command(arguments, program);
  const CLI::App* command = chosen_command(arguments, program);
  if (command == nullptr) return;  // --help, --version
  if (!commands_of(*command).empty()) check_command({arguments.begin() + 1, arguments.end()}, *command);
  check_spaces(arguments);
  check_spaces_in_option(arguments, *command);
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    check_dashes(arguments[i], *command);
    if (!is_long_option(arguments[i])) continue;
    check_option(arguments[i], *command);
    check_value(arguments[i], i + 1 < arguments.size() ? arguments[i + 1] : "", *command);
  }
}

}  // namespace shoal::cli
