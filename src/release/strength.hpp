// Tells how strongly a point belongs to its cluster, from the noisy values alone. This is post-processing and costs
// nothing.
#pragma once

#include <span>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// The strength is the noisy density of the point's cell, divided by the largest density among the cells of its cluster:
// 1 at the densest cell, towards 0 at the fringe, and 0 for points without a label. With --auto, the density is
// smoothed in the same way as when the clusters were found.
class MembershipStrength {
 public:
  // Throws for a release without its noisy values, and for boxes past the dense limit.
  explicit MembershipStrength(const Release& release);
  // Computes one strength per row. columns: one array per axis. labels: the labels of these rows, by a map of the
  // release.
  void compute(const std::vector<std::span<const double>>& columns, std::span<const std::uint32_t> labels,
               std::span<double> strengths) const;

 private:
  Grid grid_;
  unsigned shift_;
  std::vector<double> density_;  // by cell; the last entry is for points outside all cells
  std::vector<double> largest_;  // by label
};

}  // namespace shoal
