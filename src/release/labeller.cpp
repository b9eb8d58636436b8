#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "release/strength.hpp"
#include "shoal/error.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

namespace {

using Columns = std::vector<std::span<const double>>;

void check_kinds(const ReleaseSet& groups) {
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

// Returns x moved into the bounds of a circle. Insets are parts of the circle and not circles themselves.
double wrapped(const Axis& axis, double x) {
  if (!std::isfinite(x) || (x >= axis.lo() && x < axis.hi())) return x;
  const double width = axis.hi() - axis.lo(), past = std::fmod(x - axis.lo(), width);
  return axis.lo() + (past < 0 ? past + width : past);
}

bool is_inside(const Grid& grid, const Columns& columns, std::size_t row) {
  for (std::size_t axis = 0; axis < columns.size(); ++axis) {
    if (grid.axis(axis).cell(columns[axis][row]) == outside_axis) return false;
  }
  return true;
}

// What an inset says about the clusters of the overview.
struct Joined {
  std::vector<std::uint32_t> to;  // by label: the cluster of the overview that it equals; 0: none
  std::vector<bool> split;        // by label of the overview: whether the inset has clusters within it
};

// A cluster of the inset lies within the cluster of the overview that holds at least half of its cells.
Joined joined(const ClusterMap& inset, const ClusterMap& overview) {
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
    for (const auto& [whole, count] : cells[label]) {
      if (whole != 0 && 2 * count >= clusters.sizes()[label - 1]) result.to[label] = whole;
    }
    ++clusters_in[result.to[label]];
    result.split[result.to[label]] = true;
  }
  for (std::uint32_t& whole : result.to) {
    if (clusters_in[whole] > 1) whole = 0;
  }
  return result;
}

}  // namespace

struct Labeller::Maps {
  Layout layout;
  std::vector<ClusterMap> maps;               // one per part
  std::vector<MembershipStrength> strengths;  // likewise, or empty
  std::vector<Joined> joins;                  // likewise with insets; that of the overview is empty
  std::size_t clusters = 0;

  // Labels the points by one part.
  void label(std::size_t part, const Columns& columns, std::vector<std::uint32_t>& labels,
             std::vector<double>& strength) const {
    labels.resize(columns.front().size());
    maps[part].label(columns, labels);
    if (strengths.empty()) return;
    strength.resize(labels.size());
    strengths[part].compute(columns, labels, strength);
  }

  [[nodiscard]] PointLabels by_group(const Axis& axis, const Columns& columns) const {
    const std::size_t rows = columns.front().size();
    PointLabels result{.labels = std::vector<std::uint32_t>(rows), .parts = std::vector<std::uint32_t>(rows)};
    if (!strengths.empty()) result.strengths.resize(rows);
    std::vector<std::vector<std::size_t>> rows_of(maps.size());
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t group = axis.cell(columns.front()[row]);
      if (group == outside_axis) continue;
      result.parts[row] = static_cast<std::uint32_t>(group) + 1;
      rows_of[static_cast<std::size_t>(group)].push_back(row);
    }
    std::vector<std::vector<double>> copies(columns.size() - 1);
    std::vector<std::uint32_t> labels;
    std::vector<double> strength;
    for (std::size_t group = 0; group < maps.size(); ++group) {
      const std::vector<std::size_t>& own = rows_of[group];
      if (own.empty()) continue;
      for (std::size_t i = 0; i < copies.size(); ++i) {
        copies[i].clear();
        for (const std::size_t row : own) copies[i].push_back(columns[i + 1][row]);
      }
      label(group, Columns(copies.begin(), copies.end()), labels, strength);
      for (std::size_t i = 0; i < own.size(); ++i) {
        result.labels[own[i]] = labels[i];
        if (!strengths.empty()) result.strengths[own[i]] = strength[i];
      }
    }
    return result;
  }

  [[nodiscard]] PointLabels by_inset(const Columns& columns) const {
    const Grid& whole = maps.front().grid();
    const std::size_t rows = columns.front().size();
    std::vector<std::vector<double>> turned(columns.size());
    Columns cut = columns;
    for (std::size_t axis = 0; axis < columns.size(); ++axis) {
      if (whole.axis(axis).kind().border != Border::circle) continue;
      for (const double x : columns[axis]) turned[axis].push_back(wrapped(whole.axis(axis), x));
      cut[axis] = turned[axis];
    }
    PointLabels result{.places = std::vector<std::uint32_t>(rows)};
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t part = 1; part < maps.size() && result.places[row] == 0; ++part) {
        if (is_inside(maps[part].grid(), cut, row)) result.places[row] = static_cast<std::uint32_t>(part);
      }
    }
    result.parts = result.places;
    label(0, cut, result.labels, result.strengths);
    const std::vector<std::uint32_t> overview = result.labels;
    std::vector<std::uint32_t> labels;
    std::vector<double> strength;
    for (std::size_t part = 1; part < maps.size(); ++part) {
      const Joined& join = joins[part];
      label(part, cut, labels, strength);
      for (std::size_t row = 0; row < rows; ++row) {
        if (result.places[row] != part) continue;
        const std::uint32_t same = join.to[labels[row]];
        const bool unknown = labels[row] == 0 && overview[row] != 0 && !join.split[overview[row]];
        if (unknown || same != 0) result.parts[row] = 0;
        if (unknown) continue;
        result.labels[row] = same != 0 ? same : labels[row];
        if (!strengths.empty()) result.strengths[row] = strength[row];
      }
    }
    return result;
  }
};

Labeller::Labeller(const ReleaseSet& set, const LabelOptions& options) {
  if (set.grouping() != nullptr) check_kinds(set);
  auto maps = std::make_shared<Maps>();
  maps->layout = set.layout();
  for (const NamedRelease& part : set.parts()) {
    const Release& release = part.release;
    maps->maps.push_back(release.labelling(options.doubtful).assigned(options.assign.value_or(release.usual_assign())));
    const ClusterMap& map = maps->maps.back();
    maps->clusters += map.clusters().count() - (options.doubtful == Doubtful::keep ? 0 : release.doubtful().size());
    if (!set.insets().empty()) {
      maps->joins.push_back(maps->maps.size() == 1 ? Joined{} : joined(map, maps->maps.front()));
      for (const std::uint32_t same : maps->joins.back().to) maps->clusters -= same != 0 ? 1 : 0;
    }
    if (options.strength) maps->strengths.emplace_back(release);
  }
  maps_ = std::move(maps);
}

Labeller::Labeller(ClusterMap map, const Release* strength) {
  auto maps = std::make_shared<Maps>();
  if (strength != nullptr) maps->strengths.emplace_back(*strength);
  maps->clusters = map.clusters().count();
  maps->maps.push_back(std::move(map));
  maps_ = std::move(maps);
}

const Grid& Labeller::grid() const noexcept { return maps_->maps.front().grid(); }
const Layout& Labeller::layout() const noexcept { return maps_->layout; }
bool Labeller::has_strength() const noexcept { return !maps_->strengths.empty(); }
std::size_t Labeller::clusters() const noexcept { return maps_->clusters; }

PointLabels Labeller::label(const std::vector<std::span<const double>>& columns) const {
  if (const auto* groups = std::get_if<Grouping>(&maps_->layout)) return maps_->by_group(groups->axis, columns);
  if (std::holds_alternative<Insets>(maps_->layout)) return maps_->by_inset(columns);
  PointLabels result;
  maps_->label(0, columns, result.labels, result.strengths);
  return result;
}

}  // namespace shoal
