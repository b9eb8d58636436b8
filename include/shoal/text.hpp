// Texts for people and for files: numbers with their nouns, coordinates and distances by the kind of their axis, and
// the name that a misspelt one was probably meant to be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shoal/grid.hpp"

namespace shoal {

// Returns a number with its noun: "1 cluster", "3 clusters". Without `many`, the plural ends in s.
std::string counted(std::uint64_t number, const std::string& one, const std::string& many);
std::string counted(std::uint64_t number, const std::string& noun);
// Rounds to a whole number and groups its digits: "1,234,567". At 1e15 and above it keeps three digits: "1.23e+15".
std::string grouped(double value);
// Formats a rounded difference with its sign: "+1,234", "−12".
std::string signed_grouped(double value);
// Returns a lower bound of a probability as text: "0.973". Never more than 0.999.
std::string probability_at_least(double probability);
// Returns text that is safe in XML and HTML: & < > " are escaped, control characters are dropped, and bytes that are
// not UTF-8 are replaced.
std::string escaped(std::string_view text);
// Returns a field of a CSV file, quoted if necessary.
std::string csv_field(const std::string& text);

// Returns a date with as much of the time as it needs: 2026-03-01, 2026-03-01 14:30, 2026-03-01 14:30:59, or with
// decimals. `apart` is the distance between neighbouring values in seconds: the text stops at the day, the minute
// or the second if the values are at least that far apart.
std::string date_text(double seconds, double apart = 0);
// Throws unless a layout of dates, such as %d.%m.%Y, has %Y, %m and %d once each, has %M and %S only after %H, and has
// no unknown code.
void check_date_layout(std::string_view layout);

// Parses a number that fills the whole text, with or without a leading plus sign. Returns nothing for any other text.
std::optional<double> number_of(std::string_view text);

// Returns the text of a coordinate for a data file; a reader of that kind of axis reads it back. On an axis with steps,
// the value is rounded to the nearest step.
std::string coordinate_text(const Axis& axis, double x);
// Returns the range between two edges as text. On axes of discrete values (steps, days, months, names) these are the
// first and the last value between the edges; on all others they are the edges themselves.
std::pair<std::string, std::string> range_texts(const Axis& axis, double lower, double upper);
// Returns the coordinates of a place as text for people, one per axis: 0.25, 2026-03-01, A.
std::vector<std::string> place_texts(const Grid& grid, const std::vector<double>& place);
// The same texts, separated by commas.
std::string place_text(const Grid& grid, const std::vector<double>& place);
// Returns a distance along the axis as text, with its unit: 0.25, 3 cm, 14 days.
std::string distance_text(const Axis& axis, double way);
// Returns the same. If the grid is a map of at most five degrees of latitude, in kilometres.
std::string distance_text(const Grid& grid, std::size_t axis, double way);
// Returns the kilometres of a degree along an axis of such a map, in its middle. 0 for any other axis.
double kilometres_per_degree(const Grid& grid, std::size_t axis);
// Returns distance_text(axis, way), rounded up. The distance must be above 0.
std::string distance_at_least(const Axis& axis, double way);
// Returns the size of a cell in the middle of the map, such as "31 x 31 km". Empty unless the axes are geographic.
std::string cell_kilometres(const Grid& grid);

// A round value of an axis and its text.
struct Tick {
  double value;
  std::string text;
};

// Returns about `wanted` ticks at most, at round values. `from` and `to` limit them to a part of the axis; both are
// fractions of its length, and so is Tick::value: 0 is the lower end and 1 the upper.
std::vector<Tick> axis_ticks(const Axis& axis, double wanted, const std::string& suffix = {}, double from = 0,
                             double to = 1);

// Returns the known name with the fewest changes from `name`; the first of several. A change is a letter replaced,
// omitted, added or swapped with its neighbour. Returns an empty text if even that needs too many changes for its
// length.
std::string nearest(std::string_view name, const std::vector<std::string>& known);
// Returns " (did you mean release?)", or an empty text if no name is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace shoal
