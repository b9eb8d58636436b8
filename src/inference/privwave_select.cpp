#include "inference/privwave_select.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "clusters/neighbours.hpp"

namespace shoal {

namespace {

constexpr double doubt = 0.2;               // greatest chance that a cell which joins two clusters is a false one
constexpr double doubt_of_rank = 0.84;      // deviations of k by which a rank must be safe for the same chance
constexpr double doubt_of_crowd = 1.64;     // the same for a rank in a crowd, all of which would follow: 0.05
constexpr std::uint32_t least_cluster = 5;  // cells from which on a part counts as a cluster when it is joined
constexpr std::size_t most_gated_axes = 8;  // past them a cell has too many neighbours to look at one by one
constexpr double plateau_share = 2;         // how many times the cells around it a plateau must have,
constexpr double plateau_margin = 6;        // and how many more
constexpr double edge_reach = 6;            // deviations below the threshold at which a crowd may end,
constexpr double edge_gap = 6;              // and of the gap that then follows
constexpr double clear_of_zero = 6;         // deviations from which on a threshold is out of the empty cells' reach

// ---- means of neighbours ------------------------------------------------------------------------------------------

// Along one axis, values stay in place: sum over x - 1, x, x + 1 into `values`, over x - 1, x + 1 added to `faces`.
void add_along(std::vector<double>& values, std::vector<double>& faces, const std::vector<double>& centre,
               std::uint64_t extent, std::uint64_t inner) {
  std::vector<double> before(inner);
  for (std::size_t first = 0; first < values.size(); first += extent * inner) {
    std::fill(before.begin(), before.end(), 0.0);
    for (std::uint64_t x = 0; x < extent; ++x) {
      double* here = values.data() + first + x * inner;
      const double* centres = centre.data() + first + x * inner;
      double* face = faces.data() + first + x * inner;
      const bool has_before = x > 0, has_after = x + 1 < extent;
      for (std::uint64_t i = 0; i < inner; ++i) {
        const double own = here[i];
        here[i] = before[i] + own + (has_after ? here[inner + i] : 0);
        before[i] = own;
        face[i] += (has_before ? *(centres + i - inner) : 0) + (has_after ? centres[inner + i] : 0);
      }
    }
  }
}

// Cells of the box along an axis that are x or next to it.
std::uint64_t near_along(std::uint64_t x, std::uint64_t extent) {
  return 1 + (x > 0 ? 1U : 0U) + (x + 1 < extent ? 1U : 0U);
}

double mean_of(double faces, double others, std::uint64_t face_count, std::uint64_t other_count) {
  if (face_count == 0) return 0;
  const double of_faces = faces / static_cast<double>(face_count);
  if (other_count == 0) return of_faces;
  return (2 * of_faces + others / static_cast<double>(other_count)) / 3;
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

// Shrunk towards the neighbours by as much as noise outweighs what lies between threshold and zero.
Scores score_of(const Shape& shape, const std::vector<double>& values, const ValueNoise& noise, std::uint64_t keep) {
  const double level = std::max(noise.censored_below + 1, kth_largest(values, keep));
  std::vector<double> clipped(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) clipped[i] = std::clamp(values[i], noise.censored_below, 2 * level);
  const double variance = noise.variance;
  Scores result{{}, neighbour_means(shape, clipped), variance / (variance + (level / 2) * (level / 2))};
  result.score = std::move(clipped);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.score[i] = (1 - result.shrink) * values[i] + result.shrink * result.means[i];
  }
  return result;
}

// The rank near `keep` after which the score falls most.
std::uint64_t widest_gap(const Scores& scores, const std::vector<std::uint64_t>& order, const CellsToKeep& kept) {
  const std::uint64_t low = kept.keep > kept.window ? kept.keep - kept.window : 1;
  const std::uint64_t high = std::min<std::uint64_t>(scores.score.size() - 1, kept.keep + kept.window);
  std::uint64_t best = kept.keep;
  double widest = -1;
  for (std::uint64_t rank = low; rank <= high && kept.window > 0; ++rank) {
    const double gap = scores.score[order[rank - 1]] - scores.score[order[rank]];
    if (gap > widest) {
      widest = gap;
      best = rank;
    }
  }
  return best;
}

double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

// Scores around the threshold.
struct Crowd {
  std::uint64_t near = 0, around = 0;                      // within a deviation of it; two to four deviations off
  std::vector<double> scores;                              // within two
  double last = std::numeric_limits<double>::infinity();   // the lowest that is not farther below than edge_reach,
  double next = -std::numeric_limits<double>::infinity();  // and the highest that is

  [[nodiscard]] bool stands_out() const {
    return static_cast<double>(near) > plateau_share * static_cast<double>(around) + plateau_margin;
  }
  [[nodiscard]] bool has_edge(double deviation) const {
    return static_cast<double>(near) > plateau_margin && std::isfinite(next) && last - next >= edge_gap * deviation;
  }
};

Crowd crowd_at(const std::vector<double>& scores, double threshold, double deviation) {
  Crowd result;
  for (const double score : scores) {
    const double gap = std::fabs(score - threshold);
    if (gap <= deviation) ++result.near;
    if (gap <= 2 * deviation) result.scores.push_back(score);
    if (gap > 2 * deviation && gap <= 4 * deviation) ++result.around;
    if (score >= threshold - edge_reach * deviation) {
      result.last = std::min(result.last, score);
    } else {
      result.next = std::max(result.next, score);
    }
  }
  return result;
}

// The last ranks of `keep` that are too many if k is less by so many deviations; at least one is left.
std::uint64_t doubtful_ranks(const CellsToKeep& kept, double deviations, std::uint64_t keep) {
  const double ranks = std::floor(deviations * kept.deviation + 0.5);
  return static_cast<std::uint64_t>(std::min(ranks, static_cast<double>(keep - 1)));
}

// Only a k that is clearly past its upper edge is in a crowd: the rank of that edge, if `keep` is a few cells past it.
std::uint64_t before_crowd(const Scores& scores, const std::vector<std::uint64_t>& order, double lowest,
                           double deviation, const CellsToKeep& kept, std::uint64_t keep) {
  const auto score_at = [&](std::uint64_t rank) { return scores.score[order[rank - 1]]; };
  const std::uint64_t ranks = doubtful_ranks(kept, doubt_of_crowd, keep);
  std::uint64_t edge = keep;
  for (std::uint64_t rank = keep - 1; rank >= keep - ranks && edge == keep; --rank) {
    if (score_at(rank) - score_at(rank + 1) >= edge_gap * deviation) edge = rank;
  }
  if (edge == keep || score_at(keep) <= lowest + clear_of_zero * deviation) return keep;
  return static_cast<double>(crowd_at(scores.score, score_at(keep), deviation).near) > plateau_margin ? edge : keep;
}

// Many cells may hold the value of the threshold, or nearly so (points that were repeated). WaveCluster takes all ties;
// noise spreads them over a few deviations, so that a rank would cut through. Where scores crowd at the threshold and
// the crowd ends not far below it in a wide gap, or stands out over what is around it, all of the crowd is taken: down
// to the gap, or to where noise leaves about one of them out. But not where the threshold lies within reach of the
// empty cells' noise, the largest crowd of all.
std::uint64_t with_crowd(const Scores& scores, double threshold, double lowest, double deviation, std::uint64_t keep) {
  if (threshold <= lowest + clear_of_zero * deviation) return keep;
  Crowd crowd = crowd_at(scores.score, threshold, deviation);
  double least = crowd.last;
  if (!crowd.has_edge(deviation)) {
    if (!crowd.stands_out()) return keep;
    const auto size = static_cast<double>(crowd.scores.size());
    const double below = std::clamp(std::log(size) / std::numbers::sqrt2, 2.0, 4.0);
    least = median(std::move(crowd.scores)) - below * deviation;
  }
  const auto taken = std::count_if(scores.score.begin(), scores.score.end(), [least](double s) { return s >= least; });
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(taken));
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

// Parts that grow as cells are taken, the densest first.
class GrowingParts {
 public:
  GrowingParts(std::uint64_t cells, std::size_t most)
      : slot_(cells, none), parent_(most), size_(most), seen_(most, none) {}

  // Takes the cell, unless it would join two clusters and must not.
  bool take(std::uint64_t cell, const Neighbours& neighbours, bool may_join) {
    const std::uint32_t own = taken_;
    roots_.clear();
    std::size_t clusters = 0;
    neighbours.of(cell, [&](std::uint64_t other) {
      if (slot_[other] == none) return;
      const std::uint32_t root = root_of(slot_[other]);
      if (seen_[root] == turn_) return;
      seen_[root] = turn_;
      roots_.push_back(root);
      if (size_[root] >= least_cluster) ++clusters;
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

  std::uint32_t root_of(std::uint32_t at) {
    while (parent_[at] != at) {
      parent_[at] = parent_[parent_[at]];
      at = parent_[at];
    }
    return at;
  }

  std::vector<std::uint32_t> slot_;  // of each cell of the box; none: not taken
  std::vector<std::uint32_t> parent_, size_, seen_;
  std::vector<std::uint32_t> roots_;
  std::uint32_t taken_ = 0, turn_ = 0;
};

// How far above the threshold W' must lie for P(W < d | W') <= doubt, under a flat prior. 0: no need to ask.
double join_margin(const ValueNoise& noise) {
  return std::max(0.0, std::log(1 / (doubt * (1 + std::exp(-noise.rate)))) / noise.rate - 1);
}

std::vector<std::uint64_t> joined_with_care(const Shape& shape, const Scores& scores,
                                            const std::vector<std::uint64_t>& order, double least_joining,
                                            Adjacency adjacency) {
  const Neighbours neighbours(shape, adjacency);
  GrowingParts parts(scores.score.size(), order.size());
  std::vector<std::uint64_t> taken;
  for (const std::uint64_t cell : order) {
    if (parts.take(cell, neighbours, scores.score[cell] >= least_joining)) taken.push_back(cell);
  }
  return taken;
}

}  // namespace

std::vector<double> neighbour_means(const Shape& shape, const std::vector<double>& values) {
  std::vector<double> boxes = values, means(values.size());  // means: first the sums over face neighbours
  std::uint64_t inner = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    add_along(boxes, means, values, shape[axis], inner);
    inner *= shape[axis];
  }
  std::vector<std::uint64_t> at(shape.size());
  const std::uint64_t row = shape.back();
  for (std::size_t first = 0; first < values.size(); first += row, next_row(at, shape)) {
    std::uint64_t faces = 0, box = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
      const std::uint64_t near = near_along(at[axis], shape[axis]);
      faces += near - 1;
      box *= near;
    }
    for (std::uint64_t x = 0; x < row; ++x) {
      const std::size_t i = first + x;
      const std::uint64_t near = near_along(x, row);
      const std::uint64_t face_count = faces + near - 1;
      means[i] = mean_of(means[i], boxes[i] - values[i] - means[i], face_count, box * near - 1 - face_count);
    }
  }
  return means;
}

SelectedCells select_cells(const Shape& shape, const std::vector<double>& values, const ValueNoise& noise,
                           const CellsToKeep& kept, Adjacency adjacency) {
  if (kept.exact) return at_least_kth(values, kept.k);
  const std::uint64_t cells = values.size();
  const Scores scores = score_of(shape, values, noise, kept.keep);
  std::vector<std::uint64_t> order = scores.first(kept.keep + kept.window + 1);
  const double deviation = (1 - scores.shrink) * std::sqrt(noise.variance);
  const std::uint64_t by_rank =
      before_crowd(scores, order, noise.censored_below, deviation, kept, widest_gap(scores, order, kept));
  const std::uint64_t keep =
      with_crowd(scores, scores.score[order[by_rank - 1]], noise.censored_below, deviation, by_rank);
  if (keep + 1 > order.size()) order = scores.first(keep + 1);

  const auto score_at = [&](std::uint64_t rank) { return scores.score[order[std::min(rank, cells) - 1]]; };
  SelectedCells result;
  result.threshold = (score_at(keep) + score_at(keep + 1)) / 2;
  order.resize(keep);
  const std::uint64_t ranks =
      keep == by_rank ? doubtful_ranks(kept, doubt_of_rank, keep) : 0;  // a whole crowd is in or out
  const double by_noise = result.threshold + (1 - scores.shrink) * join_margin(noise);
  const double least_joining = ranks > 0 ? std::max(by_noise, score_at(keep - ranks)) : by_noise;
  if (least_joining > result.threshold && shape.size() <= most_gated_axes) {
    order = joined_with_care(shape, scores, order, least_joining, adjacency);
  }
  std::sort(order.begin(), order.end());
  result.cells = std::move(order);
  return result;
}

}  // namespace shoal
