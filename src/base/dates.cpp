#include "base/dates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "shoal/error.hpp"

namespace shoal {

namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month;
using std::chrono::year_month_day;

// Reads exactly `digits` digits at `at` and advances past them.
std::optional<int> take_digits(std::string_view text, std::size_t& at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = text[at + i];
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  at += digits;
  return value;
}

bool is_digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool take(std::string_view text, std::size_t& at, char wanted) {
  if (at >= text.size() || text[at] != wanted) return false;
  ++at;
  return true;
}

std::optional<double> take_date(std::string_view text, std::size_t& at) {
  const auto y = take_digits(text, at, 4);
  if (!y || !take(text, at, '-')) return std::nullopt;
  const auto m = take_digits(text, at, 2);
  if (!m || !take(text, at, '-')) return std::nullopt;
  const auto d = take_digits(text, at, 2);
  if (!d || is_digit_at(text, at)) return std::nullopt;
  const year_month_day date(std::chrono::year(*y), std::chrono::month(static_cast<unsigned>(*m)),
                            std::chrono::day(static_cast<unsigned>(*d)));
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(sys_days(date).time_since_epoch().count() * seconds_a_day);
}

// Reads HH:MM[:SS[.digits]]. A colon that is not followed by two digits is not part of the time.
std::optional<double> take_time(std::string_view text, std::size_t& at) {
  const auto hour = take_digits(text, at, 2);
  if (!hour || *hour > 23 || !take(text, at, ':')) return std::nullopt;
  const auto minute = take_digits(text, at, 2);
  if (!minute || *minute > 59 || is_digit_at(text, at)) return std::nullopt;
  double result = *hour * 3600 + *minute * 60;
  std::size_t behind = at;
  if (!take(text, behind, ':')) return result;
  const auto second = take_digits(text, behind, 2);
  if (!second || is_digit_at(text, behind)) return result;
  if (*second > 59) return std::nullopt;
  result += *second;
  at = behind;
  if (!is_digit_at(text, at + 1) || !take(text, at, '.')) return result;
  double share = 0, power = 1;
  for (int digits = 0; is_digit_at(text, at); ++at, ++digits) {
    if (digits >= 9) continue;  // finer than a nanosecond
    share = share * 10 + (text[at] - '0');
    power *= 10;
  }
  return result + share / power;
}

std::optional<std::int32_t> take_zone(std::string_view text, std::size_t& at) {
  std::size_t behind = at;
  if (take(text, behind, 'Z')) {
    at = behind;
    return 0;
  }
  if (behind >= text.size() || (text[behind] != '+' && text[behind] != '-')) return std::nullopt;
  const int sign = text[behind++] == '-' ? -1 : 1;
  const auto hours = take_digits(text, behind, 2);
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 0;
  std::size_t end = behind;
  take(text, end, ':');
  if (const auto given = take_digits(text, end, 2)) {
    if (*given > 59) return std::nullopt;
    minutes = *given;
    behind = end;
  }
  at = behind;
  return sign * (*hours * 3600 + minutes * 60);
}

}  // namespace

std::optional<std::string> rewritten_date(std::string_view text, std::string_view layout) {
  std::optional<int> year, month, day, hour, minute, second;
  std::size_t at = 0;
  const auto one_or_two = [&]() -> std::optional<int> {
    return take_digits(text, at, is_digit_at(text, at + 1) ? 2 : 1);
  };
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const char kind = layout[i] == '%' && i + 1 < layout.size() ? layout[++i] : '\0';
    if (kind == 'Y') {
      if (!(year = take_digits(text, at, 4))) return std::nullopt;
    } else if (kind == 'm' || kind == 'd' || kind == 'H') {
      std::optional<int>& value = kind == 'm' ? month : kind == 'd' ? day : hour;
      if (!(value = one_or_two())) return std::nullopt;
    } else if (kind == 'M' || kind == 'S') {
      std::optional<int>& value = kind == 'M' ? minute : second;
      if (!(value = take_digits(text, at, 2))) return std::nullopt;
    } else if (!take(text, at, layout[i])) {
      return std::nullopt;
    }
  }
  if (at != text.size() || !year || !month || !day) return std::nullopt;
  std::string result = fmt::format("{:04}-{:02}-{:02}", *year, *month, *day);
  if (hour) result += fmt::format("T{:02}:{:02}:{:02}", *hour, minute.value_or(0), second.value_or(0));
  return result;
}

void check_date_layout(std::string_view layout) {
  std::string kinds;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (layout[i] != '%') continue;
    const char kind = ++i < layout.size() ? layout[i] : '\0';
    const bool twice = kind != '%' && kinds.find(kind) != std::string::npos;
    if (twice || std::string_view("YmdHMS%").find(kind) == std::string_view::npos) {
      throw InputError(fmt::format("the date format '{}' cannot be read; use each of %Y %m %d %H %M %S once", layout));
    }
    kinds += kind;
  }
  const auto has = [&kinds](char kind) { return kinds.find(kind) != std::string::npos; };
  if (!has('Y') || !has('m') || !has('d') || (has('M') && !has('H')) || (has('S') && !has('M'))) {
    throw InputError(fmt::format(
        "the date format '{}' needs a year, a month and a day, such as %d.%m.%Y; a minute needs an hour", layout));
  }
}

std::optional<DateText> leading_date(std::string_view text) {
  DateText result;
  const auto date = take_date(text, result.length);
  if (!date) return std::nullopt;
  result.seconds = *date;
  std::size_t at = result.length;
  if ((take(text, at, 'T') || take(text, at, ' ')) && is_digit_at(text, at)) {
    const auto time = take_time(text, at);
    if (!time) return std::nullopt;
    const double whole = result.seconds + std::floor(*time);
    result.seconds =
        std::min(result.seconds + *time, std::nextafter(whole + 1, whole));  // never rounded up to the next second
    result.has_time = true;
    result.offset = take_zone(text, at);
    result.length = at;
  }
  return result;
}

std::optional<std::int32_t> zone_offset(std::string_view text) {
  if (text == "UTC") return 0;
  std::size_t at = 0;
  const auto result = take_zone(text, at);
  return at == text.size() ? result : std::nullopt;
}

std::string zone_text(std::int32_t offset) {
  if (offset == 0) return "Z";
  const std::int32_t minutes = std::abs(offset) / 60;
  return fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

namespace {

sys_days day_of(double seconds) {
  return sys_days(days(static_cast<std::int64_t>(std::floor(seconds / static_cast<double>(seconds_a_day)))));
}

double seconds_of(sys_days day) { return static_cast<double>(day.time_since_epoch().count() * seconds_a_day); }

sys_days monday_of(sys_days day) { return day - (std::chrono::weekday(day) - std::chrono::Monday); }

}  // namespace

// The first week of a year is the one that contains 4 January; a week belongs to the year of its Thursday.
std::optional<double> week_begin(std::string_view text) {
  std::size_t at = 0;
  const auto year = take_digits(text, at, 4);
  if (!year || !take(text, at, '-') || !take(text, at, 'W')) return std::nullopt;
  const auto week = take_digits(text, at, 2);
  if (!week || *week < 1 || at != text.size()) return std::nullopt;
  const std::chrono::year iso_year(*year);
  const sys_days monday = monday_of(sys_days(iso_year / 1 / 4)) + days(7 * (*week - 1));
  if (year_month_day(monday + days(3)).year() != iso_year) return std::nullopt;
  return seconds_of(monday);
}

std::optional<double> month_begin(std::string_view text) {
  std::size_t at = 0;
  const auto year = take_digits(text, at, 4);
  if (!year || !take(text, at, '-')) return std::nullopt;
  const auto month = take_digits(text, at, 2);
  if (!month || *month < 1 || *month > 12 || at != text.size()) return std::nullopt;
  return seconds_of(sys_days(std::chrono::year(*year) / *month / 1));
}

std::string week_text(double seconds) {
  const sys_days monday = monday_of(day_of(seconds));
  const std::chrono::year year = year_month_day(monday + days(3)).year();
  const auto weeks = (monday - monday_of(sys_days(year / 1 / 4))).count() / 7;
  return fmt::format("{:04}-W{:02}", static_cast<int>(year), weeks + 1);
}

std::string month_text(double seconds) {
  const year_month_day date(day_of(seconds));
  return fmt::format("{:04}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()));
}

double months_of(double seconds) noexcept {
  const double day = std::floor(seconds / static_cast<double>(seconds_a_day));
  const year_month_day date(sys_days(days(static_cast<std::int64_t>(day))));
  const year_month month = date.year() / date.month();
  const double whole = static_cast<int>(month.year()) * 12 + static_cast<int>(static_cast<unsigned>(month.month())) - 1;
  const double first = seconds_of_months(whole), next = seconds_of_months(whole + 1);
  return whole + (seconds - first) / (next - first);
}

double seconds_of_months(double months) noexcept {
  const double whole = std::floor(months);
  const auto first_of = [](double month) {
    const double year = std::floor(month / 12);
    const sys_days day(std::chrono::year(static_cast<int>(year)) /
                       std::chrono::month(static_cast<unsigned>(month - 12 * year) + 1) / 1);
    return static_cast<double>(day.time_since_epoch().count() * seconds_a_day);
  };
  const double first = first_of(whole);
  return months == whole ? first : first + (months - whole) * (first_of(whole + 1) - first);
}

std::string date_text(double seconds, double apart) {
  const double unit = apart >= 60 ? 60 : apart >= 1 ? 1 : 1e-6;
  seconds = std::floor(seconds / unit + 0.5) * unit;
  const double day = std::floor(seconds / static_cast<double>(seconds_a_day));
  constexpr double farthest = 1e7;  // in days; less than the range of std::chrono's calendar
  if (!(std::fabs(day) < farthest)) return fmt::format("{:g} s", seconds);
  const year_month_day date(sys_days(days(static_cast<std::int64_t>(day))));
  std::string result = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  const double past = seconds - day * static_cast<double>(seconds_a_day);
  if (apart >= static_cast<double>(seconds_a_day) || past == 0) return result;
  const auto whole = static_cast<std::int64_t>(past);
  result += fmt::format(" {:02}:{:02}", whole / 3600, whole / 60 % 60);
  const double share = past - static_cast<double>(whole);
  if (whole % 60 == 0 && share == 0) return result;
  result += fmt::format(":{:02}", whole % 60);
  if (share != 0) {
    std::string digits = fmt::format("{:.6f}", share).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.size() > 1) result += digits;
  }
  return result;
}

}  // namespace shoal
