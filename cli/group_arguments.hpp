// Releases by group: the options that make them, and files that hold them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "formats/any_release.hpp"
#include "shoal/groups.hpp"

namespace shoal::cli {

struct GroupArguments {
  std::string by;
  std::optional<std::uint64_t> max_groups;
  void add(CLI::App& command);
  [[nodiscard]] bool given() const { return !by.empty(); }
  // Refuses options that do not go together.
  void check(std::uint64_t insets) const;
  // Refuses what cannot be: before anything is read.
  [[nodiscard]] Grouping make(const PrivacyUnit& unit) const;
};

// How the input is read: the group is the first column.
CsvOptions with_group(CsvOptions csv, const Grouping& grouping);

// --group NAME, of a command that reads a release.
struct GroupChoice {
  std::optional<std::string> name;
  void add(CLI::App& command);
  // The release of a file, or of the group or inset in it. Refuses a file of several without a choice, and the reverse.
  [[nodiscard]] Release load(const std::string& path) const;
  // The same, or all of them where none was chosen.
  [[nodiscard]] AnyRelease load_any(const std::string& path) const;
};

// The page without scripts (--static).
std::string static_report(const Release& release);
std::string static_report(const ReleaseSet& set);

// "2026-W01   3 clusters, 1 more doubtful": a line for each group.
void say_groups(const Console& console, const GroupedRelease& groups);
// The same for each part of a release with insets, with its records and the size of its cells.
void say_parts(const Console& console, const InsetRelease& insets);

}  // namespace shoal::cli
