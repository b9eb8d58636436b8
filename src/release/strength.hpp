// How strongly a point belongs to its cluster, from the noisy values alone: post-processing, free like a label.
#pragma once

#include <span>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// The noisy density of the point's cell over the largest of its cluster's own cells: 1 at the densest cell, towards 0
// at the fringe, 0 for points without a label. Of --auto the density is smoothed as its clusters were found.
class MembershipStrength {
 public:
  // Refuses a release without its noisy values, and boxes past the dense limit.
  explicit MembershipStrength(const Release& release);
  // columns: one array per axis. labels: of these rows, by a map of the release. As many strengths.
  void of(const std::vector<std::span<const double>>& columns, std::span<const std::uint32_t> labels,
          std::span<double> strengths) const;

 private:
  Grid grid_;
  unsigned shift_;
  std::vector<double> density_;  // by cell; the last for points that lie in none
  std::vector<double> largest_;  // by label
};

}  // namespace shoal
