// Selects and numbers the branches of a tree that JSON and pictures show.
#pragma once

#include <vector>

#include "shoal/tree.hpp"

namespace shoal {

struct ShownBranch {
  std::uint32_t branch;  // index into ClusterTree::branches(), starting at 1
  std::uint32_t parent;  // number of a shown branch, starting at 1; 0: none
};

struct ShownTree {
  // Entry i has number i + 1; the stable leaves come first, as in ClusterTree::leaves().
  std::vector<ShownBranch> branches;
  std::uint64_t left_out = 0;  // number of the others: neither stable nor among the most persistent
};

// Returns all stable branches, the branches in which they join, and at most `most_others` of the rest.
ShownTree shown(const ClusterTree& tree, const ClusterTree::Leaves& leaves, std::size_t most_others);

}  // namespace shoal
