#include "techniques/rounded_counts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "grid/xxhash64.hpp"
#include "inference/rounding.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t whole_share = std::uint64_t{1} << 16;

// What a cell hands over, and to which cell of the same axis.
struct Split {
  std::uint64_t to = 0;
  std::uint64_t share = 0;  // of whole_share, at most half of it
};

std::uint64_t handed_over(std::uint64_t count, std::uint64_t share, std::uint64_t offset) {
  return (count / whole_share) * share + ((count % whole_share) * share + offset) / whole_share;
}

// The edges of a block: its first cell, and the first cell of the next one.
struct Block {
  std::uint64_t first, end;
};

// The weights in a cell: rounded records that belong before and behind its block, and all records.
struct Reaching {
  double before = 0, behind = 0, all = 0;
};

std::vector<Split> splits_of(const Axis& axis, std::uint64_t block_cells, const std::vector<RoundedValues>& rounded) {
  const std::uint64_t cells = axis.cells();
  std::vector<Reaching> reaching(cells);
  double unrounded = 1;
  for (const RoundedValues& one : rounded) unrounded -= one.share;
  for (std::uint64_t i = 0; i < cells; ++i) {
    reaching[i].all = std::max(0.0, unrounded) * (axis.edge(i + 1) - axis.edge(i));
  }
  const bool circle = axis.kind().border == Border::circle;
  const auto block_of = [&](std::uint64_t cell) {
    const std::uint64_t first = cell / block_cells * block_cells;
    return Block{first, std::min(cells, first + block_cells)};
  };
  for (const RoundedValues& one : rounded) {
    for (const double x : multiples_within(axis, one.step)) {
      const std::int64_t cell = axis.cell(x);
      if (cell == outside_axis) continue;
      const auto i = static_cast<std::uint64_t>(cell);
      const Block block = block_of(i);
      reaching[i].all += one.share * one.step;
      if (block.first > 0 || circle) {
        reaching[i].before += one.share * std::max(0.0, axis.edge(block.first) - (x - one.step / 2));
      }
      if (block.end < cells || circle) {
        reaching[i].behind += one.share * std::max(0.0, x + one.step / 2 - axis.edge(block.end));
      }
    }
  }
  std::vector<Split> splits(cells);
  for (std::uint64_t i = 0; i < cells; ++i) {
    const auto [before, behind, all] = reaching[i];
    if (!(all > 0) || std::max(before, behind) == 0) continue;
    const Block block = block_of(i);
    const double share = std::min(0.5, std::max(before, behind) / all);
    splits[i] = {before > behind ? (block.first + cells - 1) % cells : block.end % cells,
                 static_cast<std::uint64_t>(share * static_cast<double>(whole_share))};
  }
  return splits;
}

double cell_width(const Axis& axis) {
  return (axis.position(axis.hi()) - axis.position(axis.lo())) / static_cast<double>(axis.cells());
}

// Along one axis.
Cells<std::int64_t> split(const Cells<std::int64_t>& from, std::size_t axis, const std::vector<Split>& splits) {
  const std::uint64_t stride = strides(from.shape())[axis], extent = from.shape()[axis];
  std::vector<std::pair<std::uint64_t, std::int64_t>> moved;  // sparse only
  Values<std::int64_t> values;
  if (from.is_dense()) values.resize(from.stored());
  const auto add = [&](std::uint64_t cell, std::int64_t count) {
    if (from.is_dense()) {
      values[cell] += count;
    } else if (count > 0) {
      moved.emplace_back(cell, count);
    }
  };
  for (std::size_t i = 0; i < from.stored(); ++i) {
    const std::int64_t count = from.values()[i];
    if (count == 0) continue;
    const std::uint64_t cell = from.index_of(i), x = cell / stride % extent;
    const std::uint64_t offset = Xxhash64::of(cell, axis) % whole_share;
    const auto over =
        static_cast<std::int64_t>(handed_over(static_cast<std::uint64_t>(count), splits[x].share, offset));
    add(cell, count - over);
    if (over > 0) add(cell - x * stride + splits[x].to * stride, over);
  }
  if (from.is_dense()) return Cells<std::int64_t>::dense(from.shape(), std::move(values));
  std::sort(moved.begin(), moved.end());
  std::vector<std::uint64_t> index;
  for (const auto& [cell, count] : moved) {
    if (index.empty() || index.back() != cell) {
      index.push_back(cell);
      values.push_back(0);
    }
    values.back() += count;
  }
  return Cells<std::int64_t>::sparse(from.shape(), std::move(index), std::move(values));
}

}  // namespace

std::uint64_t rounding_axes(const Grid& grid) {
  const std::vector<RoundingTest> tests = rounding_tests(grid);
  return static_cast<std::uint64_t>(
      std::count_if(tests.begin(), tests.end(), [](const RoundingTest& test) { return test.bins() > 0; }));
}

std::vector<std::int64_t> rounding_histograms(const Counts& counts) {
  const Cells<std::int64_t>& raw = counts.raw();
  const std::vector<RoundingTest> tests = rounding_tests(counts.grid());
  const std::vector<std::uint64_t> stride = strides(raw.shape());
  std::vector<std::vector<std::int64_t>> marginal;
  for (const std::uint64_t cells : raw.shape()) marginal.emplace_back(cells);
  for (std::size_t i = 0; i < raw.stored(); ++i) {
    const std::int64_t count = raw.values()[i];
    if (count == 0) continue;
    const std::uint64_t cell = raw.index_of(i);
    for (std::size_t axis = 0; axis < stride.size(); ++axis) {
      marginal[axis][cell / stride[axis] % raw.shape()[axis]] += count;
    }
  }
  std::vector<std::int64_t> result;
  for (std::size_t axis = 0; axis < tests.size(); ++axis) {
    const std::size_t first = result.size();
    result.resize(first + tests[axis].bins());
    for (std::size_t x = 0; x < marginal[axis].size(); ++x) {
      if (const auto bin = tests[axis].bin_of_cell()[x]) result[first + *bin] += marginal[axis][x];
    }
  }
  return result;
}

Counts spread_rounded(const Counts& finest, const Grid& chosen, const std::vector<RoundedValues>& rounded) {
  if (rounded.empty()) return finest;
  Cells<std::int64_t> cells = finest.raw();
  for (std::size_t axis = 0; axis < chosen.dimensions(); ++axis) {
    std::vector<RoundedValues> here;
    std::copy_if(rounded.begin(), rounded.end(), std::back_inserter(here),
                 [axis](const RoundedValues& one) { return one.axis == axis; });
    if (here.empty()) continue;
    const Axis& fine = finest.grid().axis(axis);
    const auto block_cells =
        static_cast<std::uint64_t>(2 * std::llround(cell_width(chosen.axis(axis)) / cell_width(fine)));
    cells = split(cells, axis, splits_of(fine, block_cells, here));
  }
  return {finest.grid(), std::move(cells), finest.points(), finest.outside()};
}

}  // namespace shoal
