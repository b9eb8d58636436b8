#include "release/inset_labels.hpp"

#include <cmath>
#include <map>

namespace shoal {

namespace {

// Where x lies on a circle that is cut at its bounds: insets are parts of it and no circles.
double wrapped(const Axis& axis, double x) {
  if (!std::isfinite(x) || (x >= axis.lo() && x < axis.hi())) return x;
  const double width = axis.hi() - axis.lo(), past = std::fmod(x - axis.lo(), width);
  return axis.lo() + (past < 0 ? past + width : past);
}

bool is_inside(const Grid& grid, const std::vector<std::span<const double>>& columns, std::size_t row) {
  for (std::size_t axis = 0; axis < columns.size(); ++axis) {
    if (grid.axis(axis).cell(columns[axis][row]) == outside_axis) return false;
  }
  return true;
}

// Of every cluster of an inset, by label: the cluster of the overview that holds at least half of its cells and of no
// other cluster of the inset; 0: none.
std::vector<std::uint32_t> joined_clusters(const ClusterMap& inset, const ClusterMap& overview) {
  const Clusters& clusters = inset.clusters();
  std::vector<std::map<std::uint32_t, std::uint64_t>> cells(clusters.count() + 1);  // in each cluster of the overview
  std::vector<double> middle(inset.grid().dimensions());
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(clusters.cells()[i], clusters.shape());
    for (std::size_t axis = 0; axis < middle.size(); ++axis) {
      const auto [lo, hi] = inset.cell_bounds(axis, at[axis]);
      middle[axis] = inset.grid().axis(axis).middle(lo, hi);
    }
    if (inset.label(middle) != 0) ++cells[clusters.labels()[i]][overview.label(middle)];
  }
  std::vector<std::uint32_t> within(cells.size());
  std::map<std::uint32_t, unsigned> clusters_in;
  for (std::size_t label = 1; label < cells.size(); ++label) {
    for (const auto& [of, count] : cells[label]) {
      if (of != 0 && 2 * count >= clusters.sizes()[label - 1]) within[label] = of;
    }
    if (within[label] != 0) ++clusters_in[within[label]];
  }
  for (std::uint32_t& of : within) {
    if (of != 0 && clusters_in[of] > 1) of = 0;
  }
  return within;
}

}  // namespace

InsetLabels::InsetLabels(const InsetRelease& insets, Doubtful doubtful, std::optional<Assign> assign,
                         bool with_strength)
    : whole_(insets.overview().parts().grid) {
  for (const ReleaseGroup& part : insets.parts()) {
    const Release& release = part.release;
    maps_.push_back(release.labelling(doubtful).assigned(assign.value_or(release.usual_assign())));
    clusters_ += maps_.back().clusters().count() - (doubtful == Doubtful::keep ? 0 : release.doubtful().size());
    joined_.push_back(maps_.size() == 1 ? std::vector<std::uint32_t>(maps_.back().clusters().count() + 1)
                                        : joined_clusters(maps_.back(), maps_.front()));
    for (const std::uint32_t of : joined_.back()) clusters_ -= of != 0 ? 1 : 0;
    if (with_strength) strengths_.emplace_back(release);
  }
}

InsetLabels::Of InsetLabels::of(const std::vector<std::span<const double>>& columns) const {
  const std::size_t rows = columns.front().size();
  std::vector<std::vector<double>> turned(columns.size());
  std::vector<std::span<const double>> cut = columns;
  for (std::size_t axis = 0; axis < columns.size(); ++axis) {
    if (whole_.axis(axis).kind().border != Border::circle) continue;
    for (const double x : columns[axis]) turned[axis].push_back(wrapped(whole_.axis(axis), x));
    cut[axis] = turned[axis];
  }
  Of result{.places = std::vector<std::uint32_t>(rows),
            .parts = {},
            .labels = std::vector<std::uint32_t>(rows),
            .strengths = {}};
  if (!strengths_.empty()) result.strengths.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t part = 1; part < maps_.size() && result.places[row] == 0; ++part) {
      if (is_inside(maps_[part].grid(), cut, row)) result.places[row] = static_cast<std::uint32_t>(part);
    }
  }
  result.parts = result.places;
  std::vector<std::uint32_t> labels(rows);
  std::vector<double> strengths(rows);
  for (std::size_t part = 0; part < maps_.size(); ++part) {
    maps_[part].label(cut, labels);
    if (!strengths_.empty()) strengths_[part].of(cut, labels, strengths);
    for (std::size_t row = 0; row < rows; ++row) {
      if (result.places[row] != part) continue;
      const std::uint32_t joined = joined_[part][labels[row]];
      if (joined != 0) result.parts[row] = 0;
      result.labels[row] = joined != 0 ? joined : labels[row];
      if (!strengths_.empty()) result.strengths[row] = strengths[row];
    }
  }
  return result;
}

}  // namespace shoal
