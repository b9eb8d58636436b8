#include "inference/privwave_select.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "clusters/neighbours.hpp"
#include "clusters/sets.hpp"
#include "inference/laplace_law.hpp"

namespace shoal {

namespace {

// docs/studies/decisions.md states what each constant is worth.
constexpr double most_join_doubt = 0.2;     // maximum probability that a cell which joins two clusters is false
constexpr std::uint32_t group_cells = 5;    // more cells than this are ties; as many are a cluster in its own right
constexpr double clip_factor = 2;           // neighbours count up to this multiple of the threshold in a score
constexpr double signal_share = 0.5;        // of the threshold: deviation of the values without noise
constexpr std::size_t most_gated_axes = 8;  // with more axes, a cell has too many neighbours to visit one by one

// ---- means of neighbours ------------------------------------------------------------------------------------------

// Sums over x - 1, x, x + 1 along one axis, in place.
void add_along(std::vector<double>& values, std::uint64_t extent, std::uint64_t inner) {
  std::vector<double> before(inner);
  for (std::size_t first = 0; first < values.size(); first += extent * inner) {
    std::fill(before.begin(), before.end(), 0.0);
    for (std::uint64_t x = 0; x < extent; ++x) {
      double* here = values.data() + first + x * inner;
      const bool has_after = x + 1 < extent;
      for (std::uint64_t i = 0; i < inner; ++i) {
        const double own = here[i];
        here[i] = before[i] + own + (has_after ? here[inner + i] : 0);
        before[i] = own;
      }
    }
  }
}

// Cells of the box along an axis that are x or next to it.
std::uint64_t near_along(std::uint64_t x, std::uint64_t extent) {
  return 1 + (x > 0 ? 1U : 0U) + (x + 1 < extent ? 1U : 0U);
}

// Advances to the next row of the box: the coordinates but the last axis'.
void next_row(std::vector<std::uint64_t>& at, const Shape& shape) {
  for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
    if (++at[axis] < shape[axis]) return;
    at[axis] = 0;
  }
}

// ---- the order of the cells ---------------------------------------------------------------------------------------

double kth_largest(std::vector<double> values, std::uint64_t k) {
  const auto kth = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), kth, values.end(), std::greater<>());
  return *kth;
}

struct Scores {
  std::vector<double> score;
  std::vector<double> means;  // break ties: the denser neighbourhood first, then the smaller index
  double shrink;              // weight of the neighbours

  // The first `count` cells of the order.
  [[nodiscard]] std::vector<std::uint64_t> first(std::uint64_t count) const {
    count = std::min<std::uint64_t>(count, score.size());
    const double least = kth_largest(score, count);
    std::vector<std::uint64_t> cells;
    for (std::uint64_t cell = 0; cell < score.size(); ++cell) {
      if (score[cell] >= least) cells.push_back(cell);
    }
    std::sort(cells.begin(), cells.end(), [this](std::uint64_t a, std::uint64_t b) {
      if (score[a] != score[b]) return score[a] > score[b];
      if (means[a] != means[b]) return means[a] > means[b];
      return a < b;
    });
    cells.resize(count);
    return cells;
  }
};

// Shrinks values towards their neighbours, by the share of the noise in the variance of noise and signal.
Scores score_of(const Shape& shape, const std::vector<double>& values, const ValueNoise& noise, std::uint64_t keep) {
  const double level = std::max(noise.censored_below + 1, kth_largest(values, keep));
  std::vector<double> clipped(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    clipped[i] = std::clamp(values[i], noise.censored_below, clip_factor * level);
  const double variance = noise.variance;
  Scores result{
      {}, neighbour_means(shape, clipped), variance / (variance + signal_share * level * (signal_share * level))};
  result.score = std::move(clipped);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.score[i] = (1 - result.shrink) * values[i] + result.shrink * result.means[i];
  }
  return result;
}

// Many cells may hold the value of the threshold, or nearly so (points that were repeated). WaveCluster takes all ties;
// noise spreads them over a few deviations, so that a rank would cut through. Where many scores lie near the
// threshold and a wide gap follows not far below it, all down to the gap are taken. But not where the threshold lies
// within reach of the noise of the empty cells, which tie at zero.
std::uint64_t with_ties(const Scores& scores, double threshold, double censored_below, double deviation,
                        std::uint64_t keep) {
  const double reach = out_of_reach * deviation;
  if (threshold <= censored_below + reach) return keep;
  std::uint64_t near = 0, taken = 0;
  double last = threshold, next = -std::numeric_limits<double>::infinity();  // above the gap, below it
  for (const double score : scores.score) {
    if (std::fabs(score - threshold) <= deviation) ++near;
    if (score >= threshold - reach) {
      last = std::min(last, score);
      ++taken;
    } else {
      next = std::max(next, score);
    }
  }
  return near > group_cells && std::isfinite(next) && last - next >= reach ? taken : keep;
}

// WaveCluster's own rule.
SelectedCells at_least_kth(const std::vector<double>& values, std::uint64_t k) {
  SelectedCells result;
  result.threshold = kth_largest(values, k);
  for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
    if (values[cell] >= result.threshold) result.cells.push_back(cell);
  }
  return result;
}

// ---- joining ------------------------------------------------------------------------------------------------------

// Clusters that grow as cells are taken, the densest first.
class GrowingClusters {
 public:
  GrowingClusters(std::uint64_t cells, std::size_t most)
      : slot_(cells, none), parent_(most), size_(most), seen_(most, none) {}

  // Takes the cell, unless it would join two clusters and must not.
  bool take(std::uint64_t cell, const Neighbours& neighbours, bool may_join) {
    const std::uint32_t own = taken_;
    roots_.clear();
    std::size_t clusters = 0;
    neighbours.visit(cell, [&](std::uint64_t other) {
      if (slot_[other] == none) return;
      const std::uint32_t root = root_of(parent_, slot_[other]);
      if (seen_[root] == turn_) return;
      seen_[root] = turn_;
      roots_.push_back(root);
      if (size_[root] >= group_cells) ++clusters;
    });
    ++turn_;
    if (clusters > 1 && !may_join) return false;
    slot_[cell] = own;
    parent_[own] = own;
    size_[own] = 1;
    for (const std::uint32_t root : roots_) {
      parent_[root] = own;
      size_[own] += size_[root];
    }
    ++taken_;
    return true;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> slot_;  // of each cell of the box; none: not taken
  std::vector<std::uint32_t> parent_, size_, seen_;
  std::vector<std::uint32_t> roots_;
  std::uint32_t taken_ = 0, turn_ = 0;
};

// Returns how far above the threshold W' must lie for P(W < d | W') <= most_join_doubt, under a flat prior, at least 0.
double join_margin(const ValueNoise& noise) {
  return std::max(0.0, LaplaceLaw{noise.rate}.value_of_tail(most_join_doubt) - 1);
}

std::vector<std::uint64_t> without_doubtful_joins(const Shape& shape, const Scores& scores,
                                                  const std::vector<std::uint64_t>& order, double least_joining,
                                                  Adjacency adjacency) {
  const Neighbours neighbours(shape, adjacency);
  GrowingClusters clusters(scores.score.size(), order.size());
  std::vector<std::uint64_t> taken;
  for (const std::uint64_t cell : order) {
    if (clusters.take(cell, neighbours, scores.score[cell] >= least_joining)) taken.push_back(cell);
  }
  return taken;
}

// The same where cells touch around circles, or not at all.
std::vector<double> means_by_neighbour(const Shape& shape, const std::vector<double>& values) {
  const Neighbours neighbours(shape, Adjacency::full);
  std::vector<double> means(values.size());
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    std::uint64_t count = 0;
    neighbours.visit(i, [&](std::uint64_t other) {
      sum += values[other];
      ++count;
    });
    means[i] = count == 0 ? 0 : sum / static_cast<double>(count);
  }
  return means;
}

}  // namespace

std::vector<double> neighbour_means(const Shape& shape, const std::vector<double>& values) {
  if (!shape.all_open()) return means_by_neighbour(shape, values);
  std::vector<double> means = values;  // first the sums over the box of each cell
  std::uint64_t inner = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    add_along(means, shape[axis], inner);
    inner *= shape[axis];
  }
  std::vector<std::uint64_t> at(shape.size());
  const std::uint64_t row = shape.back();
  for (std::size_t first = 0; first < values.size(); first += row, next_row(at, shape)) {
    std::uint64_t box = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) box *= near_along(at[axis], shape[axis]);
    for (std::uint64_t x = 0; x < row; ++x) {
      const std::uint64_t others = box * near_along(x, row) - 1;
      means[first + x] = others == 0 ? 0 : (means[first + x] - values[first + x]) / static_cast<double>(others);
    }
  }
  return means;
}

SelectedCells select_cells(const Shape& shape, const std::vector<double>& values, const ValueNoise& noise,
                           const CellsToKeep& kept, Adjacency adjacency) {
  if (kept.exact) return at_least_kth(values, kept.k);
  const std::uint64_t cells = values.size();
  const Scores scores = score_of(shape, values, noise, kept.keep);
  std::vector<std::uint64_t> order = scores.first(kept.keep + 1);
  const double deviation = (1 - scores.shrink) * std::sqrt(noise.variance);
  const double at_keep = scores.score[order[kept.keep - 1]];
  const std::uint64_t keep = with_ties(scores, at_keep, noise.censored_below, deviation, kept.keep);
  if (keep + 1 > order.size()) order = scores.first(keep + 1);

  const auto score_at = [&](std::uint64_t rank) { return scores.score[order[std::min(rank, cells) - 1]]; };
  SelectedCells result;
  result.threshold = (score_at(keep) + score_at(keep + 1)) / 2;
  order.resize(keep);
  const double least_joining = result.threshold + (1 - scores.shrink) * join_margin(noise);
  if (least_joining > result.threshold && shape.size() <= most_gated_axes) {
    order = without_doubtful_joins(shape, scores, order, least_joining, adjacency);
  }
  std::sort(order.begin(), order.end());
  result.cells = std::move(order);
  return result;
}

}  // namespace shoal
