#include "group_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

void GroupArguments::add(CLI::App& command) {
  start_group(command, "Groups");
  command.add_option("--by", by, "One release per group: ward=A|B|C or day=2026-W01..2026-W12");
  command.add_option("--max-groups", max_groups, "Maximum groups kept per unit (default 1); multiplies epsilon");
}

void GroupArguments::check(std::uint64_t insets) const {
  if (insets > 0 && given()) {
    throw Error(ErrorKind::usage, "--insets and --by do not go together; remove one of them");
  }
  if (max_groups && !given()) throw Error(ErrorKind::usage, "--max-groups needs --by COLUMN=A|B|C");
}

Grouping GroupArguments::make(const PrivacyUnit& unit) const {
  if (max_groups && unit.column.empty()) {
    throw Error(ErrorKind::usage, "--max-groups needs --unit COLUMN: a record lies in one group");
  }
  Grouping grouping = declared_groups(by, max_groups.value_or(1));
  grouping.check(unit);
  return grouping;
}

CsvOptions with_group(CsvOptions csv, const Grouping& grouping) {
  const std::string& column = grouping.axis.name();
  if (csv.columns.empty()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("column '{}' states the group; name the columns of the coordinates with --columns", column));
  }
  if (std::find(csv.columns.begin(), csv.columns.end(), column) != csv.columns.end()) {
    throw Error(ErrorKind::usage,
                fmt::format("the groups and the axes both name column '{}'; use it for one of them", column));
  }
  if (csv.unit_column == column) {
    throw Error(ErrorKind::usage, fmt::format("--by and --unit both name column '{}'; use it for one of them", column));
  }
  csv.columns.insert(csv.columns.begin(), column);
  csv.kinds.resize(csv.columns.size() - 1);
  csv.kinds.insert(csv.kinds.begin(), grouping.axis.kind());
  csv.dimensions = csv.columns.size();
  return csv;
}

void GroupChoice::add(CLI::App& command) {
  command.add_option("--group", name, "Group or inset to use, of a file with several");
}

ReleaseSet GroupChoice::load_set(const std::string& path) const {
  ReleaseSet set = ReleaseSet::load(path);
  if (!name) return set;
  if (!set.is_whole()) return ReleaseSet(set.at(*name).published(set.publication()));  // with the base map of all parts
  throw Error(ErrorKind::usage, fmt::format("'{}' is one release without groups; remove --group", path));
}

Release GroupChoice::load(const std::string& path) const {
  const ReleaseSet set = load_set(path);
  if (set.is_whole()) return set.first();
  if (set.grouping() == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("'{}' holds an overview and {}; choose one, such as --group {}", path,
                                              counted(set.insets().size(), "inset"), ReleaseSet::overview_name));
  }
  throw Error(ErrorKind::usage,
              fmt::format("'{}' holds a release for each of {}; choose one, such as --group {}", path,
                          counted(set.parts().size(), "group"), shell_word(set.parts().front().name)));
}

namespace {

void say_groups(const Console& console, const ReleaseSet& groups) {
  constexpr std::size_t most_lines = 60;
  std::size_t widest = 0, lines = 0;
  for (const NamedRelease& group : groups.parts()) widest = std::max(widest, group.name.size());
  for (const NamedRelease& group : groups.parts()) {
    if (++lines > most_lines) continue;
    const auto records = records_inside(group.release);
    const char* start = groups.unit().groups ? "counted: " : "";
    const std::string count_words =
        records ? fmt::format(", {}about {}", start, counted_records(*records, groups.unit())) : "";
    console.line(fmt::format("  {:<{}}  {}{}", group.name, widest, counted_clusters(group.release), count_words));
  }
  if (lines > most_lines) console.line(fmt::format("  and {} more groups", lines - most_lines));
  for (const std::string& words : groups.rounding_in_words()) console.line(fmt::format("  {}", words));
}

void say_insets(const Console& console, const ReleaseSet& insets) {
  for (const NamedRelease& part : insets.parts()) {
    const ReleaseParts& contents = part.release.parts();
    std::vector<std::string> sides;
    for (const Axis& axis : contents.grid.axes()) {
      sides.push_back(fmt::format("{} {} to {}", axis.name(), axis.text(axis.lo()), axis.text(axis.hi())));
    }
    const bool whole = &part == &insets.parts().front();
    const std::string cell = cell_kilometres(contents.grid);
    console.line(fmt::format("  {}{}: {}", whole ? "" : "inset ", part.name, fmt::join(sides, ", ")));
    console.line(fmt::format(
        "    {}{}; grid {}{}", counted_clusters(part.release),
        contents.automatic ? " of about " + counted_records(contents.automatic->records, contents.unit) : "",
        fmt::join(contents.grid.shape(), " x "),
        cell.empty() ? "" : fmt::format(", a cell in the middle is about {}", cell)));
    for (const std::string& words : rounding_in_words(contents)) console.line(fmt::format("    {}", words));
  }
}

}  // namespace

void say_parts(const Console& console, const ReleaseSet& set) {
  if (set.grouping() != nullptr) return say_groups(console, set);
  say_insets(console, set);
}

}  // namespace shoal::cli
