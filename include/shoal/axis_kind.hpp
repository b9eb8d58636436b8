// Defines what the numbers of an axis mean. The data owner declares the kind; nothing is inferred from values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shoal {

// Defines which cells of an axis are neighbours.
enum class Border : std::uint8_t {
  open,    // Each cell touches the cell before it and the cell after it.
  circle,  // In addition, the first cell and the last cell touch.
  apart,   // No cells touch.
};

// An axis of numbers. If `step` is above 0, the values are multiples of a step apart (1 for whole numbers), every cell
// holds the same number of values, and the edges of cells lie half a step away from the values. If `step` is 0, any
// number is a value. The coordinates of an axis of any kind are doubles.
struct Numbers {
  double step = 0;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};
// An axis of numbers above 0. All cells have the same ratio of upper to lower edge.
struct Logarithmic {
  friend bool operator==(const Logarithmic&, const Logarithmic&) = default;
};
// An axis of degrees north. Cells that span equal degrees east have equal areas, because positions are sines of
// latitudes.
struct Latitude {
  friend bool operator==(const Latitude&, const Latitude&) = default;
};
// An axis of times, in seconds since 1970-01-01T00:00Z without leap seconds.
struct Instants {
  // The unit of cells: a cell spans a whole number of these in the calendar of the time zone.
  enum class Least : std::uint8_t { second, day, month };
  Least least = Least::second;
  // Offset of the time zone, in seconds east of UTC.
  std::int32_t offset = 0;
  // Number of units per second that the input uses for times given as numbers (1 for seconds, 1000 for milliseconds).
  std::int64_t a_second = 1;
  // Layout of dates in the text of the input, such as %d.%m.%Y. If empty, dates are written as 2026-03-01. The layout
  // is not part of a release.
  std::string layout = {};
  friend bool operator==(const Instants&, const Instants&) = default;
};
// An axis of names from a public list. The coordinate of a name is its index in the list, starting at 0. Each name has
// its own cell.
struct Names {
  std::vector<std::string> names;
  friend bool operator==(const Names&, const Names&) = default;
};

struct AxisKind {
  std::variant<Numbers, Logarithmic, Latitude, Instants, Names> scale{};
  Border border = Border::open;
  // Unit of measurement, such as cm, which is shown with the name of the axis.
  std::string unit{};

  // Returns true if the axis holds numbers and its border is open. Cells are then found by one division.
  [[nodiscard]] bool is_plain() const noexcept;
  // Returns true if fields of this kind are texts that plain number parsing does not cover: times and names.
  [[nodiscard]] bool reads_text() const noexcept;
  // Returns the coordinate that a field's text denotes, or nothing if the text is not valid for this kind. Call it only
  // if reads_text() is true.
  [[nodiscard]] std::optional<double> parse(std::string_view text) const;
  // Returns true if a transform combines neighbouring cells of this axis. It does not combine cells of names, because
  // each name has its own meaning.
  [[nodiscard]] bool is_pooled() const noexcept { return !std::holds_alternative<Names>(scale); }

  friend bool operator==(const AxisKind&, const AxisKind&) = default;
};

}  // namespace shoal
