// Complete trees of counts. Every inner node has the same number of children, and level 0 is the root. The children of
// node j are at j * fanout, ..., j * fanout + fanout - 1 of the next level.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "publishing/publisher.hpp"

namespace shoal::publishing {

using Levels = std::vector<std::vector<double>>;

// Returns the budgets of the levels, root first, that minimise the error of range queries (Cormode, Procopiuc,
// Srivastava, Shen, Yu: Differentially private spatial decompositions, ICDE 2012): eps_i is proportional to 2^((n - 1)
// i / 3) at depth i, where each level halves n axes; in the plane 2^(i / 3), as in the paper. They add up to epsilon
// exactly.
std::vector<Epsilon> geometric_budget(Epsilon epsilon, unsigned height, std::size_t dimensions);

// Computes the counts of every level from those of the leaves.
std::vector<std::vector<std::int64_t>> sum_up(std::vector<std::int64_t> leaves, unsigned height, std::uint64_t fanout);

// Ordinary least squares over the tree: returns the estimates nearest to the noisy counts for which every node is the
// sum of its children. Each level is weighted by its squared budget, which is proportional to the inverse of its
// variance.
Levels least_squares(Levels noisy, const std::vector<double>& budget, std::uint64_t fanout);

// Calls leaf(level, node, count) for the leaves of the tree and for the topmost nodes whose count is below the pruning
// limit. The descendants of such a node tell more about the noise than about the data.
inline constexpr double prune_below = 32;
void visit_pruned(const Levels& levels, std::uint64_t fanout,
                  const std::function<void(unsigned level, std::uint64_t node, double count)>& leaf);

// There is one charge per level: the nodes of a level share no record, so one record moves one of them by 1.
Plan level_shares(const std::string& name, const std::vector<Epsilon>& budget);
std::vector<NoisyCounts> ask_levels(Mechanisms& mechanisms, const std::vector<std::vector<std::int64_t>>& levels,
                                    const Share* shares);
Levels infer(const std::vector<NoisyCounts>& noisy, const std::vector<Epsilon>& budget, std::uint64_t fanout);

}  // namespace shoal::publishing
