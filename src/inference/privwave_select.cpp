#include "inference/privwave_select.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "base/parallel.hpp"
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

constexpr std::uint64_t cells_a_part = std::uint64_t{1} << 15;

// Returns the cells for which wanted(cell) holds, ascending, in consecutive lists.
std::vector<std::vector<std::uint64_t>> cells_where(std::uint64_t cells, unsigned threads, const auto& wanted) {
  const std::uint64_t parts = (cells + cells_a_part - 1) / cells_a_part;
  std::vector<std::vector<std::uint64_t>> result(parts);
  parallel_for(parts, threads, [&](std::uint64_t part) {
    std::vector<std::uint64_t> found(cells_a_part);
    std::size_t count = 0;
    for (std::uint64_t cell = part * cells_a_part; cell < std::min(cells, (part + 1) * cells_a_part); ++cell) {
      found[count] = cell;  // without a branch; what is not wanted is overwritten
      count += wanted(cell) ? 1U : 0U;
    }
    result[part].assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
  });
  return result;
}

std::vector<std::uint64_t> joined(const std::vector<std::vector<std::uint64_t>>& lists) {
  std::size_t count = 0;
  for (const auto& list : lists) count += list.size();
  std::vector<std::uint64_t> all;
  all.reserve(count);
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// ---- means of neighbours ------------------------------------------------------------------------------------------

// Sums over x - 1, x, x + 1 along one axis, of rows of `inner` values.
void add_along(std::span<const double> in, std::span<double> out, std::uint64_t extent, std::uint64_t inner,
               unsigned threads) {
  const std::uint64_t rows = in.size() / inner;
  parallel_stretches(rows, in.size() / cells_a_part + 1, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      const double* const own = in.data() + row * inner;
      double* const sums = out.data() + row * inner;
      const std::uint64_t x = row % extent;
      std::copy(own, own + inner, sums);
      for (std::uint64_t i = 0; x > 0 && i < inner; ++i) sums[i] += *(own + i - inner);
      for (std::uint64_t i = 0; x + 1 < extent && i < inner; ++i) sums[i] += own[inner + i];
    }
  });
}

// Cells of the box along an axis that are x or next to it.
std::uint64_t near_along(std::uint64_t x, std::uint64_t extent) {
  return 1 + (x > 0 ? 1U : 0U) + (x + 1 < extent ? 1U : 0U);
}

// ---- the order of the cells ---------------------------------------------------------------------------------------

// Ranks of many values: those with the same leading bits are counted once, and only the ones among which a rank lies
// are compared.
class Ranks {
 public:
  Ranks(std::span<const double> values, unsigned threads) : values_(values), threads_(threads) {
    std::mutex guard;
    const std::uint64_t parts = std::min<std::uint64_t>(thread_count(threads), values.size() / cells_a_part + 1);
    parallel_stretches(values.size(), parts, threads, [&](std::uint64_t begin, std::uint64_t end) {
      std::vector<std::uint32_t> own(tally_.size());
      for (std::uint64_t i = begin; i < end; ++i) ++own[leading_bits(values[i])];
      const std::lock_guard lock(guard);
      for (std::size_t i = 0; i < own.size(); ++i) tally_[i] += own[i];
    });
  }

  // Returns the k-th largest value; 1 <= k <= number of values.
  double kth_largest(std::uint64_t k) {
    std::size_t place = tally_.size() - 1;
    for (; k > tally_[place]; --place) k -= tally_[place];
    if (place != place_) look_at(place);
    const auto kth = among_.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(among_.begin(), kth, among_.end(), std::greater<>());
    return *kth;
  }

 private:
  static constexpr unsigned leading = 16;

  // Rises with the value.
  static std::size_t leading_bits(double value) {
    const auto bits = __builtin_bit_cast(std::uint64_t, value + 0.0);  // -0 and 0 become one zero
    return (bits >> 63 == 0 ? bits | std::uint64_t{1} << 63 : ~bits) >> (64 - leading);
  }

  void look_at(std::size_t place) {
    place_ = place;
    among_.clear();
    among_.reserve(tally_[place]);
    for (const auto& cells :
         cells_where(values_.size(), threads_, [&](std::uint64_t i) { return leading_bits(values_[i]) == place; })) {
      for (const std::uint64_t cell : cells) among_.push_back(values_[cell]);
    }
  }

  std::span<const double> values_;
  unsigned threads_;
  std::vector<std::uint64_t> tally_ = std::vector<std::uint64_t>(std::size_t{1} << leading);
  std::size_t place_ = std::size_t{1} << leading;  // whose values are those below; at first none
  std::vector<double> among_;
};

struct Scores {
  Values<double> score;
  Values<double> means;  // break ties: the denser neighbourhood first, then the smaller index
  double shrink;         // weight of the neighbours

  [[nodiscard]] bool comes_before(std::uint64_t a, std::uint64_t b) const {
    if (score[a] != score[b]) return score[a] > score[b];
    if (means[a] != means[b]) return means[a] > means[b];
    return a < b;
  }

  // Returns the first `count` cells of the order, ascending. least: the lowest score among them.
  [[nodiscard]] std::vector<std::uint64_t> first(std::uint64_t count, double least, unsigned threads) const {
    std::vector<std::uint64_t> cells =
        joined(cells_where(score.size(), threads, [&](std::uint64_t cell) { return score[cell] >= least; }));
    if (cells.size() == count) return cells;
    std::vector<std::uint64_t> ties;
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(ties), [&](auto cell) { return score[cell] == least; });
    const std::size_t left = cells.size() - count;  // number of ties that are not among the first
    const auto middle = ties.end() - static_cast<std::ptrdiff_t>(left);
    std::nth_element(ties.begin(), middle, ties.end(), [this](auto a, auto b) { return comes_before(a, b); });
    std::sort(middle, ties.end());
    std::erase_if(cells, [&](auto cell) { return std::binary_search(middle, ties.end(), cell); });
    return cells;
  }
};

// Shrinks values towards their neighbours, by the share of the noise in the variance of noise and signal.
Scores score_of(const Shape& shape, std::span<const double> values, const ValueNoise& noise, std::uint64_t keep,
                unsigned threads) {
  const double level = std::max(noise.censored_below + 1, Ranks(values, threads).kth_largest(keep));
  const std::uint64_t parts = values.size() / cells_a_part + 1;
  Values<double> clipped(values.size());
  parallel_stretches(values.size(), parts, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      clipped[i] = std::clamp(values[i], noise.censored_below, clip_factor * level);
    }
  });
  const double variance = noise.variance;
  Scores result{{},
                neighbour_means(shape, clipped, threads),
                variance / (variance + signal_share * level * (signal_share * level))};
  result.score = std::move(clipped);
  parallel_stretches(values.size(), parts, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      result.score[i] = (1 - result.shrink) * values[i] + result.shrink * result.means[i];
    }
  });
  return result;
}

// Many cells may hold the value of the threshold, or nearly so (points that were repeated). WaveCluster takes all ties;
// noise spreads them over a few deviations, so that a rank would cut through. Where many scores lie near the
// threshold and a wide gap follows not far below it, all down to the gap are taken. But not where the threshold lies
// within reach of the noise of the empty cells, which tie at zero.
std::uint64_t with_ties(const Scores& scores, double threshold, double censored_below, double deviation,
                        std::uint64_t keep, unsigned threads) {
  const double reach = out_of_reach * deviation;
  if (threshold <= censored_below + reach) return keep;
  std::uint64_t near = 0, taken = 0;
  double last = threshold, next = -std::numeric_limits<double>::infinity();  // above the gap, below it
  std::mutex guard;
  const std::uint64_t parts = scores.score.size() / cells_a_part + 1;
  parallel_stretches(scores.score.size(), parts, threads, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t part_near = 0, part_taken = 0;
    double part_last = threshold, part_next = -std::numeric_limits<double>::infinity();
    for (std::uint64_t i = begin; i < end; ++i) {
      const double score = scores.score[i];
      const bool above = score >= threshold - reach;
      part_near += std::fabs(score - threshold) <= deviation ? 1U : 0U;
      part_taken += above ? 1U : 0U;
      part_last = std::min(part_last, above ? score : part_last);
      part_next = std::max(part_next, above ? part_next : score);
    }
    const std::lock_guard lock(guard);
    near += part_near;
    taken += part_taken;
    last = std::min(last, part_last);
    next = std::max(next, part_next);
  });
  return near > group_cells && std::isfinite(next) && last - next >= reach ? taken : keep;
}

// WaveCluster's own rule.
SelectedCells at_least_kth(std::span<const double> values, std::uint64_t k, unsigned threads) {
  const double least = Ranks(values, threads).kth_largest(k);
  return {joined(cells_where(values.size(), threads, [&](std::uint64_t cell) { return values[cell] >= least; })),
          least};
}

// ---- joining ------------------------------------------------------------------------------------------------------

// Clusters that grow as cells are taken, the densest first.
class GrowingClusters {
 public:
  // sure: clusters of cells that are taken already. most: how many more may be taken.
  GrowingClusters(const Clusters& sure, std::size_t most)
      : slot_(cell_count(sure.shape())),
        parent_(sure.count() + 1 + most),
        size_(parent_.size()),
        seen_(parent_.size()) {
    for (std::size_t i = 0; i < sure.cells().size(); ++i) slot_[sure.cells()[i]] = sure.labels()[i];
    for (std::uint32_t label = 1; label <= sure.count(); ++label) {
      parent_[label] = label;
      size_[label] = static_cast<std::uint32_t>(sure.sizes()[label - 1]);
    }
    next_ = static_cast<std::uint32_t>(sure.count() + 1);
  }

  // Takes the cell, unless it would join two clusters.
  bool take(std::uint64_t cell, const Neighbours& neighbours) {
    const std::uint32_t own = next_;
    roots_.clear();
    std::size_t clusters = 0;
    ++turn_;
    neighbours.visit(cell, [&](std::uint64_t other) {
      if (slot_[other] == none) return;
      const std::uint32_t root = root_of(parent_, slot_[other]);
      if (seen_[root] == turn_) return;
      seen_[root] = turn_;
      roots_.push_back(root);
      if (size_[root] >= group_cells) ++clusters;
    });
    if (clusters > 1) return false;
    slot_[cell] = own;
    parent_[own] = own;
    size_[own] = 1;
    for (const std::uint32_t root : roots_) {
      parent_[root] = own;
      size_[own] += size_[root];
    }
    ++next_;
    return true;
  }

 private:
  static constexpr std::uint32_t none = 0;

  Values<std::uint32_t> slot_;  // of each cell of the box; none: not taken
  std::vector<std::uint32_t> parent_, size_, seen_;
  std::vector<std::uint32_t> roots_;
  std::uint32_t next_ = 1, turn_ = 0;
};

// Returns how far above the threshold W' must lie for P(W < d | W') <= most_join_doubt, under a flat prior, at least 0.
double join_margin(const ValueNoise& noise) {
  return std::max(0.0, LaplaceLaw{noise.rate}.value_of_tail(most_join_doubt) - 1);
}

// Takes the cells in their order, the densest first. Those that may join clusters come before all others, so they are
// connected at once.
std::vector<std::uint64_t> without_doubtful_joins(const Shape& shape, const Scores& scores,
                                                  std::vector<std::uint64_t> cells, double least_joining,
                                                  Adjacency adjacency, unsigned threads) {
  const auto middle = std::stable_partition(cells.begin(), cells.end(),
                                            [&](std::uint64_t cell) { return scores.score[cell] >= least_joining; });
  std::vector<std::uint64_t> doubtful(middle, cells.end());
  if (doubtful.empty()) return cells;
  cells.erase(middle, cells.end());
  std::sort(doubtful.begin(), doubtful.end(), [&](auto a, auto b) { return scores.comes_before(a, b); });
  GrowingClusters clusters(connect(shape, cells, adjacency, 1, threads), doubtful.size());
  const Neighbours neighbours(shape, adjacency);
  const auto sure = static_cast<std::ptrdiff_t>(cells.size());
  for (const std::uint64_t cell : doubtful) {
    if (clusters.take(cell, neighbours)) cells.push_back(cell);
  }
  std::sort(cells.begin() + sure, cells.end());
  std::inplace_merge(cells.begin(), cells.begin() + sure, cells.end());
  return cells;
}

// The same where cells touch around circles, or not at all.
Values<double> means_by_neighbour(const Shape& shape, std::span<const double> values, unsigned threads) {
  const Neighbours neighbours(shape, Adjacency::full);
  Values<double> means(values.size());
  parallel_stretches(values.size(), values.size() / cells_a_part + 1, threads, [&](std::uint64_t begin, auto end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      double sum = 0;
      std::uint64_t count = 0;
      neighbours.visit(i, [&](std::uint64_t other) {
        sum += values[other];
        ++count;
      });
      means[i] = count == 0 ? 0 : sum / static_cast<double>(count);
    }
  });
  return means;
}

}  // namespace

// Sums over the box of each cell, axis by axis; along the last axis, where rows lie side by side, with the division.
Values<double> neighbour_means(const Shape& shape, std::span<const double> values, unsigned threads) {
  if (!shape.all_open()) return means_by_neighbour(shape, values, threads);
  Values<double> sums(values.size()), spare(shape.size() > 2 ? values.size() : 0);
  std::span<const double> from = values;
  std::uint64_t inner = values.size();
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    inner /= shape[axis];
    if (axis > 0) std::swap(sums, spare);
    add_along(from, sums, shape[axis], inner, threads);
    from = sums;
  }
  const std::uint64_t extent = shape.back(), rows = values.size() / extent;
  parallel_stretches(rows, values.size() / cells_a_part + 1, threads, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<double> row(extent + 2);  // with a zero at both ends
    std::vector<std::uint64_t> at(shape.size());
    for (std::uint64_t which = begin; which < end; ++which) {
      const std::uint64_t first = which * extent;
      std::copy_n(from.data() + first, extent, row.begin() + 1);
      coordinates(first, shape, at);
      std::uint64_t box = 1;
      for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) box *= near_along(at[axis], shape[axis]);
      const auto mean = [&](std::uint64_t x, std::uint64_t near) {
        const std::uint64_t others = box * near - 1;
        const double sum = row[x] + row[x + 1] + row[x + 2] - values[first + x];
        return others == 0 ? 0 : sum / static_cast<double>(others);
      };
      for (std::uint64_t x = 0; x < extent; ++x) sums[first + x] = mean(x, near_along(x, extent));
    }
  });
  return sums;
}

SelectedCells select_cells(const Shape& shape, std::span<const double> values, const ValueNoise& noise,
                           const CellsToKeep& kept, Adjacency adjacency, unsigned threads) {
  if (kept.exact) return at_least_kth(values, kept.k, threads);
  const std::uint64_t cells = values.size();
  const Scores scores = score_of(shape, values, noise, kept.keep, threads);
  Ranks ranks(scores.score, threads);
  const auto score_at = [&](std::uint64_t rank) { return ranks.kth_largest(std::min(rank, cells)); };
  const double deviation = (1 - scores.shrink) * std::sqrt(noise.variance);
  const std::uint64_t keep =
      with_ties(scores, score_at(kept.keep), noise.censored_below, deviation, kept.keep, threads);
  const double least = score_at(keep);
  SelectedCells result;
  result.threshold = (least + score_at(keep + 1)) / 2;
  result.cells = scores.first(keep, least, threads);
  const double least_joining = result.threshold + (1 - scores.shrink) * join_margin(noise);
  if (least_joining > result.threshold && shape.size() <= most_gated_axes) {
    result.cells = without_doubtful_joins(shape, scores, std::move(result.cells), least_joining, adjacency, threads);
  }
  return result;
}

}  // namespace shoal
