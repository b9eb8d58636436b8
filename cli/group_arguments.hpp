// Releases by group: their options and their files.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "shoal/release_set.hpp"

namespace shoal::cli {

struct GroupArguments {
  std::string by;
  std::optional<std::uint64_t> max_groups;
  void add(CLI::App& command);
  [[nodiscard]] bool given() const { return !by.empty(); }
  // Throws if options exclude each other.
  void check(std::uint64_t insets) const;
  // Throws if the options are invalid, before anything is read.
  [[nodiscard]] Grouping make(const PrivacyUnit& unit) const;
};

// Returns how the input is read. The group is the first column.
CsvOptions with_group(CsvOptions csv, const Grouping& grouping);

// --group NAME of a command that reads a release.
struct GroupChoice {
  std::optional<std::string> name;
  void add(CLI::App& command);
  // Returns what a file holds, or the group or inset of it that was chosen. Throws if a file of one release is given
  // with a choice.
  [[nodiscard]] ReleaseSet load_set(const std::string& path) const;
  // Returns the only release of a file, or the chosen one. Throws if there are several and none is chosen.
  [[nodiscard]] Release load(const std::string& path) const;
};

// Prints a line for each group, such as "2026-W01   3 clusters, 1 more doubtful", or two for the overview and for each
// inset, with its place and the size of its cells.
void say_parts(const Console& console, const ReleaseSet& set);

}  // namespace shoal::cli
