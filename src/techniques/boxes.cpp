#include "techniques/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/box_tree.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"

namespace shoal {

namespace {

constexpr const char* histograms_mechanism = "histograms";
constexpr const char* boxes_mechanism = "boxes";
constexpr const char* sums_mechanism = "sums";
constexpr unsigned looks_at_structure = 4, all_steps = 6;
constexpr std::uint64_t parts_of_epsilon = 40;  // a step gets so many of these parts:
constexpr std::uint64_t parts_of_a_step = 6, parts_of_a_step_of_few_axes = 5;
constexpr std::size_t fewest_axes_with_steps = 3, most_axes_of_a_grid = 4, most_axes_of_boxes = 8;

// An axis is left out if its evidence is below this share of what is significant, and if some axis shows so many times
// what is significant that structure of half its size would have been seen. In few axes, where noise axes fill a grid
// with empty cells, less must do after the last look.
constexpr double no_structure = 0.75, plain_structure = 3, plain_structure_at_last = 1.5;

std::uint64_t divided_axes(const Grid& grid) { return grid.shape().pooled_axes(); }

// In few axes a grid follows in any case, which needs most of epsilon.
Epsilon epsilon_of_step(Epsilon epsilon, const Grid& grid) {
  const std::uint64_t parts = divided_axes(grid) <= most_axes_of_a_grid ? parts_of_a_step_of_few_axes : parts_of_a_step;
  const Epsilon part = Epsilon::from_units(epsilon.units() / parts_of_epsilon * parts);
  if (part.units() == 0) throw InputError(fmt::format("epsilon {} is too small to divide boxes by", epsilon.text()));
  return part;
}

OccupiedBlocks occupied(const Counts& counts, const Grid& grid) {
  const Cells<std::int64_t>& raw = counts.raw();
  const std::vector<std::uint64_t> stride = strides(raw.shape());
  const Shape blocks = blocks_of(grid);
  OccupiedBlocks result{.axes = blocks.size()};
  std::vector<std::vector<std::uint32_t>> block_of(blocks.size());  // of each cell along an axis
  for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
    const Axis& fine = counts.grid().axis(axis);
    for (std::uint64_t x = 0; x < fine.cells(); ++x) {
      // The middle of a cell lies in one block for certain, however edges are rounded.
      const std::int64_t cell = grid.axis(axis).cell(fine.middle(fine.edge(x), fine.edge(x + 1)));
      const auto known = static_cast<std::uint32_t>(std::max<std::int64_t>(0, cell));
      block_of[axis].push_back(is_divided(grid.axis(axis)) ? known / 2 : static_cast<std::uint32_t>(x));
    }
  }
  for (std::size_t i = 0; i < raw.stored(); ++i) {
    if (raw.values()[i] == 0) continue;
    const std::uint64_t cell = raw.index_of(i);
    for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
      result.places.push_back(block_of[axis][cell / stride[axis] % raw.shape()[axis]]);
    }
    result.counts.push_back(raw.values()[i]);
  }
  return result;
}

// Finds the box of each place, if one holds it. The boxes do not overlap.
std::vector<std::int32_t> box_of_each(const OccupiedBlocks& cells, const std::vector<TreeBox>& boxes) {
  std::vector<std::int32_t> result(cells.counts.size(), -1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint32_t* place = cells.at(i);
    for (std::size_t box = 0; box < boxes.size() && result[i] < 0; ++box) {
      bool inside = true;
      for (std::size_t axis = 0; axis < cells.axes && inside; ++axis) {
        const auto [begin, end] = boxes[box].sides[axis];
        inside = place[axis] >= begin && place[axis] < end;
      }
      if (inside) result[i] = static_cast<std::int32_t>(box);
    }
  }
  return result;
}

Cells<std::int64_t> along_one_axis(Values<std::int64_t> values) {
  const Shape shape{values.size()};
  return Cells<std::int64_t>::dense(shape, std::move(values));
}

// As `divided` reads them.
Cells<std::int64_t> box_histograms(const OccupiedBlocks& cells, const std::vector<TreeBox>& boxes, const Grid& grid) {
  std::vector<std::vector<std::uint64_t>> start;  // of each box and axis, less the first place
  std::uint64_t size = 0;
  for (const TreeBox& box : boxes) {
    start.emplace_back();
    for (std::size_t axis = 0; axis < cells.axes; ++axis) {
      const auto [begin, end] = box.sides[axis];
      start.back().push_back(size - begin);
      if (is_divided(grid.axis(axis))) size += end - begin;
    }
  }
  Values<std::int64_t> values;
  values.resize(size);
  const std::vector<std::int32_t> box_of = box_of_each(cells, boxes);
  for (std::size_t i = 0; i < box_of.size(); ++i) {
    if (box_of[i] < 0) continue;
    const std::vector<std::uint64_t>& first = start[static_cast<std::size_t>(box_of[i])];
    for (std::size_t axis = 0; axis < cells.axes; ++axis) {
      if (is_divided(grid.axis(axis))) values[first[axis] + cells.at(i)[axis]] += cells.counts[i];
    }
  }
  return along_one_axis(std::move(values));
}

Cells<std::int64_t> records_in(const OccupiedBlocks& cells, const std::vector<TreeBox>& boxes) {
  Values<std::int64_t> values;
  values.resize(boxes.size());
  const std::vector<std::int32_t> box_of = box_of_each(cells, boxes);
  for (std::size_t i = 0; i < box_of.size(); ++i) {
    if (box_of[i] >= 0) values[static_cast<std::size_t>(box_of[i])] += cells.counts[i];
  }
  return along_one_axis(std::move(values));
}

}  // namespace

bool makes_boxes(const Grid& bounds) {
  const std::size_t divided = divided_axes(bounds);
  if (divided <= most_axes_of_a_grid) return false;
  if (bounds.dimensions() > most_axes_of_boxes) {
    throw InputError(fmt::format("--auto takes up to {} axes, not {}; give a grid and a threshold", most_axes_of_boxes,
                                 bounds.dimensions()));
  }
  std::uint64_t combinations = 1;
  for (const Axis& axis : bounds.axes()) {
    if (is_divided(axis)) continue;
    if (axis.cells() > most_box_cells / combinations) {
      throw InputError(
          fmt::format("--auto in more than {} axes takes up to {} combinations of names; give a grid and a "
                      "threshold, or shorter lists",
                      most_axes_of_a_grid, most_box_cells));
    }
    combinations *= axis.cells();
  }
  for (const Axis& axis : bounds.axes()) {
    if (axis.kind().border != Border::circle) continue;
    throw InputError(fmt::format(
        "--auto divides more than {} axes at places with few records, and a circle cannot be cut; give a grid and a "
        "threshold",
        most_axes_of_a_grid));
  }
  return true;
}

Grid largest_box_grid(const Grid& bounds) {
  std::vector<Axis> axes;
  std::uint64_t cells = 2 * most_box_cells;
  for (const Axis& axis : bounds.axes()) {
    if (!is_divided(axis)) {
      axes.push_back(axis);
      continue;
    }
    axes.emplace_back(0, 1, std::exchange(cells, 1), axis.name());
  }
  return Grid(std::move(axes));
}

bool asks_for_structure(const Grid& bounds) {
  return divided_axes(bounds) >= fewest_axes_with_steps &&
         std::none_of(bounds.axes().begin(), bounds.axes().end(),
                      [](const Axis& axis) { return axis.kind().border == Border::circle; });
}

unsigned most_looks() { return looks_at_structure; }

std::vector<std::size_t> axes_with_structure(const Noised<BoxTree>& tree) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < tree.value().structure.size(); ++axis) {
    if (tree.value().structure[axis] >= no_structure) axes.push_back(axis);
  }
  return axes;
}

Seen seen_in(const std::vector<Noised<BoxTree>>& trees, std::size_t divided_axes, bool is_last_look) {
  std::vector<double> structure(trees.front().value().structure.size(), 0);
  bool is_compared = false;
  for (const Noised<BoxTree>& tree : trees) {
    is_compared = is_compared || tree.value().is_compared;
    for (std::size_t axis = 0; axis < structure.size(); ++axis)
      structure[axis] = std::max(structure[axis], tree.value().structure[axis]);
  }
  const auto axes_from = [&](double least) {
    return static_cast<std::size_t>(
        std::count_if(structure.begin(), structure.end(), [least](double one) { return one >= least; }));
  };
  const std::size_t plain = axes_from(1), possible = axes_from(no_structure);
  if (plain == divided_axes || plain > most_axes_of_a_grid) return Seen::all;
  if (plain == 0) return divided_axes <= most_axes_of_a_grid ? Seen::all : Seen::little;
  const bool few = is_last_look && divided_axes <= most_axes_of_a_grid;
  if (!is_compared || axes_from(few ? plain_structure_at_last : plain_structure) == 0) return Seen::little;
  if (plain < possible && !is_last_look) return Seen::little;
  return possible < divided_axes && possible <= most_axes_of_a_grid ? Seen::grid : Seen::all;
}

BoxPlan plan_boxes(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  const std::uint64_t records = counts_sensitivity(options.unit), axes = divided_axes(grid) * records;
  const Epsilon step = epsilon_of_step(epsilon, grid);
  BoxPlan plan;
  Epsilon left = epsilon;
  const auto add = [&](Plan& to, const std::string& mechanism, std::uint64_t sensitivity, Epsilon part) {
    to.push_back({mechanism, sensitivity, part});
    left = left - part;
  };
  add(plan.first, histograms_mechanism, axes, step);
  const bool boxes = makes_boxes(grid);
  for (unsigned i = 1; i < (boxes ? all_steps : looks_at_structure); ++i) {
    add(plan.first, fmt::format("{} or {}", histograms_mechanism, boxes ? boxes_mechanism : sums_mechanism), axes,
        step);
  }
  if (!boxes) return plan;
  add(plan.then, boxes_mechanism, records, left);
  return plan;
}

BoxDivision::BoxDivision(const Counts& counts, Grid grid, Noised<std::int64_t> records, Epsilon epsilon)
    : grid_(std::move(grid)),
      records_(std::move(records)),
      step_(epsilon_of_step(epsilon, grid_)),
      left_(epsilon),
      cells_(occupied(counts, grid_)),
      tree_(PostProcessing::of(&whole_box, grid_)) {}

//   T  <- the box of everything
//   up to 6 times, while some box is open:
//     H' <- histograms of the records of each open box along each axis + noise(a step's share of epsilon)
//     T  <- open boxes divided at the significant valleys of H', or closed               of noised values alone
void BoxDivision::divide(const PrivateOptions& options, Mechanisms& mechanisms) {
  if (tree_.value().open.empty()) return;
  const NoisyCounts noisy = mechanisms.values(box_histograms(cells_, tree_.value().open, grid_), divided_axes(grid_),
                                              step_, histograms_mechanism, 1);
  tree_ = PostProcessing::of(&divided, tree_, noisy, records_, grid_, options.unit);
  left_ = left_ - step_;
  ++steps_;
}

const Noised<BoxTree>& BoxDivision::look(const PrivateOptions& options, Mechanisms& mechanisms) {
  divide(options, mechanisms);
  return tree_;
}

//   B  <- the boxes of T, cut down to where H' shows records                             of noised values alone
//   return B and the number of records of each + noise(the rest of epsilon)
ReleaseParts BoxDivision::finish(const PrivateOptions& options, Mechanisms& mechanisms) {
  while (steps_ < all_steps && !tree_.value().open.empty()) divide(options, mechanisms);
  const Noised<std::vector<TreeBox>> boxes = PostProcessing::of(&boxes_with_records, tree_, records_, grid_);
  NoisyCounts numbers = mechanisms.values(records_in(cells_, boxes.value()), 1, left_, boxes_mechanism, 1);
  return release_parts("privwave", cut_grid(grid_, boxes.value()), left_, options, mechanisms,
                       BoxSums{PostProcessing::of(&boxes_on, boxes, grid_), std::move(numbers)});
}

}  // namespace shoal
