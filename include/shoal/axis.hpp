// One axis of the grid: public bounds, cut into equal cells.
//
//   lo        edge(1)    edge(2)                 hi
//   [--- 0 ---)[--- 1 ---)[--- ...  --- cells - 1 ---]
//
// A cell is half-open, the last one is closed: a coordinate equal to hi lies in the last cell.
// NaN, infinities and everything else outside [lo, hi] lie in no cell. This is the only place where
// a coordinate is mapped to a cell; every reader, engine and language uses it.
#pragma once

#include <cstdint>
#include <string>

namespace shoal {

// The cell of a coordinate outside the bounds.
inline constexpr std::int64_t outside_axis = -1;

class Axis {
 public:
  // Refuses bounds that are not finite, inverted, of zero width, or so wide that (hi - lo) * cells overflows; and
  // cells < 1 or above 2^31.
  Axis(double lo, double hi, std::uint64_t cells, std::string name = {});

  [[nodiscard]] double lo() const noexcept { return lo_; }
  [[nodiscard]] double hi() const noexcept { return hi_; }
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // The cell of x, or outside_axis. Multiplying before dividing puts decimal edges where people expect
  // them: on 0..1 in 10 cells, 0.3 opens cell 3.
  [[nodiscard]] std::int64_t cell(double x) const noexcept {
    if (!(x >= lo_ && x <= hi_)) return outside_axis;
    const auto index = static_cast<std::int64_t>((x - lo_) * cells_as_double_ / width_);
    const auto last = static_cast<std::int64_t>(cells_) - 1;
    return index < last ? index : last;
  }

  // x itself when it is inside; the nearer bound when it is not; NaN stays NaN.
  [[nodiscard]] double clamp(double x) const noexcept { return x < lo_ ? lo_ : (x > hi_ ? hi_ : x); }

  // Lower edge of cell j; edge(cells()) is hi.
  [[nodiscard]] double edge(std::uint64_t j) const noexcept {
    return j >= cells_ ? hi_ : lo_ + width_ * (static_cast<double>(j) / cells_as_double_);
  }

  // This axis seen at a coarser level: cells that cover 2^level of ours each. The last may be cut by hi.
  [[nodiscard]] std::uint64_t coarse_cells(unsigned level) const noexcept;

  friend bool operator==(const Axis&, const Axis&) = default;

 private:
  double lo_, hi_, width_, cells_as_double_;
  std::uint64_t cells_;
  std::string name_;
};

}  // namespace shoal
