#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/cell_index.hpp"
#include "clusters/neighbours.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
// A cell of the transformed box covers 2^shift cells of the grid along each pooled axis.
unsigned covering_shift(unsigned level, Transform transform) {
  return transform == Transform::decimated ? std::min(level, 31U) : 0;
}

// Cells up to which assigned() makes a table of labels: it takes 64 MB at most.
constexpr std::uint64_t most_tabled = std::uint64_t{1} << 24;

// The label of each cell.
std::vector<std::uint32_t> label_table(const Clusters& clusters, std::uint64_t cell_count, const auto& shown) {
  std::vector<std::uint32_t> table(cell_count, 0);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) table[clusters.cells()[i]] = shown(clusters.labels()[i]);
  return table;
}

// Labels the unlabelled neighbours of `ring` and returns them.
std::vector<std::uint64_t> grow_by_ring(const Shape& shape, const std::vector<std::uint64_t>& ring,
                                        std::vector<std::uint32_t>& labels) {
  const Neighbours neighbours(shape, Adjacency::full);
  std::vector<std::uint64_t> next;
  for (const std::uint64_t cell : ring) {
    neighbours.visit(cell, [&](std::uint64_t other) {
      if (labels[other] == 0) next.push_back(other);
    });
  }
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  std::vector<std::uint32_t> taken, near;
  for (const std::uint64_t cell : next) {
    near.clear();
    neighbours.visit(cell, [&](std::uint64_t other) {
      if (labels[other] != 0) near.push_back(labels[other]);
    });
    std::sort(near.begin(), near.end());
    std::size_t most = 0;
    std::uint32_t label = 0;
    for (std::size_t i = 0; i < near.size();) {
      const std::size_t first = i;
      while (i < near.size() && near[i] == near[first]) ++i;
      if (i - first <= most) continue;
      most = i - first;
      label = near[first];
    }
    taken.push_back(label);
  }
  for (std::size_t i = 0; i < next.size(); ++i) labels[next[i]] = taken[i];
  return next;
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
    cell = cell * clusters_.shape()[i] +
           (static_cast<std::uint64_t>(along) >> (grid_.axis(i).kind().is_pooled() ? shift : 0));
  }
  return reach_.empty() ? shown(clusters_.label(cell)) : reach_[cell];
}

ClusterMap ClusterMap::assigned(Assign assign) const {
  ClusterMap result = *this;
  result.reach_.clear();
  if (clusters_.count() == 0) return result;
  const std::uint64_t count = cell_count(clusters_.shape());
  if (assign == Assign::none && count > most_tabled) return result;
  if (count > dense_limit) {
    throw InputError(fmt::format("{} cells are too many to assign unclustered points; use assign none", count));
  }
  result.reach_ = label_table(clusters_, count, [this](std::uint32_t label) { return shown(label); });
  if (assign == Assign::none) return result;
  std::vector<std::uint64_t> ring;
  std::copy_if(clusters_.cells().begin(), clusters_.cells().end(), std::back_inserter(ring),
               [&result](std::uint64_t cell) { return result.reach_[cell] != 0; });
  do {
    ring = grow_by_ring(clusters_.shape(), ring, result.reach_);
  } while (assign == Assign::nearest && !ring.empty());
  return result;
}

ClusterMap ClusterMap::without(std::span<const std::uint32_t> labels) const {
  ClusterMap result = *this;
  result.reach_.clear();
  result.left_out_.assign(clusters_.count() + 1, false);
  for (const std::uint32_t label : labels) result.left_out_.at(label) = true;
  return result;
}

void ClusterMap::label(const std::vector<std::span<const double>>& columns, std::span<std::uint32_t> labels) const {
  const CellIndexer indexer(grid_, false, covering_shift(level_, transform_));
  // A table is worth its memory if it is not much larger than the number of labels that were requested.
  const bool tabled = indexer.cell_count() <= std::max<std::uint64_t>(4 * labels.size(), std::uint64_t{1} << 16);
  std::vector<std::uint32_t> own;
  if (tabled && reach_.empty()) {
    own = label_table(clusters_, indexer.cell_count(), [this](std::uint32_t label) { return shown(label); });
  }
  const std::span<const std::uint32_t> table(reach_.empty() ? own : reach_);
  std::array<std::uint64_t, CellIndexer::block> cells;
  for (std::size_t first = 0; first < labels.size(); first += CellIndexer::block) {
    const std::size_t rows = std::min(CellIndexer::block, labels.size() - first);
    indexer(columns, first, std::span(cells.data(), rows));
    if (table.empty()) {
      for (std::size_t i = 0; i < rows; ++i) labels[first + i] = shown(clusters_.label(cells[i]));
    } else {
      for (std::size_t i = 0; i < rows; ++i) labels[first + i] = cells[i] < table.size() ? table[cells[i]] : 0;
    }
  }
}

std::pair<double, double> ClusterMap::cell_bounds(std::size_t axis, std::uint64_t coordinate) const noexcept {
  const unsigned shift = grid_.axis(axis).kind().is_pooled() ? covering_shift(level_, transform_) : 0;
  return {grid_.axis(axis).edge(coordinate << shift), grid_.axis(axis).edge((coordinate + 1) << shift)};
}

}  // namespace shoal
