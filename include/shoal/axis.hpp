// One axis of the grid: public bounds, cut into cells.
//
//   lo        edge(1)    edge(2)                 hi
//   [--- 0 ---)[--- 1 ---)[--- ...  --- cells - 1 ---]
//
// A cell is half-open, the last one is closed: a coordinate equal to hi lies in the last cell, on a circle in the first
// one, and on an axis of times in none (the next day begins there). NaN, infinities and everything else outside [lo,
// hi] lie in no cell; on a circle every finite number lies in one. Cells are equally wide on the scale of the axis'
// kind. This is the only place where a coordinate is mapped to a cell; every reader, engine and language uses it.
#pragma once

#include <cstdint>
#include <string>

#include "shoal/axis_kind.hpp"

namespace shoal {

// The cell of a coordinate outside the bounds.
inline constexpr std::int64_t outside_axis = -1;

class Axis {
 public:
  // Refuses bounds that are not finite, inverted, of zero width, or so wide that (hi - lo) * cells overflows; cells < 1
  // or above 2^31; and cells that the kind does not allow.
  Axis(double lo, double hi, std::uint64_t cells, std::string name = {}, AxisKind kind = {});

  // The axis for bounds as people give them, with at most `cells` cells. Steps and days: both bounds are values. Cells
  // hold a whole number of steps, or are whole seconds, minutes, hours, days, weeks or months; the upper bound moves up
  // to the end of a cell, on a circle the number of cells divides that of the values. Names: a cell each.
  static Axis fitted(double lo, double hi, std::uint64_t cells, std::string name = {}, AxisKind kind = {});
  // This axis with at most `cells` cells, each of several whole ones of ours.
  [[nodiscard]] Axis coarser(std::uint64_t cells) const;

  [[nodiscard]] double lo() const noexcept { return lo_; }
  [[nodiscard]] double hi() const noexcept { return hi_; }
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const AxisKind& kind() const noexcept { return kind_; }

  // The cell of x, or outside_axis. Multiplying before dividing puts decimal edges where people expect
  // them: on 0..1 in 10 cells, 0.3 opens cell 3.
  [[nodiscard]] std::int64_t cell(double x) const noexcept {
    if (!plain_) return cell_of_kind(x);
    if (!(x >= lo_ && x <= hi_)) return outside_axis;
    const auto index = static_cast<std::int64_t>((x - lo_) * cells_as_double_ / width_);
    const auto last = static_cast<std::int64_t>(cells_) - 1;
    return index < last ? index : last;
  }

  // x itself when it is inside or the axis is a circle; the nearer end when it is not; NaN stays NaN.
  [[nodiscard]] double clamp(double x) const noexcept {
    if (kind_.border == Border::circle) return x;
    return x < lo_ ? lo_ : (x > last_ ? last_ : x);
  }

  // Lower edge of cell j; edge(cells()) is hi.
  [[nodiscard]] double edge(std::uint64_t j) const noexcept {
    if (j >= cells_) return hi_;
    if (j == 0) return lo_;
    const double position = first_ + width_ * (static_cast<double>(j) / cells_as_double_);
    return plain_ ? position : coordinate(position);
  }

  // Where x lies on the scale on which cells are equally wide, and back. Both keep order.
  [[nodiscard]] double position(double x) const noexcept;
  [[nodiscard]] double coordinate(double position) const noexcept;
  // Halfway between two coordinates on that scale.
  [[nodiscard]] double middle(double lower, double upper) const noexcept;

  // This axis seen at a coarser level: cells that cover 2^level of ours each, where they are pooled. The last may be
  // cut by hi.
  [[nodiscard]] std::uint64_t coarse_cells(unsigned level) const noexcept;

  // A coordinate for people: 12.5, 2026-03-01, A. Dates: no finer than `apart` seconds asks for, 0: as fine as it is.
  [[nodiscard]] std::string text(double x, double apart = 0) const;
  // The name, with the unit where there is one: height (cm).
  [[nodiscard]] std::string label() const;

  friend bool operator==(const Axis&, const Axis&) = default;

 private:
  [[nodiscard]] std::int64_t cell_of_kind(double x) const noexcept;

  double lo_, hi_;
  double last_;           // the largest coordinate that lies in a cell
  double first_, width_;  // positions: of lo, and from it to hi
  double cells_as_double_;
  std::uint64_t cells_;
  std::string name_;
  AxisKind kind_;
  bool plain_;
};

}  // namespace shoal
