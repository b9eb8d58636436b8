#include <algorithm>
#include <cmath>

#include "publishing/publisher.hpp"

namespace shoal {

namespace {
constexpr std::uint64_t drawn_one_by_one = std::uint64_t{1} << 24;
constexpr double most_counted = 0x1p62;
constexpr std::size_t block_rows = 4096;

// Returns the maximum number of points that the synopsis can produce.
double most_points(const Synopsis& synopsis) {
  double total = 0;
  for (std::size_t box = 0; box < synopsis.boxes(); ++box) total += std::ceil(std::max(synopsis.count(box), 0.0));
  return total;
}

// Returns floor(count), or one more with probability count - floor(count).
std::uint64_t round_at_random(double count, Noise& noise) {
  if (!(count > 0)) return 0;
  const double whole = std::floor(count);
  const auto threshold = static_cast<std::uint64_t>((count - whole) * 0x1p32);
  const bool one_more = threshold > 0 && noise.below(std::uint64_t{1} << 32) < threshold;
  return static_cast<std::uint64_t>(whole) + (one_more ? 1 : 0);
}

double uniform(double lo, double hi, Noise& noise) {
  const double x = lo + (hi - lo) * (static_cast<double>(noise.below(std::uint64_t{1} << 53)) * 0x1p-53);
  return std::min(x, hi);
}

// Sums of counts by cell: an array if the grid is dense, else a list that is sorted and merged as it grows.
class Tally {
 public:
  explicit Tally(const Grid& grid) : shape_(grid.shape()), dense_(grid.cell_count() <= dense_limit) {
    if (dense_) values_.assign(grid.cell_count(), 0);
  }

  [[nodiscard]] bool is_dense() const noexcept { return dense_; }

  void add(std::uint64_t cell, std::uint64_t points) {
    if (dense_) {
      values_[cell] += static_cast<std::int64_t>(points);
      return;
    }
    entries_.emplace_back(cell, points);
    if (entries_.size() >= limit_) {
      merge();
      limit_ = std::max<std::size_t>(std::size_t{1} << 20, 2 * entries_.size());
    }
  }

  Cells<std::int64_t> take() {
    if (dense_) return Cells<std::int64_t>::dense(shape_, values_);
    merge();
    std::vector<std::uint64_t> index;
    for (const auto& [cell, points] : entries_) {
      index.push_back(cell);
      values_.push_back(static_cast<std::int64_t>(points));
    }
    return Cells<std::int64_t>::sparse(shape_, std::move(index), values_);
  }

 private:
  void merge() {
    std::sort(entries_.begin(), entries_.end());
    std::size_t kept = 0;
    for (const auto& entry : entries_) {
      if (kept > 0 && entries_[kept - 1].first == entry.first) {
        entries_[kept - 1].second += entry.second;
      } else {
        entries_[kept++] = entry;
      }
    }
    entries_.resize(kept);
  }

  Shape shape_;
  bool dense_;
  std::vector<std::int64_t> values_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries_;
  std::size_t limit_ = std::size_t{1} << 20;
};

// The cells of an axis that a box [lo, hi) overlaps.
struct Span {
  std::uint64_t first, last;
};

Span reach(const Axis& axis, double lo, double hi) {
  return {static_cast<std::uint64_t>(axis.cell(lo)), static_cast<std::uint64_t>(axis.cell(std::nextafter(hi, lo)))};
}

// One box of a synopsis, laid over the grid.
class BoxOnGrid {
 public:
  BoxOnGrid(const Grid& grid, std::span<const double> bounds) : grid_(grid), bounds_(bounds) {
    for (std::size_t a = 0; a < grid.dimensions(); ++a) {
      spans_.push_back(reach(grid.axis(a), bounds[2 * a], bounds[2 * a + 1]));
    }
  }

  // Draws the cells of the points. Only the axes along which the box overlaps several cells need a draw. Each point
  // counts `weight` times.
  void draw(std::uint64_t points, std::uint64_t weight, Noise& noise, Tally& tally) const {
    const bool one_cell =
        std::all_of(spans_.begin(), spans_.end(), [](const Span& span) { return span.first == span.last; });
    if (one_cell && points > 0) {
      tally.add(cell(noise), points * weight);
      return;
    }
    for (std::uint64_t i = 0; i < points; ++i) tally.add(cell(noise), weight);
  }

  // Gives every cell its expected share of the points, rounded down. Returns how many points are left.
  std::uint64_t spread(std::uint64_t points, Tally& tally) const {
    Shape shape;
    for (const Span& span : spans_) shape.push_back(span.last - span.first + 1);
    std::uint64_t left = points;
    for (std::uint64_t i = 0; i < cell_count(shape); ++i) {
      const std::vector<std::uint64_t> at = coordinates(i, shape);
      double share = static_cast<double>(points);
      std::uint64_t index = 0;
      for (std::size_t a = 0; a < at.size(); ++a) {
        const std::uint64_t coordinate = spans_[a].first + at[a];
        share *= fraction(a, coordinate);
        index = index * grid_.axis(a).cells() + coordinate;
      }
      const std::uint64_t given = std::min(left, static_cast<std::uint64_t>(share));
      tally.add(index, given);
      left -= given;
    }
    return left;
  }

 private:
  std::uint64_t cell(Noise& noise) const {
    std::uint64_t index = 0;
    for (std::size_t a = 0; a < spans_.size(); ++a) {
      const Axis& axis = grid_.axis(a);
      const std::uint64_t at = spans_[a].first == spans_[a].last ? spans_[a].first : drawn(axis, a, noise);
      index = index * axis.cells() + at;
    }
    return index;
  }

  std::uint64_t drawn(const Axis& axis, std::size_t a, Noise& noise) const {
    return static_cast<std::uint64_t>(axis.cell(uniform(bounds_[2 * a], bounds_[2 * a + 1], noise)));
  }

  // Returns the fraction of the box that lies in a cell, along one axis.
  double fraction(std::size_t a, std::uint64_t coordinate) const {
    const double lo = std::max(bounds_[2 * a], grid_.axis(a).edge(coordinate));
    const double hi = std::min(bounds_[2 * a + 1], grid_.axis(a).edge(coordinate + 1));
    return std::max(hi - lo, 0.0) / (bounds_[2 * a + 1] - bounds_[2 * a]);
  }

  const Grid& grid_;
  std::span<const double> bounds_;
  std::vector<Span> spans_;
};
}  // namespace

double draw_points(Noise& noise, const Noised<Synopsis>& synopsis, const std::function<void(const PointBlock&)>& visit,
                   std::uint64_t most) {
  const Synopsis& boxes = synopsis.value();
  const double share = std::min(1.0, static_cast<double>(most) / most_points(boxes));
  std::uint64_t room = most;
  std::vector<std::vector<double>> columns(boxes.dimensions());
  const auto flush = [&] {
    PointBlock block;
    for (const std::vector<double>& column : columns) block.columns.emplace_back(column);
    if (block.rows() > 0) visit(block);
    for (std::vector<double>& column : columns) column.clear();
  };
  for (std::size_t box = 0; box < boxes.boxes(); ++box) {
    const std::span<const double> bounds = boxes.bounds(box);
    const std::uint64_t points = std::min(room, round_at_random(share * boxes.count(box), noise));
    room -= points;
    for (std::uint64_t left = points; left > 0; --left) {
      for (std::size_t a = 0; a < columns.size(); ++a) {
        columns[a].push_back(uniform(bounds[2 * a], bounds[2 * a + 1], noise));
      }
      if (columns.front().size() == block_rows) flush();
    }
  }
  flush();
  return share;
}

PointTable synthetic_points(Noise& noise, const Noised<Synopsis>& synopsis) {
  PointTable table;
  table.columns.resize(synopsis.value().dimensions());
  draw_points(noise, synopsis, [&](const PointBlock& block) {
    for (std::size_t a = 0; a < table.columns.size(); ++a) {
      table.columns[a].insert(table.columns[a].end(), block.columns[a].begin(), block.columns[a].end());
    }
  });
  return table;
}

Cells<std::int64_t> draw_counts(Noise& noise, const Grid& grid, const Noised<Synopsis>& synopsis) {
  const Synopsis& boxes = synopsis.value();
  const double total = most_points(boxes);
  const double share = std::min(1.0, most_counted / total);
  const bool many = total > static_cast<double>(drawn_one_by_one);
  Tally tally(grid);
  const Grid flat = in_positions(grid);
  const bool spread = many && tally.is_dense();
  const double weight = many && !spread ? std::ceil(share * total / static_cast<double>(drawn_one_by_one)) : 1;
  for (std::size_t box = 0; box < boxes.boxes(); ++box) {
    const std::uint64_t points = round_at_random(share * boxes.count(box) / weight, noise);
    if (points == 0) continue;
    const BoxOnGrid place(flat, boxes.bounds(box));
    place.draw(spread ? place.spread(points, tally) : points, static_cast<std::uint64_t>(weight), noise, tally);
  }
  return tally.take();
}

}  // namespace shoal
