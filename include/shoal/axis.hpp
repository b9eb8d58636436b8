// An axis of the grid: an interval with public bounds that is divided into cells.
//
//   lo        edge(1)    edge(2)                 hi
//   [--- 0 ---)[--- 1 ---)[--- ...  --- cells - 1 ---]
//
// Each cell is half-open, except that the last cell is closed: a coordinate equal to hi lies in the last cell. There
// are two exceptions. On a circle, hi lies in the first cell. On an axis of times, hi lies in no cell, because the next
// day begins there. NaN, infinities and all other numbers outside [lo, hi] lie in no cell; on a circle, every finite
// number lies in a cell. The cells have equal width on the scale of the axis kind. This class is the only place that
// maps a coordinate to a cell; every reader, engine and language uses it.
#pragma once

#include <cstdint>
#include <string>

#include "shoal/axis_kind.hpp"

namespace shoal {

// The result of Axis::cell() for a coordinate that lies in no cell.
inline constexpr std::int64_t outside_axis = -1;

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
    const double position = first_ + width_ * (static_cast<double>(j) / cells_as_double_);
    return plain_ ? position : coordinate(position);
  }

  // Convert between a coordinate and its position on the scale on which all cells have equal width. Both functions
  // preserve order.
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
};

}  // namespace shoal
