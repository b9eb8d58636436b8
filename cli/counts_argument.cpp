#include "counts_argument.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "group_arguments.hpp"
#include "shoal/counts.hpp"
#include "shoal/engines.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal::cli {

namespace {
constexpr const char* count_name = "count";
Error usage(const std::string& message) { return {ErrorKind::usage, message}; }
// With all its digits, unless it is a date.
std::string bound(const Axis& axis, double x) {
  return std::holds_alternative<Instants>(axis.kind().scale) ? axis.text(x) : fmt::format("{}", x);
}
}  // namespace

void CountsArgument::add(CLI::App& command) {
  start_group(command, "Input");
  command.add_option("--counts", path, "Instead of INPUT: CSV or Parquet of cells and counts")
      ->each([points = command.get_option("INPUT")](const std::string& /*file*/) { points->required(false); });
}

void CountsArgument::check(const InputArguments& input, const GridArguments& grid, const std::string& technique) const {
  if (!given()) return;
  if (!input.path.empty()) throw usage("INPUT and --counts are both given; give points or counts");
  if (technique == "baseline") throw usage("baseline needs the points; with --counts use another technique");
  if (grid.outside != "drop") throw usage("--outside is for points; with --counts the engine counts them, or not");
  if (!input.date_format.empty() || !input.missing.empty()) {
    throw usage("a file of counts holds cells, not values; remove --date-format and --na");
  }
  if (input.header == "no") throw usage("a file of counts has a header; remove --header no");
  if (input.on_bad_row != "fail") throw usage("every row of a file of counts is needed; remove --on-bad-row");
}

CountsTable::CountsTable(const std::string& path, const InputArguments& input, const GridArguments& grid,
                         const std::optional<Grouping>& grouping) {
  CsvOptions options = input.csv(grid);
  if (!is_engine_input(path) && !is_json_lines(path)) options.header = CsvHeader::yes;
  options.kinds.clear();  // indices, whatever the axis
  if (grouping) {
    options = with_group(std::move(options), *grouping);
    options.kinds.emplace_back();  // of the count
  }
  const bool by_name = !options.columns.empty();
  if (by_name) options.columns.emplace_back(count_name);
  ++options.dimensions;
  InputArguments table = input;
  table.path = path;
  points_ = table.open(options);
  names_ = points_->names();
  const auto found = by_name ? names_.end() - 1 : std::find(names_.begin(), names_.end(), count_name);
  if (found == names_.end()) {
    throw InputError(fmt::format("'{}' has no column '{}'; name the column of counts so", path, count_name));
  }
  count_column_ = static_cast<std::size_t>(found - names_.begin());
  names_.erase(found);
}

Counts CountsTable::read(const ReleaseRequest& request) {
  const Progress progress("reading", *points_);
  const Grouping* groups = request.grouping();
  if (groups == nullptr) return given_counts(*points_, counted_grid(request), count_column_);
  const auto grouped = in_groups(*points_, groups->axis);
  return given_counts(*grouped, counted_grid(request), count_column_, true);
}

void say_counted_grid(const Console& console, const Grid& grid) {
  console.line("Count records on this grid. Cells of each axis are numbered from 0:");
  for (const Axis& axis : grid.axes()) {
    const auto* names = std::get_if<Names>(&axis.kind().scale);
    console.line(names != nullptr
                     ? fmt::format("  {}: {} cells: {}", axis.name(), axis.cells(), fmt::join(names->names, ", "))
                     : fmt::format("  {}: {} cells from {} to {}", axis.name(), axis.cells(), bound(axis, axis.lo()),
                                   bound(axis, axis.hi())));
  }
}

std::string bounded_elsewhere(const PrivacyUnit& unit, const std::optional<Grouping>& grouping) {
  const std::string in_groups =
      grouping ? fmt::format(" in each of at most {} groups", grouping->max_groups) : std::string();
  if (unit.column.empty()) {
    return "The counts are taken as given: each record must be counted once, in one cell, and must not change how "
           "others are counted.";
  }
  if (unit.share) {
    return fmt::format(
        "The counts are taken as given, in parts: the program that counted must have spread {} parts over the cells of "
        "each "
        "'{}'{}, without regard to others.",
        unit.parts_per_weight(), unit.column, in_groups);
  }
  return fmt::format(
      "The counts are taken as given: the program that counted must have kept at most {} records of each '{}'{}, "
      "chosen "
      "without regard to others.",
      unit.max_contributions, unit.column, in_groups);
}

}  // namespace shoal::cli
