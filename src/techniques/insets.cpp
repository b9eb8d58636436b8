#include "techniques/insets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "base/counted_axis.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "techniques/automatic.hpp"
#include "techniques/plans.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t tiles_a_side = 8;  // of the smallest inset; insets are moved by a quarter of their side
constexpr std::uint64_t least_blocks = 2;  // of the overview along a side of an inset: else its place is a guess
constexpr double least_gain = 2;           // minimum refinement of the cells, along each axis on average
// Minimum number of doublings of the resolution, per axis, that all insets give the average record of the plane. Chosen
// on planes with cities, towns alone, and sets of one scale (docs/insets.md).
constexpr double least_doublings_of_all = 0.75;
constexpr std::uint64_t overview_tenths = 2;  // of epsilon

// How many times shorter than the plane the smallest inset is. Overviews of three axes are too coarse for smaller ones.
std::uint64_t most_zoom(const Grid& bounds) {
  const auto divided = std::count_if(bounds.axes().begin(), bounds.axes().end(),
                                     [](const Axis& axis) { return !is_counted(axis.kind()); });
  return divided < 3 ? 64 : 16;
}

// Axes of whole numbers, dates and categories stay whole: one tile.
Shape tiles_of(const Grid& bounds) {
  Shape shape;
  for (const Axis& axis : bounds.axes()) {
    shape.push_back(is_counted(axis.kind()) ? 1 : tiles_a_side * most_zoom(bounds));
  }
  return shape;
}

// ---- the choice: noised and public values alone

// The records of each tile, as the blocks of the overview have them, those of a block spread evenly.
std::vector<double> tile_records(const Cells<std::int64_t>& blocks, const Shape& shape) {
  std::vector<double> result(cell_count(shape));
  const std::vector<std::uint64_t> stride = strides(shape);
  struct Overlap {
    std::uint64_t tile;
    double share;
  };
  std::vector<std::vector<std::vector<Overlap>>> overlaps(shape.size());  // an axis, a block
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::uint64_t count = blocks.shape()[axis];
    const auto width = static_cast<double>(shape[axis]) / static_cast<double>(count);
    for (std::uint64_t block = 0; block < count; ++block) {
      const double first = static_cast<double>(block) * width, last = first + width;
      std::vector<Overlap>& here = overlaps[axis].emplace_back();
      for (auto tile = static_cast<std::uint64_t>(first); tile < shape[axis]; ++tile) {
        const auto begin = static_cast<double>(tile);
        if (begin >= last) break;
        here.push_back({tile * stride[axis], (std::min(last, begin + 1) - std::max(first, begin)) / width});
      }
    }
  }
  for (std::size_t i = 0; i < blocks.stored(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(blocks.index_of(i), blocks.shape());
    std::vector<Overlap> all = {{0, static_cast<double>(blocks.values()[i])}};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<Overlap> next;
      for (const Overlap& so_far : all) {
        for (const Overlap& overlap : overlaps[axis][at[axis]])
          next.push_back({so_far.tile + overlap.tile, so_far.share * overlap.share});
      }
      all = std::move(next);
    }
    for (const Overlap& overlap : all) result[overlap.tile] += overlap.share;
  }
  return result;
}

// Sums over boxes of tiles.
class TileSums {
 public:
  TileSums(std::vector<double> records, Shape shape)
      : sums_(std::move(records)), shape_(std::move(shape)), stride_(strides(shape_)) {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      for (std::uint64_t i = 0; i < sums_.size(); ++i) {
        if (i / stride_[axis] % shape_[axis] > 0) sums_[i] += sums_[i - stride_[axis]];
      }
    }
  }
  [[nodiscard]] double sum_in(const InsetPlace& place) const {
    double sum = 0;
    for (std::uint64_t corner = 0; corner < std::uint64_t{1} << shape_.size(); ++corner) {
      std::uint64_t index = 0;
      bool empty = false, negative = false;
      for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
        const bool lower = (corner >> axis & 1) != 0;
        const std::uint64_t end = lower ? place[axis].first : place[axis].second;
        empty = empty || end == 0;
        negative = negative != lower;
        if (end > 0) index += (end - 1) * stride_[axis];
      }
      if (!empty) sum += negative ? -sums_[index] : sums_[index];
    }
    return sum;
  }

 private:
  std::vector<double> sums_;
  Shape shape_;
  std::vector<std::uint64_t> stride_;
};

bool overlap(const InsetPlace& a, const InsetPlace& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis].second <= b[axis].first || b[axis].second <= a[axis].first) return false;
  }
  return true;
}

// All places of this many tiles along the axes that insets divide.
template <class Visit>
void each_place(const Shape& shape, std::uint64_t side, Visit visit) {
  InsetPlace place;
  for (const std::uint64_t tiles : shape) place.emplace_back(0, tiles == 1 ? 1 : side);
  for (;;) {
    visit(std::as_const(place));
    std::size_t axis = 0;
    for (; axis < shape.size(); ++axis) {
      if (place[axis].second < shape[axis]) {
        place[axis].first += side / 4;
        place[axis].second += side / 4;
        break;
      }
      place[axis] = {0, place[axis].second - place[axis].first};
    }
    if (axis == shape.size()) return;
  }
}

// Without an eighth at every side.
InsetPlace inner(InsetPlace place, const Shape& shape) {
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    if (shape[axis] == 1) continue;
    const std::uint64_t rim = (place[axis].second - place[axis].first) / 8;
    place[axis].first += rim;
    place[axis].second -= rim;
  }
  return place;
}

struct Candidate {
  InsetPlace place;
  double merit;
};

// Returns the blocks that the rule of --auto gives this many records in a place.
Shape shape_in(const Grid& finest, double records, const Epsilon& insets, const PrivacyUnit& unit,
               const std::vector<RoundedValues>& rounded) {
  return wide_enough(finest, automatic_shape(finest, std::llround(records), insets, counts_sensitivity(unit)), rounded);
}

// The doublings of the resolution that this many records bear in a place, over all axes, beside `plane`: the cells that
// the whole plane would have for the same budget. None: fewer than one an axis, or too few records to bear more than
// the coarsest grid, which noise alone gets.
std::optional<double> doublings_in(const InsetPlace& place, double records, const Shape& plane, const Grid& bounds,
                                   const Epsilon& insets, const PrivacyUnit& unit,
                                   const std::vector<RoundedValues>& rounded) {
  const Shape tiles = tiles_of(bounds);
  double needed = 1;  // blocks, of a record each at least
  std::vector<double> parts;
  for (std::size_t axis = 0; axis < tiles.size(); ++axis) {
    parts.push_back(static_cast<double>(place[axis].second - place[axis].first) / static_cast<double>(tiles[axis]));
    if (tiles[axis] > 1) needed *= parts.back() * static_cast<double>(plane[axis]);
  }
  if (records < std::max(1.0, needed)) return std::nullopt;
  const Shape cells = shape_in(grid_of_place(bounds, place), records, insets, unit, rounded);
  const std::uint64_t coarsest = automatic_grids(std::max<std::size_t>(1, bounds.shape().pooled_axes())).front();
  double doublings = 0, axes = 0;
  bool borne = false;
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    if (tiles[axis] == 1) continue;
    doublings += std::log2(static_cast<double>(cells[axis]) / parts[axis] / static_cast<double>(plane[axis]));
    borne = borne || cells[axis] > coarsest;
    ++axes;
  }
  if (!borne || doublings < axes * std::log2(least_gain)) return std::nullopt;
  return doublings;
}

}  // namespace

Grid grid_of_place(const Grid& bounds, const InsetPlace& place) {
  const Shape tiles = tiles_of(bounds);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const Axis& whole = bounds.axis(i);
    const auto [first, last] = place[i];
    if (last - first == tiles[i]) {
      axes.push_back(whole);
      continue;
    }
    const Axis cut(whole.lo(), whole.hi(), tiles[i], whole.name(), whole.kind());
    AxisKind kind = whole.kind();
    kind.border = Border::open;
    axes.emplace_back(cut.edge(first), cut.edge(last), whole.cells(), whole.name(), std::move(kind));
  }
  return Grid(std::move(axes));
}

std::vector<InsetPlace> inset_places(const NoisyCounts& overview, const Grid& bounds, const Epsilon& insets,
                                     const PrivacyUnit& unit, const Noised<std::vector<RoundedValues>>& rounded) {
  const Shape shape = tiles_of(bounds);
  const TileSums records(tile_records(overview.value(), shape), shape);
  InsetPlace whole;
  for (const std::uint64_t tiles : shape) whole.emplace_back(0, tiles);
  const double all = records.sum_in(whole);
  const Shape plane = shape_in(bounds, all, insets, unit, rounded.value());
  std::vector<Candidate> candidates;
  const std::uint64_t whole_side = tiles_a_side * most_zoom(bounds);
  for (std::uint64_t side = whole_side / 2; side >= tiles_a_side; side /= 2) {
    bool known = true;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      known = known && (shape[axis] == 1 || overview.value().shape()[axis] * side >= least_blocks * whole_side);
    }
    if (!known) break;
    each_place(shape, side, [&](const InsetPlace& place) {
      const auto doublings = doublings_in(place, records.sum_in(place), plane, bounds, insets, unit, rounded.value());
      // Records near the frame may belong to a cluster that it cuts.
      if (doublings) candidates.push_back({place, *doublings * records.sum_in(inner(place, shape))});
    });
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.merit > b.merit; });
  std::vector<InsetPlace> places;
  double gained = 0;  // doublings of all records
  for (const Candidate& candidate : candidates) {
    if (places.size() == most_insets) break;
    const bool free = std::none_of(places.begin(), places.end(),
                                   [&](const InsetPlace& taken) { return overlap(taken, candidate.place); });
    if (!free) continue;
    places.push_back(candidate.place);
    gained += candidate.merit;
  }
  const auto divided =
      static_cast<double>(std::count_if(shape.begin(), shape.end(), [](std::uint64_t tiles) { return tiles > 1; }));
  if (gained < divided * least_doublings_of_all * all) places.clear();
  if (places.empty()) places.push_back(std::move(whole));
  return places;
}

// ---- the raw side

namespace {

// Occupied cells of the finest grid of a place.
struct PlaceCell {
  std::uint64_t cell;
  std::int64_t count;
};

// Every cell of `fine` goes to one place at most: the first that holds it.
std::vector<std::vector<PlaceCell>> cells_of_places(const Cells<std::int64_t>& fine, const Grid& bounds,
                                                    const std::vector<InsetPlace>& places) {
  static_assert(most_insets <= 64);
  const Shape shape = tiles_of(bounds);
  // For each tile along an axis, a bit for each place that covers it there.
  std::vector<std::vector<std::uint64_t>> held(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    held[axis].resize(shape[axis]);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto [first, last] = places[i][axis];
      for (std::uint64_t tile = first; tile < last; ++tile) held[axis][tile] |= std::uint64_t{1} << i;
    }
  }
  std::vector<std::vector<PlaceCell>> result(places.size());
  const std::vector<std::uint64_t> from = strides(fine.shape()), to = strides(bounds.shape());
  std::vector<std::uint64_t> at(shape.size());
  for (std::size_t i = 0; i < fine.stored(); ++i) {
    if (fine.values()[i] == 0) continue;
    const std::uint64_t cell = fine.index_of(i);
    std::uint64_t holding = UINT64_MAX;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      at[axis] = cell / from[axis] % fine.shape()[axis];
      holding &= held[axis][at[axis] / (fine.shape()[axis] / shape[axis])];
    }
    if (holding == 0) continue;
    const auto place = static_cast<std::size_t>(std::countr_zero(holding));
    std::uint64_t target = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const auto [first, last] = places[place][axis];
      const std::uint64_t a_cell = shape[axis] == 1 ? 1 : (last - first) / tiles_a_side;
      target += (at[axis] - first * (fine.shape()[axis] / shape[axis])) / a_cell * to[axis];
    }
    result[place].push_back({target, fine.values()[i]});
  }
  return result;
}

Counts counts_of(const Grid& grid, const std::vector<PlaceCell>& cells) {
  Values<std::int64_t> values;
  values.resize(grid.cell_count());
  for (const PlaceCell& held : cells) values[held.cell] += held.count;
  return {grid, Cells<std::int64_t>::dense(grid.shape(), std::move(values)), 0, 0};
}

void check_most(std::uint64_t most) {
  if (most >= 1 && most <= most_insets) return;
  throw InputError(fmt::format("the number of insets is {}; choose 1 to {}", most, most_insets));
}

}  // namespace

InsetShares inset_shares(Epsilon epsilon) {
  const Epsilon overview = Epsilon::from_units(epsilon.units() / 10 * overview_tenths);
  if (overview.units() == 0) throw InputError(fmt::format("epsilon {} is too small for insets", epsilon.text()));
  return {overview, epsilon - overview};
}

Grid inset_grid(const Grid& bounds) {
  const Grid finest = finest_grid(bounds);
  constexpr std::size_t most_axes = 3;
  if (finest.dimensions() > most_axes) {
    throw InputError(fmt::format("insets need at most {} axes, not {}; remove insets", most_axes, finest.dimensions()));
  }
  std::vector<Axis> axes;
  bool divides = false;
  for (const Axis& axis : finest.axes()) {
    if (is_counted(axis.kind())) {
      axes.push_back(axis);
      continue;
    }
    divides = true;
    const std::uint64_t cells = axis.cells() * most_zoom(finest);
    axes.emplace_back(axis.lo(), axis.hi(), cells, axis.name(), axis.kind());
    // The edges of an inset are rounded: cells half as wide must be possible too, else its own axis could be refused.
    static_cast<void>(Axis(axis.lo(), axis.hi(), 2 * cells, axis.name(), axis.kind()));
  }
  if (divides) return Grid(std::move(axes));
  throw InputError("insets need an axis of numbers without a step; whole numbers, dates and categories have none");
}

std::vector<Release> released_places(const Counts& fine, const Grid& bounds, const std::vector<InsetPlace>& places,
                                     Epsilon epsilon, const PrivateOptions& options, Noise& noise,
                                     const std::vector<RoundedValues>& known) {
  std::vector<Release> releases;
  const std::vector<std::vector<PlaceCell>> cells = cells_of_places(fine.raw(), bounds, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Counts counts = counts_of(grid_of_place(bounds, places[i]), cells[i]);
    releases.push_back(automatic_release(counts, epsilon, options, noise, known, {}, AskedAxes::none));
  }
  return releases;
}

//   O       <- automatic release of all records                              with 2 tenths of epsilon
//   P_1...k <- disjoint places where O shows many records                    of noised values alone
//   R_i     <- automatic release of the records in P_i, for each i           with 8 tenths, as a record lies in one
ReleaseSet inset_release(const Counts& fine, const Grid& bounds, std::uint64_t most, Epsilon epsilon,
                         const PrivateOptions& options, Noise& noise) {
  check_most(most);
  const auto [for_overview, for_insets] = inset_shares(epsilon);
  const Grid finest = finest_grid(bounds);
  Release overview = automatic_release(coarsened(fine, finest), for_overview, options, noise, {}, {}, AskedAxes::none);
  const ReleaseParts& parts = overview.parts();
  const Noised<std::vector<RoundedValues>> rounded = parts.automatic->rounded;
  std::vector<InsetPlace> places =
      PostProcessing::of(&inset_places, *parts.values(), finest, for_insets, options.unit, rounded).take();
  places.resize(std::min<std::size_t>(places.size(), most));
  std::vector<Release> releases = released_places(fine, finest, places, for_insets, options, noise, rounded.value());
  releases.insert(releases.begin(), std::move(overview));
  return {Insets{places.size()}, std::move(releases)};
}

std::vector<Spent> planned_insets(const Grid& bounds, std::uint64_t most, Epsilon epsilon,
                                  const PrivateOptions& options) {
  check_most(most);
  static_cast<void>(inset_grid(bounds));
  const auto [for_overview, for_insets] = inset_shares(epsilon);
  const Grid finest = finest_grid(bounds);
  std::vector<Spent> plan;
  for (const auto& [name, share] : {std::pair("overview", for_overview), std::pair("insets", for_insets)}) {
    for (Spent& spent : planned_automatic(finest, share, options, AskedAxes::none)) {
      spent.mechanism = fmt::format("{}: {}", name, spent.mechanism);
      plan.push_back(std::move(spent));
    }
  }
  return plan;
}

}  // namespace shoal
