// What --help shows: the options that most people need on one screen, and all of them by topic with --help-all.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shoal::cli {

// The arguments with `help COMMAND` and `COMMAND --help-all` put as `COMMAND --help`. If they ask for the short help of
// a command with many options, hides the rarer options of that command.
std::vector<std::string> with_help(std::vector<std::string> arguments, CLI::App& program);

}  // namespace shoal::cli
