// kd-tree (Cormode et al., ICDE 2012): cuts at private medians, one axis after another; then noisy counts of every
// level, least squares and pruning as for the quadtree. A level is one cut along each axis: 2^n children per node.
//
// Cuts lie on a public lattice of up to 2^30 steps per axis. The nodes of a stage share no record, and their places
// follow from earlier cuts alone: the medians of a stage are one charge (medians.cpp), the counts of a level another
// with L1 sensitivity 1. All charges compose sequentially.
#include <fmt/format.h>

#include <algorithm>

#include "publishing/count_tree.hpp"
#include "shoal/error.hpp"

namespace shoal::publishing {

namespace {
constexpr double split_share = 0.3;
constexpr unsigned most_height = 8;
constexpr unsigned most_leaf_bits = 16;

unsigned height(const Grid& grid) {
  return std::min(most_height, std::max(1U, most_leaf_bits / static_cast<unsigned>(grid.dimensions())));
}
unsigned stages(const Grid& grid) { return height(grid) * static_cast<unsigned>(grid.dimensions()); }
std::uint64_t fanout(const Grid& grid) { return std::uint64_t{1} << grid.dimensions(); }

// The stages of the medians come first, all with the same budget; then the levels of counts.
Plan plan(const Grid& grid, Epsilon epsilon) {
  const auto [splits, counts] = epsilon.split(split_share);
  const std::uint64_t each = splits.units() / stages(grid);
  if (each == 0) {
    throw InputError(fmt::format("epsilon {} is too small to be spread over the {} cuts of a kd-tree; give more",
                                 epsilon.text(), stages(grid)));
  }
  Plan plan;
  for (unsigned stage = 0; stage < stages(grid); ++stage) {
    const std::uint64_t rest = stage == 0 ? splits.units() % stages(grid) : 0;
    plan.push_back({fmt::format("kd-tree: medians {}", stage + 1), 1, Epsilon::from_units(each + rest)});
  }
  for (Share& share : level_shares("kd-tree", geometric_budget(counts, height(grid), grid.dimensions()))) {
    plan.push_back(std::move(share));
  }
  return plan;
}

std::vector<Axis> lattice(const Grid& grid) { return cut(grid, std::uint64_t{1} << 30); }

// The place of a node: steps [lo, hi) along each axis.
struct Steps {
  std::uint64_t lo, hi;
};
using Node = std::vector<Steps>;
using Cuts = Noised<std::vector<std::int64_t>>;

// A node of one step cannot be cut: the first child is the whole node and the second is empty, and no median is asked.
bool can_be_cut(const Steps& steps) { return steps.hi - steps.lo >= 2; }

Node root(const Grid& grid) {
  Node node;
  for (const Axis& axis : lattice(grid)) node.push_back({0, axis.cells()});
  return node;
}

// Returns the nodes of the next stage, two for each node of this one. cuts: for the nodes that can be cut, in order.
std::vector<Node> children(const std::vector<Node>& nodes, std::size_t axis, const Cuts& cuts) {
  std::vector<Node> next;
  auto cut = cuts.value().begin();
  for (const Node& node : nodes) {
    const std::uint64_t at = can_be_cut(node[axis]) ? static_cast<std::uint64_t>(*cut++) : node[axis].hi;
    next.push_back(node);
    next.back()[axis].hi = at;
    next.push_back(node);
    next.back()[axis].lo = at;
  }
  return next;
}

// The raw side of the walk: the points on the lattice, ordered so that those of each node are adjacent.
class Cutter {
 public:
  Cutter(const PointTable& points, const std::vector<Axis>& axes) : columns_(axes.size()) {
    const std::vector<std::uint64_t> inside = cells_of(points, axes_of_one_cell(axes));
    for (std::size_t row = 0; row < points.rows(); ++row) {
      if (inside[row] == outside_cell) continue;
      for (std::size_t a = 0; a < axes.size(); ++a) {
        columns_[a].push_back(static_cast<std::uint32_t>(axes[a].cell(points.columns[a][row])));
      }
      weights_.push_back(static_cast<std::uint32_t>(points.weight(row)));
    }
    for (std::size_t row = 0; row < columns_[0].size(); ++row) rows_.push_back(row);
    start_ = {0, rows_.size()};
  }

  Cuts medians(const std::vector<Node>& nodes, std::size_t axis, const Share& share, Mechanisms& mechanisms) const {
    std::vector<WeightedValue> values(rows_.size());
    std::transform(rows_.begin(), rows_.end(), values.begin(), [&](std::size_t row) {
      return WeightedValue{columns_[axis][row], weights_[row]};
    });
    std::vector<MedianQuery> queries;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      if (!can_be_cut(nodes[node][axis])) continue;
      const std::span<WeightedValue> group = std::span(values).subspan(start_[node], start_[node + 1] - start_[node]);
      std::sort(group.begin(), group.end(),
                [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
      queries.push_back({group, nodes[node][axis].lo, nodes[node][axis].hi});
    }
    return mechanisms.medians(queries, share.epsilon, share.name);
  }

  // next: children(...) of the current nodes.
  void divide(const std::vector<Node>& next, std::size_t axis) {
    std::vector<std::size_t> start;
    for (std::size_t node = 0; node + 1 < start_.size(); ++node) {
      const std::uint64_t at = next[2 * node][axis].hi;
      const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(start_[node]);
      const auto last = rows_.begin() + static_cast<std::ptrdiff_t>(start_[node + 1]);
      const auto middle = std::partition(first, last, [&](std::size_t row) { return columns_[axis][row] < at; });
      start.push_back(start_[node]);
      start.push_back(static_cast<std::size_t>(middle - rows_.begin()));
    }
    start.push_back(rows_.size());
    start_ = std::move(start);
  }

  [[nodiscard]] std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> counts;
    for (std::size_t node = 0; node + 1 < start_.size(); ++node) {
      std::int64_t& count = counts.emplace_back(0);
      for (std::size_t i = start_[node]; i < start_[node + 1]; ++i) count += weights_[rows_[i]];
    }
    return counts;
  }

 private:
  static std::vector<Axis> axes_of_one_cell(const std::vector<Axis>& axes) {
    std::vector<Axis> whole;
    for (const Axis& axis : axes) whole.emplace_back(axis.lo(), axis.hi(), 1);
    return whole;
  }

  std::vector<std::vector<std::uint32_t>> columns_;
  std::vector<std::uint32_t> weights_;
  std::vector<std::size_t> rows_, start_;  // the rows of node j: rows_[start_[j]], ..., rows_[start_[j + 1] - 1]
};

void add_box(Synopsis& synopsis, const Node& node, const std::vector<Axis>& axes, double count) {
  std::vector<double> bounds;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (node[a].lo == node[a].hi) return;  // empty, see can_be_cut
    bounds.push_back(axes[a].edge(node[a].lo));
    bounds.push_back(axes[a].edge(node[a].hi));
  }
  synopsis.add(bounds, count);
}

Synopsis synopsis(const Grid& grid, const std::vector<Epsilon>& budget, const std::vector<Cuts>& cuts,
                  const std::vector<NoisyCounts>& noisy) {
  const std::size_t n = grid.dimensions();
  std::vector<std::vector<Node>> nodes = {{root(grid)}};
  for (std::size_t level = 0; level < height(grid); ++level) {
    std::vector<Node> next = nodes.back();
    for (std::size_t a = 0; a < n; ++a) next = children(next, a, cuts[level * n + a]);
    nodes.push_back(std::move(next));
  }
  const std::vector<Axis> axes = lattice(grid);
  Synopsis result(n);
  visit_pruned(infer(noisy, budget, fanout(grid)), fanout(grid), [&](unsigned level, std::uint64_t node, double count) {
    add_box(result, nodes[level][node], axes, count);
  });
  return result;
}

Noised<Synopsis> run(const PointTable& points, const Grid& grid, const Plan& plan, Mechanisms& mechanisms) {
  Cutter cutter(points, lattice(grid));
  std::vector<Node> nodes = {root(grid)};
  std::vector<Cuts> cuts;
  for (unsigned stage = 0; stage < stages(grid); ++stage) {
    const std::size_t axis = stage % grid.dimensions();
    cuts.push_back(cutter.medians(nodes, axis, plan[stage], mechanisms));
    nodes = children(nodes, axis, cuts.back());
    cutter.divide(nodes, axis);
  }
  const Share* shares = plan.data() + stages(grid);
  std::vector<Epsilon> budget;
  for (unsigned level = 0; level <= height(grid); ++level) budget.push_back(shares[level].epsilon);
  const auto noisy = ask_levels(mechanisms, sum_up(cutter.counts(), height(grid), fanout(grid)), shares);
  return PostProcessing::of(&synopsis, grid, budget, cuts, noisy);
}
}  // namespace

Publisher kd_tree() { return {"kd-tree", &plan, &run}; }

}  // namespace shoal::publishing
