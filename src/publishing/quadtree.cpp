// Quadtree (Cormode et al., ICDE 2012): the bounds are halved repeatedly along every axis at once, which gives 2^n
// children per node in n dimensions. Counts of every level with a geometric budget, least squares over the tree, then
// pruning.
//
// The tree is fixed before the data is seen. The nodes of a level share no record, so the L1 sensitivity is 1 per
// level. The levels compose sequentially.
#include <algorithm>

#include "publishing/count_tree.hpp"

namespace shoal::publishing {

namespace {
constexpr unsigned most_height = 10;
constexpr unsigned most_leaf_bits = 20;  // the tree has at most 2^20 leaves, in the plane and in more dimensions

// Returns the depth that memory and the narrowest axis allow.
unsigned height(const Grid& grid) {
  unsigned limit = std::min(most_height, std::max(1U, most_leaf_bits / static_cast<unsigned>(grid.dimensions())));
  for (const Axis& axis : grid.axes()) {
    while (limit > 0 && (std::uint64_t{1} << limit) > finest_cells(axis)) --limit;
  }
  return limit;
}

std::uint64_t fanout(const Grid& grid) { return std::uint64_t{1} << grid.dimensions(); }

Plan plan(const Grid& grid, Epsilon epsilon) {
  return level_shares("quadtree", geometric_budget(epsilon, height(grid), grid.dimensions()));
}

// Returns the number of a leaf if the children of a node are numbered by the halves in which they lie, axis 0 first:
// one digit of base 2^n per level.
std::uint64_t leaf_of(const std::vector<std::uint64_t>& at, unsigned levels) {
  std::uint64_t leaf = 0;
  for (unsigned bit = levels; bit-- > 0;) {
    for (const std::uint64_t coordinate : at) leaf = leaf << 1 | (coordinate >> bit & 1);
  }
  return leaf;
}

std::vector<std::uint64_t> coordinates_of(std::uint64_t node, unsigned level, std::size_t dimensions) {
  std::vector<std::uint64_t> at(dimensions, 0);
  for (unsigned bit = 0; bit < level; ++bit) {
    for (std::size_t a = dimensions; a-- > 0; node >>= 1) at[a] |= (node & 1) << bit;
  }
  return at;
}

std::vector<std::int64_t> leaf_counts(const PointTable& points, const Grid& grid) {
  const unsigned depth = height(grid);
  const std::vector<Axis> axes = cut(grid, std::uint64_t{1} << depth);
  const std::vector<std::uint64_t> cells = cells_of(points, axes);
  const Shape shape = shape_of(axes);
  std::vector<std::int64_t> leaves(cell_count(shape), 0);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (cells[row] != outside_cell) leaves[leaf_of(coordinates(cells[row], shape), depth)] += points.weight(row);
  }
  return leaves;
}

Synopsis synopsis(const Grid& grid, const std::vector<Epsilon>& budget, const std::vector<NoisyCounts>& noisy) {
  const std::size_t n = grid.dimensions();
  const Levels levels = infer(noisy, budget, fanout(grid));
  std::vector<std::vector<Axis>> axes;
  for (unsigned level = 0; level < levels.size(); ++level) axes.push_back(cut(grid, std::uint64_t{1} << level));
  Synopsis result(n);
  std::vector<double> bounds(2 * n);
  visit_pruned(levels, fanout(grid), [&](unsigned level, std::uint64_t node, double count) {
    const std::vector<std::uint64_t> at = coordinates_of(node, level, n);
    for (std::size_t a = 0; a < n; ++a) {
      bounds[2 * a] = axes[level][a].edge(at[a]);
      bounds[2 * a + 1] = axes[level][a].edge(at[a] + 1);
    }
    result.add(bounds, count);
  });
  return result;
}

Noised<Synopsis> run(const PointTable& points, const Grid& grid, const Plan& plan, Mechanisms& mechanisms) {
  std::vector<Epsilon> budget;
  for (const Share& share : plan) budget.push_back(share.epsilon);
  const auto counts = sum_up(leaf_counts(points, grid), height(grid), fanout(grid));
  const auto noisy = ask_levels(mechanisms, counts, plan.data());
  return PostProcessing::of(&synopsis, grid, budget, noisy);
}
}  // namespace

Publisher quadtree() { return {"quadtree", &plan, &run}; }

}  // namespace shoal::publishing
