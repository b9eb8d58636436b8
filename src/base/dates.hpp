// Dates and times of day as seconds since 1970-01-01T00:00Z, in the proleptic Gregorian calendar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shoal {

inline constexpr std::int64_t seconds_a_day = 86'400;

// What a text says.
struct DateText {
  double seconds = 0;  // since 1970, as if the text were UTC
  bool has_time = false;
  std::optional<std::int32_t> offset;  // seconds east of UTC, where the text has a zone
  std::size_t length = 0;              // characters that were read
};
// The date at the start of the text: 2026-03-01, with a time 2026-03-01T14:30[:59[.5]] (or a space for the T), and then
// a zone Z or +02:00. Nothing when there is none, or no such day or time.
std::optional<DateText> leading_date(std::string_view text);
// A text in another layout, as leading_date() reads it. The layout is that of strptime: %Y %m %d %H %M %S, and %% for
// %; all else must be equal. %m, %d and %H may have one digit. Nothing when the text does not fit.
std::optional<std::string> rewritten_date(std::string_view text, std::string_view layout);
// Throws InputError unless the layout has %Y, %m and %d once each, %M and %S only behind %H, and nothing unknown.
void check_date_layout(std::string_view layout);
// Z, UTC or +02:00 as seconds; nothing for all else.
std::optional<std::int32_t> zone_offset(std::string_view text);
// The reverse: Z, +02:00.
std::string zone_text(std::int32_t offset);

// The first second of an ISO 8601 week, 2026-W01, or of a month, 2026-01; nothing for all else. And back: of the week
// or month that these seconds lie in.
std::optional<double> week_begin(std::string_view text);
std::optional<double> month_begin(std::string_view text);
std::string week_text(double seconds);
std::string month_text(double seconds);

// Months since year 0 in UTC, with the share of the month that is past; and back.
double months_of(double seconds) noexcept;
double seconds_of_months(double months) noexcept;

// 2026-03-01, 2026-03-01 14:30, 2026-03-01 14:30:59 or with decimals, whichever is whole; at `apart` seconds or more
// between values no finer than these ask for.
std::string date_text(double seconds, double apart = 0);

}  // namespace shoal
