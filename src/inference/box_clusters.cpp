#include "inference/box_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "inference/box_tree.hpp"
#include "inference/intervals.hpp"
#include "inference/laplace_law.hpp"
#include "inference/noisy_modes.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t most_cells_of_boxes = std::uint64_t{1} << 20;
constexpr double empty_box_counts = 0.01;  // probability that an empty box counts as a cluster, at most half of it

// Returns the cells of a box, ascending.
std::vector<std::uint64_t> cells_in(const CountedBox& box, const Shape& shape, std::uint64_t& left) {
  std::vector<std::uint64_t> cells = {0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (box.first.size() != shape.size() || box.end.size() != shape.size() || box.first[axis] >= box.end[axis] ||
        box.end[axis] > shape[axis]) {
      throw InputError("a box does not lie within the cells of the axes");
    }
    const std::uint64_t extent = box.end[axis] - box.first[axis];
    if (extent > left / cells.size()) throw InputError("the boxes hold more cells than a release can");
    std::vector<std::uint64_t> next;
    next.reserve(cells.size() * extent);
    for (const std::uint64_t cell : cells) {
      for (std::uint64_t x = box.first[axis]; x < box.end[axis]; ++x) next.push_back(cell * shape[axis] + x);
    }
    cells = std::move(next);
  }
  left -= cells.size();
  return cells;
}

}  // namespace

BoxClusters clusters_of_boxes(const ReleaseParts& parts) {
  const BoxSums& sums = *parts.boxes();
  const Shape shape = transformed_shape(parts.grid.shape(), 1, Transform::decimated);
  const std::vector<CountedBox>& boxes = sums.boxes.value();
  const std::span<const std::int64_t> records = sums.records.value().values();
  if (records.size() != boxes.size()) throw InputError("the boxes and their numbers of records differ in number");
  double all = 0;
  for (const std::int64_t value : records) all += static_cast<double>(std::max<std::int64_t>(0, value));
  const double by_noise = sums.records.law() ? draw_law(*sums.records.law()).reach(1, empty_box_counts) : 0;
  const double least = std::max(share_of_a_box * all, by_noise);

  std::uint64_t left = most_cells_of_boxes;
  std::vector<std::vector<std::uint64_t>> cells;
  BoxClusters found;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    cells.push_back(cells_in(boxes[i], shape, left));
    if (static_cast<double>(records[i]) > least && cells[i].size() >= parts.options.min_cells) found.boxes.push_back(i);
  }
  std::sort(found.boxes.begin(), found.boxes.end(), [&cells](std::size_t a, std::size_t b) {
    return cells[a].size() != cells[b].size() ? cells[a].size() > cells[b].size() : cells[a].front() < cells[b].front();
  });
  std::vector<std::pair<std::uint64_t, std::uint32_t>> labelled;
  for (std::size_t i = 0; i < found.boxes.size(); ++i) {
    for (const std::uint64_t cell : cells[found.boxes[i]])
      labelled.emplace_back(cell, static_cast<std::uint32_t>(i + 1));
  }
  std::sort(labelled.begin(), labelled.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::adjacent_find(labelled.begin(), labelled.end(), same) != labelled.end()) {
    throw InputError("two boxes overlap");
  }
  std::vector<std::uint64_t> of_clusters;
  std::vector<std::uint32_t> labels;
  for (const auto& [cell, label] : labelled) {
    of_clusters.push_back(cell);
    labels.push_back(label);
  }
  found.clusters = Clusters(shape, std::move(of_clusters), std::move(labels));
  return found;
}

std::vector<std::int64_t> sizes_of_boxes(const BoxSums& sums, const BoxClusters& found) {
  std::vector<std::int64_t> sizes;
  for (const std::size_t box : found.boxes) sizes.push_back(sums.records.value().values()[box]);
  return sizes;
}

std::vector<ClusterConfidence> confidence_of_boxes(const BoxSums& sums, const BoxClusters& found) {
  const std::vector<CountedBox>& boxes = sums.boxes.value();
  std::vector<std::uint32_t> number(boxes.size() + 1, 0);
  for (std::size_t i = 0; i < found.boxes.size(); ++i) number[found.boxes[i] + 1] = static_cast<std::uint32_t>(i + 1);
  std::vector<ClusterConfidence> result;
  for (const std::size_t box : found.boxes) {
    const bool alone = boxes.size() == 1;
    const std::uint32_t towards = alone || boxes[box].towards >= number.size() ? 0 : number[boxes[box].towards];
    ClusterConfidence& one = result.emplace_back(confidence_of_doubt(boxes[box].doubt, alone, towards));
    // A box that does not fall to a side at which it was cut is one with what lies there.
    if (!alone) one.plain = std::round(boxes[box].doubt * 1000) / 1000;
    if (!sums.records.law()) continue;
    const auto size = static_cast<double>(sums.records.value().values()[box]);
    set_interval_of_chosen(one, size, 0, draw_law(*sums.records.law()).reach());
  }
  return result;
}

bool is_cut(const Grid& grid) {
  return std::any_of(grid.axes().begin(), grid.axes().end(), [](const Axis& axis) { return !axis.cuts().empty(); });
}

void refuse_boxes(const ReleaseParts& parts, const char* what) {
  if (parts.boxes() == nullptr && !is_cut(parts.grid)) return;
  throw InputError(fmt::format(
      "a release of boxes, which --auto makes in more than four axes, cannot be {}: it holds the numbers of its boxes "
      "and no counts of cells; for that, release at most four of its columns, or give --grid",
      what));
}

}  // namespace shoal
