// Finds the linear cell indices of many points at once. The vectorised loops give the same bits as Axis::cell.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/grid.hpp"

namespace shoal {

class CellIndexer {
 public:
  // Number of points per block: the indices and masks of a block stay in the first-level cache.
  static constexpr std::size_t block = 2048;

  // clamp: coordinates outside the bounds are moved to the nearer bound. shift: one index stands for a coarse cell of
  // 2^shift grid cells per axis; the number of coarse cells is rounded up.
  explicit CellIndexer(const Grid& grid, bool clamp = false, unsigned shift = 0);

  // Number of (coarse) cells. It is also the index that is given to a point outside all cells.
  [[nodiscard]] std::uint64_t cell_count() const noexcept { return cell_count_; }

  // Sets cells[i] to the cell of row first + i. At most `block` rows per call. The 32-bit version requires cell_count()
  // < 2^32.
  void operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                  std::span<std::uint32_t> cells) const;
  void operator()(const std::vector<std::span<const double>>& columns, std::size_t first,
                  std::span<std::uint64_t> cells) const;

  // What the loops need to know about an axis. The exact 1 / width lies between the two reciprocals.
  struct Rule {
    double lo, hi, width, cells, last;
    double reciprocal_below, reciprocal_above;
    std::uint32_t shift;
    std::uint64_t extent;  // number of coarse cells
  };

 private:
  template <class Index>
  void index_by_axis(const std::vector<std::span<const double>>& columns, std::size_t first,
                     std::span<Index> cells) const;

  std::vector<Axis> axes_;
  std::vector<Rule> rules_;
  bool curved_ = false;  // whether some axis is not plain (AxisKind::is_plain)
  std::uint64_t cell_count_ = 1;
  bool clamp_;
};

}  // namespace shoal
