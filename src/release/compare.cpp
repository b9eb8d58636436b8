// Both releases are brought to the same cells. Clusters that share cells or touch are examined together: what their
// cells hold in the two releases is compared under the law that the difference has if nothing has changed.
//
// Two kinds of questions differ in what was chosen by looking at the data:
// - Growth and moves of what both releases show. The cells are those that either release shows. Swapping the values of
//   the two releases in a cell hardly changes that choice, and without a change swapped values are equally likely.
//   Cells that only one release shows were chosen for a large difference: the difference itself stands for their
//   variance.
// - What only one release shows (new, gone, a gap, a bridge). The cells were chosen for their difference, among all
//   cells and in all shapes: the probability is multiplied by their number, and by a factor for every further cell.
#include "shoal/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <queue>
#include <set>

#include "clusters/neighbours.hpp"
#include "clusters/sets.hpp"
#include "inference/box_clusters.hpp"
#include "inference/change_test.hpp"
#include "inference/noisy_records.hpp"
#include "release/comparable.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// How the probability of a false alarm is divided among the questions.
constexpr double share_of_sizes = 0.7, share_of_moves = 0.15, share_of_shapes = 0.15;
// The number of connected shapes of k cells that contain a given cell and differ by more than a cell or two is about
// shapes_a_cell^(k - 1).
constexpr double shapes_a_cell = 4;

// A release on the cells on which both are compared.
struct Side {
  std::vector<double> values;  // noisy records
  DifferenceLaw::Noise noise;
  double censored = 0;                               // values below this were raised to it
  std::vector<std::uint32_t> label;                  // of each cell; 0: none
  std::vector<std::vector<std::uint64_t>> clusters;  // cells of each cluster, ascending

  [[nodiscard]] std::size_t count() const { return clusters.size(); }
};

unsigned cells_level(const ReleaseParts& parts) {
  return parts.options.transform == Transform::decimated ? parts.options.level : 0;
}

// Returns the labels of coarser cells. A coarser cell belongs to the cluster that holds most of its cells; if several
// hold equally many, to the largest.
std::vector<std::uint32_t> labels_at(const Release& release, const Shape& shape, unsigned level) {
  const Clusters& clusters = release.cluster_cells();
  const unsigned halvings = level - cells_level(release.parts());
  std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>> votes;
  const std::vector<std::uint64_t> step = strides(shape);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(clusters.cells()[i], clusters.shape());
    std::uint64_t cell = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const unsigned along = shape.side(axis).pooled ? halvings : 0;
      cell += std::min(at[axis] >> along, shape[axis] - 1) * step[axis];
    }
    ++votes[cell][clusters.labels()[i]];
  }
  std::vector<std::uint32_t> labels(cell_count(shape), 0);
  for (const auto& [cell, counts] : votes) {
    std::uint64_t most = 0;
    for (const auto& [label, count] : counts) {
      if (count <= most) continue;
      most = count;
      labels[cell] = label;
    }
  }
  return labels;
}

Side side_of(const Release& release, unsigned level) {
  const ReleaseParts& parts = release.parts();
  ClusterOptions options = parts.options;
  options.wavelet = Wavelet::haar();
  options.transform = Transform::decimated;
  options.level = level;
  refuse_boxes(parts, "compared");
  if (parts.values() == nullptr) {
    throw InputError("a release without its noisy values cannot be compared; take the file that holds them");
  }
  if (parts.has_floor()) {
    throw InputError("a release that holds only its large values cannot be compared; make it with a coarser --grid");
  }
  const std::optional<NoisyRecords> records = noisy_records_of_w(parts, options);
  if (!records) {
    throw InputError(
        fmt::format("a release by {} cannot be compared: {}", parts.technique, without_confidence(parts.technique)));
  }
  Side side;
  side.values.assign(records->values.begin(), records->values.end());
  const LaplaceLaw law = draw_law(*law_of_values(parts));
  side.noise = {law, records->noise.variance / noise_of(*law_of_values(parts)).variance};
  side.censored = static_cast<double>(parts.censored_below());
  side.label = labels_at(release, records->shape, level);
  side.clusters.resize(release.cluster_cells().count());
  for (std::uint64_t cell = 0; cell < side.label.size(); ++cell) {
    if (side.label[cell] != 0) side.clusters[side.label[cell] - 1].push_back(cell);
  }
  return side;
}

unsigned common_level(const ReleaseParts& a, const ReleaseParts& b) {
  return std::max({cells_level(a), cells_level(b), a.blocks_level(), b.blocks_level(), 1U});
}

// Returns the cluster of `other` that holds most cells of this one or, if they share none, touches most of them; 0:
// none.
std::uint32_t main_partner(const std::vector<std::uint64_t>& cells, const Side& other, const Neighbours& neighbours) {
  std::map<std::uint32_t, std::uint64_t> shared, touched;
  for (const std::uint64_t cell : cells) {
    if (other.label[cell] != 0) ++shared[other.label[cell]];
    if (!shared.empty()) continue;
    neighbours.visit(cell, [&](std::uint64_t next) {
      if (other.label[next] != 0) ++touched[other.label[next]];
    });
  }
  std::uint64_t most = 0;
  std::uint32_t main = 0;
  for (const auto& [label, count] : shared.empty() ? touched : shared) {
    if (count <= most) continue;
    most = count;
    main = label;
  }
  return main;
}

struct Group {
  std::vector<std::uint32_t> before, after;
};

class PairOfReleases {
 public:
  PairOfReleases(const Release& before, const Release& after)
      : grid_(before.parts().grid),
        level_(common_level(before.parts(), after.parts())),
        shape_(transformed_shape(grid_.shape(), level_, Transform::decimated)),
        a_(side_of(before, level_)),
        b_(side_of(after, level_)),
        neighbours_(shape_, Adjacency::full),
        centres_(grid_.dimensions()),
        counts_some_groups_(before.parts().unit.groups || after.parts().unit.groups) {
    law_ = {a_.noise, b_.noise, static_cast<double>(before.parts().unit.max_contributions)};
    for (std::size_t axis = 0; axis < grid_.dimensions(); ++axis) {
      const Axis& grid_axis = grid_.axis(axis);
      const unsigned shift = shape_.side(axis).pooled ? level_ : 0;
      for (std::uint64_t i = 0; i < shape_[axis]; ++i) {
        centres_[axis].push_back(
            (grid_axis.position(grid_axis.edge(i << shift)) + grid_axis.position(grid_axis.edge((i + 1) << shift))) /
            2);
      }
    }
    group();
  }

  [[nodiscard]] Changes changes() const {
    Changes result;
    if (a_.censored == 0 && b_.censored == 0) {
      TotalChange total;
      for (std::size_t i = 0; i < a_.values.size(); ++i) {
        total.before += a_.values[i];
        total.after += b_.values[i];
      }
      const auto cells = static_cast<double>(a_.values.size());
      total.deviation = std::sqrt(law_of(cells).variance(mean_of(total.before, total.after)));
      total.reach = reach_of(cells, mean_of(total.before, total.after));
      result.total = total;
    }
    for (const Group& group : groups_) result.clusters.push_back(change_of(group));
    return result;
  }

 private:
  void group() {
    // Joins each cluster with its main partner, whichever of the two chose the other.
    std::vector<std::size_t> parent(a_.count() + b_.count());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&parent](std::size_t i) { return root_of(parent, i); };
    for (std::size_t i = 0; i < a_.count(); ++i) {
      main_a_.push_back(main_partner(a_.clusters[i], b_, neighbours_));
      if (main_a_[i] != 0) parent[root(i)] = root(a_.count() + main_a_[i] - 1);
    }
    for (std::size_t i = 0; i < b_.count(); ++i) {
      main_b_.push_back(main_partner(b_.clusters[i], a_, neighbours_));
      if (main_b_[i] != 0) parent[root(a_.count() + i)] = root(main_b_[i] - 1);
    }
    std::map<std::size_t, Group> found;
    for (std::size_t i = 0; i < parent.size(); ++i) {
      Group& group = found[root(i)];
      if (i < a_.count()) {
        group.before.push_back(static_cast<std::uint32_t>(i + 1));
      } else {
        group.after.push_back(static_cast<std::uint32_t>(i - a_.count() + 1));
      }
    }
    for (auto& [key, group] : found) groups_.push_back(std::move(group));
    const std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    const auto key = [last](const Group& group) {
      return std::pair(group.before.empty() ? last : group.before.front(),
                       group.after.empty() ? last : group.after.front());
    };
    std::sort(groups_.begin(), groups_.end(), [&](const Group& x, const Group& y) { return key(x) < key(y); });
    for (const Group& group : groups_) shares_ += share_of(group);
  }

  // Returns the share of the probability of a false alarm that a group may take. It grows with the size of the group,
  // by the mean of both releases. Otherwise many specks of noise would hide what happens to a cluster.
  [[nodiscard]] double share_of(const Group& group) const {
    if (group.before.empty() || group.after.empty()) return 0;
    return std::sqrt(std::max(1.0, records_in(cells_of(group))));
  }

  [[nodiscard]] double difference(std::uint64_t cell) const { return b_.values[cell] - a_.values[cell]; }
  [[nodiscard]] double pooled(std::uint64_t cell) const {
    return std::max(0.0, (a_.values[cell] + b_.values[cell]) / 2);
  }
  // If the two releases raised their values to different bounds, empty cells differ by the distance of these bounds.
  [[nodiscard]] double raised(std::uint64_t cell) const {
    const double most = std::max(a_.censored, b_.censored);
    const bool low = pooled(cell) < most + 2 * std::sqrt(law_.noise_variance());
    return low ? std::fabs(a_.censored - b_.censored) : 0;
  }

  [[nodiscard]] std::vector<std::uint64_t> cells_of(const Group& group) const {
    std::vector<std::uint64_t> cells;
    for (const std::uint32_t id : group.before)
      cells.insert(cells.end(), a_.clusters[id - 1].begin(), a_.clusters[id - 1].end());
    for (const std::uint32_t id : group.after)
      cells.insert(cells.end(), b_.clusters[id - 1].begin(), b_.clusters[id - 1].end());
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
  }

  // Returns the cells and their neighbours that belong to no other cluster.
  [[nodiscard]] std::vector<std::uint64_t> with_rim(const std::vector<std::uint64_t>& cells) const {
    std::set<std::uint64_t> all(cells.begin(), cells.end());
    for (const std::uint64_t cell : cells) {
      neighbours_.visit(cell, [&](std::uint64_t next) {
        if (a_.label[next] == 0 && b_.label[next] == 0) all.insert(next);
      });
    }
    return {all.begin(), all.end()};
  }

  // Returns whether only one release shows the cell, with a difference that may be the largest of all cells by chance.
  [[nodiscard]] bool chosen_for_difference(std::uint64_t cell) const {
    if ((a_.label[cell] == 0) == (b_.label[cell] == 0)) return false;
    constexpr double least_expected_cells = 0.01;
    const WeightedCell weighted{1, pooled(cell)};
    const double x = std::fabs(difference(cell)) - raised(cell);
    if (x * x < 16 * law_.variance(weighted.records)) return true;  // four standard deviations are not rare
    return difference_tail(law_, {&weighted, 1}, x) * static_cast<double>(a_.values.size()) > least_expected_cells;
  }

  // Returns the two-sided probability of the sum of weight * difference, over cells that both releases chose. weights:
  // one per cell.
  [[nodiscard]] double chance_of(const std::vector<std::uint64_t>& cells, const std::vector<double>& weights) const {
    double sum = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) sum += weights[i] * difference(cells[i]);
    const Choice choice = choice_of(cells, weights);
    const double x = std::max(0.0, std::fabs(sum) - choice.slack) / choice.widening;
    return 2 * difference_tail(law_, weighted(cells, weights), x);
  }

  // What the choice of the cells adds to the law of the sum of weight * difference: the factor by which differences
  // that were chosen for being large are wider, and the distance of bounds to which values were raised.
  struct Choice {
    double widening = 1, slack = 0;
  };
  [[nodiscard]] Choice choice_of(const std::vector<std::uint64_t>& cells, const std::vector<double>& weights) const {
    double variance = 0, chosen = 0;
    Choice result;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double square = weights[i] * weights[i], d = difference(cells[i]);
      const double expected = law_.variance(pooled(cells[i]));
      result.slack += std::fabs(weights[i]) * raised(cells[i]);
      variance += square * expected;
      chosen += square * (chosen_for_difference(cells[i]) ? std::max(expected, d * d) : expected);
    }
    if (variance > 0) result.widening = std::sqrt(chosen / variance);
    return result;
  }

  [[nodiscard]] std::vector<WeightedCell> weighted(const std::vector<std::uint64_t>& cells,
                                                   const std::vector<double>& weights) const {
    std::vector<WeightedCell> result;
    result.reserve(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) result.push_back({weights[i], pooled(cells[i])});
    return result;
  }

  static double mean_of(double before, double after) { return std::max(0.0, (before + after) / 2); }
  // Returns the law of the sum of this number of cells.
  [[nodiscard]] DifferenceLaw law_of(double cells) const {
    DifferenceLaw law = law_;
    law.before.draws *= cells;
    law.after.draws *= cells;
    return law;
  }
  // Returns how far the difference of two sums over cells lies from that of the population, at 95 %. records: of
  // all of these cells in one release.
  [[nodiscard]] double reach_of(double cells, double records) const {
    const WeightedCell all{1, records};
    return difference_reach(law_of(cells), {&all, 1});
  }

  // Returns the one-sided probability for cells that were chosen because one release has more there than the other.
  [[nodiscard]] double chance_of_chosen(const std::vector<std::uint64_t>& cells, bool more_after) const {
    if (cells.empty()) return 1;
    double sum = 0, slack = 0;
    std::vector<WeightedCell> weighted;
    for (const std::uint64_t cell : cells) {
      weighted.push_back({1, pooled(cell)});
      sum += more_after ? difference(cell) : -difference(cell);
      slack += raised(cell);
    }
    const double chance = difference_tail(law_, weighted, sum - slack);
    const auto places = static_cast<double>(a_.values.size());
    const double choices = std::log(places) + static_cast<double>(cells.size() - 1) * std::log(shapes_a_cell);
    return std::min(1.0, std::exp(std::log(chance) + choices) / share_of_shapes);
  }

  void add_sizes(const std::vector<std::uint64_t>& cells, ClusterChange& to) const {
    to.records_before = to.records_after = 0;
    for (const std::uint64_t cell : cells) {
      to.records_before += a_.values[cell];
      to.records_after += b_.values[cell];
    }
    const auto count = static_cast<double>(cells.size());
    const double records = mean_of(to.records_before, to.records_after);
    const Choice choice = choice_of(cells, std::vector<double>(cells.size(), 1));
    to.deviation = std::sqrt(law_of(count).variance(records));
    to.reach = reach_of(count, records) * choice.widening + choice.slack;
  }

  // Returns the positions of the cells along an axis. On a circle, all lie within half a turn of the direction of most
  // records.
  [[nodiscard]] std::vector<double> positions(const std::vector<std::uint64_t>& cells, std::size_t axis) const {
    std::vector<double> x(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) x[i] = centres_[axis][coordinates(cells[i], shape_)[axis]];
    if (shape_.border(axis) != Border::circle) return x;
    const double around = grid_.axis(axis).hi() - grid_.axis(axis).lo(), turn = 2 * std::numbers::pi / around;
    double east = 0, north = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      east += std::cos(x[i] * turn) * pooled(cells[i]);
      north += std::sin(x[i] * turn) * pooled(cells[i]);
    }
    const double middle = std::atan2(north, east) / turn;
    for (double& at : x) at -= around * std::round((at - middle) / around);
    return x;
  }

  [[nodiscard]] double records_in(const std::vector<std::uint64_t>& cells) const {
    double records = 0;
    for (const std::uint64_t cell : cells) records += (a_.values[cell] + b_.values[cell]) / 2;
    return records;
  }

  // Adds how far the centre of the records moved along an axis: sum (x - centre) * difference, which is 0 under mere
  // growth. There are no moves among categories. Requires records in the cells.
  [[nodiscard]] double add_move(const std::vector<std::uint64_t>& cells, std::size_t axis, ClusterChange& to) const {
    if (shape_.border(axis) == Border::apart) {
      to.move.push_back(0);
      to.move_deviation.push_back(0);
      to.move_reach.push_back(0);
      return 1;
    }
    const double records = records_in(cells);
    double centre = 0;
    std::vector<double> x = positions(cells, axis);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      centre += x[i] * (a_.values[cells[i]] + b_.values[cells[i]]) / 2 / records;
    }
    double sum = 0, variance = 0;
    const Axis& grid_axis = grid_.axis(axis);
    const double cell_width =
        (grid_axis.position(grid_axis.hi()) - grid_axis.position(grid_axis.lo())) / static_cast<double>(shape_[axis]);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      x[i] = (x[i] - centre) / cell_width;
      sum += x[i] * difference(cells[i]);
      variance += x[i] * x[i] * law_.variance(pooled(cells[i]));
    }
    // In the units of the axis, which a curved scale stretches.
    const auto in_units = [&](double by) {
      return grid_axis.kind().is_plain()
                 ? by
                 : grid_axis.coordinate(centre + by / 2) - grid_axis.coordinate(centre - by / 2);
    };
    to.move.push_back(in_units(sum / records * cell_width));
    to.move_deviation.push_back(in_units(std::sqrt(variance) / records * cell_width));
    const Choice choice = choice_of(cells, x);
    const double reach = difference_reach(law_, weighted(cells, x)) * choice.widening + choice.slack;
    to.move_reach.push_back(in_units(reach / records * cell_width));
    return chance_of(cells, x);
  }

  // Returns the gap between a part and the others, as the other release bridges it: of all paths through the whole
  // cluster, the one whose smallest value is largest, without the cells that are in a part.
  [[nodiscard]] std::vector<std::uint64_t> bridge(const Side& whole, std::uint32_t id, const Side& parts,
                                                  std::uint32_t part, const std::vector<std::uint32_t>& all) const {
    const auto belongs = [&](std::uint64_t cell, bool own) {
      const auto is = [&](std::uint32_t label) {
        return label != 0 && (label == part) == own && std::find(all.begin(), all.end(), label) != all.end();
      };
      bool found = is(parts.label[cell]);
      if (!found) neighbours_.visit(cell, [&](std::uint64_t next) { found = found || is(parts.label[next]); });
      return found;
    };
    std::map<std::uint64_t, std::uint64_t> from;
    std::priority_queue<std::tuple<double, std::uint64_t, std::uint64_t>> ways;
    for (const std::uint64_t cell : whole.clusters[id - 1]) {
      if (belongs(cell, true)) ways.emplace(whole.values[cell], cell, cell);
    }
    while (!ways.empty()) {
      const auto [width, cell, before] = ways.top();
      ways.pop();
      if (!from.try_emplace(cell, before).second) continue;
      if (belongs(cell, false)) {
        std::vector<std::uint64_t> gap;
        for (std::uint64_t at = cell;; at = from.at(at)) {
          if (parts.label[at] == 0) gap.push_back(at);
          if (from.at(at) == at) return gap;
        }
      }
      neighbours_.visit(cell, [&, w = width, c = cell](std::uint64_t next) {
        if (whole.label[next] == id) ways.emplace(std::min(w, whole.values[next]), next, c);
      });
    }
    return {};
  }

  // Returns the smallest probability over all parts that a gap separates from the others.
  [[nodiscard]] double chance_of_parts(const Side& whole, const std::vector<std::uint32_t>& main_of_parts,
                                       const std::vector<std::uint32_t>& parts, const Side& side,
                                       bool whole_is_after) const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_whole;
    for (const std::uint32_t part : parts) {
      if (main_of_parts[part - 1] != 0) by_whole[main_of_parts[part - 1]].push_back(part);
    }
    double least = 1;
    for (const auto& [id, members] : by_whole) {
      for (std::size_t i = 0; members.size() > 1 && i < members.size(); ++i) {
        least = std::min(least, chance_of_chosen(bridge(whole, id, side, members[i], members), whole_is_after));
      }
    }
    return least;
  }

  [[nodiscard]] ClusterChange change_of(const Group& group) const {
    ClusterChange result{group.before, group.after, {}, 0, 0, 0, 0, {}, {}, {}};
    const std::vector<std::uint64_t> cells = cells_of(group);
    add_sizes(cells, result);
    if (group.before.empty() || group.after.empty()) {
      const double chance = chance_of_chosen(cells, group.before.empty());
      const bool sure = 1 - chance >= taken_as_changed;
      const Change change = !sure ? Change::unclear : group.before.empty() ? Change::appeared : Change::gone;
      result.found.push_back({change, sure ? 1 - chance : chance});
      return result;
    }
    double least = 1;
    const auto tell = [&](Change change, double chance) {
      chance = std::min(1.0, chance);
      least = std::min(least, chance);
      if (1 - chance >= taken_as_changed) result.found.push_back({change, 1 - chance});
    };
    if (group.after.size() > 1) tell(Change::split, chance_of_parts(a_, main_b_, group.after, b_, false));
    if (group.before.size() > 1) tell(Change::joined, chance_of_parts(b_, main_a_, group.before, a_, true));
    const double share = share_of(group) / shares_;
    const std::vector<std::uint64_t> around = with_rim(cells);
    if (result.records_before > 0 && result.records_after > 0 && around.size() > 1 && records_in(around) > 0) {
      double moved = 1;
      for (std::size_t axis = 0; axis < shape_.size(); ++axis) moved = std::min(moved, add_move(around, axis, result));
      tell(Change::moved,
           moved / share * static_cast<double>(std::max<std::size_t>(shape_.touching_axes(), 1)) / share_of_moves);
    }
    // A cluster that has moved may have left the cells that either release shows.
    const std::vector<std::uint64_t>& sized = result.found.empty() ? cells : around;
    add_sizes(sized, result);
    const double size = chance_of(sized, std::vector<double>(sized.size(), 1));
    const bool up = result.records_after > result.records_before;
    const Change of_size = counts_some_groups_ ? (up ? Change::more : Change::fewer)
                           : up                ? Change::grew
                                               : Change::shrank;
    tell(of_size, size / share / share_of_sizes);
    if (result.found.empty()) result.found.push_back({Change::stayed, least});
    return result;
  }

  const Grid& grid_;
  unsigned level_;
  Shape shape_;
  Side a_, b_;
  Neighbours neighbours_;
  std::vector<std::vector<double>> centres_;  // centres of the cells, per axis
  bool counts_some_groups_;                   // then another size is not growth (PrivacyUnit::groups)
  DifferenceLaw law_;
  std::vector<std::uint32_t> main_a_, main_b_;
  std::vector<Group> groups_;
  double shares_ = 0;  // sum over all groups
};

}  // namespace

Changes changes_between(const Release& before, const Release& after) {
  check_comparable(before.parts(), after.parts());
  return PairOfReleases(before, after).changes();
}

std::vector<Changes> compare(std::span<const Release> releases) {
  if (releases.size() < 2) throw InputError("one release alone cannot be compared; give two or more");
  std::vector<Changes> result;
  for (std::size_t i = 1; i < releases.size(); ++i) result.push_back(changes_between(releases[i - 1], releases[i]));
  return result;
}

}  // namespace shoal
