#include "config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "shoal/error.hpp"
#include "shoal/text.hpp"
#include "toml.hpp"
#include "words.hpp"

namespace shoal::cli {

namespace {

// A TOML value as the text that would stand on the command line; arrays are joined by commas.
std::string text_of(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
  if (const toml::array* array = node.as_array()) {
    std::vector<std::string> parts;
    for (const toml::node& item : *array) parts.push_back(text_of(item, where));
    return fmt::format("{}", fmt::join(parts, ","));
  }
  throw InputError(fmt::format("{} has a value of an unsupported type; use a string, a number, true or a list", where));
}

bool given(const std::vector<std::string>& arguments, const std::string& option) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const std::string& word) { return word == option || word.starts_with(option + "="); });
}

// Options that a file cannot set: it is read before them.
bool is_of_the_line(const std::string& option) { return option == "--config" || option == "--help"; }

bool has(const CLI::App& command, const std::string& option) {
  return !is_of_the_line(option) && command.get_option_no_throw(option) != nullptr;
}

bool is_anywhere(const CLI::App& program, const std::string& option) {
  const auto commands = program.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return has(*command, option) || is_anywhere(*command, option); });
}

// Appends what the table sets to the arguments, but for what they have. `shared`: keys outside any section serve all
// commands, so one that this command lacks is passed over.
class Appender {
 public:
  Appender(const std::string& file, const CLI::App& program, const CLI::App& command,
           std::vector<std::string>& arguments)
      : file_(file), program_(program), command_(command), original_(arguments), arguments_(arguments) {}

  void append(const toml::table& table, bool shared) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (node.is_table()) {
        if (shared) check_section(name);
      } else {
        append(name, node, shared);
      }
    }
  }

 private:
  void check_section(const std::string& name) const {
    if (command_named(program_, name) != nullptr) return;
    const std::vector<std::string> known = command_names(program_);
    throw InputError(fmt::format("{}: [{}] is not a command of shoal{}; commands: {}", file_, name,
                                 did_you_mean(name, known), fmt::join(known, ", ")));
  }

  void append(const std::string& name, const toml::node& node, bool shared) {
    const std::string option = "--" + name;
    if (!has(command_, option) && shared && is_anywhere(program_, option)) return;
    const std::string where = fmt::format("{}, line {}: '{}'", file_, node.source().begin.line, name);
    if (!has(command_, option)) {
      throw InputError(fmt::format("{} is not an option of shoal {}{}; see its --help", where, command_.get_name(),
                                   did_you_mean(name, keys())));
    }
    const auto flag = node.value_exact<bool>();
    const std::string text = flag ? "" : text_of(node, where);
    if (!flag && text.empty()) throw InputError(fmt::format("{} is empty; give a value or remove the key", where));
    if (given(original_, option) || given(arguments_, option)) return;
    if (!flag || *flag) arguments_.push_back(flag ? option : option + "=" + text);
  }

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> names;
    for (const std::string& option : option_names(command_)) {
      if (!is_of_the_line(option)) names.push_back(option.substr(2));
    }
    return names;
  }

  const std::string& file_;
  const CLI::App& program_;
  const CLI::App& command_;
  const std::vector<std::string> original_;
  std::vector<std::string>& arguments_;
};

}  // namespace

void add_config(CLI::App& program) {
  program.add_option("--config", "Read options from a TOML file; the command line wins")
      ->type_name("FILE")
      ->group("Options");
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) add_config(*command);
}

std::string& config_file() {
  static std::string file;
  return file;
}

std::vector<std::string> with_config(std::vector<std::string> arguments, const CLI::App& program) {
  std::string file;
  for (std::size_t i = 0; i < arguments.size();) {
    const bool joined = arguments[i].starts_with("--config=");
    if (!joined && arguments[i] != "--config") {
      ++i;
      continue;
    }
    file = joined ? arguments[i].substr(9) : i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (file.empty()) throw Error(ErrorKind::usage, "--config needs a file; see shoal --help");
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    arguments.begin() + static_cast<std::ptrdiff_t>(i + (joined ? 1 : 2)));
  }
  if (file.empty()) return arguments;
  config_file() = file;
  const CLI::App* command = chosen_command(arguments, program);
  if (command == nullptr) {
    if (!arguments.empty()) check_words(arguments, program);
    throw Error(ErrorKind::usage, "--config needs a command before it, such as shoal release --config FILE");
  }

  toml::table table;
  try {
    table = toml::parse_file(file);
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    throw InputError(line > 0 ? fmt::format("{}, line {}: {}", file, line, error.description())
                              : fmt::format("cannot read '{}': {}", file, error.description()));
  }
  Appender appender(file, program, *command, arguments);
  if (const toml::node* section = table.get(arguments.front()); section != nullptr && section->is_table()) {
    appender.append(*section->as_table(), false);
  }
  appender.append(table, true);
  return arguments;
}

}  // namespace shoal::cli
