// The words of a command line, before options are made of them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shoal::cli {

// The command that the first words name (of `ledger show` the second); null when they name none.
const CLI::App* chosen_command(const std::vector<std::string>& arguments, const CLI::App& program);

const CLI::App* command_named(const CLI::App& program, const std::string& name);

// The parts between separators.
std::vector<std::string> split(const std::string& text, char separator);

// "--epsilon" and all others of the command.
std::vector<std::string> option_names(const CLI::App& command);
std::vector<std::string> command_names(const CLI::App& program);

// Refuses, with the nearest that there is, commands and options that are not there. Refuses words and options that are
// given and empty, or have an empty item: an unset variable of a shell would else switch off what it was to choose.
void check_words(const std::vector<std::string>& arguments, const CLI::App& program);

}  // namespace shoal::cli
