// Dates and times of day as seconds since 1970-01-01T00:00Z, in the proleptic Gregorian calendar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shoal/text.hpp"

namespace shoal {

inline constexpr std::int64_t seconds_a_day = 86'400;

// A date that was parsed from text.
struct DateText {
  double seconds = 0;  // since 1970, as if the text were UTC
  bool has_time = false;
  std::optional<std::int32_t> offset;  // seconds east of UTC; empty if the text has no zone
  std::size_t length = 0;              // number of characters that were read
};
// Parses the date at the start of the text: 2026-03-01, optionally with a time, 2026-03-01T14:30[:59[.5]] (a space may
// replace the T), and then optionally a zone, Z or +02:00. Returns nothing if the text does not start with a date, or
// if the day or time does not exist.
std::optional<DateText> leading_date(std::string_view text);
// Rewrites a text in the given layout to the form that leading_date() reads. The layout uses the codes of strptime: %Y
// %m %d %H %M %S, and %% for a percent sign. All other characters must match exactly. %m, %d and %H may have one digit.
// Returns nothing if the text does not match.
std::optional<std::string> rewritten_date(std::string_view text, std::string_view layout);
// Parses a zone (Z, UTC or +02:00) and returns its offset in seconds. Returns nothing for any other text.
std::optional<std::int32_t> zone_offset(std::string_view text);
// The inverse of zone_offset: returns Z or +02:00.
std::string zone_text(std::int32_t offset);

// week_begin and month_begin return the first second of an ISO 8601 week (2026-W01) or of a month (2026-01), and
// nothing for any other text. week_text and month_text are the inverses: they name the week or the month that contains
// `seconds`.
std::optional<double> week_begin(std::string_view text);
std::optional<double> month_begin(std::string_view text);
std::string week_text(double seconds);
std::string month_text(double seconds);

// months_of returns the number of months since year 0 in UTC, including the elapsed fraction of the current month.
// seconds_of_months is its inverse.
double months_of(double seconds) noexcept;
double seconds_of_months(double months) noexcept;

}  // namespace shoal
