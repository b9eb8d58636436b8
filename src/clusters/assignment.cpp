#include "clusters/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();

// Rows are at most as many as columns. After each call of add_row one more row has a partner, and the prices prove
// that no cheaper assignment of the rows so far exists: cost - row price - column price >= 0, = 0 where matched.
class Solver {
 public:
  Solver(std::size_t rows, std::size_t columns, const std::int64_t* cost)
      : columns_(columns),
        cost_(cost),
        row_price_(rows),
        column_price_(columns),
        column_of_(rows, unmatched),
        row_of_(columns, unmatched),
        distance_(columns),
        from_(columns),
        open_(columns) {}

  void add_row(std::size_t row) {
    std::size_t done = 0;  // columns settled so far lie behind the open ones
    const auto [sink, length] = shortest_path(row, done);
    raise_prices(row, length, done);
    for (std::size_t column = sink;;) {
      const std::size_t owner = from_[column];
      row_of_[column] = owner;
      std::swap(column_of_[owner], column);
      if (owner == row) return;
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& column_of() const { return column_of_; }

 private:
  // Dijkstra over the columns from `row` to the nearest free column.
  std::pair<std::size_t, std::int64_t> shortest_path(std::size_t row, std::size_t& done) {
    std::fill(distance_.begin(), distance_.end(), infinite);
    for (std::size_t j = 0; j < columns_; ++j) open_[j] = j;
    std::size_t open = columns_;
    std::int64_t length = 0;
    for (;;) {
      const std::int64_t* costs = cost_ + row * columns_;
      const std::int64_t base = length - row_price_[row];
      std::size_t nearest = 0;
      std::int64_t nearest_distance = infinite;
      for (std::size_t at = 0; at < open; ++at) {
        const std::size_t j = open_[at];
        const std::int64_t through = base + costs[j] - column_price_[j];
        if (through < distance_[j]) {
          distance_[j] = through;
          from_[j] = row;
        }
        // If several columns are equally near, a free one ends the search at once.
        if (distance_[j] < nearest_distance || (distance_[j] == nearest_distance && row_of_[j] == unmatched)) {
          nearest = at;
          nearest_distance = distance_[j];
        }
      }
      const std::size_t column = open_[nearest];
      std::swap(open_[nearest], open_[--open]);
      length = nearest_distance;
      done = columns_ - open;
      if (row_of_[column] == unmatched) return {column, length};
      row = row_of_[column];
    }
  }

  void raise_prices(std::size_t first_row, std::int64_t length, std::size_t done) {
    row_price_[first_row] += length;
    for (std::size_t at = columns_ - done; at < columns_; ++at) {
      const std::size_t column = open_[at];
      const std::int64_t slack = length - distance_[column];
      column_price_[column] -= slack;
      if (row_of_[column] != unmatched) row_price_[row_of_[column]] += slack;
    }
  }

  std::size_t columns_;
  const std::int64_t* cost_;
  std::vector<std::int64_t> row_price_, column_price_;
  std::vector<std::size_t> column_of_, row_of_;
  std::vector<std::int64_t> distance_;
  std::vector<std::size_t> from_;  // the row before a column on its shortest path
  std::vector<std::size_t> open_;  // columns not settled, then the settled ones
};

void refuse_large(std::size_t rows, std::size_t columns, std::span<const std::int64_t> cost) {
  const std::int64_t limit = (infinite / 8) / static_cast<std::int64_t>(rows + columns + 1);
  for (const std::int64_t value : cost) {
    if (value > limit || value < -limit) {
      throw InputError(fmt::format("a cost of {} is too large for an exact assignment of {} x {}; the limit is {}",
                                   value, rows, columns, limit));
    }
  }
}

}  // namespace

Assignment assign(std::size_t rows, std::size_t columns, std::span<const std::int64_t> cost) {
  if (cost.size() != rows * columns) {
    throw InputError(
        fmt::format("an assignment of {} x {} needs {} costs, not {}", rows, columns, rows * columns, cost.size()));
  }
  refuse_large(rows, columns, cost);
  Assignment result;
  result.partner.assign(rows, unmatched);
  if (rows <= columns) {
    Solver solver(rows, columns, cost.data());
    for (std::size_t row = 0; row < rows; ++row) solver.add_row(row);
    result.partner = solver.column_of();
  } else {
    std::vector<std::int64_t> turned(cost.size());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) turned[j * rows + i] = cost[i * columns + j];
    }
    Solver solver(columns, rows, turned.data());
    for (std::size_t column = 0; column < columns; ++column) solver.add_row(column);
    for (std::size_t column = 0; column < columns; ++column) result.partner[solver.column_of()[column]] = column;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    if (result.partner[row] != unmatched) result.cost += cost[row * columns + result.partner[row]];
  }
  return result;
}

}  // namespace shoal
