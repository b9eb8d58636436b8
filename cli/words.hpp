// The words of a command line, before they are parsed as options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shoal::cli {

// Returns the command that the first words name (for `ledger show` the subcommand), or null.
const CLI::App* chosen_command(const std::vector<std::string>& arguments, const CLI::App& program);

const CLI::App* command_named(const CLI::App& program, const std::string& name);

// Splits a text at the separators.
std::vector<std::string> split(const std::string& text, char separator);

// Returns all long options of the command, such as "--epsilon".
std::vector<std::string> option_names(const CLI::App& command);
std::vector<std::string> command_names(const CLI::App& program);

// Throws if a command or an option does not exist; the message names the nearest one. Throws if a word or a value is
// empty or has an empty item, because an unset shell variable would otherwise switch off what it should choose.
void check_words(const std::vector<std::string>& arguments, const CLI::App& program);

}  // namespace shoal::cli
