// The program: finds the command, runs it, turns every failure into one clear line and an exit code.
#pragma once

namespace shoal::cli {

// Runs the command that the arguments name and returns the program's exit code. The first argument is the program's own
// name. Handles SIGINT and SIGTERM from then on. Never throws.
int run_program(int argc, char** argv);

}  // namespace shoal::cli
