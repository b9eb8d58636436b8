#include "clusters/merge_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "clusters/sets.hpp"

namespace shoal {

namespace {
// Along an axis of a single cell there is no neighbour.
bool has_neighbours(const Shape& shape, std::size_t axis) {
  return shape.border(axis) != Border::apart && shape[axis] > 1;
}
}  // namespace

Bordered::Bordered(const Shape& shape) : shape_(shape), strides_(shape.size()) {
  std::uint64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides_[axis] = stride;
    stride *= shape[axis] + (has_neighbours(shape, axis) ? 2 : 0);
  }
  size_ = stride;
  offsets_ = {0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!has_neighbours(shape, axis)) continue;
    has_circles_ = has_circles_ || shape.border(axis) == Border::circle;
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : offsets_) {
      for (const std::int64_t step : {-1, 0, 1}) {
        next.push_back(offset + step * static_cast<std::int64_t>(strides_[axis]));
      }
    }
    offsets_ = std::move(next);
  }
  std::erase(offsets_, 0);
  places_.reserve(cell_count(shape));
  std::vector<std::uint64_t> at(shape.size(), 0);
  for (std::uint64_t cell = 0; cell < cell_count(shape); ++cell) {
    std::uint64_t place = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      place += (at[axis] + (has_neighbours(shape, axis) ? 1 : 0)) * strides_[axis];
    }
    places_.push_back(static_cast<std::uint32_t>(place));
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

void Bordered::images(std::uint64_t cell, std::vector<std::uint64_t>& places) const {
  places.assign(1, places_[cell]);
  const std::vector<std::uint64_t> at = coordinates(cell, shape_);
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (shape_.border(axis) != Border::circle || !has_neighbours(shape_, axis)) continue;
    const std::uint64_t around = shape_[axis] * strides_[axis];
    for (std::size_t i = 0, count = places.size(); i < count; ++i) {
      if (at[axis] == 0) places.push_back(places[i] + around);
      if (at[axis] + 1 == shape_[axis]) places.push_back(places[i] - around);
    }
  }
}

namespace {

// Returns the cells by their values, descending; among equal values the lower index comes first. This is a radix sort
// from the last digit: each pass is stable, so it keeps the order of the digits behind.
std::vector<std::uint32_t> from_the_highest(const std::vector<double>& values) {
  constexpr unsigned bits = 11;
  struct Keyed {
    std::uint64_t key;
    std::uint32_t cell;
  };
  std::vector<Keyed> sorted(values.size()), other(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto word = __builtin_bit_cast(std::uint64_t, values[i] + 0.0);  // -0 and 0 become one zero
    const std::uint64_t ascending = word >> 63U == 0 ? word | std::uint64_t{1} << 63U : ~word;
    sorted[i] = {~ascending, static_cast<std::uint32_t>(i)};
  }
  for (unsigned shift = 0; shift < 64; shift += bits) {
    std::array<std::uint32_t, (1U << bits) + 1> starts{};
    const auto digit = [shift](const Keyed& keyed) { return keyed.key >> shift & ((1U << bits) - 1); };
    for (const Keyed& keyed : sorted) ++starts[digit(keyed) + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (const Keyed& keyed : sorted) other[starts[digit(keyed)]++] = keyed;
    sorted.swap(other);
  }
  std::vector<std::uint32_t> order;
  order.reserve(sorted.size());
  for (const Keyed& keyed : sorted) order.push_back(keyed.cell);
  return order;
}

}  // namespace

Basins basins_of(const Bordered& box, const std::vector<double>& values) {
  const auto cells = static_cast<std::uint32_t>(values.size());
  const std::vector<std::uint32_t> order = from_the_highest(values);
  Basins result;
  result.of_cell.resize(cells);
  struct Seen {
    std::uint32_t rank = no_basin, basin = no_basin;
  };
  std::vector<Seen> at(box.size());
  std::vector<std::uint32_t> parents, near;
  std::vector<std::uint64_t> images;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> met;  // two basins, and when they met
  for (std::uint32_t step = 0; step < cells; ++step) {
    const std::uint32_t cell = order[step];
    const std::uint64_t place = box.place(cell);
    std::uint32_t highest = no_basin, own = no_basin;
    near.clear();
    for (const std::int64_t offset : box.offsets()) {
      const auto next = static_cast<std::uint64_t>(static_cast<std::int64_t>(place) + offset);
      const auto [rank, basin] = at[next];
      if (basin == no_basin) continue;
      if (rank < highest) {
        highest = rank;
        own = basin;
      }
      if (std::find(near.begin(), near.end(), basin) == near.end()) near.push_back(basin);
    }
    if (own == no_basin) {
      own = static_cast<std::uint32_t>(result.basins.size());
      result.basins.push_back({.peak = cell});
      parents.push_back(own);
    }
    at[place] = {step, own};
    result.of_cell[cell] = own;
    if (box.has_circles()) {
      box.images(cell, images);
      for (const std::uint64_t image : images) at[image] = {step, own};
    }
    for (const std::uint32_t basin : near) {
      if (basin == own) continue;
      const std::uint64_t pair = (std::uint64_t{std::min(own, basin)} << 32U) | std::max(own, basin);
      met.emplace_back(pair, static_cast<std::uint32_t>(met.size()));
      const std::uint32_t a = root_of(parents, own), b = root_of(parents, basin);
      if (a == b) continue;
      const auto [higher, lower] = std::minmax(a, b);
      parents[lower] = higher;
      result.basins[lower].parent = higher;
      result.basins[lower].saddle = cell;
    }
  }
  // Keeps the first meeting of each pair, in the order in which they met.
  std::sort(met.begin(), met.end());
  const auto again = [](const auto& a, const auto& b) { return a.first == b.first; };
  met.erase(std::unique(met.begin(), met.end(), again), met.end());
  std::sort(met.begin(), met.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [pair, when] : met) {
    result.meetings.push_back(
        {static_cast<std::uint32_t>(pair >> 32U), static_cast<std::uint32_t>(pair & 0xffffffffU)});
  }
  return result;
}

}  // namespace shoal
