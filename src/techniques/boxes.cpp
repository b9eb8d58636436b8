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
constexpr unsigned dividing_steps = 4;          // of dividing
constexpr std::uint64_t step_of_fortieths = 9;  // of epsilon, for each step; what is left goes to the boxes
constexpr std::size_t most_axes_of_a_grid = 4, most_axes_of_boxes = 8;

Epsilon epsilon_of_step(Epsilon epsilon) {
  const Epsilon part = Epsilon::from_units(epsilon.units() / 40 * step_of_fortieths);
  if (part.units() == 0) throw InputError(fmt::format("epsilon {} is too small to divide boxes by", epsilon.text()));
  return part;
}

// The occupied blocks of the grid, with how many records each holds. Not merged where several cells lie in one.
struct Occupied {
  std::size_t axes = 0;
  std::vector<std::uint32_t> places;  // of each: one per axis
  std::vector<std::int64_t> counts;

  [[nodiscard]] const std::uint32_t* at(std::size_t i) const { return places.data() + i * axes; }
};

Occupied occupied(const Counts& counts, const Grid& grid) {
  const Cells<std::int64_t>& raw = counts.raw();
  const std::vector<std::uint64_t> stride = strides(raw.shape());
  const Shape blocks = blocks_of(grid);
  Occupied result{.axes = blocks.size(), .places = {}, .counts = {}};
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
std::vector<std::int32_t> box_of_each(const Occupied& cells, const std::vector<TreeBox>& boxes) {
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
Cells<std::int64_t> box_histograms(const Occupied& cells, const std::vector<TreeBox>& boxes, const Grid& grid) {
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

Cells<std::int64_t> records_in(const Occupied& cells, const std::vector<TreeBox>& boxes) {
  Values<std::int64_t> values;
  values.resize(boxes.size());
  const std::vector<std::int32_t> box_of = box_of_each(cells, boxes);
  for (std::size_t i = 0; i < box_of.size(); ++i) {
    if (box_of[i] >= 0) values[static_cast<std::size_t>(box_of[i])] += cells.counts[i];
  }
  return along_one_axis(std::move(values));
}

std::uint64_t divided_axes(const Grid& grid) { return grid.shape().pooled_axes(); }

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

Plan plan_boxes(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  const std::uint64_t records = counts_sensitivity(options.unit), axes = divided_axes(grid) * records;
  const Epsilon step = epsilon_of_step(epsilon);
  Plan plan = {{histograms_mechanism, axes, step}};
  Epsilon left = epsilon - step;
  for (unsigned i = 1; i < dividing_steps; ++i) {
    plan.push_back({fmt::format("{} or {}", histograms_mechanism, boxes_mechanism), axes, step});
    left = left - step;
  }
  plan.push_back({boxes_mechanism, records, left});
  return plan;
}

//   T  <- the box of everything
//   4 times, while some box is open:
//     H' <- histograms of the records of each open box along each axis + noise(9/40 epsilon)
//     T  <- open boxes divided at the significant valleys of H', or closed               of noised values alone
//   B  <- the boxes of T, cut down to where H' shows records                             of noised values alone
//   return B and the number of records of each + noise(the rest of epsilon)
ReleaseParts box_parts(const Counts& counts, const Grid& grid, const Noised<std::int64_t>& records, Epsilon epsilon,
                       const PrivateOptions& options, Mechanisms& mechanisms) {
  const Occupied cells = occupied(counts, grid);
  const Epsilon step = epsilon_of_step(epsilon);
  Epsilon left = epsilon;
  Noised<BoxTree> tree = PostProcessing::of(&whole_box, grid);
  for (unsigned i = 0; i < dividing_steps && !tree.value().open.empty(); ++i) {
    const NoisyCounts noisy = mechanisms.values(box_histograms(cells, tree.value().open, grid), divided_axes(grid),
                                                step, histograms_mechanism, 1);
    tree = PostProcessing::of(&divided, tree, noisy, grid, options.unit);
    left = left - step;
  }
  const Noised<std::vector<TreeBox>> boxes = PostProcessing::of(&boxes_with_records, tree, records, grid);
  NoisyCounts numbers = mechanisms.values(records_in(cells, boxes.value()), 1, left, boxes_mechanism, 1);
  return release_parts("privwave", cut_grid(grid, boxes.value()), epsilon, options, mechanisms,
                       BoxSums{PostProcessing::of(&boxes_on, boxes, grid), std::move(numbers)});
}

}  // namespace shoal
