// Labels each point by the release of its own group.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "release/strength.hpp"
#include "shoal/clusters.hpp"
#include "shoal/grouped_release.hpp"

namespace shoal {

class GroupLabels {
 public:
  // assign: empty: the default of each group. with_strength: throws if a group lacks its noisy values. Throws if the
  // axes of the groups are of different kinds.
  GroupLabels(const GroupedRelease& groups, Doubtful doubtful, std::optional<Assign> assign, bool with_strength);

  [[nodiscard]] bool with_strength() const noexcept { return !strengths_.empty(); }
  // Returns the number of clusters with which points are labelled, over all groups.
  [[nodiscard]] std::size_t clusters() const noexcept { return clusters_; }

  struct Of {
    std::vector<std::uint32_t> groups;  // index into GroupedRelease::names(), starting at 1; 0: in none of them
    std::vector<std::uint32_t> labels;  // numbers of the clusters of these; 0: unclustered, outside or in no group
    std::vector<double> strengths;      // empty unless requested
  };
  // columns: the group, coded as in GroupedRelease::grouping(), then one array per axis.
  [[nodiscard]] Of of(const std::vector<std::span<const double>>& columns) const;

 private:
  Axis axis_;  // of the groups
  std::size_t clusters_ = 0;
  std::vector<ClusterMap> maps_;
  std::vector<MembershipStrength> strengths_;
};

}  // namespace shoal
