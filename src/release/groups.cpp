#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "base/dates.hpp"
#include "base/utf8.hpp"
#include "shoal/error.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

namespace {

constexpr double day = seconds_a_day, week = 7 * day;

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
  throw Error(ErrorKind::usage, fmt::format("--by: '{}': {}", text, what));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> day_begin(std::string_view text) {
  const auto date = leading_date(text);
  if (!date || date->has_time || date->length != text.size()) return std::nullopt;
  return date->seconds;
}

int checked_number(std::string_view text, double count) {
  if (count < 1) refuse(text, "the range ends before it begins");
  if (count > static_cast<double>(most_groups)) {
    refuse(text, fmt::format("these are {:.0f} groups; give at most {}", count, most_groups));
  }
  return static_cast<int>(count);
}

// Parses a range of weeks, months or days, of which both ends are inclusive.
Grouping range_of(std::string_view text, const std::string& column, std::string_view range) {
  Instants instants{.least = Instants::Least::day};
  const std::string declared(range);
  if (const std::size_t colon = range.find(':'); colon != std::string_view::npos) {
    const std::string_view word = range.substr(colon + 1);
    const auto offset = word.starts_with("zone=") ? zone_offset(word.substr(5)) : std::nullopt;
    if (!offset) refuse(text, "only a zone may follow a range, such as :zone=+02:00");
    instants.offset = *offset;
    range = range.substr(0, colon);
  }
  const std::size_t dots = range.find("..");
  const std::string_view first = trimmed(range.substr(0, dots)), last = trimmed(range.substr(dots + 2));
  const auto period = [&](auto begin_of) {
    const auto begin = begin_of(first), end = begin_of(last);
    return begin && end ? std::optional(std::pair(*begin, *end)) : std::nullopt;
  };
  std::vector<std::string> names;
  double begin = 0, end = 0;  // `end` is past the last group
  if (const auto weeks = period(week_begin)) {
    begin = weeks->first;
    end = weeks->second + week;
    for (int i = 0, all = checked_number(text, (end - begin) / week); i < all; ++i) {
      names.push_back(week_text(begin + i * week));
    }
  } else if (const auto months = period(month_begin)) {
    const double from = months_of(months->first), to = months_of(months->second);
    instants.least = Instants::Least::month;
    begin = months->first;
    end = seconds_of_months(to + 1);
    for (int i = 0, all = checked_number(text, to - from + 1); i < all; ++i) {
      names.push_back(month_text(seconds_of_months(from + i)));
    }
  } else if (const auto days = period(day_begin)) {
    begin = days->first;
    end = days->second + day;
    for (int i = 0, all = checked_number(text, (end - begin) / day); i < all; ++i) {
      names.push_back(date_text(begin + i * day));
    }
  } else {
    refuse(text, "a range is of weeks 2026-W01..2026-W12, months 2026-01..2026-12 or days 2026-01-01..2026-01-31");
  }
  const std::uint64_t cells = names.size();
  const double offset = instants.offset;
  return {.axis = Axis(begin - offset, end - offset, cells, column, {.scale = instants}),
          .names = std::move(names),
          .range = declared};
}

}  // namespace

void Grouping::check(const PrivacyUnit& unit) const {
  if (max_groups == 0) throw InputError("max-groups is 0; choose at least 1 group per unit");
  if (unit.column.empty() && max_groups != 1) {
    throw InputError(
        fmt::format("max-groups is {}, but no unit column is given, and a record lies in one group; give the column, "
                    "or remove max-groups",
                    max_groups));
  }
  if (max_groups > names.size()) {
    throw InputError(
        fmt::format("max-groups is {}, but there are {} groups; give at most that", max_groups, names.size()));
  }
}

std::string Grouping::word() const {
  if (range.empty()) return axis.name().empty() ? "group" : axis.name();
  if (names.front().find('W') != std::string::npos) return "week";
  return names.front().size() == std::string_view("2026-01").size() ? "month" : "day";
}

std::optional<CountedGroups> Grouping::counted_of(const PrivacyUnit& unit) const {
  if (unit.column.empty() || max_groups >= names.size()) return std::nullopt;
  return CountedGroups{word(), max_groups, names.size()};
}

std::uint64_t Grouping::groups_changed(const PrivacyUnit& unit) const {
  check(unit);
  if (unit.neighbors == Neighbors::add_remove) return max_groups;
  return std::min<std::uint64_t>(2 * max_groups, names.size());
}

Epsilon Grouping::cost(Epsilon each, const PrivacyUnit& unit) const {
  Epsilon sum = Epsilon::zero();
  for (std::uint64_t i = 0; i < groups_changed(unit); ++i) sum = sum + each;
  return Epsilon::parse(sum.text());
}

Grouping listed_groups(std::string column, std::vector<std::string> names, std::uint64_t max_groups) {
  if (names.empty()) throw InputError("the list of groups is empty; give at least one");
  if (names.size() > most_groups) {
    throw InputError(fmt::format("the list has {} groups; give at most {}", names.size(), most_groups));
  }
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) throw InputError("a group of the list has no name; remove it");
    if (!is_utf8(name)) throw InputError("a group of the list is not UTF-8; convert the list, and the data to match");
    if (!seen.insert(name).second) throw InputError(fmt::format("the list has group '{}' twice; list it once", name));
  }
  AxisKind kind{.scale = Names{names}, .border = Border::apart};
  const std::size_t count = names.size();
  return {Axis::fitted(0, 0, count, std::move(column), std::move(kind)), std::move(names), max_groups};
}

Grouping declared_groups(std::string_view text, std::uint64_t max_groups) {
  const std::size_t equals = text.find('=');
  const std::string column(trimmed(text.substr(0, equals)));
  if (equals == std::string_view::npos || column.empty()) {
    refuse(text, "give a column and its groups, such as ward=A|B|C or day=2026-W01..2026-W12");
  }
  const std::string_view list = trimmed(text.substr(equals + 1));
  if (list.find("..") != std::string_view::npos) {
    if (list.find('|') != std::string_view::npos) refuse(text, "give either a list, A|B|C, or one range, FIRST..LAST");
    Grouping result = range_of(text, column, list);
    result.max_groups = max_groups;
    return result;
  }
  std::vector<std::string> names;
  for (std::string_view rest = list; !list.empty();) {
    const std::size_t bar = rest.find('|');
    names.emplace_back(trimmed(rest.substr(0, bar)));
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 1);
  }
  constexpr std::array periods = {"hourly", "daily", "weekly", "monthly", "yearly", "day", "week", "month", "year"};
  if (names.size() == 1 && std::find(periods.begin(), periods.end(), names.front()) != periods.end()) {
    refuse(text, "a list holds the names of groups; for periods give the first and the last: 2026-W01..2026-W12");
  }
  try {
    return listed_groups(column, std::move(names), max_groups);
  } catch (const InputError& error) {
    refuse(text, error.what());
  }
}

}  // namespace shoal
