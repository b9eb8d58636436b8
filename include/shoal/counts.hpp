// Counts of points per cell: raw. They never cross the wall; only a mechanism (mechanisms.hpp) may let a
// noised value out, and nothing of the public side takes this type.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

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

class NarrowCounts;

// A value: copies share their memory until one is written over. Safe to read from several threads.
class Counts {
 public:
  // Takes the values as they are, of the grid's shape: for counts that come from elsewhere, and for tests.
  Counts(Grid grid, Cells<std::int64_t> cells, std::uint64_t points, std::uint64_t outside);
  // Dense ones of which `cells` hold a part, `narrow` the rest; threads: for adding them up. quantize makes these.
  Counts(Grid grid, Cells<std::int64_t> cells, NarrowCounts narrow, std::uint64_t points, std::uint64_t outside,
         unsigned threads);

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::uint64_t points() const noexcept { return points_; }    // all rows, inside or not
  [[nodiscard]] std::uint64_t outside() const noexcept { return outside_; }  // rows that lie in no cell
  [[nodiscard]] bool is_dense() const noexcept;

  // All of them; added up when first asked for.
  [[nodiscard]] const Cells<std::int64_t>& raw() const;
  // Dense only: the counts of the cells [begin, end) into `out`; the others stay as they are.
  void read(std::uint64_t begin, std::uint64_t end, std::int64_t* out) const;

  // The cells for someone who writes over them, one stretch after the other: memory for all, in which the counts of a
  // stretch of dense ones stand once fill(begin, end) was called for it. From any thread, once for every cell.
  struct Place {
    Cells<std::int64_t> cells;
    std::function<void(std::uint64_t begin, std::uint64_t end)> fill;
  };
  [[nodiscard]] Place take() &&;

 private:
  struct Stored;
  Grid grid_;
  std::shared_ptr<Stored> stored_;
  std::uint64_t points_, outside_;
};

Counts quantize(Points& points, const Grid& grid, const QuantizeOptions& options = {});

}  // namespace shoal
