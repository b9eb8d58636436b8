// Finds the peaks of values on a box, the basins around them, and where the basins meet.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

inline constexpr std::uint32_t no_basin = std::numeric_limits<std::uint32_t>::max();

// Maps the cells of a box to places in a larger box with a border, where all neighbours of a cell are at fixed offsets.
// Border places are never visited. Along a circle, the border repeats the cells of the opposite end: what a cell holds
// is written to all its images.
class Bordered {
 public:
  explicit Bordered(const Shape& shape);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint32_t place(std::uint64_t cell) const { return places_[cell]; }
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] bool has_circles() const { return has_circles_; }
  // Sets `places` to all places of a cell; the first is place(cell).
  void images(std::uint64_t cell, std::vector<std::uint64_t>& places) const;

 private:
  Shape shape_;
  bool has_circles_ = false;
  std::vector<std::uint64_t> strides_;
  std::uint64_t size_ = 1;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> places_;
};

// A basin is a peak with the cells that lead up to it. From the highest value down, each cell joins the basin of its
// highest neighbour, or becomes the peak of a new basin. Basins are numbered by their peaks, the highest first.
struct Basins {
  struct Basin {
    std::uint32_t peak = 0;    // cell of the highest value
    std::uint32_t saddle = 0;  // cell where the basin joins one with a higher peak
    std::uint32_t parent = no_basin;
  };
  struct Meeting {
    std::uint32_t one, other;
  };
  std::vector<std::uint32_t> of_cell;
  std::vector<Basin> basins;
  // Pairs of neighbouring basins, by the height of the first saddle between them, descending.
  std::vector<Meeting> meetings;
};

// values: one per cell of the box. Among equal values, the cell with the lower index counts as the higher one.
Basins basins_of(const Bordered& box, const std::vector<double>& values);

}  // namespace shoal
