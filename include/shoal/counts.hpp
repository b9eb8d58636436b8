// Raw counts of points per cell. They stay on the raw side: only a mechanism (mechanisms.hpp) turns them into noised
// values, and no function of the public side accepts this type.
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
  drop,   // Such points are counted in Counts::outside() and dropped.
  clamp,  // Such points are moved to the nearest bound. NaN is still dropped.
};

// Options for counting points.
struct QuantizeOptions {
  Outside outside = Outside::drop;
  // Maximum number of cells for dense counts. Larger grids get sparse counts.
  std::uint64_t dense_limit = shoal::dense_limit;
  // Number of threads. 0 means all cores.
  unsigned threads = 0;
};

// The counts of a grid. Counts behave like a value: copies share memory until one of them is overwritten. Several
// threads may read them at the same time.
class Counts {
 public:
  // Takes counts that were computed elsewhere, without change. Throws if `cells` does not have the shape of the grid.
  Counts(Grid grid, Cells<std::int64_t> cells, std::uint64_t points, std::uint64_t outside);

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  // Returns the number of all rows, inside or outside the bounds.
  [[nodiscard]] std::uint64_t points() const noexcept { return points_; }
  // Returns the number of rows that lie in no cell.
  [[nodiscard]] std::uint64_t outside() const noexcept { return outside_; }
  [[nodiscard]] bool is_dense() const noexcept;

  // Returns all counts. Counts that are stored in two parts are added up on the first call.
  [[nodiscard]] const Cells<std::int64_t>& raw() const;
  // Writes the counts of the cells [begin, end) to `out` and leaves the stored counts unchanged. Only for dense counts.
  void read(std::uint64_t begin, std::uint64_t end, std::int64_t* out) const;

  // Memory for all cells, for a caller that overwrites the counts part by part. The cells [begin, end) hold their
  // counts after fill(begin, end) was called. fill may be called from any thread, but only once for each cell.
  struct Place {
    Cells<std::int64_t> cells;
    std::function<void(std::uint64_t begin, std::uint64_t end)> fill;
  };
  [[nodiscard]] Place take() &&;

 private:
  friend class CountsInTwoParts;  // Made by quantize().
  struct Stored;
  Grid grid_;
  std::shared_ptr<Stored> stored_;
  std::uint64_t points_, outside_;
};

// Counts the points in each cell. Scans the points once.
Counts quantize(Points& points, const Grid& grid, const QuantizeOptions& options = {});

// Returns counts that another engine computed (SQL, Spark). The table has one row per cell: one column of cell indices
// per axis (starting at 0, in the order of the axes) and, at position `count_column` among them, the counts. Cells that
// are not listed hold 0. Throws on anything that cannot be a count of records on this grid: an index outside the grid,
// a negative count, an index or a count that is missing or is not a whole number, a cell that is listed twice, and a
// total of 2^53 or more. Messages name the row and the column, never a count.
//
// rows_without_first: if true, a row without an index on the first axis is skipped instead. It belongs to a group
// outside the list.
//
// Such a table is made by the owner, not by a record: it is refused as a whole, before anything is charged.
Counts given_counts(Points& table, const Grid& grid, std::size_t count_column, bool rows_without_first = false);

// Returns the points of `source`, whose first column says their group. The result has, in its place, the index of the
// cell of `groups` in which the value lies (a whole number starting at 0), or NaN for any other value. No value is
// moved to a group in which it does not lie. The source must outlive the result.
std::unique_ptr<Points> in_groups(Points& source, const Axis& groups);

}  // namespace shoal
