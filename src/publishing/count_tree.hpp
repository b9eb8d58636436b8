// Complete trees of counts: every inner node has the same number of children, level 0 is the root, the children of node
// j lie at j * fanout, ..., j * fanout + fanout - 1 of the next level.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "publishing/publisher.hpp"

namespace shoal::publishing {

using Levels = std::vector<std::vector<double>>;

// Budgets of the levels, root first, that minimise the error of range queries (Cormode, Procopiuc, Srivastava, Shen,
// Yu: Differentially private spatial decompositions, ICDE 2012): eps_i proportional to 2^((n - 1) i / 3) at depth i,
// where n axes are halved a level; in the plane 2^(i / 3), as in the paper. They add up to epsilon exactly.
std::vector<Epsilon> geometric_budget(Epsilon epsilon, unsigned height, std::size_t dimensions);

// Counts of every level from those of the leaves.
std::vector<std::vector<std::int64_t>> sum_up(std::vector<std::int64_t> leaves, unsigned height, std::uint64_t fanout);

// Ordinary least squares over the tree: the estimates nearest to the noisy counts (each level weighted by its
// budget squared, the inverse of its variance) for which every node is the sum of its children.
Levels least_squares(Levels noisy, const std::vector<double>& budget, std::uint64_t fanout);

// Calls leaf(level, node, count) for the tree's leaves and for the topmost nodes below the pruning limit, whose
// descendants say more of the noise than of the data.
inline constexpr double prune_below = 32;
void visit_pruned(const Levels& levels, std::uint64_t fanout,
                  const std::function<void(unsigned level, std::uint64_t node, double count)>& leaf);

// A charge per level: the nodes of a level share no record, so one record moves one of them by 1.
Plan level_shares(const std::string& name, const std::vector<Epsilon>& budget);
std::vector<NoisyCounts> ask_levels(Mechanisms& mechanisms, const std::vector<std::vector<std::int64_t>>& levels,
                                    const Share* shares);
Levels infer(const std::vector<NoisyCounts>& noisy, const std::vector<Epsilon>& budget, std::uint64_t fanout);

}  // namespace shoal::publishing
