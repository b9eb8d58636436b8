// Peaks of values on a box, the basins around them, and where they meet.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

inline constexpr std::uint32_t no_basin = std::numeric_limits<std::uint32_t>::max();

// Neighbours of a cell are at fixed offsets; the border is never visited. On a circle it repeats the cells of the other
// end: what a cell holds is written to all its images.
class Bordered {
 public:
  explicit Bordered(const Shape& shape);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint32_t place(std::uint64_t cell) const { return places_[cell]; }
  [[nodiscard]] const std::vector<std::int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] bool has_circles() const { return has_circles_; }
  // The place of a cell first.
  void images(std::uint64_t cell, std::vector<std::uint64_t>& places) const;

 private:
  Shape shape_;
  bool has_circles_ = false;
  std::vector<std::uint64_t> strides_;
  std::uint64_t size_ = 1;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> places_;
};

// From the highest value down: a cell joins its highest neighbour's basin, or is the peak of a new one. Basins are
// numbered by their peaks, the highest first.
struct Basins {
  struct Basin {
    std::uint32_t peak = 0;    // cell
    std::uint32_t saddle = 0;  // cell where it joins a part with a higher peak
    std::uint32_t parent = no_basin;
  };
  struct Meeting {
    std::uint32_t one, other;
  };
  std::vector<std::uint32_t> of_cell;
  std::vector<Basin> basins;
  std::vector<Meeting> meetings;  // of neighbouring basins, by the height of the first saddle between them, descending
};

// values: one a cell of the box. Of equal values the cell of the lower index is the higher one.
Basins basins_of(const Bordered& box, const std::vector<double>& values);

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t of);

}  // namespace shoal
