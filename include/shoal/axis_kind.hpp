// What the numbers of an axis mean. The owner declares it; nothing is guessed from values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shoal {

// Which cells of an axis touch.
enum class Border : std::uint8_t {
  open,    // each touches the one before it and the one behind it
  circle,  // the first and the last touch too
  apart,   // none touch
};

// The coordinates of an axis, always doubles:
// Numbers. step > 0: values are a whole number of steps apart (1: whole numbers), and a cell holds as many of them as
// every other. Its edges lie half a step beside the values.
struct Numbers {
  double step = 0;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};
// Numbers above 0, cut into cells of equal ratio.
struct Logarithmic {
  friend bool operator==(const Logarithmic&, const Logarithmic&) = default;
};
// Degrees north, cut so that cells of equal width in degrees east have equal areas: positions are sines.
struct Latitude {
  friend bool operator==(const Latitude&, const Latitude&) = default;
};
// Seconds since 1970-01-01T00:00Z, without leap seconds.
struct Instants {
  enum class Least : std::uint8_t { second, day, month };  // a cell is a whole number of these, in the zone's calendar
  Least least = Least::second;
  std::int32_t offset = 0;    // of the zone, seconds east of UTC
  std::int64_t a_second = 1;  // numbers in the input: so many are a second
  // How the texts of one input are written, such as %d.%m.%Y; empty: 2026-03-01. Not part of a release.
  std::string layout = {};
  friend bool operator==(const Instants&, const Instants&) = default;
};
// Places in a public list, from 0 on; a cell each.
struct Names {
  std::vector<std::string> names;
  friend bool operator==(const Names&, const Names&) = default;
};

struct AxisKind {
  std::variant<Numbers, Logarithmic, Latitude, Instants, Names> scale{};
  Border border = Border::open;
  std::string unit{};  // shown with the name: cm

  // Any number, and no circle: cells are found by one division.
  [[nodiscard]] bool is_plain() const noexcept;
  // A field of this kind is more than a number.
  [[nodiscard]] bool reads_text() const noexcept;
  // The coordinate that a field's text says; nothing when it says none. Only where reads_text().
  [[nodiscard]] std::optional<double> parse(std::string_view text) const;
  // Cells of a level cover several of the grid's. Not where each has a meaning of its own.
  [[nodiscard]] bool is_pooled() const noexcept { return !std::holds_alternative<Names>(scale); }

  friend bool operator==(const AxisKind&, const AxisKind&) = default;
};

}  // namespace shoal
