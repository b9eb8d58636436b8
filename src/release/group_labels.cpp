#include "release/group_labels.hpp"

#include <fmt/format.h>

#include "shoal/error.hpp"

namespace shoal {

namespace {

void check_kinds(const GroupedRelease& groups) {
  const NamedRelease& first = groups.parts().front();
  for (const NamedRelease& group : groups.parts()) {
    const Grid &a = first.release.parts().grid, &b = group.release.parts().grid;
    bool same = a.dimensions() == b.dimensions();
    for (std::size_t i = 0; same && i < a.dimensions(); ++i) same = a.axis(i).kind() == b.axis(i).kind();
    if (same) continue;
    throw InputError(fmt::format("the axes of groups '{}' and '{}' are of different kinds; choose one group",
                                 first.name, group.name));
  }
}

}  // namespace

GroupLabels::GroupLabels(const GroupedRelease& groups, Doubtful doubtful, std::optional<Assign> assign,
                         bool with_strength)
    : axis_(groups.grouping().axis) {
  check_kinds(groups);
  for (const NamedRelease& group : groups.parts()) {
    const Release& release = group.release;
    maps_.push_back(release.labelling(doubtful).assigned(assign.value_or(release.usual_assign())));
    clusters_ += maps_.back().clusters().count() - (doubtful == Doubtful::keep ? 0 : release.doubtful().size());
    if (with_strength) strengths_.emplace_back(release);
  }
}

GroupLabels::Of GroupLabels::of(const std::vector<std::span<const double>>& columns) const {
  const std::size_t rows = columns.front().size();
  Of result{.groups = std::vector<std::uint32_t>(rows), .labels = std::vector<std::uint32_t>(rows), .strengths = {}};
  if (with_strength()) result.strengths.resize(rows);
  std::vector<std::vector<std::size_t>> rows_of(maps_.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t group = axis_.cell(columns.front()[row]);
    if (group == outside_axis) continue;
    result.groups[row] = static_cast<std::uint32_t>(group) + 1;
    rows_of[static_cast<std::size_t>(group)].push_back(row);
  }
  std::vector<std::vector<double>> copies(columns.size() - 1);
  std::vector<std::uint32_t> labels;
  std::vector<double> strengths;
  for (std::size_t group = 0; group < maps_.size(); ++group) {
    const std::vector<std::size_t>& own = rows_of[group];
    if (own.empty()) continue;
    for (std::size_t axis = 0; axis < copies.size(); ++axis) {
      copies[axis].clear();
      for (const std::size_t row : own) copies[axis].push_back(columns[axis + 1][row]);
    }
    const std::vector<std::span<const double>> points(copies.begin(), copies.end());
    labels.resize(own.size());
    maps_[group].label(points, labels);
    for (std::size_t i = 0; i < own.size(); ++i) result.labels[own[i]] = labels[i];
    if (!with_strength()) continue;
    strengths.resize(own.size());
    strengths_[group].of(points, labels, strengths);
    for (std::size_t i = 0; i < own.size(); ++i) result.strengths[own[i]] = strengths[i];
  }
  return result;
}

}  // namespace shoal
