// The cluster of each point by the releases of groups: that of the point's own group.
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
  // assign: none given: as is usual for each group. with_strength: refuses groups without their noisy values. Refuses
  // groups whose axes are not of the same kinds.
  GroupLabels(const GroupedRelease& groups, Doubtful doubtful, std::optional<Assign> assign, bool with_strength);

  [[nodiscard]] bool with_strength() const noexcept { return !strengths_.empty(); }
  // Clusters that points are labelled with, of all groups.
  [[nodiscard]] std::size_t clusters() const noexcept { return clusters_; }

  struct Of {
    std::vector<std::uint32_t> groups;  // index into GroupedRelease::names(), from 1 on; 0: in none of them
    std::vector<std::uint32_t> labels;  // numbers of clusters of these; 0: unclustered, outside or in no group
    std::vector<double> strengths;      // where they were asked for
  };
  // columns: the group, as GroupedRelease::grouping() has it, then one array per axis.
  [[nodiscard]] Of of(const std::vector<std::span<const double>>& columns) const;

 private:
  Axis axis_;  // of the groups
  std::size_t clusters_ = 0;
  std::vector<ClusterMap> maps_;
  std::vector<MembershipStrength> strengths_;
};

}  // namespace shoal
