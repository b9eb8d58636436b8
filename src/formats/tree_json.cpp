#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "release/tree_shown.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"

namespace shoal {

namespace {

constexpr std::size_t most_others = 100;

using Document = nlohmann::ordered_json;

// Returns the percentile that selects k cells, judged by the number of cells that the release's own percentile
// selected.
Document percentile_of(const Release& release, std::uint64_t k) {
  const auto* rule = std::get_if<Percentile>(&release.parts().options.threshold);
  if (rule == nullptr || release.k() == 0) return nullptr;
  const double positive = static_cast<double>(release.k()) / (1 - rule->percent() / 100);
  return std::max(0.0, 100 * (1 - static_cast<double>(k) / positive));
}

Document branch_json(const Release& release, const ClusterTree& tree, const ShownTree& all,
                     const std::vector<std::string>& names, std::size_t i) {
  const TreeBranch& branch = tree.branches()[all.branches[i].branch - 1];
  const Document interval = branch.has_interval()
                                ? Document{std::llround(branch.least_records), std::llround(branch.most_records)}
                                : Document();
  return {{"id", i + 1},
          {"name", i < names.size() ? Document(names[i]) : Document()},
          {"parent", all.branches[i].parent == 0 ? Document() : Document(all.branches[i].parent)},
          {"stable", branch.stable},
          {"leaf", branch.leaf},
          {"birth", branch.birth},
          {"death", branch.death},
          {"k_birth", branch.k_birth},
          {"k_death", branch.k_death},
          {"percentile_birth", percentile_of(release, branch.k_birth)},
          {"percentile_death", percentile_of(release, branch.k_death)},
          {"cells", branch.cells},
          {"noisy_size", std::llround(branch.records)},
          {"size", branch.has_interval() ? Document(std::llround(branch.estimated_records)) : Document()},
          {"size_95", interval},
          {"centroid", branch.centroid}};
}

}  // namespace

ShownTree shown(const ClusterTree& tree, const ClusterTree::Leaves& leaves, std::size_t most_others_shown) {
  const std::vector<TreeBranch>& branches = tree.branches();
  std::vector<std::uint32_t> order = leaves.branch, joins, others;
  for (std::uint32_t id = 1; id <= branches.size(); ++id) {
    const TreeBranch& branch = branches[id - 1];
    if (!branch.leaf && branch.birth > branch.death) joins.push_back(id);
    if (branch.leaf && !branch.stable && branch.birth > branch.death) others.push_back(id);
  }
  const auto lasting = [&branches](std::uint32_t id) {
    return std::log(branches[id - 1].birth / branches[id - 1].death) * static_cast<double>(branches[id - 1].cells);
  };
  std::stable_sort(others.begin(), others.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lasting(a) > lasting(b); });
  ShownTree result;
  result.left_out = others.size() - std::min(others.size(), most_others_shown);
  others.resize(others.size() - result.left_out);
  order.insert(order.end(), joins.begin(), joins.end());
  order.insert(order.end(), others.begin(), others.end());
  std::vector<std::uint32_t> number(branches.size() + 1, 0);
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::uint32_t>(i + 1);
  for (const std::uint32_t id : order) {
    std::uint32_t parent = branches[id - 1].parent;
    while (parent != 0 && number[parent] == 0) parent = branches[parent - 1].parent;
    result.branches.push_back({id, number[parent]});
  }
  return result;
}

std::string tree_json(const Release& release, const ClusterTree& tree) {
  const ClusterTree::Leaves leaves = tree.leaves();
  const std::vector<std::string> names = leaf_names(release, leaves);
  const ShownTree all = shown(tree, leaves, most_others);
  const ClusterTree::Level level = tree.level();
  Document document{
      {"format", "shoal-tree/1"},
      {"private", release.parts().is_private},
      {"technique", release.parts().technique},
      {"epsilon", release.parts().epsilon.value()},
      {"threshold", release.threshold()},
      {"k", release.k()},
      {"lowest", tree.least_threshold()},
      {"deviation", tree.deviation() > 0 ? Document(tree.deviation()) : Document()},
      {"family_wise_error", tree.deviation() > 0 ? Document(ClusterTree::family_wise_error) : Document()},
      {"accounts_for_sample", tree.accounts_for_sample()},
      {"level", level.stable == 0 ? Document() : Document{{"density", level.density}, {"stable", level.stable}}},
      {"left_out", all.left_out}};
  std::string text = document.dump(2, ' ', false, Document::error_handler_t::replace);
  text.resize(text.size() - 2);  // removes the closing brace and its line
  text += ",\n  \"branches\": [";
  for (std::size_t i = 0; i < all.branches.size(); ++i) {
    text += fmt::format("{}\n    {}", i == 0 ? "" : ",", branch_json(release, tree, all, names, i).dump());
  }
  return text + (all.branches.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string tree_contents(const Release& release, const ClusterTree& tree, const std::string& path) {
  if (path.ends_with(".json")) return tree_json(release, tree);
  if (path.ends_with(".html")) return tree_html(release, tree);
  if (path.ends_with(".svg") || path.ends_with(".png")) return tree_picture(release, tree, path);
  throw InputError(fmt::format("a tree cannot be written to '{}'; use the suffix .html, .svg, .png or .json", path));
}

}  // namespace shoal
