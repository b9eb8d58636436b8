// Counts of points per cell: raw. They stay on the raw side. Only a mechanism (mechanisms.hpp) makes
// noised values of them, and no function of the public side takes this type.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "shoal/cells.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// What happens to points outside the bounds.
enum class Outside {
  drop,   // points outside the bounds are counted and dropped
  clamp,  // they are moved to the nearest bound; NaN is dropped even so
};

// How points are counted.
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
  // Dense counts, in part in `cells`, the rest in `narrow`; threads: to add them up. quantize makes these.
  Counts(Grid grid, Cells<std::int64_t> cells, NarrowCounts narrow, std::uint64_t points, std::uint64_t outside,
         unsigned threads);

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::uint64_t points() const noexcept { return points_; }    // all rows, inside or not
  [[nodiscard]] std::uint64_t outside() const noexcept { return outside_; }  // rows that lie in no cell
  [[nodiscard]] bool is_dense() const noexcept;

  // All counts; added up on first use.
  [[nodiscard]] const Cells<std::int64_t>& raw() const;
  // Dense only: the counts of the cells [begin, end) into `out`; the others stay as they are.
  void read(std::uint64_t begin, std::uint64_t end, std::int64_t* out) const;

  // The cells for a caller that overwrites them part by part: memory for all cells. It holds the dense counts of a
  // part once fill(begin, end) was called for it. From any thread, once per cell.
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

// Counts the points of each cell. Reads the points once.
Counts quantize(Points& points, const Grid& grid, const QuantizeOptions& options = {});

}  // namespace shoal
