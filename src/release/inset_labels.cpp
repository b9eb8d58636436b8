#include "release/inset_labels.hpp"

#include <cmath>
#include <map>

namespace shoal {

namespace {

// Returns x moved into the bounds of a circle. Insets are parts of the circle and not circles themselves.
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

}  // namespace

// A cluster of the inset lies within the cluster of the overview that holds at least half of its cells.
InsetLabels::Joined InsetLabels::joined(const ClusterMap& inset, const ClusterMap& overview) {
  const Clusters& clusters = inset.clusters();
  // Number of cells in each cluster of the overview.
  std::vector<std::map<std::uint32_t, std::uint64_t>> cells(clusters.count() + 1);
  std::vector<double> middle(inset.grid().dimensions());
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(clusters.cells()[i], clusters.shape());
    for (std::size_t axis = 0; axis < middle.size(); ++axis) {
      const auto [lo, hi] = inset.cell_bounds(axis, at[axis]);
      middle[axis] = inset.grid().axis(axis).middle(lo, hi);
    }
    if (inset.label(middle) != 0) ++cells[clusters.labels()[i]][overview.label(middle)];
  }
  Joined result{std::vector<std::uint32_t>(cells.size()), std::vector<bool>(overview.clusters().count() + 1)};
  std::vector<unsigned> clusters_in(result.split.size());
  for (std::size_t label = 1; label < cells.size(); ++label) {
    for (const auto& [of, count] : cells[label]) {
      if (of != 0 && 2 * count >= clusters.sizes()[label - 1]) result.to[label] = of;
    }
    ++clusters_in[result.to[label]];
    result.split[result.to[label]] = true;
  }
  for (std::uint32_t& of : result.to) {
    if (clusters_in[of] > 1) of = 0;
  }
  return result;
}

InsetLabels::InsetLabels(const InsetRelease& insets, Doubtful doubtful, std::optional<Assign> assign,
                         bool with_strength)
    : whole_(insets.overview().parts().grid) {
  for (const NamedRelease& part : insets.parts()) {
    const Release& release = part.release;
    maps_.push_back(release.labelling(doubtful).assigned(assign.value_or(release.usual_assign())));
    clusters_ += maps_.back().clusters().count() - (doubtful == Doubtful::keep ? 0 : release.doubtful().size());
    joined_.push_back(maps_.size() == 1 ? Joined{} : joined(maps_.back(), maps_.front()));
    for (const std::uint32_t of : joined_.back().to) clusters_ -= of != 0 ? 1 : 0;
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
  Of result{.places = std::vector<std::uint32_t>(rows), .parts = {}, .labels = {}, .strengths = {}};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t part = 1; part < maps_.size() && result.places[row] == 0; ++part) {
      if (is_inside(maps_[part].grid(), cut, row)) result.places[row] = static_cast<std::uint32_t>(part);
    }
  }
  result.parts = result.places;
  std::vector<std::uint32_t> overview(rows), labels(rows);
  std::vector<double> strengths(rows);
  maps_.front().label(cut, overview);
  result.labels = overview;
  if (!strengths_.empty()) {
    result.strengths.resize(rows);
    strengths_.front().of(cut, overview, result.strengths);
  }
  for (std::size_t part = 1; part < maps_.size(); ++part) {
    const Joined& joined = joined_[part];
    maps_[part].label(cut, labels);
    if (!strengths_.empty()) strengths_[part].of(cut, labels, strengths);
    for (std::size_t row = 0; row < rows; ++row) {
      if (result.places[row] != part) continue;
      const bool unknown = labels[row] == 0 && overview[row] != 0 && !joined.split[overview[row]];
      if (unknown || joined.to[labels[row]] != 0) result.parts[row] = 0;
      if (unknown) continue;
      result.labels[row] = joined.to[labels[row]] != 0 ? joined.to[labels[row]] : labels[row];
      if (!strengths_.empty()) result.strengths[row] = strengths[row];
    }
  }
  return result;
}

}  // namespace shoal
