// Which branches of a tree are shown, in JSON and in pictures, and by which numbers.
#pragma once

#include <vector>

#include "shoal/tree.hpp"

namespace shoal {

struct ShownBranch {
  std::uint32_t branch;  // in ClusterTree::branches(), from 1 on
  std::uint32_t parent;  // number of a shown one, from 1 on; 0: none
};

struct ShownTree {
  std::vector<ShownBranch> branches;  // number i + 1; the stable leaves first, as in ClusterTree::leaves()
  std::uint64_t left_out = 0;         // others: neither stable nor among the most persistent
};

// All stable ones, what they join in, and at most `most_others` of the rest.
ShownTree shown(const ClusterTree& tree, const ClusterTree::Leaves& leaves, std::size_t most_others);

}  // namespace shoal
