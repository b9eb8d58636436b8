// The cluster tree of a release: how clusters appear, grow and merge as the threshold falls through noisy values W'.
// Post-processing: it costs no budget. Each level of it is what `reshape` with that density gives. docs/confidence.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// A component from its first cell to where it merges. Of those that merge, a stable one continues if the others
// are not stable; if two or more are stable, all end and a new branch begins.
struct TreeBranch {
  std::uint32_t parent = 0;   // the branch that it joins, from 1 on; 0: it reaches the lowest threshold
  double birth = 0;           // in the units of W: it is there from this threshold on down ...
  double death = 0;           // ... to above this one, where it is part of its parent; the lowest one when parent is 0
  std::uint64_t k_birth = 0;  // how many cells of W' have at least these values: `reshape --top` takes them
  std::uint64_t k_death = 0;
  std::uint64_t cells = 0;  // just before it ends
  double records = 0;       // noisy, in these cells
  // Ends of a 95 % interval for how many records of the data lie in these cells. -1: not known.
  double least_records = -1, most_records = -1;
  std::vector<double> centroid;  // of these cells, in the axes' units
  bool stable = false;           // neither noise nor chance in the sample explains it (docs/confidence.md)
  bool leaf = true;              // no stable branch has joined into it

  [[nodiscard]] bool has_interval() const noexcept { return most_records >= 0; }
};

// How far down thresholds go.
struct TreeOptions {
  // Thresholds end here, at this many deviations of the noise (or just below the release's own threshold where that is
  // lower): further down noise joins everything. 0: all positive values.
  double least_deviations = 3;
};

// How clusters appear and join over all thresholds, from the noisy values alone.
class ClusterTree {
 public:
  // Refuses a release without noisy values, and one whose cells have too many neighbours to look at.
  explicit ClusterTree(const Release& release, const TreeOptions& options = {});

  [[nodiscard]] const std::vector<TreeBranch>& branches() const noexcept { return branches_; }
  [[nodiscard]] double least_threshold() const noexcept { return least_threshold_; }  // threshold, in the units of W
  [[nodiscard]] double deviation() const noexcept {
    return deviation_;
  }  // of the noise; 0: not known, nothing is stable
  // Over all branches: data without structure (one uniform area, slope or hill) show more than one stable leaf, a
  // uniform area any, with at most this probability. False where only the noise is accounted for: then noise alone
  // shows any with it.
  static constexpr double family_wise_error = 0.05;
  [[nodiscard]] bool accounts_for_sample() const noexcept { return accounts_for_sample_; }

  // The cells with a value of at least `threshold` (above 0), ascending, and the branch (from 1 on) of each there.
  // Cells of one branch are one connected component.
  struct Cut {
    std::vector<std::uint64_t> cells;
    std::vector<std::uint32_t> branch;
  };
  [[nodiscard]] Cut cut(double threshold) const;

  // Stable branches without stable children, as clusters: the cells of each just before it ends. branch[i]: of cluster
  // i + 1.
  struct Leaves {
    Clusters clusters;
    std::vector<std::uint32_t> branch;
  };
  [[nodiscard]] Leaves leaves() const;

  // The threshold at which the number of stable branches is largest; of several the middle of the longest range.
  struct Level {
    double density = 0;  // for `reshape --density`; 0: there is no stable branch
    std::uint64_t stable = 0;
  };
  [[nodiscard]] Level level() const;

 private:
  friend class TreeBuilder;
  void describe(const Release& release, double record);
  void set_intervals(double variance, double scale, double record);

  Shape shape_;
  std::vector<std::uint64_t> cells_;   // descending by value
  std::vector<double> values_;         // of these, in the units of W
  std::vector<std::uint32_t> branch_;  // of these, when they came; from 1 on
  std::vector<TreeBranch> branches_;
  double least_threshold_ = 0, deviation_ = 0;
  bool accounts_for_sample_ = false;
};

// What the stable leaves are called, as the release numbers its clusters. leaves: of its tree. By the cluster that
// holds most of a leaf's cells: 2 where no other leaf lies in cluster 2, else 2a, 2b, ..., the larger first; the next
// free number where none does.
std::vector<std::string> leaf_names(const Release& release, const ClusterTree::Leaves& leaves);
// The places of the names in the order 1, 2a, 2b, 3.
std::vector<std::size_t> in_order(const std::vector<std::string>& names);

// "Data without structure show more than one stable cluster in at most 5 % of releases."; empty where nothing is
// stable.
std::string family_wise_error(const ClusterTree& tree);
// "1821 records (95 %: 1770 to 1872)"; without an interval where none is known.
std::string counted_records(const Release& release, const TreeBranch& branch);

// A reshape that shows more than the release by itself, free of budget.
struct BetterShape {
  std::string options;  // of `reshape`; not refused
  std::string why;
};
// - --min-cells, where that leaves out just the clusters that may be noise;
// - --density, where the release shows nothing and the tree has a stable cluster.
// None else. The tree is not looked at where W' has more than 2^18 values: it takes time.
std::optional<BetterShape> better_shape(const Release& release);

// Documented in docs/formats.md. The stable branches, and of the others the most persistent.
std::string tree_json(const Release& release, const ClusterTree& tree);
// The tree beside the map of its stable leaves.
std::string tree_svg(const Release& release, const ClusterTree& tree);
std::string tree_png(const Release& release, const ClusterTree& tree, double scale = 2);
std::string tree_html(const Release& release, const ClusterTree& tree);
// What a file of that name holds, by suffix: .json .html .svg .png. Any other is refused.
std::string tree_contents(const Release& release, const ClusterTree& tree, const std::string& path);

}  // namespace shoal
