// The linear cells of many points at once: Axis::cell on vectors, the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/grid.hpp"

namespace shoal {

class CellIndexer {
 public:
  // Points that are handled at once: indices and masks of a block stay in the first-level cache.
  static constexpr std::size_t block = 2048;

  // clamp: coordinates outside are moved to the nearer bound. shift: cells of 2^shift grid cells per axis, rounded up.
  explicit CellIndexer(const Grid& grid, bool clamp = false, unsigned shift = 0);

  // How many cells there are; also the index given to a point that lies in none.
  [[nodiscard]] std::uint64_t cell_count() const noexcept { return cell_count_; }

  // cells[i] = cell of row first + i, for cells.size() <= block rows. The 32-bit one needs cell_count() < 2^32.
  void operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                  std::span<std::uint32_t> cells) const;
  void operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                  std::span<std::uint64_t> cells) const;

  // What the loops need of an axis. The true 1 / width lies between the two reciprocals.
  struct Rule {
    double lo, hi, width, cells, last;
    double reciprocal_below, reciprocal_above;
    std::uint32_t shift;
    std::uint64_t extent;  // coarse cells
  };

 private:
  template <class Index>
  void index_by_axis(const std::vector<std::span<const double>>& columns, std::size_t first,
                     std::span<Index> cells) const;

  std::vector<Axis> axes_;
  std::vector<Rule> rules_;
  bool curved_ = false;  // an axis is not plain
  std::uint64_t cell_count_ = 1;
  bool clamp_;
};

}  // namespace shoal
