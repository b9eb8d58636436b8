// Labels points by the clusters of a release.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

struct LabelOptions {
  // Unless it is keep, points of doubtful clusters get no label.
  Doubtful doubtful = Doubtful::leave_out;
  // If not set, the default of each release (Release::usual_assign).
  std::optional<Assign> assign{};
  // Also compute how strongly each point belongs to its cluster. Requires the noisy values of the release.
  bool strength = false;
};

// The labels of some points.
struct PointLabels {
  // Numbers of the clusters, starting at 1. 0 means unclustered, outside the bounds, or in no group.
  std::vector<std::uint32_t> labels{};
  // The part whose cluster it is: the index of the group plus 1, 0 for no group; or the number of the inset, 0 for the
  // overview. If a point has no label, the part in which it lies. Empty for a plain release.
  std::vector<std::uint32_t> parts{};
  // The inset in which the point lies, or 0. Empty without insets.
  std::vector<std::uint32_t> places{};
  // From 0 to 1: the noisy density of the cell of the point, divided by the largest density in its cluster. Empty
  // unless requested.
  std::vector<double> strengths{};
};

// Labels a point by the release of its group, or by the inset in which it lies and otherwise by the overview. If an
// inset has exactly one cluster within a cluster of the overview, the two are the same cluster, so that a frame does
// not cut a cluster in two. If it has none within a cluster of the overview, the overview labels the points there. A
// labeller may be used by several threads at a time. Copies are cheap.
class Labeller {
 public:
  // Throws if the groups differ in the kinds of their axes, or if strength is requested of a release without noisy
  // values.
  explicit Labeller(const ReleaseSet& set, const LabelOptions& options = {});
  // Labels by a map alone.
  explicit Labeller(ClusterMap map);

  // Returns the grid of the first part.
  [[nodiscard]] const Grid& grid() const noexcept;
  [[nodiscard]] const Layout& layout() const noexcept;
  [[nodiscard]] bool has_strength() const noexcept;
  // Returns the number of clusters that points may get, over all parts.
  [[nodiscard]] std::size_t clusters() const noexcept;

  // columns: one array per axis. If there are groups, the array of their coordinates on the axis of the groups comes
  // first.
  [[nodiscard]] PointLabels label(const std::vector<std::span<const double>>& columns) const;

 private:
  struct Maps;
  std::shared_ptr<const Maps> maps_;
};

}  // namespace shoal
