// Publishers. Each spends epsilon once and returns a public synopsis: boxes that tile the public bounds, each with a
// noisy count. Any number of synthetic points can be drawn from it. The methods and their budgets: docs/publishing.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "grid/point_table.hpp"
#include "privacy/mechanisms.hpp"
#include "shoal/grid.hpp"
#include "shoal/noised.hpp"
#include "shoal/points.hpp"
#include "shoal/privacy.hpp"
#include "shoal/synthesis.hpp"

namespace shoal {

// Boxes that share no volume, each with an estimated number of records. Counts may be fractions and may be negative.
// The bounds of boxes are positions (Axis::position): on a logarithmic axis, boxes are cut and filled by ratio.
class Synopsis {
 public:
  explicit Synopsis(std::size_t dimensions) : dimensions_(dimensions) {}

  // bounds: lo and hi of axis 0, lo and hi of axis 1, ...
  void add(std::span<const double> bounds, double count);

  [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] std::size_t boxes() const noexcept { return counts_.size(); }
  [[nodiscard]] std::span<const double> bounds(std::size_t box) const noexcept {
    return std::span(bounds_).subspan(box * 2 * dimensions_, 2 * dimensions_);
  }
  [[nodiscard]] double count(std::size_t box) const noexcept { return counts_[box]; }

 private:
  std::size_t dimensions_;
  std::vector<double> bounds_;
  std::vector<double> counts_;
};

// Returns the grid on the scales of its axes: plain axes of positions, with the same numbers of cells.
Grid in_positions(const Grid& grid);

// Publishes the points and spends all of epsilon. Throws if no publisher has this name. All publishers use the bounds
// of the grid; only privelet uses its cells. Points outside the bounds are ignored. If a unit is a user, the points
// must already be limited to its max_contributions, or must have their parts of its weight.
Noised<Synopsis> publish(const std::string& name, const PointTable& points, const Grid& grid, Epsilon epsilon,
                         Mechanisms& mechanisms);

// Returns what publish would charge, computed from public parameters only.
std::vector<Spent> planned_publication(const std::string& name, const Grid& grid, Epsilon epsilon,
                                       const PrivacyUnit& unit);

// Drawing is post-processing. A box with a positive count c makes floor(c) points, and one more with probability
// c - floor(c); other boxes make none. Points are uniform inside their box.

// Passes the points to `visit` in blocks, box by box, as positions. Memory does not grow with their number. If there
// would be more than `most` points, all counts are first multiplied by the same share below 1, so that at most `most`
// are drawn. Returns the share.
double draw_points(Noise& noise, const Noised<Synopsis>& synopsis, const std::function<void(const PointBlock&)>& visit,
                   std::uint64_t most = most_synthetic_points);
// Returns all of them in memory.
PointTable synthetic_points(Noise& noise, const Noised<Synopsis>& synopsis);

// Returns how many synthetic points fall in each cell of the grid, without creating the points. The distribution is
// that of quantizing the result of synthetic_points. Above 2^24 points, where the spread of drawing is small beside the
// counts, a dense grid gets the expected share of each cell, rounded down, and only the rest is drawn; on a sparse
// grid, each drawn point stands for several. Totals above 2^62 are scaled down to 2^62.
Cells<std::int64_t> draw_counts(Noise& noise, const Grid& grid, const Noised<Synopsis>& synopsis);

}  // namespace shoal
