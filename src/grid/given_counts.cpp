#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr double most_records = 0x1p53;  // above this, doubles cannot represent every whole number

struct Given {
  std::uint64_t cell, row;
  std::int64_t count;
};

[[noreturn]] void refuse(std::uint64_t row, const std::string& what) {
  throw InputError(fmt::format("row {} of the counts {}", row, what));
}

class Reader {
 public:
  Reader(const Grid& grid, std::size_t count_column, bool rows_without_first)
      : grid_(grid),
        strides_(strides(grid.shape())),
        count_column_(count_column),
        rows_without_first_(rows_without_first) {}

  void add(const PointBlock& block) {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      ++row_;
      if (rows_without_first_ && std::isnan(block.columns[count_column_ == 0 ? 1 : 0][i])) continue;
      Given given{.cell = 0, .row = row_, .count = count(block.columns[count_column_][i])};
      for (std::size_t axis = 0; axis < grid_.dimensions(); ++axis) {
        const double index = block.columns[axis < count_column_ ? axis : axis + 1][i];
        given.cell += strides_[axis] * place(index, axis);
      }
      given_.push_back(given);
    }
  }

  [[nodiscard]] Counts take() && {
    std::sort(given_.begin(), given_.end(),
              [](const Given& a, const Given& b) { return std::pair(a.cell, a.row) < std::pair(b.cell, b.row); });
    std::vector<std::uint64_t> index;
    Values<std::int64_t> values;
    for (const Given& given : given_) {
      if (!index.empty() && index.back() == given.cell) {
        refuse(given.row, "repeats the cell of an earlier row; add up the counts of each cell");
      }
      index.push_back(given.cell);
      values.push_back(given.count);
    }
    auto cells = Cells<std::int64_t>::sparse(grid_.shape(), std::move(index), std::move(values));
    return {grid_, std::move(cells), static_cast<std::uint64_t>(total_), 0};
  }

 private:
  std::int64_t count(double x) {
    if (!(x >= 0) || x != std::floor(x)) {
      refuse(row_, std::isnan(x) ? "has no count" : x < 0 ? "has a negative count" : "has a count that is not whole");
    }
    total_ += x;
    if (!(total_ < most_records)) refuse(row_, "makes a total of 2^53 or more, which is too large");
    return static_cast<std::int64_t>(x);
  }

  [[nodiscard]] std::uint64_t place(double x, std::size_t axis) const {
    const Axis& grid_axis = grid_.axis(axis);
    if (std::isnan(x)) {
      refuse(row_, fmt::format("has no cell on axis '{}'; leave out records that lie in no cell", grid_axis.name()));
    }
    if (!(x >= 0 && x < static_cast<double>(grid_axis.cells()))) {
      refuse(row_, fmt::format("has a cell outside the grid: axis '{}' has the cells 0 to {}; count on this grid",
                               grid_axis.name(), grid_axis.cells() - 1));
    }
    if (x != std::floor(x)) {
      refuse(row_, fmt::format("has a cell on axis '{}' that is not whole; give indices of cells, not coordinates",
                               grid_axis.name()));
    }
    return static_cast<std::uint64_t>(x);
  }

  const Grid& grid_;
  std::vector<std::uint64_t> strides_;
  std::size_t count_column_;
  bool rows_without_first_;
  std::uint64_t row_ = 0;
  double total_ = 0;
  std::vector<Given> given_;
};

}  // namespace

Counts given_counts(Points& table, const Grid& grid, std::size_t count_column, bool rows_without_first) {
  if (table.dimensions() != grid.dimensions() + 1 || count_column > grid.dimensions()) {
    throw InputError(
        fmt::format("the counts have {} columns; give a column of cells for each of the {} axes, and one "
                    "of counts",
                    table.dimensions(), grid.dimensions()));
  }
  Reader reader(grid, count_column, rows_without_first);
  table.scan(1, [&](unsigned, const PointBlock& block) { reader.add(block); });
  return std::move(reader).take();
}

}  // namespace shoal
