// The text of --help: common options on one screen. --help-all shows all options by topic.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shoal::cli {

// Formats help texts without two empty lines in a row. Commands that are added later inherit it.
void set_formatter(CLI::App& program);

// Returns the arguments with `help COMMAND` and `COMMAND --help-all` replaced by `COMMAND --help`. If they request the
// short help of a command with many options, hides its rarer options.
std::vector<std::string> with_help(std::vector<std::string> arguments, CLI::App& program);

}  // namespace shoal::cli
