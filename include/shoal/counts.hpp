// Counts of points per cell: raw. They never cross the wall; only a mechanism (mechanisms.hpp) may let a
// noised value out, and nothing of the public side takes this type.
#pragma once

#include <cstdint>
#include <utility>

#include "shoal/cells.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

enum class Outside {
  drop,   // points outside the bounds are counted and dropped
  clamp,  // they are moved to the nearest bound; NaN is dropped even so
};

struct QuantizeOptions {
  Outside outside = Outside::drop;
  std::uint64_t dense_limit = shoal::dense_limit;  // more cells than this: sparse
  unsigned threads = 0;                            // 0: all cores
};

class Counts {
 public:
  // Takes the values as they are: for tests, and for count grids that come from elsewhere.
  Counts(Grid grid, Cells<std::int64_t> cells, std::uint64_t points, std::uint64_t outside);

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] const Cells<std::int64_t>& raw() const& noexcept { return cells_; }
  [[nodiscard]] Cells<std::int64_t> raw() && noexcept { return std::move(cells_); }  // for noise in their place
  [[nodiscard]] std::uint64_t points() const noexcept { return points_; }            // all rows, inside or not
  [[nodiscard]] std::uint64_t outside() const noexcept { return outside_; }          // rows that lie in no cell

 private:
  Grid grid_;
  Cells<std::int64_t> cells_;
  std::uint64_t points_, outside_;
};

Counts quantize(Points& points, const Grid& grid, const QuantizeOptions& options = {});

}  // namespace shoal
