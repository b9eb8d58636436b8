// Outlines of cells in the plane. Every side of a cell that has no cell of the cluster beyond it is an edge, directed
// so that the cell lies on its left; edges are chained into rings.
//
//   Where two cells meet at a corner only,  # .   four edges meet: a ring turns left, staying with its own cell.
//                                           . #   Pieces that touch at corners only are separated.
//   A piece can still touch itself at a corner (a ring of cells closed by a corner). There the loop between the two
//   visits is cut out: a ring of its own, a hole of the piece.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "base/parallel.hpp"
#include "clusters/sets.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// The direction of an edge, and thereby the side of the cell along which it runs. Directions are in counter-clockwise
// order: the next one is a left turn.
enum Direction : std::uint8_t { east, north, west, south };  // along the sides at -y, +x, +y, -x
constexpr std::array all_directions = {east, north, west, south};

constexpr Direction left_of(Direction direction) { return static_cast<Direction>((direction + 1) % 4); }
constexpr Direction right_of(Direction direction) { return static_cast<Direction>((direction + 3) % 4); }

struct Corner {
  std::uint64_t x, y;  // in cells, 0..extent
  friend auto operator<=>(const Corner&, const Corner&) = default;
};

using Loop = std::vector<Corner>;  // the first corner is not repeated

// Returns twice the signed area in cells: positive if the loop is counter-clockwise.
std::int64_t area2(const Loop& loop) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Corner a = loop[i];
    const Corner b = loop[i + 1 == loop.size() ? 0 : i + 1];
    sum += static_cast<std::int64_t>(a.x * b.y) - static_cast<std::int64_t>(b.x * a.y);
  }
  return sum;
}

// The listed cells and their neighbours. A cell is identified by its place in the list.
class Neighbours {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  Neighbours(const Shape& shape, std::span<const std::uint64_t> cells, std::span<const std::uint32_t> labels)
      : width_(shape[1]), cells_(cells), labels_(labels), places_(cells.size()), joined_(cells.size()) {
    if (cells.size() >= none) throw InputError("more than 2^32 cells in clusters; raise the threshold");
    std::uint32_t above = 0;  // the first cell at or after the one above; both only move forward
    std::uint32_t below = 0;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      while (cells[above] + width_ < cells[i]) ++above;
      while (below < cells.size() && cells[below] < cells[i] + width_) ++below;
      const std::uint64_t x = cells[i] / width_, y = cells[i] % width_;
      places_[i] = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), above, below};
      const auto join = [&](Direction side, bool is_inside, std::uint32_t at, std::uint64_t index) {
        if (is_inside && found(i, at, index) != none) joined_[i] |= static_cast<std::uint8_t>(1U << side);
      };
      join(east, y > 0, i - 1, cells[i] - 1);
      join(north, true, below, cells[i] + width_);
      join(west, y + 1 < width_, i + 1, cells[i] + 1);
      join(south, x > 0, above, cells[i] - width_);
    }
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(places_.size()); }

  // Returns the cell of the same cluster on that side, or `none`.
  [[nodiscard]] std::uint32_t beyond(std::uint32_t cell, Direction side) const {
    if ((joined_[cell] >> side & 1) == 0) return none;
    switch (side) {
      case east:
        return cell - 1;
      case north:
        return places_[cell].below;
      case west:
        return cell + 1;
      default:
        return places_[cell].above;
    }
  }
  // Returns the sides beyond which lies a cell of the same cluster, one bit per side.
  [[nodiscard]] std::uint8_t joined(std::uint32_t cell) const { return joined_[cell]; }

  // Returns whether a cell of the same cluster touches this one only at the corner where the edge along `side` starts.
  // The sides that meet at this corner must be open.
  [[nodiscard]] bool touches_at_start(std::uint32_t cell, Direction side) const {
    const Place& place = places_[cell];
    const std::uint64_t index = cells_[cell];
    switch (side) {
      case east:
        return place.x > 0 && place.y > 0 && found(cell, place.above - 1, index - width_ - 1) != none;
      case north:
        return place.y > 0 && found(cell, place.below - 1, index + width_ - 1) != none;
      case west:
        return place.y + 1 < width_ && found(cell, place.below, index + width_ + 1) != none;
      default:
        return place.x > 0 && place.y + 1 < width_ && found(cell, place.above, index - width_ + 1) != none;
    }
  }

  // Returns the corner where the edge along `side` starts.
  [[nodiscard]] Corner start(std::uint32_t cell, Direction side) const {
    const Place& place = places_[cell];
    return {std::uint64_t{place.x} + (side == north || side == west ? 1 : 0),
            std::uint64_t{place.y} + (side == west || side == south ? 1 : 0)};
  }

 private:
  struct Place {
    std::uint32_t x, y;          // extents are at most 2^31
    std::uint32_t above, below;  // the first cells at or after the ones at x - 1 and x + 1
  };

  [[nodiscard]] std::uint32_t found(std::uint32_t cell, std::uint32_t at, std::uint64_t index) const {
    return at < cells_.size() && cells_[at] == index && labels_[at] == labels_[cell] ? at : none;
  }

  std::uint64_t width_;
  std::span<const std::uint64_t> cells_;
  std::span<const std::uint32_t> labels_;
  std::vector<Place> places_;
  std::vector<std::uint8_t> joined_;
};

struct Edge {
  std::uint32_t cell;
  Direction direction;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// Returns the next edge of the ring. It prefers a left turn among the edges that start where this one ends.
Edge next_of(Edge edge, const Neighbours& neighbours) {
  const Direction left = left_of(edge.direction);
  const std::uint32_t ahead = neighbours.beyond(edge.cell, left);
  if (ahead == Neighbours::none) return {edge.cell, left};
  const std::uint32_t right = neighbours.beyond(ahead, edge.direction);
  if (right == Neighbours::none) return {ahead, edge.direction};
  return {right, right_of(edge.direction)};
}

// Calls found(loop) for the simple loops of the ring that starts with this edge.
class LoopCutter {
 public:
  explicit LoopCutter(const Neighbours& neighbours) : neighbours_(neighbours) {}

  template <class Found>
  void cut(Edge from, Found found) {
    path_.clear();
    if (!place_.empty()) place_.clear();
    Edge edge = from;
    do {
      const Corner corner = neighbours_.start(edge.cell, edge.direction);
      if (may_return_to(edge)) visit(corner, found);
      path_.push_back(corner);
      edge = next_of(edge, neighbours_);
    } while (edge != from);
    found(path_);
  }

 private:
  // A ring can visit a corner twice only where four edges meet.
  [[nodiscard]] bool may_return_to(Edge edge) const {
    return neighbours_.beyond(edge.cell, right_of(edge.direction)) == Neighbours::none &&
           neighbours_.touches_at_start(edge.cell, edge.direction);
  }

  // If the path has visited this corner before, the part since then is a loop of its own.
  template <class Found>
  void visit(Corner corner, Found found) {
    const std::uint64_t key = corner.x << 32 | corner.y;  // extents are at most 2^31
    const auto seen = place_.find(key);
    if (seen != place_.end()) {
      const auto begin = path_.begin() + static_cast<std::ptrdiff_t>(seen->second);
      const Loop loop(begin, path_.end());
      for (const Corner passed : loop) place_.erase(passed.x << 32 | passed.y);
      path_.erase(begin, path_.end());
      found(loop);
    }
    place_[key] = path_.size();
  }

  const Neighbours& neighbours_;
  Loop path_;
  std::unordered_map<std::uint64_t, std::size_t> place_;  // position on the path of each corner where four edges meet
};

// Converts a loop to the units of the axes and drops the corners that lie on a straight line.
Ring ring_of(const Loop& loop, const ClusterMap& map) {
  // Consecutive corners share a coordinate, so the last position along each axis is reused.
  struct Known {
    std::uint64_t at = 0;
    double position;
  };
  std::array known = {Known{.position = map.grid().axis(0).lo()}, Known{.position = map.grid().axis(1).lo()}};
  const auto position = [&](std::size_t axis, std::uint64_t at) {
    if (known[axis].at != at) {
      known[axis] = {at, at == 0 ? map.grid().axis(axis).lo() : map.cell_bounds(axis, at - 1).second};
    }
    return known[axis].position;
  };
  Ring ring;
  ring.points.reserve(loop.size() + 1);
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Corner before = loop[i == 0 ? loop.size() - 1 : i - 1];
    const Corner here = loop[i];
    const Corner after = loop[i + 1 == loop.size() ? 0 : i + 1];
    if ((before.x == here.x) != (here.x == after.x)) ring.points.emplace_back(position(0, here.x), position(1, here.y));
  }
  ring.points.push_back(ring.points.front());
  return ring;
}

// Outlines all clusters. Cells that share a side form pieces. The polygons of a cluster are its pieces, the largest
// first.
class Outliner {
 public:
  // Memory that is reused from one cluster to the next, because most clusters are small.
  struct Scratch {
    explicit Scratch(const Outliner& outliner) : cutter(outliner.neighbours_) {}
    LoopCutter cutter;
    std::vector<std::uint32_t> pieces;
    std::vector<Edge> starts;
  };

  Outliner(const ClusterMap& map, std::span<const std::uint64_t> cells, std::span<const std::uint32_t> labels)
      : map_(map), neighbours_(map.clusters().shape(), cells, labels), rank_(cells.size()), walked_(cells.size()) {
    Sets sets(cells.size());
    for (std::uint32_t i = 0; i < neighbours_.count(); ++i) {
      for (const Direction side : {east, south}) {
        const std::uint32_t before = neighbours_.beyond(i, side);
        if (before != Neighbours::none) sets.unite(before, i);
      }
    }
    piece_ = std::move(sets).take();
    size_.resize(cells.size());
    for (std::uint32_t i = 0; i < neighbours_.count(); ++i) {
      piece_[i] = piece_[piece_[i]];  // a parent comes before its children
      ++size_[piece_[i]];
    }
  }

  // Returns the polygons of the cluster with these cells. May be called from several threads at once.
  std::vector<Polygon> polygons(std::span<const std::uint32_t> cells, Scratch& scratch) {
    number_pieces(cells, scratch.pieces);
    find_ring_starts(cells, scratch.starts);
    std::vector<Polygon> result(scratch.pieces.size());
    for (const Edge start : scratch.starts) {
      Polygon& polygon = result[rank_[piece_[start.cell]]];
      scratch.cutter.cut(start, [&](const Loop& loop) {
        if (area2(loop) > 0) {
          polygon.exterior = ring_of(loop, map_);
        } else {
          polygon.holes.push_back(ring_of(loop, map_));
        }
      });
    }
    return result;
  }

 private:
  void number_pieces(std::span<const std::uint32_t> cells, std::vector<std::uint32_t>& pieces) {
    pieces.clear();
    for (const std::uint32_t cell : cells) {
      if (piece_[cell] == cell) pieces.push_back(cell);
    }
    std::sort(pieces.begin(), pieces.end(),
              [&](auto a, auto b) { return size_[a] != size_[b] ? size_[a] > size_[b] : a < b; });
    for (std::uint32_t rank = 0; rank < pieces.size(); ++rank) rank_[pieces[rank]] = rank;
  }

  // Finds the lowest edge of every ring, in order.
  void find_ring_starts(std::span<const std::uint32_t> cells, std::vector<Edge>& starts) {
    starts.clear();
    for (const std::uint32_t cell : cells) {
      constexpr std::uint8_t all_sides = 15;
      if ((walked_[cell] | neighbours_.joined(cell)) == all_sides) continue;
      for (const Direction side : all_directions) {
        if (((walked_[cell] | neighbours_.joined(cell)) >> side & 1) == 0) {
          starts.push_back(walk({cell, side}));
        }
      }
    }
    std::sort(starts.begin(), starts.end(), [&](Edge a, Edge b) { return comes_before(a, b); });
  }

  Edge walk(Edge from) {
    Edge lowest = from;
    for (Edge edge = next_of(from, neighbours_);; edge = next_of(edge, neighbours_)) {
      walked_[edge.cell] |= static_cast<std::uint8_t>(1U << edge.direction);
      if (edge == from) return lowest;
      if (comes_before(edge, lowest)) lowest = edge;
    }
  }

  [[nodiscard]] bool comes_before(Edge a, Edge b) const {
    const Corner start_a = neighbours_.start(a.cell, a.direction);
    const Corner start_b = neighbours_.start(b.cell, b.direction);
    return start_a != start_b ? start_a < start_b : a.direction < b.direction;
  }

  const ClusterMap& map_;
  Neighbours neighbours_;
  Values<std::uint32_t> piece_;      // of each cell: the first cell of its piece
  std::vector<std::uint32_t> size_;  // of each piece, stored at its first cell; rank_ likewise
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint8_t> walked_;  // of each cell, one bit per side
};

void require_plane(const ClusterMap& map) {
  if (map.grid().dimensions() != 2) {
    throw InputError(
        fmt::format("outlines need a grid of 2 dimensions, and this grid has {}", map.grid().dimensions()));
  }
}

}  // namespace

std::vector<Polygon> outline(const ClusterMap& map, std::uint32_t cluster) {
  require_plane(map);
  const Clusters& clusters = map.clusters();
  if (cluster == 0 || cluster > clusters.count()) {
    throw InputError(fmt::format("there is no cluster {}; clusters are numbered 1 to {}", cluster, clusters.count()));
  }
  std::vector<std::uint64_t> cells;
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    if (clusters.labels()[i] == cluster) cells.push_back(clusters.cells()[i]);
  }
  const std::vector<std::uint32_t> labels(cells.size(), cluster);
  std::vector<std::uint32_t> all(cells.size());
  std::iota(all.begin(), all.end(), 0U);
  Outliner outliner(map, cells, labels);
  Outliner::Scratch scratch(outliner);
  return outliner.polygons(all, scratch);
}

std::vector<std::vector<Polygon>> outlines(const ClusterMap& map, unsigned threads) {
  require_plane(map);
  const Clusters& clusters = map.clusters();
  Outliner outliner(map, clusters.cells(), clusters.labels());

  std::vector<std::size_t> end(clusters.count());  // of each cluster's part of `cells`
  std::exclusive_scan(clusters.sizes().begin(), clusters.sizes().end(), end.begin(), std::size_t{0});
  std::vector<std::uint32_t> cells(clusters.cells().size());
  for (std::uint32_t i = 0; i < cells.size(); ++i) cells[end[clusters.labels()[i] - 1]++] = i;

  std::vector<std::vector<Polygon>> result(clusters.count());
  constexpr std::size_t part = 256;
  parallel_for((result.size() + part - 1) / part, threads, [&](std::uint64_t which) {
    Outliner::Scratch scratch(outliner);
    for (std::size_t i = which * part; i < std::min<std::uint64_t>(result.size(), (which + 1) * part); ++i) {
      const std::size_t size = clusters.sizes()[i];
      result[i] = outliner.polygons(std::span(cells).subspan(end[i] - size, size), scratch);
    }
  });
  return result;
}

}  // namespace shoal
