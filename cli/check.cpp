// shoal check: what is wrong with an input, for the data owner. Spends nothing and stores nothing.
#include <fmt/format.h>

#include <cmath>

#include "command.hpp"
#include "group_arguments.hpp"
#include "shoal/engines.hpp"
#include "shoal/error.hpp"
#include "shoal/owner.hpp"
#include "shoal/text.hpp"

namespace shoal::cli {

namespace {

constexpr std::size_t most_lines = 20;  // bad rows that are shown

struct BadLine {
  std::uint64_t line;
  std::string fault;
};

struct Arguments {
  InputArguments input;
  GridArguments grid;
  GroupArguments groups;
  std::string unit;
  JsonArgument json;
};

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json json_of(const DataCheck& check, const std::vector<BadLine>& bad) {
  Json columns = Json::array(), lines = Json::array(), groups = Json::array();
  for (const ColumnCheck& column : check.columns) {
    columns.push_back({{"name", column.name},
                       {"missing", column.missing},
                       {"below", column.below},
                       {"above", column.above},
                       {"least", number_or_null(column.least)},
                       {"most", number_or_null(column.most)},
                       {"step", number_or_null(column.step)},
                       {"step_share", number_or_null(column.step_share)}});
  }
  for (const BadLine& bad_line : bad) lines.push_back({{"line", bad_line.line}, {"fault", bad_line.fault}});
  for (const GroupCheck& group : check.groups) groups.push_back({{"name", group.name}, {"records", group.records}});
  Json json{{"format", "shoal-check/1"}, {"private", false},       {"rows", check.rows}, {"bad_rows", check.bad_rows},
            {"bad_lines", lines},        {"inside", check.inside}, {"columns", columns}};
  if (check.units) {
    json["units"] = {{"units", check.units->units},
                     {"median", check.units->median},
                     {"nineteen_of_twenty", check.units->nineteen_of_twenty},
                     {"most", check.units->most}};
  }
  if (!check.groups.empty()) {
    json["groups"] = groups;
    json["in_no_group"] = check.in_no_group;
  }
  json["advice"] = advice(check);
  return json;
}

std::string values_of(const ColumnCheck& column, const Axis* axis) {
  if (!column.least) return "no values";
  const auto text = [axis](double x) { return axis != nullptr ? axis->text(x) : fmt::format("{:.6g}", x); };
  return fmt::format("from {} to {}", text(*column.least), text(*column.most));
}

// Seconds in the largest unit of time that divides them: "whole days", "multiples of 15 minutes".
std::string times_apart(double seconds) {
  for (const auto& [length, name] :
       {std::pair(86'400.0, "days"), std::pair(3'600.0, "hours"), std::pair(60.0, "minutes")}) {
    if (std::fmod(seconds, length) != 0) continue;
    return seconds == length ? fmt::format("whole {}", name)
                             : fmt::format("multiples of {} {}", seconds / length, name);
  }
  return seconds == 1 ? "whole seconds" : fmt::format("multiples of {} seconds", seconds);
}

std::string step_of(const ColumnCheck& column, bool times) {
  if (!column.step) return "";
  const std::string apart = times               ? times_apart(*column.step)
                            : *column.step == 1 ? "whole numbers"
                                                : fmt::format("multiples of {}", *column.step);
  return *column.step_share == 1 ? fmt::format("; all are {}", apart)
                                 : fmt::format("; {:.0f} % are {}", std::floor(100 * *column.step_share), apart);
}

void say(const Console& console, const DataCheck& check, const std::vector<BadLine>& bad, const std::vector<Axis>& axes,
         const std::string& unit) {
  const auto number = [](std::uint64_t count) { return grouped(static_cast<double>(count)); };
  const auto rows = [&number](std::uint64_t count) {
    return fmt::format("{} {}", number(count), count == 1 ? "row" : "rows");
  };
  console.line("NOT PRIVATE: computed from the raw data, for the data owner only. Nothing was spent or stored.");
  console.line(fmt::format("{} {} that can be read, {} that cannot", number(check.rows),
                           check.rows == 1 ? "row" : "rows", number(check.bad_rows)));
  for (const BadLine& bad_line : bad) console.line(fmt::format("  line {}{}", bad_line.line, bad_line.fault));
  if (check.bad_rows > bad.size() && !bad.empty()) {
    console.line(fmt::format("  and {} more", number(check.bad_rows - bad.size())));
  }
  for (std::size_t i = 0; i < check.columns.size(); ++i) {
    const ColumnCheck& column = check.columns[i];
    const Axis* axis = axes.empty() ? nullptr : &axes[i];
    const bool times = axis != nullptr && std::holds_alternative<Instants>(axis->kind().scale);
    const bool names = axis != nullptr && std::holds_alternative<Names>(axis->kind().scale);
    console.line(
        fmt::format("{}: {} {}{}{}{}", column.name, number(column.missing),
                    names ? "missing or not in the list" : "missing", names ? "" : ", " + values_of(column, axis),
                    axis == nullptr || names
                        ? ""
                        : fmt::format("; {} below the bounds, {} above", number(column.below), number(column.above)),
                    names ? "" : step_of(column, times)));
  }
  if (check.units) {
    console.line(
        fmt::format("{}: {} units; records per unit: median {}, 95 % of the units have at most {}, the most {}", unit,
                    number(check.units->units), number(check.units->median), number(check.units->nineteen_of_twenty),
                    number(check.units->most)));
  }
  for (const GroupCheck& group : check.groups) {
    console.line(fmt::format("group {}: {}", group.name, rows(group.records)));
  }
  if (!check.groups.empty()) console.line(fmt::format("in no group: {}", rows(check.in_no_group)));
  if (!axes.empty()) console.line(fmt::format("{} would be counted", rows(check.inside)));
  for (const std::string& sentence : advice(check)) console.notice(sentence);
}

void run_check(const Arguments& arguments) {
  const Console console(arguments.json);
  Outputs outputs = arguments.json.open(arguments.input.files());
  CsvOptions csv = arguments.input.csv(arguments.grid);
  if (arguments.grid.bounds.empty() && !csv.columns.empty()) csv.dimensions = csv.columns.size();
  if (!arguments.unit.empty() && arguments.unit != "record") csv.unit_column = arguments.unit;
  std::optional<Grouping> grouping;
  if (arguments.groups.given()) {
    grouping = arguments.groups.make({});
    csv = with_group(std::move(csv), *grouping);
  }
  std::vector<BadLine> bad;
  csv.on_bad_line = [&bad](std::uint64_t line, const std::string& fault) {
    if (bad.size() < most_lines) bad.push_back({line, fault});
  };
  csv.on_bad_row = OnBadRow::skip;
  const std::unique_ptr<Points> points = arguments.input.open(csv);
  std::vector<std::string> names = points->names();
  if (grouping) names.erase(names.begin());
  const std::vector<Axis> axes =
      arguments.grid.bounds.empty() ? std::vector<Axis>{} : arguments.grid.make(names).axes();
  const DataCheck check = [&] {
    const Progress progress("reading", *points);
    return check_data(*points, axes, grouping);
  }();
  arguments.json.write(json_of(check, bad), outputs);
  if (arguments.json.to_stdout()) return;
  say(console, check, bad, axes, arguments.unit);
}

}  // namespace

void add_check(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("check", "Check an input for its owner; not private, spends nothing");
  arguments->input.add(*command);
  arguments->grid.add(*command, false);
  start_group(*command, "Privacy");
  command->add_option("--unit", arguments->unit, "Column that identifies the unit, such as patient_id");
  start_group(*command, "Groups");
  command->add_option("--by", arguments->groups.by, "Groups to match: ward=A|B|C or day=2026-W01..2026-W12");
  start_group(*command, "Output");
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal check visits.csv --columns lon,lat --bounds lon=-180:180,lat=-90:90 --unit patient_id\n"
      "  shoal check admissions.csv --bounds age=0:110:int,day=2026-01-01:2026-12-31 --date-format %d.%m.%Y\n"
      "Do not share what it prints, and choose no setting of a release by it.");
  command->callback([arguments, &run] { run = [arguments] { run_check(*arguments); }; });
}

}  // namespace shoal::cli
