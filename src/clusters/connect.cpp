#include <algorithm>
#include <map>

#include "base/parallel.hpp"
#include "clusters/neighbours.hpp"
#include "clusters/runs.hpp"
#include "clusters/sets.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// Writes the labels of rows [first, last) of those that hold runs, and of the empty rows before them; after the last
// row of all, also of the empty rows behind it. Zeros are written up to a run, its label along the run, and so on.
// Stretches are short and their lengths are unpredictable: eight labels are written at a time, and what runs past the
// end of a stretch is overwritten by the next.
void write_labels(const Runs& runs, std::size_t first, std::size_t last, std::span<const std::uint32_t> label,
                  std::span<std::uint32_t> labels) {
  constexpr std::ptrdiff_t labels_at_once = 8;
  const std::uint64_t extent = runs.shape.back();
  std::uint32_t* out = first == 0 ? labels.data() : labels.data() + (runs.rows[first - 1] + 1) * extent;
  std::uint32_t* const labels_end =
      last == runs.rows.size() ? labels.data() + labels.size() : labels.data() + (runs.rows[last - 1] + 1) * extent;
  const auto write = [&](std::uint32_t* end, std::uint32_t value) {
    if (labels_end - end < labels_at_once) {
      std::fill(out, end, value);
    } else {
      for (; out < end; out += labels_at_once) std::fill_n(out, labels_at_once, value);
    }
    out = end;
  };
  for (std::size_t row = first; row < last; ++row) {
    std::uint32_t* const start = labels.data() + runs.rows[row] * extent;
    for (std::uint32_t i = runs.first_run[row]; i < runs.first_run[row + 1]; ++i) {
      write(start + runs.begin(i), 0);
      write(start + runs.end(i), label[i]);
    }
  }
  write(labels_end, 0);
}

// ---- boxes with circles or with cells apart -------------------------------------------------------------------------

// The same cells in an open box that has an empty cell between any two cells that are apart.
struct Spread {
  Shape shape;
  std::vector<std::uint64_t> cells;
};

Spread spread_out(const Shape& shape, std::span<const std::uint64_t> cells) {
  Spread result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    result.shape.push_back(shape.border(axis) == Border::apart ? 2 * shape[axis] - 1 : shape[axis]);
  }
  std::vector<std::uint64_t> at(shape.size());
  result.cells.reserve(cells.size());
  for (const std::uint64_t cell : cells) {
    coordinates(cell, shape, at);
    std::uint64_t place = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      place = place * result.shape[axis] + at[axis] * (shape.border(axis) == Border::apart ? 2 : 1);
    }
    result.cells.push_back(place);
  }
  return result;
}

// Returns whether a cell may have a neighbour around a circle.
bool is_at_seam(const Shape& shape, const std::vector<std::uint64_t>& at) {
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (shape.border(axis) == Border::circle && (at[axis] == 0 || at[axis] + 1 == shape[axis])) return true;
  }
  return false;
}

// labels: one per cell, of the components that an open box has. Components that touch around a circle become one.
void join_around(const Shape& shape, std::span<const std::uint64_t> cells, Adjacency adjacency,
                 std::vector<std::uint32_t>& labels) {
  const std::uint32_t count = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end());
  Sets sets(count + 1);
  const Neighbours neighbours(shape, adjacency);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_at_seam(shape, coordinates(cells[i], shape))) continue;
    neighbours.visit(cells[i], [&](std::uint64_t other) {
      const auto found = std::lower_bound(cells.begin(), cells.end(), other);
      if (found == cells.end() || *found != other) return;
      sets.unite(labels[i], labels[static_cast<std::size_t>(found - cells.begin())]);
    });
  }
  Values<std::uint32_t> root = std::move(sets).take();
  for (std::uint32_t i = 0; i <= count; ++i) root[i] = root[root[i]];  // a parent comes before its children
  for (std::uint32_t& label : labels) label = root[label];
}

// Numbers the components by size, then by first cell, and drops the small ones.
Clusters numbered(const Shape& shape, std::span<const std::uint64_t> cells, const std::vector<std::uint32_t>& labels,
                  std::uint64_t min_cells) {
  // Number of cells and first cell of each component.
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::size_t i = 0; i < cells.size(); ++i) ++found.try_emplace(labels[i], 0, cells[i]).first->second.first;
  std::vector<std::uint32_t> order;
  for (const auto& [label, size] : found) {
    if (size.first >= min_cells) order.push_back(label);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto &x = found[a], &y = found[b];
    return x.first != y.first ? x.first > y.first : x.second < y.second;
  });
  std::map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i + 1;
  std::vector<std::uint64_t> kept;
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto place = number.find(labels[i]);
    if (place == number.end()) continue;
    kept.push_back(cells[i]);
    numbers.push_back(place->second);
  }
  return {shape, std::move(kept), std::move(numbers)};
}

Clusters connect_special(const Shape& shape, std::span<const std::uint64_t> cells, Adjacency adjacency,
                         std::uint64_t min_cells, unsigned threads) {
  const Spread spread = spread_out(shape, cells);
  const Clusters open = connect(spread.shape, spread.cells, adjacency, 1, threads);
  std::vector<std::uint32_t> labels = open.labels();
  join_around(shape, cells, adjacency, labels);
  return numbered(shape, cells, labels, min_cells);
}

std::vector<std::uint64_t> connect_special_mask(const Shape& shape, std::span<const std::uint8_t> mask,
                                                std::span<std::uint32_t> labels, Adjacency adjacency,
                                                std::uint64_t min_cells, unsigned threads) {
  std::vector<std::uint64_t> cells;
  for (std::uint64_t cell = 0; cell < mask.size(); ++cell) {
    if (mask[cell] != 0) cells.push_back(cell);
  }
  const Clusters found = connect_special(shape, cells, adjacency, min_cells, threads);
  std::fill(labels.begin(), labels.end(), 0U);
  for (std::size_t i = 0; i < found.cells().size(); ++i) labels[found.cells()[i]] = found.labels()[i];
  return found.sizes();
}

}  // namespace

Clusters::Clusters(Shape shape, std::vector<std::uint64_t> cells, std::vector<std::uint32_t> labels)
    : shape_(std::move(shape)), cells_(std::move(cells)), labels_(std::move(labels)) {
  if (cells_.size() != labels_.size()) throw InputError("clusters need one label for every cell");
  if (cells_.empty()) return;
  if (cells_.back() >= cell_count(shape_)) throw InputError("a cell of a cluster lies outside the grid");
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (i > 0 && cells_[i] <= cells_[i - 1]) throw InputError("the cells of clusters must be ascending and unique");
    const std::uint32_t label = labels_[i];
    if (label == 0 || label > cells_.size()) throw InputError("the labels of clusters must be 1, 2, ... without gaps");
    if (label > sizes_.size()) sizes_.resize(label, 0);
    ++sizes_[label - 1];
  }
  if (sizes_.back() == 0 || !std::is_sorted(sizes_.rbegin(), sizes_.rend())) {
    throw InputError("clusters must be numbered from the largest to the smallest, without gaps");
  }
}

std::uint32_t Clusters::label(std::uint64_t cell) const noexcept {
  const auto found = std::lower_bound(cells_.begin(), cells_.end(), cell);
  return found != cells_.end() && *found == cell ? labels_[static_cast<std::size_t>(found - cells_.begin())] : 0;
}

Clusters connect(const Shape& shape, std::span<const std::uint64_t> cells, Adjacency adjacency, std::uint64_t min_cells,
                 unsigned threads) {
  if (!shape.all_open()) return connect_special(shape, cells, adjacency, min_cells, threads);
  const Runs runs = runs_of_cells(shape, cells);
  const Components found = components(runs, adjacency, min_cells, threads);
  std::vector<std::uint64_t> kept;
  std::vector<std::uint32_t> labels;
  kept.reserve(cells.size());
  labels.reserve(cells.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < runs.count(); ++i) {
    const std::size_t end = at + (runs.end(i) - runs.begin(i));
    if (found.label[i] != 0) {
      kept.insert(kept.end(), cells.begin() + static_cast<std::ptrdiff_t>(at),
                  cells.begin() + static_cast<std::ptrdiff_t>(end));
      labels.insert(labels.end(), end - at, found.label[i]);
    }
    at = end;
  }
  return {shape, std::move(kept), std::move(labels)};
}

std::vector<std::uint64_t> connect_mask(const Shape& shape, std::span<const std::uint8_t> mask,
                                        std::span<std::uint32_t> labels, Adjacency adjacency, std::uint64_t min_cells,
                                        unsigned threads) {
  if (!shape.all_open()) return connect_special_mask(shape, mask, labels, adjacency, min_cells, threads);
  const Runs runs = runs_of_mask(shape, mask, threads);
  Components found = components(runs, adjacency, min_cells, threads);
  parallel_stretches(runs.rows.size(), parts_of(mask.size()), threads,
                     [&](auto begin, auto end) { write_labels(runs, begin, end, found.label, labels); });
  return std::move(found.sizes);
}

}  // namespace shoal
