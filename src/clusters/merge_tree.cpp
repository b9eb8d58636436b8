#include "clusters/merge_tree.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

Bordered::Bordered(const Shape& shape) {
  std::vector<std::uint64_t> strides(shape.size());
  std::uint64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis] + 2;
  }
  size_ = stride;
  offsets_ = {0};
  for (const std::uint64_t along : strides) {
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : offsets_) {
      for (const std::int64_t step : {-1, 0, 1}) next.push_back(offset + step * static_cast<std::int64_t>(along));
    }
    offsets_ = std::move(next);
  }
  std::erase(offsets_, 0);
  places_.reserve(cell_count(shape));
  std::vector<std::uint64_t> at(shape.size(), 0);
  for (std::uint64_t cell = 0; cell < cell_count(shape); ++cell) {
    std::uint64_t place = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) place += (at[axis] + 1) * strides[axis];
    places_.push_back(static_cast<std::uint32_t>(place));
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t of) {
  while (parents[of] != of) of = parents[of] = parents[parents[of]];
  return of;
}

Basins basins_of(const Bordered& box, const std::vector<double>& values) {
  const auto cells = static_cast<std::uint32_t>(values.size());
  std::vector<std::uint32_t> order(cells);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&values](std::uint32_t a, std::uint32_t b) {
    return values[a] > values[b] || (values[a] == values[b] && a < b);
  });
  Basins result;
  result.of_cell.resize(cells);
  std::vector<std::uint32_t> at(box.size(), no_basin), rank(box.size(), no_basin), parents;
  std::vector<std::uint32_t> near;
  std::vector<std::uint64_t> met;  // pairs, to be looked up
  for (std::uint32_t step = 0; step < cells; ++step) {
    const std::uint32_t cell = order[step];
    const std::uint64_t place = box.place(cell);
    std::uint32_t highest = no_basin, own = no_basin;
    near.clear();
    for (const std::int64_t offset : box.offsets()) {
      const auto next = static_cast<std::uint64_t>(static_cast<std::int64_t>(place) + offset);
      const std::uint32_t basin = at[next];
      if (basin == no_basin) continue;
      if (rank[next] < highest) {
        highest = rank[next];
        own = basin;
      }
      if (std::find(near.begin(), near.end(), basin) == near.end()) near.push_back(basin);
    }
    rank[place] = step;
    if (own == no_basin) {
      own = static_cast<std::uint32_t>(result.basins.size());
      result.basins.push_back({.peak = cell});
      parents.push_back(own);
    }
    at[place] = result.of_cell[cell] = own;
    for (const std::uint32_t basin : near) {
      if (basin == own) continue;
      const std::uint64_t pair = (std::uint64_t{std::min(own, basin)} << 32U) | std::max(own, basin);
      met.push_back(pair);
      const std::uint32_t a = root_of(parents, own), b = root_of(parents, basin);
      if (a == b) continue;
      const auto [higher, lower] = std::minmax(a, b);
      parents[lower] = higher;
      result.basins[lower].parent = higher;
      result.basins[lower].saddle = cell;
    }
  }
  // The first of each pair, in the order in which they met.
  std::vector<std::uint32_t> by_pair(met.size());
  std::iota(by_pair.begin(), by_pair.end(), 0U);
  std::sort(by_pair.begin(), by_pair.end(),
            [&met](std::uint32_t a, std::uint32_t b) { return met[a] < met[b] || (met[a] == met[b] && a < b); });
  std::vector<std::uint32_t> firsts;
  for (std::size_t i = 0; i < by_pair.size(); ++i) {
    if (i == 0 || met[by_pair[i]] != met[by_pair[i - 1]]) firsts.push_back(by_pair[i]);
  }
  std::sort(firsts.begin(), firsts.end());
  for (const std::uint32_t i : firsts) {
    result.meetings.push_back(
        {static_cast<std::uint32_t>(met[i] >> 32U), static_cast<std::uint32_t>(met[i] & 0xffffffffU)});
  }
  return result;
}

}  // namespace shoal
