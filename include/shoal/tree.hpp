// The cluster tree of a release: how clusters appear, grow and merge as the threshold falls through the noisy values
// W'. This is post-processing and costs no budget. Each level of the tree equals a reshape() with that density
// (docs/confidence.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// A connected component from its first cell to the threshold where it merges. If at most one of the merging branches is
// stable, one branch continues: the stable one if there is one. If two or more are stable, all of them end and a new
// branch begins.
struct TreeBranch {
  // The branch that this one joins, numbered from 1. 0 means that it reaches the lowest threshold.
  std::uint32_t parent = 0;
  // The threshold at which the branch appears, in the units of W.
  double birth = 0;
  // The threshold at which the branch becomes part of its parent. The lowest threshold if `parent` is 0.
  double death = 0;
  // Number of cells of W' with at least the value `birth`, and with at least `death`. `reshape --top` accepts these
  // numbers.
  std::uint64_t k_birth = 0;
  std::uint64_t k_death = 0;
  std::uint64_t cells = 0;  // Number of cells just before the branch ends.
  double records = 0;       // Noisy number of records in these cells.
  // Estimate of the number of records of the data in these cells, and the ends of its 95 % interval, as in
  // ClusterConfidence. -1 means unknown.
  double estimated_records = -1, least_records = -1, most_records = -1;
  // Centroid of these cells, in the units of the axes.
  std::vector<double> centroid;
  // True if neither noise nor sampling error explains the branch (docs/confidence.md).
  bool stable = false;
  bool leaf = true;  // True if no stable branch has merged into this one.

  [[nodiscard]] bool has_interval() const noexcept { return most_records >= 0; }
};

// Options of a tree.
struct TreeOptions {
  // The lowest threshold, in standard deviations of the noise. It is lowered to just below the release's own threshold
  // if that is smaller. Further down, noise connects everything. 0 means all positive values. Values below a
  // censoring bound are never included.
  double least_deviations = 3;
};

// The tree of clusters over all thresholds, computed only from the noisy values.
class ClusterTree {
 public:
  // Throws if the release has no noisy values, or if its cells have too many neighbours to visit.
  explicit ClusterTree(const Release& release, const TreeOptions& options = {});

  [[nodiscard]] const std::vector<TreeBranch>& branches() const noexcept { return branches_; }
  // Returns the lowest threshold, in the units of W.
  [[nodiscard]] double least_threshold() const noexcept { return least_threshold_; }
  // Returns the standard deviation of the noise, in the units of W. If it is 0, the noise is unknown and no branch is
  // stable.
  [[nodiscard]] double deviation() const noexcept { return deviation_; }
  // Bound on the probability of a false finding, over all branches. If accounts_for_sample() is true, data without
  // structure (one uniform area, slope or hill) show more than one stable leaf with at most this probability, and a
  // uniform area shows any with at most this probability. If it is false, only the noise is taken into account: noise
  // alone shows a stable leaf with at most this probability.
  static constexpr double family_wise_error = 0.05;
  [[nodiscard]] bool accounts_for_sample() const noexcept { return accounts_for_sample_; }

  // The cells whose value is at least a threshold, ascending, and the branch of each at that threshold, numbered from
  // 1. The cells of one branch form one connected component.
  struct Cut {
    std::vector<std::uint64_t> cells;
    std::vector<std::uint32_t> branch;
  };
  // Returns the cells and branches at `threshold`, which must be above 0.
  [[nodiscard]] Cut cut(double threshold) const;

  // The stable branches without stable children, as clusters. Each has the cells of its branch just before it ends.
  // branch[i] is the branch of cluster i + 1.
  struct Leaves {
    Clusters clusters;
    std::vector<std::uint32_t> branch;
  };
  [[nodiscard]] Leaves leaves() const;

  // The threshold at which the number of stable branches is largest. If there are several such ranges of thresholds, it
  // is the middle of the longest one.
  struct Level {
    // The threshold for `reshape --density`. 0 means that there is no stable branch.
    double density = 0;
    std::uint64_t stable = 0;
  };
  [[nodiscard]] Level level() const;

 private:
  friend class TreeBuilder;
  void describe(const Release& release, double record);
  void set_intervals(double variance, double scale, double record);

  Shape shape_;
  std::vector<std::uint64_t> cells_;  // In descending order of value.
  std::vector<double> values_;        // Values of these cells, in the units of W.
  // The branch of each of these cells when the cell was added, numbered from 1.
  std::vector<std::uint32_t> branch_;
  std::vector<TreeBranch> branches_;
  double least_threshold_ = 0, deviation_ = 0;
  bool accounts_for_sample_ = false;
};

// Returns the names of the stable leaves, which follow the cluster numbers of the release. `leaves` must come from the
// tree of this release. A leaf is named after the cluster that holds most of its cells: "2" if no other leaf lies in
// cluster 2, else "2a", "2b" and so on, the larger first. A leaf in no cluster gets the next free number.
std::vector<std::string> leaf_names(const Release& release, const ClusterTree::Leaves& leaves);
// Returns the indices of the names in the order 1, 2a, 2b, 3.
std::vector<std::size_t> in_order(const std::vector<std::string>& names);

// States the family-wise error: "Data without structure show more than one stable cluster in at most 5 % of releases."
// Empty if the noise is unknown.
std::string family_wise_error(const ClusterTree& tree);
// Returns the number of records of a branch: "1821 records (95 %: 1770 to 1872)". The interval is omitted if it is
// unknown.
std::string counted_records(const Release& release, const TreeBranch& branch);

// A reshape that shows more than the release itself, without cost.
struct BetterShape {
  std::string options;  // Options that `reshape` accepts.
  std::string why;
};
// Returns a better reshape of the release, if there is one:
// - --min-cells, if it removes exactly the doubtful clusters;
// - --density, if the release has no clusters and the tree has a stable one. Computing the tree takes time, so it is
//   not computed if the release stores more than 2^18 noisy values.
std::optional<BetterShape> better_shape(const Release& release);

// Returns the tree as JSON (docs/formats.md). It lists the stable branches and the most persistent of the others.
std::string tree_json(const Release& release, const ClusterTree& tree);
// Return a picture or page of the tree beside the map of its stable leaves.
std::string tree_svg(const Release& release, const ClusterTree& tree);
std::string tree_html(const Release& release, const ClusterTree& tree);
// Returns a picture by the suffix of `path`: .svg or .png, or .slide.svg or .slide.png in the shape of a slide.
std::string tree_picture(const Release& release, const ClusterTree& tree, const std::string& path);
// Returns the contents of a tree file. The suffix of `path` selects the format: .json, .html, .svg or .png. Throws if
// the suffix is any other.
std::string tree_contents(const Release& release, const ClusterTree& tree, const std::string& path);

}  // namespace shoal
