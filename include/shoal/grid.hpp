// The public grid: its axes, what their numbers mean, and how people declare them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

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

// Defines what the numbers of an axis mean. The data owner declares the kind; nothing is inferred from values.
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

// The result of Axis::cell() for a coordinate that lies in no cell.
inline constexpr std::int64_t outside_axis = -1;

// An axis of the grid: an interval with public bounds that is divided into cells.
//
//   lo        edge(1)    edge(2)                 hi
//   [--- 0 ---)[--- 1 ---)[--- ...  --- cells - 1 ---]
//
// Each cell is half-open, except that the last cell is closed: a coordinate equal to hi lies in the last cell. There
// are two exceptions. On a circle, hi lies in the first cell. On an axis of times, hi lies in no cell, because the next
// day begins there. NaN, infinities and all other numbers outside [lo, hi] lie in no cell; on a circle, every finite
// number lies in a cell. The cells have equal width on the scale of the axis kind, unless the axis was cut (cut_at).
// This class is the only place that maps a coordinate to a cell; every reader, engine and language uses it.
class Axis {
 public:
  // Throws if a bound is not finite, if lo is not below hi, if (hi - lo) * cells overflows, or if the cells are too
  // narrow to be distinguished as doubles. Throws if `cells` is below 1 or above 2^31, or if `kind` does not allow
  // these bounds and cells.
  Axis(double lo, double hi, std::uint64_t cells, std::string name = {}, AxisKind kind = {});

  // Returns an axis with at most `cells` cells for bounds as people state them. For steps and days, both bounds are
  // inclusive. A cell then holds a whole number of steps, or of seconds, minutes, hours, days, weeks or months. The
  // upper bound is raised to the end of a cell if needed. On a circle of steps, the number of cells divides the number
  // of values. For names, each name gets one cell, and `cells` is ignored.
  static Axis fitted(double lo, double hi, std::uint64_t cells, std::string name = {}, AxisKind kind = {});
  // Returns this axis with at most `cells` cells, each of which covers a whole number of cells of this axis. An axis of
  // names is returned unchanged.
  [[nodiscard]] Axis coarser(std::uint64_t cells) const;

  // Returns this axis with cells of unequal width between these edges: a cell opens at each of them, the first at lo.
  // Throws if they are not ascending, or not all above lo and below hi, or if the axis is a circle or an axis of names.
  [[nodiscard]] Axis cut_at(std::vector<double> edges) const;
  // Returns the edges at which it was cut, ascending. Empty if the cells have equal width.
  [[nodiscard]] const std::vector<double>& cuts() const noexcept { return cuts_; }
  // Returns true if a cell is found by one division.
  [[nodiscard]] bool is_plain() const noexcept { return plain_; }

  [[nodiscard]] double lo() const noexcept { return lo_; }
  [[nodiscard]] double hi() const noexcept { return hi_; }
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const AxisKind& kind() const noexcept { return kind_; }

  // Returns the cell that contains x, or outside_axis. The formula multiplies before it divides, which puts decimal
  // edges where people expect them: on an axis from 0 to 1 with 10 cells, 0.3 is the lower edge of cell 3.
  [[nodiscard]] std::int64_t cell(double x) const noexcept {
    if (!plain_) return cell_of_kind(x);
    if (!(x >= lo_ && x <= hi_)) return outside_axis;
    const auto index = static_cast<std::int64_t>((x - lo_) * cells_as_double_ / width_);
    const auto last = static_cast<std::int64_t>(cells_) - 1;
    return index < last ? index : last;
  }

  // Returns the coordinate inside the bounds that is nearest to x. On a circle, x is returned unchanged. NaN stays NaN.
  [[nodiscard]] double clamp(double x) const noexcept {
    if (kind_.border == Border::circle) return x;
    return x < lo_ ? lo_ : (x > last_ ? last_ : x);
  }

  // Returns the lower edge of cell j. edge(cells()) is hi.
  [[nodiscard]] double edge(std::uint64_t j) const noexcept {
    if (j >= cells_) return hi_;
    if (j == 0) return lo_;
    if (!cuts_.empty()) return cuts_[j - 1];
    const double position = first_ + width_ * (static_cast<double>(j) / cells_as_double_);
    return plain_ ? position : coordinate(position);
  }

  // Convert between a coordinate and its position on the scale of the axis kind. Both functions preserve order.
  [[nodiscard]] double position(double x) const noexcept;
  [[nodiscard]] double coordinate(double position) const noexcept;
  // Returns the coordinate halfway between two coordinates on that scale.
  [[nodiscard]] double middle(double lower, double upper) const noexcept;

  // Returns the number of cells after `level` halvings of this axis, rounded up each time. Each coarse cell covers
  // 2^level cells; the last one may cover fewer. An axis that is not pooled keeps its cells.
  [[nodiscard]] std::uint64_t coarse_cells(unsigned level) const noexcept;

  // Returns a coordinate as text for people, such as "12.5", "2026-03-01" or "A". A date is only as fine as needed for
  // dates that are `apart` seconds apart; 0 means as fine as the date itself.
  [[nodiscard]] std::string text(double x, double apart = 0) const;
  // Returns the name of the axis, followed by its unit if it has one: "height (cm)".
  [[nodiscard]] std::string label() const;

  friend bool operator==(const Axis&, const Axis&) = default;

 private:
  [[nodiscard]] std::int64_t cell_of_kind(double x) const noexcept;

  double lo_, hi_;
  // The largest coordinate that lies in a cell.
  double last_;
  // The position of lo, and the distance in positions from lo to hi.
  double first_, width_;
  double cells_as_double_;
  std::uint64_t cells_;
  std::string name_;
  AxisKind kind_;
  bool plain_;
  std::vector<double> cuts_;
};

// The public grid. It has one Axis per dimension.
class Grid {
 public:
  // Throws if there are no axes, more than 16 axes, or more than 2^62 cells.
  explicit Grid(std::vector<Axis> axes);

  [[nodiscard]] std::size_t dimensions() const noexcept { return axes_.size(); }
  [[nodiscard]] const std::vector<Axis>& axes() const noexcept { return axes_; }
  [[nodiscard]] const Axis& axis(std::size_t i) const noexcept { return axes_[i]; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint64_t cell_count() const noexcept { return cell_count_; }

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::vector<Axis> axes_;
  Shape shape_;
  std::uint64_t cell_count_;
};

// An axis as people declare it in a text, without the number of its cells:
//
//   [NAME=]LOWER:UPPER[:WORD...]      age=0:110:int   dose=0:500:step=12.5   income=1:1e6:log   height=0:250:cm
//                                     hour=0:24:circle   day=2026-01-01:2026-12-31   day=...:month day=...:zone=+02:00
//   [NAME=]A|B|C:category             ward=A|B|C:category   weekday=Mon|Tue|...|Sun:circle
struct DeclaredAxis {
  // Name of the axis. If empty, the axis belongs to the column at the same position.
  std::string name{};
  double lo = 0, hi = 0;
  AxisKind kind{};

  // Returns the axis with at most `cells` cells (Axis::fitted). A name in `column` replaces the declared name.
  [[nodiscard]] Axis fitted(std::uint64_t cells, const std::string& column = {}) const {
    return Axis::fitted(lo, hi, cells, column.empty() ? name : column, kind);
  }
  // Throws if no grid can have this axis.
  void check() const;
};

// Parses one declaration. Throws if the text is not a valid declaration.
DeclaredAxis declared_axis(std::string_view text);
// Parses declarations that are separated by commas. Throws if only some axes are named, or if a name occurs twice.
std::vector<DeclaredAxis> declared_axes(std::string_view text);

// Turns axes of latitude into cells of equal area, and axes of longitude that span 360 degrees into circles. The axes
// are recognised by their name and range. Throws if no axis is a latitude.
void make_geographic(std::vector<DeclaredAxis>& axes);

}  // namespace shoal
