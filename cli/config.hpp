// --config FILE: a TOML file whose keys are a command's long options. What stands on the command line wins.
//   percentile = 10          # for every command that has the option
//   [release]                # for this command only
//   epsilon = "0.5"
//   bounds = "0:1,0:1"
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shoal::cli {

// Shows --config in the help of the program and of every command: with_config takes it off the words before they are
// parsed.
void add_config(CLI::App& program);

// The arguments with those of the configuration file added. Refuses a file that does not parse, and keys that no option
// has.
std::vector<std::string> with_config(std::vector<std::string> arguments, const CLI::App& program);

// The file that with_config read, or empty: an input of the run like any other.
std::string& config_file();

}  // namespace shoal::cli
