// Names the leaves of a tree, and states its error rate in words.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "shoal/tree.hpp"

namespace shoal {

namespace {

// Returns a, b, ..., z, aa, ab, ...
std::string letters(unsigned number) {
  const std::string last(1, static_cast<char>('a' + number % 26));
  return number < 26 ? last : letters(number / 26 - 1) + last;
}

}  // namespace

std::vector<std::string> leaf_names(const Release& release, const ClusterTree::Leaves& leaves) {
  const std::size_t count = leaves.branch.size();
  // Number of shared cells, by cluster of the release.
  std::vector<std::map<std::uint32_t, std::uint64_t>> shared(count);
  const Clusters& own = release.cluster_cells();
  std::size_t at = 0;
  for (std::size_t i = 0; i < leaves.clusters.cells().size(); ++i) {
    const std::uint64_t cell = leaves.clusters.cells()[i];
    while (at < own.cells().size() && own.cells()[at] < cell) ++at;
    if (at == own.cells().size()) break;
    if (own.cells()[at] == cell) ++shared[leaves.clusters.labels()[i] - 1][own.labels()[at]];
  }
  std::vector<std::uint32_t> cluster(count, 0);
  std::map<std::uint32_t, std::uint64_t> taken;  // number of leaves, by cluster
  for (std::size_t i = 0; i < count; ++i) {
    const auto most = std::max_element(shared[i].begin(), shared[i].end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != shared[i].end()) ++taken[cluster[i] = most->first];
  }
  std::vector<std::string> names;
  std::map<std::uint32_t, unsigned> used;
  std::uint64_t next = own.count();
  for (std::size_t i = 0; i < count; ++i) {
    if (cluster[i] == 0) {
      names.push_back(fmt::format("{}", ++next));
    } else {
      names.push_back(fmt::format("{}{}", cluster[i], taken[cluster[i]] == 1 ? "" : letters(used[cluster[i]]++)));
    }
  }
  return names;
}

std::string family_wise_error(const ClusterTree& tree) {
  if (tree.deviation() == 0) return "";
  const double percent = 100 * ClusterTree::family_wise_error;
  if (tree.accounts_for_sample()) {
    return fmt::format(
        "Data without structure show more than one stable cluster in at most {:g} % of releases. Rounded values on "
        "cells that do not fit them are not covered.",
        percent);
  }
  return fmt::format(
      "Noise alone shows a stable cluster in at most {:g} % of releases; the chance of the sample is not covered.",
      percent);
}

std::vector<std::size_t> in_order(const std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&names](std::size_t i) { return std::tuple(std::stoull(names[i]), names[i].size(), names[i]); };
  std::sort(order.begin(), order.end(), [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace shoal
