#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cell_index.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
// A cell of the transformed box covers 2^shift cells of the grid an axis.
unsigned covering_shift(unsigned level, Transform transform) {
  return transform == Transform::decimated ? std::min(level, 31U) : 0;
}

// One label a cell, the last for points that lie in none.
std::vector<std::uint32_t> label_table(const Clusters& clusters, std::uint64_t cell_count) {
  std::vector<std::uint32_t> table(cell_count + 1, 0);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) table[clusters.cells()[i]] = clusters.labels()[i];
  return table;
}
}  // namespace

ClusterMap::ClusterMap(Grid grid, unsigned level, Transform transform, Clusters clusters)
    : grid_(std::move(grid)), level_(level), transform_(transform), clusters_(std::move(clusters)) {
  const Shape covered = transformed_shape(grid_.shape(), level_, transform_);
  if (clusters_.shape() != covered) {
    throw Error(ErrorKind::internal,
                fmt::format("clusters of the box {} do not fit a grid whose transform has {} cells",
                            fmt::join(clusters_.shape(), " x "), fmt::join(covered, " x ")));
  }
}

std::uint32_t ClusterMap::label(std::span<const double> point) const noexcept {
  const unsigned shift = covering_shift(level_, transform_);
  std::uint64_t cell = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::int64_t along = grid_.axis(i).cell(point[i]);
    if (along == outside_axis) return 0;
    cell = cell * clusters_.shape()[i] + (static_cast<std::uint64_t>(along) >> shift);
  }
  return clusters_.label(cell);
}

void ClusterMap::label(const std::vector<std::span<const double>>& columns, std::span<std::uint32_t> labels) const {
  const CellIndexer indexer(grid_, false, covering_shift(level_, transform_));
  // A table is worth its memory when it is not much larger than what is asked for.
  const bool tabled = indexer.cell_count() <= std::max<std::uint64_t>(4 * labels.size(), std::uint64_t{1} << 16);
  const std::vector<std::uint32_t> table =
      tabled ? label_table(clusters_, indexer.cell_count()) : std::vector<std::uint32_t>{};
  std::array<std::uint64_t, CellIndexer::block> cells;
  for (std::size_t first = 0; first < labels.size(); first += CellIndexer::block) {
    const std::size_t rows = std::min(CellIndexer::block, labels.size() - first);
    indexer(columns, first, std::span(cells.data(), rows));
    for (std::size_t i = 0; i < rows; ++i) {
      labels[first + i] = tabled ? table[cells[i]] : clusters_.label(cells[i]);
    }
  }
}

std::pair<double, double> ClusterMap::cell_bounds(std::size_t axis, std::uint64_t coordinate) const noexcept {
  const unsigned shift = covering_shift(level_, transform_);
  return {grid_.axis(axis).edge(coordinate << shift), grid_.axis(axis).edge((coordinate + 1) << shift)};
}

}  // namespace shoal
