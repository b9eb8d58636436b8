#include "config.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "shoal/error.hpp"

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
  throw InputError(
      fmt::format("{} has a value of a kind that no option takes; use text, a number, true or a list", where));
}

bool given(const std::vector<std::string>& arguments, const std::string& option) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const std::string& word) { return word == option || word.starts_with(option + "="); });
}

const CLI::App* command_named(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

// `shared`: keys outside any section serve all commands, so one that this command lacks is passed over.
void append(const toml::table& table, const std::string& file, const CLI::App& program, const CLI::App& command,
            bool shared, const std::vector<std::string>& original, std::vector<std::string>& arguments) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (node.is_table()) {
      if (shared && command_named(program, name) == nullptr) {
        throw InputError(fmt::format("{}: [{}] is no command of shoal", file, name));
      }
      continue;
    }
    const std::string option = "--" + name;
    const bool known = command.get_option_no_throw(option) != nullptr;
    const auto& commands = program.get_subcommands([](const CLI::App*) { return true; });
    const bool elsewhere = shared && std::any_of(commands.begin(), commands.end(), [&](const CLI::App* other) {
                             return other->get_option_no_throw(option) != nullptr;
                           });
    if (!known && elsewhere) continue;
    const std::string where = fmt::format("{}, line {}: '{}'", file, node.source().begin.line, name);
    if (!known) throw InputError(fmt::format("{} is no option of shoal {}; see its --help", where, command.get_name()));
    if (given(original, option) || given(arguments, option)) continue;
    if (const auto flag = node.value_exact<bool>()) {
      if (*flag) arguments.push_back(option);
    } else {
      arguments.push_back(option + "=" + text_of(node, where));
    }
  }
}

}  // namespace

std::vector<std::string> with_config(std::vector<std::string> arguments, const CLI::App& program) {
  std::string file;
  for (std::size_t i = 0; i < arguments.size();) {
    const bool joined = arguments[i].starts_with("--config=");
    if (!joined && arguments[i] != "--config") {
      ++i;
      continue;
    }
    if (!joined && i + 1 == arguments.size()) throw Error(ErrorKind::usage, "--config needs a file; see shoal --help");
    file = joined ? arguments[i].substr(9) : arguments[i + 1];
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    arguments.begin() + static_cast<std::ptrdiff_t>(i + (joined ? 1 : 2)));
  }
  if (file.empty()) return arguments;
  const CLI::App* command = arguments.empty() ? nullptr : command_named(program, arguments.front());
  if (command == nullptr)
    throw Error(ErrorKind::usage, "--config needs a command in front, such as shoal release --config FILE");

  toml::table table;
  try {
    table = toml::parse_file(file);
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    throw InputError(line > 0 ? fmt::format("{}, line {}: {}", file, line, error.description())
                              : fmt::format("cannot read '{}': {}", file, error.description()));
  }
  const std::vector<std::string> original = arguments;
  if (const toml::node* section = table.get(command->get_name()); section != nullptr && section->is_table()) {
    append(*section->as_table(), file, program, *command, false, original, arguments);
  }
  append(table, file, program, *command, true, original, arguments);
  return arguments;
}

}  // namespace shoal::cli
