// Outlines of cells in the plane. Every side of a cell that has no cell of the cluster beyond it is an edge, directed
// so that the cell lies on its left; edges are chained into rings.
//
//   Where two cells meet at a corner only,  # .   four edges meet: a ring turns left, staying with its own cell.
//                                           . #   Pieces that hang together by corners come apart that way.
//   A piece can still touch itself at a corner (a ring of cells closed by a corner). There the loop between the two
//   visits is cut out: a ring of its own, a hole of the piece.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

enum Direction : std::uint8_t { east, north, west, south };  // counter-clockwise: the next is a left turn

struct Corner {
  std::uint64_t x, y;  // in cells, 0..extent
};

struct Edge {
  std::uint64_t start;  // corner: x * (extent of y + 1) + y
  Direction direction;
  std::uint32_t piece;
  bool walked = false;
};

using Loop = std::vector<std::uint64_t>;  // corners, the first not repeated

class Tracer {
 public:
  // piece: the face-connected pieces of one cluster.
  Tracer(const Shape& shape, const Clusters& pieces) : width_(shape[1]), span_(shape[1] + 1) {
    const auto& cells = pieces.cells();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::uint64_t x = cells[i] / width_;
      const std::uint64_t y = cells[i] % width_;
      const std::uint32_t piece = pieces.labels()[i];
      const std::uint64_t corner = x * span_ + y;
      const auto open = [&](bool border, std::uint64_t neighbour) { return border || pieces.label(neighbour) == 0; };
      if (open(y == 0, cells[i] - 1)) edges_.push_back({corner, east, piece});
      if (open(x + 1 == shape[0], cells[i] + width_)) edges_.push_back({corner + span_, north, piece});
      if (open(y + 1 == width_, cells[i] + 1)) edges_.push_back({corner + span_ + 1, west, piece});
      if (open(x == 0, cells[i] - width_)) edges_.push_back({corner + 1, south, piece});
    }
    std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
      return a.start != b.start ? a.start < b.start : a.direction < b.direction;
    });
  }

  // Calls found(piece, loop) for every simple loop.
  template <class Found>
  void trace(Found found) {
    for (Edge& edge : edges_) {
      if (!edge.walked) walk(edge, found);
    }
  }

  [[nodiscard]] Corner corner(std::uint64_t key) const { return {key / span_, key % span_}; }

  // Twice the signed area in cells: positive when counter-clockwise.
  [[nodiscard]] std::int64_t area2(const Loop& loop) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Corner a = corner(loop[i]);
      const Corner b = corner(loop[(i + 1) % loop.size()]);
      sum += static_cast<std::int64_t>(a.x * b.y) - static_cast<std::int64_t>(b.x * a.y);
    }
    return sum;
  }

 private:
  [[nodiscard]] std::uint64_t end_of(const Edge& edge) const {
    switch (edge.direction) {
      case east:
        return edge.start + span_;
      case north:
        return edge.start + 1;
      case west:
        return edge.start - span_;
      default:
        return edge.start - 1;
    }
  }

  // The edge that continues this one: of two, the left turn.
  Edge& next(const Edge& edge) {
    const std::uint64_t corner = end_of(edge);
    const auto first = std::lower_bound(edges_.begin(), edges_.end(), corner,
                                        [](const Edge& e, std::uint64_t start) { return e.start < start; });
    const auto second = first + 1;
    const auto left = static_cast<Direction>((edge.direction + 1) % 4);
    if (second != edges_.end() && second->start == corner && second->direction == left) return *second;
    return *first;
  }

  template <class Found>
  void walk(Edge& from, Found found) {
    Loop path;
    std::unordered_map<std::uint64_t, std::size_t> place;  // of each corner on the path
    for (Edge* edge = &from; !edge->walked; edge = &next(*edge)) {
      edge->walked = true;
      cut_at(edge->start, path, place, from.piece, found);
      place[edge->start] = path.size();
      path.push_back(edge->start);
    }
    found(from.piece, path);
  }

  // When the path has been at this corner before, what it did since is a loop of its own.
  template <class Found>
  static void cut_at(std::uint64_t corner, Loop& path, std::unordered_map<std::uint64_t, std::size_t>& place,
                     std::uint32_t piece, Found found) {
    const auto seen = place.find(corner);
    if (seen == place.end()) return;
    const auto begin = path.begin() + static_cast<std::ptrdiff_t>(seen->second);
    const Loop loop(begin, path.end());
    for (const std::uint64_t passed : loop) place.erase(passed);
    path.erase(begin, path.end());
    found(piece, loop);
  }

  std::uint64_t width_, span_;
  std::vector<Edge> edges_;
};

// In the axes' units, without the corners that lie on a straight line.
Ring ring_of(const Tracer& tracer, const Loop& loop, const ClusterMap& map) {
  const auto position = [&](std::size_t axis, std::uint64_t at) {
    return at == 0 ? map.grid().axis(axis).lo() : map.cell_bounds(axis, at - 1).second;
  };
  Ring ring;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Corner before = tracer.corner(loop[(i + loop.size() - 1) % loop.size()]);
    const Corner here = tracer.corner(loop[i]);
    const Corner after = tracer.corner(loop[(i + 1) % loop.size()]);
    if ((before.x == here.x) != (here.x == after.x)) ring.points.emplace_back(position(0, here.x), position(1, here.y));
  }
  ring.points.push_back(ring.points.front());
  return ring;
}

std::vector<Polygon> outline_of_cells(const ClusterMap& map, const std::vector<std::uint64_t>& cells) {
  const Shape& shape = map.clusters().shape();
  const Clusters pieces = connect(shape, cells, Adjacency::face);
  std::vector<Polygon> polygons(pieces.count());
  Tracer tracer(shape, pieces);
  tracer.trace([&](std::uint32_t piece, const Loop& loop) {
    Polygon& polygon = polygons[piece - 1];
    if (tracer.area2(loop) > 0) {
      polygon.exterior = ring_of(tracer, loop, map);
    } else {
      polygon.holes.push_back(ring_of(tracer, loop, map));
    }
  });
  return polygons;
}

void require_plane(const ClusterMap& map) {
  if (map.grid().dimensions() != 2) {
    throw InputError(fmt::format("outlines are drawn in two dimensions and this grid has {}", map.grid().dimensions()));
  }
}

}  // namespace

std::vector<Polygon> outline(const ClusterMap& map, std::uint32_t cluster) {
  require_plane(map);
  const Clusters& clusters = map.clusters();
  if (cluster == 0 || cluster > clusters.count()) {
    throw InputError(fmt::format("there is no cluster {}; they are numbered 1 to {}", cluster, clusters.count()));
  }
  std::vector<std::uint64_t> cells;
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    if (clusters.labels()[i] == cluster) cells.push_back(clusters.cells()[i]);
  }
  return outline_of_cells(map, cells);
}

std::vector<std::vector<Polygon>> outlines(const ClusterMap& map) {
  require_plane(map);
  const Clusters& clusters = map.clusters();
  std::vector<std::vector<std::uint64_t>> cells(clusters.count());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i].reserve(clusters.sizes()[i]);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    cells[clusters.labels()[i] - 1].push_back(clusters.cells()[i]);
  }
  std::vector<std::vector<Polygon>> result;
  result.reserve(cells.size());
  for (const auto& own : cells) result.push_back(outline_of_cells(map, own));
  return result;
}

}  // namespace shoal
