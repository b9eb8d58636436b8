#include "publishing/count_tree.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "shoal/error.hpp"

namespace shoal::publishing {

std::vector<Epsilon> geometric_budget(Epsilon epsilon, unsigned height, std::size_t dimensions) {
  const double ratio = std::exp2(static_cast<double>(dimensions - 1) / 3);
  double whole = 0;
  for (unsigned depth = 0; depth <= height; ++depth) whole += std::pow(ratio, depth);
  std::vector<Epsilon> budget;
  Epsilon left = epsilon;
  for (unsigned depth = 0; depth < height; ++depth) {
    const double share = std::pow(ratio, depth) / whole;
    const auto units = static_cast<std::uint64_t>(share * static_cast<double>(epsilon.units()));
    budget.push_back(Epsilon::from_units(units));
    left = left - budget.back();
  }
  budget.push_back(left);
  for (const Epsilon part : budget) {
    if (part.units() == 0) {
      throw InputError(fmt::format("epsilon {} is too small to be spread over the {} levels of a tree; give more",
                                   epsilon.text(), height + 1));
    }
  }
  return budget;
}

std::vector<std::vector<std::int64_t>> sum_up(std::vector<std::int64_t> leaves, unsigned height, std::uint64_t fanout) {
  std::vector<std::vector<std::int64_t>> levels(height + 1);
  levels[height] = std::move(leaves);
  for (unsigned level = height; level-- > 0;) {
    const std::vector<std::int64_t>& below = levels[level + 1];
    levels[level].assign(below.size() / fanout, 0);
    for (std::size_t child = 0; child < below.size(); ++child) levels[level][child / fanout] += below[child];
  }
  return levels;
}

namespace {
double children_sum(const std::vector<double>& below, std::size_t node, std::uint64_t fanout) {
  const auto first = below.begin() + static_cast<std::ptrdiff_t>(node * fanout);
  return std::accumulate(first, first + static_cast<std::ptrdiff_t>(fanout), 0.0);
}
}  // namespace

// Upwards, every node takes the best estimate from its own subtree: its noisy count and the sum of its children,
// weighted by their precisions (inverse variances). Downwards, what a node learned from outside its subtree is spread
// over its children, evenly because siblings are equally precise. The result equals that of the three sweeps of Cormode
// et al., because the least-squares problem has one solution.
Levels least_squares(Levels noisy, const std::vector<double>& budget, std::uint64_t fanout) {
  const auto children = static_cast<double>(fanout);
  double precision = budget.back() * budget.back();
  for (std::size_t level = noisy.size() - 1; level-- > 0;) {
    const double own = budget[level] * budget[level];
    const double weight = own / (own + precision / children);
    for (std::size_t node = 0; node < noisy[level].size(); ++node) {
      noisy[level][node] = weight * noisy[level][node] + (1 - weight) * children_sum(noisy[level + 1], node, fanout);
    }
    precision = own + precision / children;
  }
  for (std::size_t level = 0; level + 1 < noisy.size(); ++level) {
    for (std::size_t node = 0; node < noisy[level].size(); ++node) {
      const double share = (noisy[level][node] - children_sum(noisy[level + 1], node, fanout)) / children;
      for (std::size_t child = node * fanout; child < (node + 1) * fanout; ++child) noisy[level + 1][child] += share;
    }
  }
  return noisy;
}

void visit_pruned(const Levels& levels, std::uint64_t fanout,
                  const std::function<void(unsigned level, std::uint64_t node, double count)>& leaf) {
  struct Node {
    unsigned level;
    std::uint64_t index;
  };
  std::vector<Node> open = {{0, 0}};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    const double count = levels[node.level][node.index];
    if (node.level + 1 == levels.size() || count < prune_below) {
      leaf(node.level, node.index, count);
      continue;
    }
    for (std::uint64_t child = fanout; child-- > 0;) open.push_back({node.level + 1, node.index * fanout + child});
  }
}

Plan level_shares(const std::string& name, const std::vector<Epsilon>& budget) {
  Plan plan;
  for (std::size_t level = 0; level < budget.size(); ++level) {
    plan.push_back({fmt::format("{}: level {}", name, level), 1, budget[level]});
  }
  return plan;
}

std::vector<NoisyCounts> ask_levels(Mechanisms& mechanisms, const std::vector<std::vector<std::int64_t>>& levels,
                                    const Share* shares) {
  std::vector<NoisyCounts> noisy;
  for (const std::vector<std::int64_t>& level : levels) noisy.push_back(ask(mechanisms, level, *shares++));
  return noisy;
}

Levels infer(const std::vector<NoisyCounts>& noisy, const std::vector<Epsilon>& budget, std::uint64_t fanout) {
  Levels levels;
  std::vector<double> weights;
  for (std::size_t level = 0; level < noisy.size(); ++level) {
    const std::span<const std::int64_t> values = noisy[level].value().values();
    levels.emplace_back(values.begin(), values.end());
    weights.push_back(budget[level].value());
  }
  return least_squares(std::move(levels), weights, fanout);
}

}  // namespace shoal::publishing
