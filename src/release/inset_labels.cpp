#include "release/inset_labels.hpp"

#include <cmath>

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

}  // namespace

InsetLabels::InsetLabels(const InsetRelease& insets, Doubtful doubtful, std::optional<Assign> assign,
                         bool with_strength)
    : whole_(insets.overview().parts().grid) {
  for (const ReleaseGroup& part : insets.parts()) {
    const Release& release = part.release;
    maps_.push_back(release.labelling(doubtful).assigned(assign.value_or(release.usual_assign())));
    clusters_ += maps_.back().clusters().count() - (doubtful == Doubtful::keep ? 0 : release.doubtful().size());
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
  Of result{std::vector<std::uint32_t>(rows), std::vector<std::uint32_t>(rows), {}};
  if (!strengths_.empty()) result.strengths.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t part = 1; part < maps_.size() && result.parts[row] == 0; ++part) {
      if (is_inside(maps_[part].grid(), cut, row)) result.parts[row] = static_cast<std::uint32_t>(part);
    }
  }
  std::vector<std::uint32_t> labels(rows);
  std::vector<double> strengths(rows);
  for (std::size_t part = 0; part < maps_.size(); ++part) {
    maps_[part].label(cut, labels);
    if (!strengths_.empty()) strengths_[part].of(cut, labels, strengths);
    for (std::size_t row = 0; row < rows; ++row) {
      if (result.parts[row] != part) continue;
      result.labels[row] = labels[row];
      if (!strengths_.empty()) result.strengths[row] = strengths[row];
    }
  }
  return result;
}

}  // namespace shoal
