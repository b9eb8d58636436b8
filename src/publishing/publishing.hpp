// Publishers: each spends epsilon once and gives a public synopsis, boxes that tile the public bounds with a noisy
// count each, from which synthetic points can be drawn for ever. The methods and their budgets: docs/publishing.md.
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

// Boxes that share no volume, with an estimated number of records each. Counts may be fractions and may be negative.
// Their bounds are positions (Axis::position): on a logarithmic axis they are cut, and filled, by ratio.
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

// The grid on the scales of its axes: plain axes of positions, as many cells.
Grid in_positions(const Grid& grid);

// Spends all of epsilon. Refuses a name that is not listed. Of the grid, the bounds are used by all publishers and the
// cells by privelet alone. Points outside the bounds count nowhere. Where a unit is a user, the points must already be
// cut to its max_contributions, or have their parts of its weight.
Noised<Synopsis> publish(const std::string& name, const PointTable& points, const Grid& grid, Epsilon epsilon,
                         Mechanisms& mechanisms);

// What publish would charge, from public parameters alone.
std::vector<Spent> planned_publication(const std::string& name, const Grid& grid, Epsilon epsilon,
                                       const PrivacyUnit& unit);

// Drawing is post-processing. A box with a positive count c makes floor(c) points, and one more with probability
// c - floor(c); other boxes make none. Points are uniform inside their box.

// Hands the points over in blocks, box by box, as positions; memory does not grow with them. Where there would be more
// than `most`, counts are first multiplied by a share below 1, the same for all boxes: at most `most` are drawn.
// Returns the share.
double draw_points(Noise& noise, const Noised<Synopsis>& synopsis, const std::function<void(const PointBlock&)>& visit,
                   std::uint64_t most = most_synthetic_points);
// All of them in memory.
PointTable synthetic_points(Noise& noise, const Noised<Synopsis>& synopsis);

// How many synthetic points fall in each cell of the grid, without making the points: the same distribution as
// quantizing what synthetic_points draws. Past 2^24 points, where the spread of drawing is small beside the counts, a
// dense grid gets each cell's expected share rounded down and only the rest is drawn; on a sparse one each point drawn
// stands for several. More than 2^62 in all are as many.
Cells<std::int64_t> draw_counts(Noise& noise, const Grid& grid, const Noised<Synopsis>& synopsis);

}  // namespace shoal
