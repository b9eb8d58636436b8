// The cluster of each point by a release with insets: that of the inset that it lies in, else that of the overview.
// A cluster of an inset that is the only one there within a cluster of the overview is that cluster, so that a frame
// does not cut one in two. A cluster of the overview within which the inset has none is labelled by the overview.
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
  // assign: none given: as is usual for each part. with_strength: refuses parts without their noisy values.
  InsetLabels(const InsetRelease& insets, Doubtful doubtful, std::optional<Assign> assign, bool with_strength);

  [[nodiscard]] bool with_strength() const noexcept { return !strengths_.empty(); }
  // Clusters that points are labelled with, of all parts.
  [[nodiscard]] std::size_t clusters() const noexcept { return clusters_; }

  struct Of {
    std::vector<std::uint32_t> places;  // where points lie: indices into InsetRelease::parts(); 0: in no inset
    std::vector<std::uint32_t> parts;   // whose clusters they are in, likewise; unclustered: where they lie
    std::vector<std::uint32_t> labels;  // numbers of clusters of these; 0: unclustered or outside
    std::vector<double> strengths;      // where they were asked for
  };
  // columns: one array per axis.
  [[nodiscard]] Of of(const std::vector<std::span<const double>>& columns) const;

 private:
  Grid whole_;
  std::size_t clusters_ = 0;
  std::vector<ClusterMap> maps_;
  // What an inset says about the clusters of the overview.
  struct Joined {
    std::vector<std::uint32_t> to;  // by label: the cluster of the overview that it is; 0: none
    std::vector<bool> split;        // by label of the overview: the inset has clusters within it
  };
  static Joined joined(const ClusterMap& inset, const ClusterMap& overview);
  std::vector<Joined> joined_;
  std::vector<MembershipStrength> strengths_;
};

}  // namespace shoal
