// --config FILE: a TOML file whose keys are a command's long options. The command line takes precedence.
//   percentile = 10          # for every command that has the option
//   [release]                # for this command only
//   epsilon = "0.5"
//   bounds = "0:1,0:1"
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shoal::cli {

// Adds --config to the help of the program and of every command. with_config removes it from the words before they
// are parsed.
void add_config(CLI::App& program);

// Returns the arguments with those of the configuration file added. Throws if the file does not parse, or if a key is
// not an option.
std::vector<std::string> with_config(std::vector<std::string> arguments, const CLI::App& program);

// Returns the file that with_config read, or an empty string. It is an input of the run.
std::string& config_file();

}  // namespace shoal::cli
