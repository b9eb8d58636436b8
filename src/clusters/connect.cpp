#include <algorithm>

#include "clusters/runs.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

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

Clusters connect(const Shape& shape, std::span<const std::uint64_t> cells, Adjacency adjacency,
                 std::uint64_t min_cells) {
  const Runs runs = runs_of_cells(shape, cells);
  const Components found = components(runs, adjacency, min_cells);
  std::vector<std::uint64_t> kept;
  std::vector<std::uint32_t> labels;
  kept.reserve(cells.size());
  labels.reserve(cells.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const std::size_t end = at + (runs.runs[i].end - runs.runs[i].begin);
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
                                        std::span<std::uint32_t> labels, Adjacency adjacency, std::uint64_t min_cells) {
  const Runs runs = runs_of_mask(shape, mask);
  Components found = components(runs, adjacency, min_cells);
  const std::uint64_t extent = shape.back();
  std::uint32_t* filled = labels.data();  // everything before it is written
  for (std::size_t row = 0; row < runs.rows.size(); ++row) {
    std::uint32_t* const start = labels.data() + runs.rows[row] * extent;
    for (std::uint32_t i = runs.first_run[row]; i < runs.first_run[row + 1]; ++i) {
      std::fill(filled, start + runs.runs[i].begin, 0U);
      filled = start + runs.runs[i].end;
      std::fill(start + runs.runs[i].begin, filled, found.label[i]);
    }
  }
  std::fill(filled, labels.data() + labels.size(), 0U);
  return std::move(found.sizes);
}

}  // namespace shoal
