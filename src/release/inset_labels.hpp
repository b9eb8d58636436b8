// Labels each point by a release with insets: by the inset in which it lies, otherwise by the overview. If an inset has
// exactly one cluster within a cluster of the overview, the two are the same cluster, so that a frame does not cut a
// cluster in two. If it has none within a cluster of the overview, the overview labels the points there.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "release/strength.hpp"
#include "shoal/clusters.hpp"
#include "shoal/inset_release.hpp"

namespace shoal {

class InsetLabels {
 public:
  // assign: empty: the default of each part. with_strength: throws if a part lacks its noisy values.
  InsetLabels(const InsetRelease& insets, Doubtful doubtful, std::optional<Assign> assign, bool with_strength);

  [[nodiscard]] bool with_strength() const noexcept { return !strengths_.empty(); }
  // Returns the number of clusters with which points are labelled, over all parts.
  [[nodiscard]] std::size_t clusters() const noexcept { return clusters_; }

  struct Of {
    std::vector<std::uint32_t> places;  // where points lie: indices into InsetRelease::parts(); 0: in no inset
    std::vector<std::uint32_t> parts;   // whose clusters contain them, likewise; unclustered: where they lie
    std::vector<std::uint32_t> labels;  // numbers of the clusters of these; 0: unclustered or outside
    std::vector<double> strengths;      // empty unless requested
  };
  // columns: one array per axis.
  [[nodiscard]] Of of(const std::vector<std::span<const double>>& columns) const;

 private:
  Grid whole_;
  std::size_t clusters_ = 0;
  std::vector<ClusterMap> maps_;
  // What an inset says about the clusters of the overview.
  struct Joined {
    std::vector<std::uint32_t> to;  // by label: the cluster of the overview that it equals; 0: none
    std::vector<bool> split;        // by label of the overview: whether the inset has clusters within it
  };
  static Joined joined(const ClusterMap& inset, const ClusterMap& overview);
  std::vector<Joined> joined_;
  std::vector<MembershipStrength> strengths_;
};

}  // namespace shoal
