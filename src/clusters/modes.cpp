#include "clusters/modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "clusters/merge_tree.hpp"
#include "clusters/neighbours.hpp"
#include "clusters/sets.hpp"
#include "clusters/smoothing.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr double finest_smoothing = 0.5;  // in cells; each further one is sqrt(2) times as wide
constexpr double widest_smoothing = 8;    // the widest smoothing, times this, still fits into the shortest axis
constexpr std::array<double, 8> depths = {0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
// In this number of axes and more, most cells are empty, so that wide smoothing joins what is apart. The choice is then
// the smoothing that shows most, at this depth (docs/quality.md).
constexpr std::size_t many_axes = 3;
constexpr std::size_t depth_in_many_axes = 1;  // index into depths
// In this number of axes and more, a cell has many neighbours and each smoothing takes long: there are two.
constexpr std::size_t axes_of_two_smoothings = 4;
constexpr double clear_of_noise = 2;    // standard deviations of noise that a cell of a cluster must exceed
constexpr double share_of_peak = 0.03;  // share of the peak that a cell of a cluster must reach
constexpr double least_similarity = 1e-3;
// A saddle on a ridge that is longer than this many times its width parts two clusters only if it is at least this
// deep: over such a length, the density of one ring or thread varies.
constexpr double longest_ridge = 2;
constexpr double depth_on_long_ridge = 0.4;
constexpr double ridge_share_of_peak = 0.6;   // cells that reach this share of a peak may lie on the same ridge
constexpr double share_of_neighbours = 0.25;  // of the merits of neighbouring depths in that of each
constexpr double undivided_weight = 5;        // exponent of the undivided share in the merit of a partition
constexpr double entropy_weight = 0.25;       // exponent of the entropy per cluster in the merit of a partition
// Share of false rises among those that count; on data without structure, the probability of any.
constexpr double false_alarms = 0.05;

// ---- one smoothing: the modes that count ---------------------------------------------------------------------------

struct Scale {
  double smoothing = 0;
  Field field;
  Basins basins;
  std::vector<double> evidence;  // of each basin: of its rise over the saddle; the first basin rises over nothing
  std::vector<double> doubt;     // of each basin: share of chance among the rises that are at least as strong
  std::vector<double> depth;     // 1 - saddle / peak; smaller on ridges
  std::vector<double> records;   // in each basin
  std::vector<double> weights;   // in each basin: sum of the smoothed values above 0
  double weight = 0;             // in all of them
};

double value_at(const Scale& scale, std::uint32_t cell) { return scale.field.values[cell]; }
double peak_of(const Scale& scale, std::uint32_t basin) { return value_at(scale, scale.basins.basins[basin].peak); }
double saddle_of(const Scale& scale, std::uint32_t basin) {
  const Basins::Basin& own = scale.basins.basins[basin];
  return own.parent == no_basin ? 0 : std::max(0.0, value_at(scale, own.saddle));
}

// Returns the expected number of rises of at least this evidence that chance alone produces in a field. The numbers
// were counted on data without structure (docs/quality.md).
double false_rises(double evidence, const Shape& shape) {
  // Below the least evidence, the number of false rises grows this much faster than exp(-evidence).
  constexpr double weak_rise_factor = 1.65;
  const double above = evidence - least_evidence(shape);
  return false_alarms * std::exp(above > 0 ? -above : -weak_rise_factor * above);
}

double evidence_of(double rise, double spread, double jump) {
  return rise > 0 ? rise * rise / (2 * (spread + jump * rise)) : 0;
}

// Benjamini and Hochberg (1995): among the k strongest rises, false_rises of the weakest are expected to be false. The
// first basin, and the highest basin of any part that touches no other, rises over nothing and is judged by itself.
std::vector<double> doubts(const std::vector<double>& evidence, const Basins& basins, const Shape& shape) {
  std::vector<std::uint32_t> order;
  std::vector<double> result;
  for (std::uint32_t i = 0; i < evidence.size(); ++i) {
    if (basins.basins[i].parent != no_basin) order.push_back(i);
    result.push_back(false_rises(evidence[i], shape));
  }
  std::sort(order.begin(), order.end(),
            [&evidence](std::uint32_t a, std::uint32_t b) { return evidence[a] > evidence[b]; });
  double least = std::numeric_limits<double>::max();
  for (std::size_t k = order.size(); k > 0; --k) {
    least = std::min(least, false_rises(evidence[order[k - 1]], shape) / static_cast<double>(k));
    result[order[k - 1]] = least;
  }
  return result;
}

double variance_of(const Scale& scale, const CellNoise& noise, std::uint32_t cell) {
  return scale.field.gain[cell] * (noise.together * std::max(0.0, scale.field.values[cell]) + noise.variance);
}

double jump_of(const Scale& scale, const CellNoise& noise) {
  return scale.field.largest_weight * (noise.scale + noise.together / 3);
}

double over_nothing(const Scale& scale, const CellNoise& noise, std::uint32_t cell) {
  const double spread = variance_of(scale, noise, cell) + scale.field.gain[cell] * noise.variance;
  return evidence_of(value_at(scale, cell), spread, jump_of(scale, noise));
}

Scale look_at(const Bordered& box, const Cells<std::int64_t>& values, const CellNoise& noise, double smoothing) {
  Scale scale{smoothing, smoothed(values, smoothing), {}, {}, {}, {}, {}, {}, 0};
  scale.basins = basins_of(box, scale.field.values);
  const double jump = jump_of(scale, noise);
  for (std::uint32_t i = 0; i < scale.basins.basins.size(); ++i) {
    const Basins::Basin& basin = scale.basins.basins[i];
    if (basin.parent == no_basin) {
      scale.evidence.push_back(over_nothing(scale, noise, basin.peak));
    } else {
      const double spread = variance_of(scale, noise, basin.peak) + variance_of(scale, noise, basin.saddle);
      scale.evidence.push_back(evidence_of(value_at(scale, basin.peak) - value_at(scale, basin.saddle), spread, jump));
    }
    scale.depth.push_back(1 - saddle_of(scale, i) / std::max(peak_of(scale, i), 1e-9));
  }
  scale.doubt = doubts(scale.evidence, scale.basins, values.shape());
  scale.records.assign(scale.basins.basins.size(), 0);
  scale.weights.assign(scale.basins.basins.size(), 0);
  for (std::size_t cell = 0; cell < values.stored(); ++cell) {
    scale.records[scale.basins.of_cell[cell]] += static_cast<double>(values.values()[cell]);
    scale.weights[scale.basins.of_cell[cell]] += std::max(0.0, scale.field.values[cell]);
  }
  scale.weight = std::accumulate(scale.weights.begin(), scale.weights.end(), 0.0);
  return scale;
}

// Returns the smoothed value that a cell must reach to belong to the cluster of this basin.
double least_value(const Scale& scale, const CellNoise& noise, std::uint32_t basin, std::size_t cell) {
  return std::max(clear_of_noise * std::sqrt(scale.field.gain[cell] * noise.variance),
                  share_of_peak * peak_of(scale, basin));
}

// Returns whether a rise over another basin counts.
bool is_significant(const Scale& scale, std::uint32_t basin) {
  return scale.basins.basins[basin].parent != no_basin && scale.doubt[basin] <= false_alarms;
}

// ---- ridges of the plane: saddles between parts of one ring or thread
// -----------------------------------------------------------

// Returns the value at which two basins of a field meet; 0 if they never do.
double meeting_value(const Scale& scale, std::uint32_t a, std::uint32_t b) {
  const auto leaves_at = [&scale](std::uint32_t basin) {
    const Basins::Basin& own = scale.basins.basins[basin];
    return own.parent == no_basin ? -std::numeric_limits<double>::infinity() : value_at(scale, own.saddle);
  };
  double lowest = std::numeric_limits<double>::infinity();
  while (a != b) {
    if (leaves_at(a) < leaves_at(b)) std::swap(a, b);
    lowest = std::min(lowest, leaves_at(a));
    a = scale.basins.basins[a].parent;
    if (a == no_basin) return 0;
  }
  return lowest;
}

// Wide smoothing lowers a thin ridge and heaps up its bends. Two peaks are at most as far apart as a finer smoothing
// shows them: the depth of a saddle follows from the highest value at which they meet there.
void compare_with_finer(std::span<const Scale> finer, Scale& scale) {
  const std::vector<Basins::Basin>& basins = scale.basins.basins;
  std::vector<double> highest(basins.size(), 0);
  std::vector<std::uint32_t> tops(basins.size());
  for (const Scale& fine : finer) {
    for (std::uint32_t i = 0; i < basins.size(); ++i) tops[i] = basins[i].peak;
    for (std::uint32_t cell = 0; cell < scale.field.values.size(); ++cell) {
      const std::uint32_t basin = scale.basins.of_cell[cell];
      const bool is_near = value_at(scale, cell) >= ridge_share_of_peak * peak_of(scale, basin);
      if (is_near && value_at(fine, cell) > value_at(fine, tops[basin])) tops[basin] = cell;
    }
    for (std::uint32_t i = 0; i < basins.size(); ++i) {
      if (!is_significant(scale, i)) continue;
      const std::uint32_t own = fine.basins.of_cell[tops[i]], other = fine.basins.of_cell[tops[basins[i].parent]];
      if (own != other) highest[i] = std::max(highest[i], meeting_value(fine, own, other));
    }
  }
  for (std::uint32_t i = 0; i < basins.size(); ++i) {
    scale.depth[i] = std::min(scale.depth[i], 1 - highest[i] / std::max(peak_of(scale, i), 1e-9));
  }
}

// A ridge reaches from its peak, in the middle, to the saddle at its end. Its width is that of the part that lies above
// the saddle:
//
//     ..ooooooooPoooooooo..    area / (2 steps) cells wide, and steps / width times as long as wide
//     saddle <-steps-
void drop_saddles_of_long_ridges(const Shape& shape, Scale& scale) {
  const Neighbours neighbours(shape, Adjacency::full);
  std::vector<std::uint32_t> seen_by(scale.field.values.size(), no_basin), part, steps;
  for (std::uint32_t i = 0; i < scale.basins.basins.size(); ++i) {
    const std::uint32_t peak = scale.basins.basins[i].peak, saddle = scale.basins.basins[i].saddle;
    if (!is_significant(scale, i) || scale.depth[i] < depths.front() || scale.depth[i] >= depth_on_long_ridge) continue;
    const double level = value_at(scale, saddle);
    double to_saddle = 0;
    part.assign(1, peak);
    steps.assign(1, 0);
    seen_by[peak] = i;
    for (std::size_t k = 0; k < part.size(); ++k) {
      neighbours.visit(part[k], [&](std::uint64_t other) {
        const auto cell = static_cast<std::uint32_t>(other);
        if (cell == saddle && to_saddle == 0) to_saddle = steps[k] + 1;
        if (seen_by[cell] == i || !(value_at(scale, cell) > level)) return;
        seen_by[cell] = i;
        part.push_back(cell);
        steps.push_back(steps[k] + 1);
      });
    }
    if (2 * to_saddle * to_saddle > longest_ridge * static_cast<double>(part.size())) scale.depth[i] = 0;
  }
}

// ---- one way to tell clusters apart --------------------------------------------------------------------------------

struct Partition {
  std::vector<std::uint32_t> kept;       // basins whose modes are clusters, ascending
  std::vector<std::uint32_t> of_basin;   // index into kept
  std::vector<double> own;               // highest saddle of each cluster
  std::vector<std::uint32_t> neighbour;  // index into kept: the cluster beyond that saddle
  std::vector<std::uint32_t> lower;      // basin whose rise over that saddle separates the two
  double entropy = 0;                    // of the clusters' shares of the records
  double excess = 0;                     // share of the smoothed values that lies above the clusters' own saddles
};

// Adds each basin that is not a cluster to the first cluster that it meets at lower values.
void grow(const Scale& scale, Partition& partition) {
  const std::size_t count = scale.basins.basins.size();
  std::vector<std::uint32_t> parents(count);
  std::iota(parents.begin(), parents.end(), 0U);
  std::vector<bool> is_kept(count, false);
  for (const std::uint32_t basin : partition.kept) is_kept[basin] = true;
  for (const Basins::Meeting& meeting : scale.basins.meetings) {
    const std::uint32_t a = root_of(parents, meeting.one), b = root_of(parents, meeting.other);
    if (a == b || (is_kept[a] && is_kept[b])) continue;
    const bool first = is_kept[a] || (!is_kept[b] && a < b);
    parents[first ? b : a] = first ? a : b;
  }
  std::vector<std::uint32_t> index(count, 0);
  for (std::uint32_t i = 0; i < partition.kept.size(); ++i) index[partition.kept[i]] = i;
  partition.of_basin.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) partition.of_basin[i] = index[root_of(parents, i)];
}

void find_own_saddles(const Scale& scale, Partition& partition) {
  const std::size_t clusters = partition.kept.size();
  partition.own.assign(clusters, 0);
  partition.neighbour.assign(clusters, no_basin);
  partition.lower = partition.kept;
  std::vector<std::uint32_t> index(scale.basins.basins.size(), no_basin);
  for (std::uint32_t i = 0; i < clusters; ++i) index[partition.kept[i]] = i;
  for (std::uint32_t i = 0; i < clusters; ++i) {
    std::uint32_t behind = scale.basins.basins[partition.kept[i]].parent;
    if (behind == no_basin) continue;
    while (index[behind] == no_basin) behind = scale.basins.basins[behind].parent;
    const double saddle = saddle_of(scale, partition.kept[i]);
    for (const auto& [own, other] : {std::pair{i, index[behind]}, std::pair{index[behind], i}}) {
      if (partition.neighbour[own] != no_basin && saddle <= partition.own[own]) continue;
      partition.own[own] = saddle;
      partition.neighbour[own] = other;
      partition.lower[own] = partition.kept[i];  // the higher of the two basins rises further
    }
  }
}

void weigh(const Scale& scale, Partition& partition) {
  std::vector<double> shares(partition.kept.size(), 0);
  for (std::size_t i = 0; i < scale.records.size(); ++i) shares[partition.of_basin[i]] += scale.records[i];
  double all = 0;
  for (double& share : shares) all += share = std::max(share, 1e-6);
  for (const double share : shares) partition.entropy -= share / all * std::log(share / all);
  for (std::size_t cell = 0; cell < scale.field.values.size(); ++cell) {
    const double own = partition.own[partition.of_basin[scale.basins.of_cell[cell]]];
    partition.excess += std::max(0.0, scale.field.values[cell] - own);
  }
  partition.excess /= std::max(scale.weight, 1e-9);
}

Partition partition_at(const Scale& scale, std::vector<std::uint32_t> kept) {
  Partition partition;
  partition.kept = std::move(kept);
  grow(scale, partition);
  find_own_saddles(scale, partition);
  weigh(scale, partition);
  return partition;
}

double sum_of_squares(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

// Returns the adjusted Rand index of two partitions of the same cells. Each cell has its weight in the first.
double similarity(const Scale& scale, const Partition& a, const Scale& other_scale, const Partition& b) {
  const std::size_t columns = b.kept.size();
  std::vector<double> table(a.kept.size() * columns, 0), rows(a.kept.size(), 0), sums(columns, 0);
  const auto add = [&](std::uint32_t i, std::uint32_t j, double weight) {
    table[i * columns + j] += weight;
    rows[i] += weight;
    sums[j] += weight;
  };
  if (&scale == &other_scale) {
    for (std::size_t basin = 0; basin < scale.weights.size(); ++basin) {
      add(a.of_basin[basin], b.of_basin[basin], scale.weights[basin]);
    }
  } else {
    for (std::size_t cell = 0; cell < scale.field.values.size(); ++cell) {
      add(a.of_basin[scale.basins.of_cell[cell]], b.of_basin[other_scale.basins.of_cell[cell]],
          std::max(0.0, scale.field.values[cell]));
    }
  }
  const double all = scale.weight * scale.weight;
  const double of_rows = sum_of_squares(rows), of_columns = sum_of_squares(sums);
  const double expected = of_rows * of_columns / std::max(all, 1e-300), most = (of_rows + of_columns) / 2;
  if (most - expected <= 1e-12 * all) return 1;
  return std::max(least_similarity, (sum_of_squares(table) - expected) / (most - expected));
}

// Returns the partition into parts that cells consistent with empty divide.
Partition divided_by_empty_cells(const Scale& scale, const CellNoise& noise) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < scale.basins.basins.size(); ++i) {
    const Basins::Basin& basin = scale.basins.basins[i];
    const bool alone = basin.parent == no_basin;
    if (alone ||
        (is_significant(scale, i) && value_at(scale, basin.saddle) < least_value(scale, noise, i, basin.saddle))) {
      kept.push_back(i);
    }
  }
  return partition_at(scale, std::move(kept));
}

// Returns how much of a partition is left if its clusters are divided further by another one: the share of pairs in the
// same cluster that stay together.
double undivided(const Scale& scale, const Partition& partition, const Scale& by_scale, const Partition& by) {
  const std::size_t columns = by.kept.size();
  std::vector<double> table(partition.kept.size() * columns, 0), rows(partition.kept.size(), 0);
  for (std::size_t cell = 0; cell < scale.field.values.size(); ++cell) {
    const double weight = std::max(0.0, by_scale.field.values[cell]);
    const std::uint32_t i = partition.of_basin[scale.basins.of_cell[cell]];
    table[i * columns + by.of_basin[by_scale.basins.of_cell[cell]]] += weight;
    rows[i] += weight;
  }
  return sum_of_squares(table) / std::max(sum_of_squares(rows), 1e-300);
}

// ---- the choice ----------------------------------------------------------------------------------------------------

class Choice {
 public:
  Choice(const Cells<std::int64_t>& values, const CellNoise& noise) : box_(values.shape()) {
    std::uint64_t shortest = values.shape().touching_axes() == 0 ? 1 : std::numeric_limits<std::uint64_t>::max();
    for (std::size_t axis = 0; axis < values.shape().size(); ++axis) {
      if (values.shape().border(axis) == Border::apart || values.shape()[axis] == 1) continue;
      shortest = std::min(shortest, values.shape()[axis]);
    }
    double smoothing = finest_smoothing;
    do {
      scales_.push_back(look_at(box_, values, noise, smoothing));
      smoothing *= std::sqrt(2.0);
    } while (smoothing * widest_smoothing <= static_cast<double>(shortest) &&
             (values.shape().touching_axes() < axes_of_two_smoothings || scales_.size() < 2));
    for (std::size_t s = 0; values.shape().touching_axes() == 2 && s < scales_.size(); ++s) {
      compare_with_finer(std::span(scales_).first(s), scales_[s]);
      drop_saddles_of_long_ridges(values.shape(), scales_[s]);
    }
    for (const Scale& scale : scales_) {
      at_.emplace_back();
      for (const double depth : depths) {
        std::vector<std::uint32_t> kept;
        for (std::uint32_t i = 0; i < scale.basins.basins.size(); ++i) {
          const bool alone = scale.basins.basins[i].parent == no_basin;
          if (alone || (is_significant(scale, i) && scale.depth[i] >= depth)) kept.push_back(i);
        }
        const bool same = !at_.back().empty() && partitions_[at_.back().back()].kept == kept;
        if (!same) partitions_.push_back(partition_at(scale, std::move(kept)));
        at_.back().push_back(partitions_.size() - 1);
      }
    }
    if (values.shape().touching_axes() < many_axes) {
      choose(divided_by_empty_cells(scales_.front(), noise));
    } else {
      choose_most();
    }
  }

  [[nodiscard]] const Scale& scale() const { return scales_[scale_]; }
  [[nodiscard]] const Partition& partition() const { return partitions_[at_[scale_][depth_]]; }
  [[nodiscard]] double depth() const { return depths[depth_]; }

 private:
  // Returns how much of the partition a neighbouring smoothing, or a neighbouring depth, confirms.
  [[nodiscard]] double stays(std::size_t s, std::size_t d, std::size_t s2, std::size_t d2) const {
    if (at_[s][d] == at_[s2][d2]) return 1;
    return similarity(scales_[s], partitions_[at_[s][d]], scales_[s2], partitions_[at_[s2][d2]]);
  }

  // Rates a partition by its shape, its stability, and `whole`, the share that empty cells do not divide. For
  // stability, it is compared with the next coarser smoothing and the next larger depth, or with the previous one at
  // the end of the range, and with the next smaller depth.
  [[nodiscard]] double merit(std::size_t s, std::size_t d, double whole) const {
    const Partition& partition = partitions_[at_[s][d]];
    const std::size_t coarser = s + 1 < scales_.size() ? s + 1 : (s > 0 ? s - 1 : s);
    const std::size_t deeper = d + 1 < depths.size() ? d + 1 : d - 1;
    const double stable = stays(s, d, coarser, d) * stays(s, d, s, deeper);
    return stable * stable * (d > 0 ? stays(s, d, s, d - 1) : 1) * std::pow(whole, undivided_weight) *
           std::sqrt(std::max(partition.excess, 1e-6) * partition.entropy) *
           std::pow(partition.entropy / static_cast<double>(partition.kept.size()), entropy_weight);
  }

  // The merits of neighbouring depths have a share in that of each, so that less of it is chance.
  // divided: by empty cells, at the finest smoothing.
  void choose(const Partition& divided) {
    double best = -1;
    for (std::size_t s = 0; s < scales_.size(); ++s) {
      std::array<double, depths.size()> merits{};
      double whole = 1;
      for (std::size_t d = 0; d < depths.size(); ++d) {
        const Partition& partition = partitions_[at_[s][d]];
        if (partition.kept.size() < 2) continue;
        if (d == 0 || at_[s][d] != at_[s][d - 1]) whole = undivided(scales_[s], partition, scales_.front(), divided);
        merits[d] = merit(s, d, whole);
      }
      for (std::size_t d = 0; d < depths.size(); ++d) {
        if (partitions_[at_[s][d]].kept.size() < 2) continue;
        const double beside = merits[d > 0 ? d - 1 : d] + merits[d + 1 < depths.size() ? d + 1 : d];
        const double here = merits[d] + share_of_neighbours * beside;
        if (here <= best) continue;
        best = here;
        scale_ = s;
        depth_ = d;
      }
    }
    if (best < 0) choose_for_one();
  }

  // The finest of the smoothings with most clusters.
  void choose_most() {
    const auto clusters = [this](std::size_t s) { return partitions_[at_[s][depth_in_many_axes]].kept.size(); };
    depth_ = depth_in_many_axes;
    for (std::size_t s = 1; s < scales_.size(); ++s) {
      if (clusters(s) > clusters(scale_)) scale_ = s;
    }
    if (clusters(scale_) < 2) choose_for_one();
  }

  // There is one cluster: take the smoothing with the strongest evidence for it.
  void choose_for_one() {
    for (std::size_t s = 1; s < scales_.size(); ++s) {
      if (scales_[s].evidence[0] > scales_[scale_].evidence[0]) scale_ = s;
    }
  }

  Bordered box_;
  std::vector<Scale> scales_;
  std::vector<Partition> partitions_;
  std::vector<std::vector<std::size_t>> at_;  // [scale][depth]: index into partitions_
  std::size_t scale_ = 0, depth_ = 0;
};

// ---- the cells of clusters -----------------------------------------------------------------------------------------

// Returns, for each cell, the index of its cluster in partition.kept, or no_basin if it belongs to none. A cluster is
// dropped if the highest peak that it is connected to may be chance.
std::vector<std::uint32_t> cells_of(const Scale& scale, const Partition& partition, const CellNoise& noise) {
  std::vector<bool> any;
  for (std::uint32_t basin : partition.kept) {
    while (scale.basins.basins[basin].parent != no_basin) basin = scale.basins.basins[basin].parent;
    any.push_back(scale.doubt[basin] <= false_alarms);
  }
  std::vector<std::uint32_t> of_cell(scale.field.values.size(), no_basin);
  for (std::size_t cell = 0; cell < of_cell.size(); ++cell) {
    const std::uint32_t cluster = partition.of_basin[scale.basins.of_cell[cell]];
    const double value = scale.field.values[cell];
    if (!any[cluster] || !(value > 0) || value < least_value(scale, noise, partition.kept[cluster], cell)) continue;
    of_cell[cell] = cluster;
  }
  return of_cell;
}

// Drops the parts of a cluster that do not touch the part with the peak, unless chance does not explain their highest
// cell.
void drop_strays(const Scale& scale, const Partition& partition, const CellNoise& noise, const Shape& shape,
                 std::vector<std::uint32_t>& of_cell) {
  const Neighbours neighbours(shape, Adjacency::full);
  std::vector<bool> seen(of_cell.size(), false);
  std::vector<std::uint32_t> part;
  for (std::uint32_t from = 0; from < of_cell.size(); ++from) {
    const std::uint32_t cluster = of_cell[from];
    if (cluster == no_basin || seen[from]) continue;
    const std::uint32_t peak = scale.basins.basins[partition.kept[cluster]].peak;
    part = {from};
    seen[from] = true;
    std::uint32_t highest = from;
    bool has_peak = false;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::uint32_t cell = part[i];
      has_peak = has_peak || cell == peak;
      if (value_at(scale, cell) > value_at(scale, highest)) highest = cell;
      neighbours.visit(cell, [&](std::uint64_t other) {
        if (of_cell[other] != cluster || seen[other]) return;
        seen[other] = true;
        part.push_back(static_cast<std::uint32_t>(other));
      });
    }
    if (has_peak || over_nothing(scale, noise, highest) > least_evidence(shape)) continue;
    for (const std::uint32_t cell : part) of_cell[cell] = no_basin;
  }
}

}  // namespace

// Along one axis, the lowest value between two peaks separates them, and it is as much a matter of chance as the peaks.
// In more dimensions, a path avoids low values.
double least_evidence(const Shape& shape) {
  const double cells = std::log(static_cast<double>(cell_count(shape)));
  return shape.touching_axes() <= 1 ? 2 * cells - 2 : 0.5 * (cells + std::log(4.0));
}

double evidence_over_mean(const Rise& rise, double mean) {
  const double over = std::clamp(1 - mean / std::max(rise.peak, 1e-9), 0.0, 1.0);
  return rise.evidence * over * over;
}

Modes find_modes(const Cells<std::int64_t>& values, const CellNoise& noise, std::uint64_t min_cells) {
  if (!values.is_dense()) throw InputError("modes are sought among all cells of a box, which this one does not hold");
  const Choice choice(values, noise);
  const Scale& scale = choice.scale();
  const Partition& partition = choice.partition();
  Modes result;
  result.smoothing = scale.smoothing;
  result.depth = choice.depth();
  std::vector<std::uint32_t> of_cell = cells_of(scale, partition, noise);
  drop_strays(scale, partition, noise, values.shape(), of_cell);
  std::vector<std::uint64_t> sizes(partition.kept.size(), 0);
  std::vector<double> lowest(partition.kept.size(), std::numeric_limits<double>::max());
  for (std::size_t cell = 0; cell < of_cell.size(); ++cell) {
    if (of_cell[cell] == no_basin) continue;
    ++sizes[of_cell[cell]];
    lowest[of_cell[cell]] = std::min(lowest[of_cell[cell]], scale.field.values[cell]);
  }

  std::vector<std::uint32_t> first(partition.kept.size(), no_basin), order;
  for (std::size_t cell = values.stored(); cell-- > 0;) {
    if (of_cell[cell] != no_basin) first[of_cell[cell]] = static_cast<std::uint32_t>(cell);
  }
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] >= std::max<std::uint64_t>(min_cells, 1)) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sizes[a] > sizes[b] || (sizes[a] == sizes[b] && first[a] < first[b]);
  });
  std::vector<std::uint32_t> number(sizes.size(), 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i + 1;

  std::vector<std::uint64_t> cells;
  std::vector<std::uint32_t> labels;
  for (std::size_t cell = 0; cell < of_cell.size(); ++cell) {
    if (of_cell[cell] == no_basin || number[of_cell[cell]] == 0) continue;
    cells.push_back(cell);
    labels.push_back(number[of_cell[cell]]);
    const double over = scale.field.values[cell] - least_value(scale, noise, partition.kept[of_cell[cell]], cell);
    result.margins.push_back(over / scale.field.largest_weight);
  }
  result.clusters = Clusters(values.shape(), std::move(cells), std::move(labels));
  for (const std::uint32_t i : order) {
    const std::uint32_t behind = partition.neighbour[i];
    result.rises.push_back({.peak = peak_of(scale, partition.kept[i]),
                            .saddle = partition.own[i],
                            .evidence = scale.evidence[partition.lower[i]],
                            .doubt = scale.doubt[partition.lower[i]],
                            .towards = behind == no_basin ? 0 : number[behind]});
    result.lowest = result.rises.size() == 1 ? lowest[i] : std::min(result.lowest, lowest[i]);
  }
  return result;
}

}  // namespace shoal
