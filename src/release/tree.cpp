#include "shoal/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "clusters/neighbours.hpp"
#include "clusters/sets.hpp"
#include "inference/box_clusters.hpp"
#include "inference/intervals.hpp"
#include "inference/laplace_law.hpp"
#include "inference/noisy_modes.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/describe.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr double most_visits = 4e9;  // maximum number of neighbours that are examined
// Standard deviations of noise that a branch of stable ones must outlast to be stable itself.
constexpr double joined_deviations = 3;
constexpr double least_threshold_share = 0.8;  // share of the release's own threshold: the tree shows what comes next

double neighbours_of(const Shape& shape, Adjacency adjacency) {
  return adjacency == Adjacency::face ? 2.0 * static_cast<double>(shape.size())
                                      : std::pow(3.0, static_cast<double>(shape.size()));
}

// W' in its own units, positive values only.
struct Positives {
  std::vector<std::uint64_t> cells;
  std::vector<double> values;  // of these cells
};

Positives positives_of(const Transformed& w, double least) {
  Positives result;
  const auto take = [&](const auto& cells, double unit) {
    for (std::size_t i = 0; i < cells.stored(); ++i) {
      const double value = static_cast<double>(cells.values()[i]) * unit;
      if (!(value > 0) || value < least) continue;
      result.cells.push_back(cells.index_of(i));
      result.values.push_back(value);
    }
  };
  w.visit([&](const auto& cells) { take(cells, w.unit()); });
  return result;
}

// Stores one number per cell. For few cells of a huge box, only the listed cells take memory.
class CellSlots {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  // listed: the cells that may be set.
  CellSlots(const Shape& shape, std::vector<std::uint64_t> listed) {
    constexpr std::uint64_t large = std::uint64_t{1} << 24;
    if (cell_count(shape) > large && cell_count(shape) / 4 > listed.size()) {
      listed_ = std::move(listed);
      std::sort(listed_.begin(), listed_.end());
      slots_.assign(listed_.size() + 1, none);
    } else {
      slots_.assign(cell_count(shape), none);
    }
  }
  std::uint32_t& operator[](std::uint64_t cell) { return slots_[listed_.empty() ? cell : place(cell)]; }

 private:
  // Returns the place of a cell. Cells that are not listed get the last place, which is never set.
  [[nodiscard]] std::uint64_t place(std::uint64_t cell) const {
    const auto found = std::lower_bound(listed_.begin(), listed_.end(), cell);
    return found != listed_.end() && *found == cell ? static_cast<std::uint64_t>(found - listed_.begin())
                                                    : listed_.size();
  }
  std::vector<std::uint64_t> listed_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace

// Takes the cells in descending order and maintains the components by union-find, each with its current branch.
class TreeBuilder {
 public:
  // modes: of the same values, if available. A leaf is then stable only if it holds most of one mode: fragments of a
  // uniform area stand out from the noise as well, but are due to chance in the sample.
  TreeBuilder(ClusterTree& tree, Adjacency adjacency, double rate, const std::optional<Modes>& modes)
      : tree_(tree), neighbours_(tree.shape_, adjacency), rate_(rate) {
    if (!modes) return;
    mode_of_.assign(cell_count(tree.shape_), 0);
    whole_.assign(modes->clusters.count() + 1, 0);
    const std::vector<std::uint64_t>& cells = modes->clusters.cells();
    for (std::size_t i = 0; i < cells.size(); ++i) mode_of_[cells[i]] = modes->clusters.labels()[i];
    for (std::size_t i = 0; i < tree.cells_.size(); ++i) whole_[mode_of_[tree.cells_[i]]] += tree.values_[i];
  }

  void build() {
    const std::size_t count = tree_.cells_.size();
    CellSlots slot(tree_.shape_, tree_.cells_);
    parent_.resize(count);
    component_.resize(count);
    tree_.branch_.resize(count);
    doubt_ = std::log(std::max(1.0, static_cast<double>(count)) / ClusterTree::family_wise_error);
    for (std::uint32_t i = 0; i < count; ++i) {
      const double value = tree_.values_[i];
      roots_.clear();
      neighbours_.visit(tree_.cells_[i], [&](std::uint64_t other) {
        if (slot[other] == CellSlots::none) return;
        const std::uint32_t root = root_of(parent_, slot[other]);
        if (std::find(roots_.begin(), roots_.end(), root) == roots_.end()) roots_.push_back(root);
      });
      slot[tree_.cells_[i]] = i;
      take(i, value);
    }
    finish();
  }

 private:
  struct Component {
    std::uint32_t branch = 0;  // starting at 1
    std::uint64_t cells = 0;
    double sum = 0;
    std::vector<std::pair<std::uint32_t, double>> modes;  // and how much it holds of each
  };

  std::uint32_t new_branch(double birth) {
    TreeBranch branch;
    branch.birth = birth;
    tree_.branches_.push_back(branch);
    return static_cast<std::uint32_t>(tree_.branches_.size());
  }

  // Noise on a flat density has exponential tails. What lies above a threshold, divided by 1 / rate, is then a sum of
  // exponentials. Chernoff's bound on P(sum >= x) for n of them is exp(-(x - n - n ln(x / n))).
  [[nodiscard]] bool stands_out(const Component& component, double above) const {
    if (rate_ <= 0 || !holds_a_mode(component)) return false;
    const auto n = static_cast<double>(component.cells);
    const double x = rate_ * (component.sum - n * above);
    return x > n && x - n - n * std::log(x / n) > doubt_;
  }

  [[nodiscard]] bool holds_a_mode(const Component& component) const {
    return mode_of_.empty() || std::any_of(component.modes.begin(), component.modes.end(), [this](const auto& held) {
             return held.first != 0 && held.second > whole_[held.first] / 2;
           });
  }

  void add_mode(Component& component, std::uint32_t mode, double sum) const {
    for (auto& [known, held] : component.modes) {
      if (known == mode) {
        held += sum;
        return;
      }
    }
    component.modes.emplace_back(mode, sum);
  }

  TreeBranch& branch_of(std::uint32_t root) { return tree_.branches_[component_[root].branch - 1]; }

  void take(std::uint32_t i, double value) {
    parent_[i] = i;
    component_[i] = {0, 1, value, {}};
    if (!mode_of_.empty()) add_mode(component_[i], mode_of_[tree_.cells_[i]], value);
    component_[i].branch = roots_.empty()       ? new_branch(value)
                           : roots_.size() == 1 ? component_[roots_[0]].branch
                                                : joined(value);
    tree_.branch_[i] = component_[i].branch;
    for (const std::uint32_t root : roots_) {
      parent_[root] = i;
      component_[i].cells += component_[root].cells;
      component_[i].sum += component_[root].sum;
      for (const auto& [mode, sum] : component_[root].modes) add_mode(component_[i], mode, sum);
      component_[root].modes = {};
    }
  }

  // Returns the branch that the components of roots_ form at this value. The other branches end in it.
  std::uint32_t joined(double value) {
    std::vector<std::uint32_t> stable;
    for (const std::uint32_t root : roots_) {
      TreeBranch& branch = branch_of(root);
      branch.stable = branch.stable || (branch.leaf && branch.birth > value && stands_out(component_[root], value));
      if (branch.stable || !branch.leaf) stable.push_back(root);
    }
    std::uint32_t next = 0;
    if (stable.size() > 1) {
      // Cells of equal value are processed together: a branch that a join created at this value takes part in this
      // join.
      for (const std::uint32_t root : stable) {
        if (!branch_of(root).leaf && branch_of(root).birth == value) next = component_[root].branch;
      }
      if (next == 0) next = new_branch(value);
      tree_.branches_[next - 1].leaf = false;
    } else {
      const auto elder = std::max_element(roots_.begin(), roots_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return branch_of(a).birth < branch_of(b).birth;
      });
      next = component_[stable.empty() ? *elder : stable[0]].branch;
    }
    for (const std::uint32_t root : roots_) {
      if (component_[root].branch != next) end(root, next, value);
    }
    return next;
  }

  void end(std::uint32_t root, std::uint32_t into, double value) {
    TreeBranch& branch = branch_of(root);
    branch.parent = into;
    branch.death = value;
    branch.cells = component_[root].cells;
    branch.records = component_[root].sum;
    if (!branch.leaf) branch.stable = rate_ > 0 && branch.birth - value > joined_deviations * tree_.deviation_;
  }

  void finish() {
    for (std::uint32_t i = 0; i < parent_.size(); ++i) {
      if (parent_[i] != i) continue;
      TreeBranch& branch = branch_of(i);
      if (branch.leaf && stands_out(component_[i], tree_.least_threshold_)) branch.stable = true;
      end(i, 0, tree_.least_threshold_);
    }
  }

  ClusterTree& tree_;
  const Neighbours neighbours_;
  double rate_;       // of the noise, per unit of W; 0: unknown
  double doubt_ = 0;  // a component stands out if the negative logarithm of its probability exceeds this
  std::vector<std::uint32_t> parent_, roots_;
  std::vector<Component> component_;
  std::vector<std::uint32_t> mode_of_;  // by cell; 0: none
  std::vector<double> whole_;           // sum of the values of each mode
};

ClusterTree::ClusterTree(const Release& release, const TreeOptions& options) {
  const ReleaseParts& parts = release.parts();
  refuse_boxes(parts, "drawn as a tree");
  check_transform(parts, parts.options);
  const Transformed w = transformed_noisy(parts, parts.options);
  shape_ = w.shape();
  double rate = 0, record = 1, variance = 0, scale = 0;
  if (const std::optional<NoiseOfW> known = noise_of_w(parts, parts.options)) {
    deviation_ = std::sqrt(known->noise.variance) * known->scale.threshold;
    rate = known->noise.rate / known->scale.threshold;
    record = known->scale.threshold;
    variance = w.is_haar() && known->scale.record == 1 ? known->noise.variance : 0;
    scale = scale_of_draw(variance, known->terms);
  } else if (w.is_haar()) {
    record = w.unit();
  }
  double least = options.least_deviations * deviation_;
  if (release.threshold() > 0) least = std::min(least, least_threshold_share * release.threshold());
  least += static_cast<double>(parts.censored_below()) * w.unit();  // cells below are not told apart
  const Positives positives = positives_of(w, least);
  if (static_cast<double>(positives.cells.size()) * neighbours_of(shape_, parts.options.adjacency) > most_visits) {
    throw InputError(
        fmt::format("a tree of {} cells with {:.0f} neighbours each is too large to compute; first reshape the release "
                    "with --adjacency face or a higher --level",
                    positives.cells.size(), neighbours_of(shape_, parts.options.adjacency)));
  }
  std::vector<std::uint32_t> order(positives.cells.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return positives.values[a] != positives.values[b] ? positives.values[a] > positives.values[b] : a < b;
  });
  for (const std::uint32_t i : order) {
    cells_.push_back(positives.cells[i]);
    values_.push_back(positives.values[i]);
  }
  // For sparse values, nothing is known below the least value.
  least_threshold_ = values_.empty() ? 0 : least > 0 && w.is_dense() ? least : values_.back();
  std::optional<Modes> modes;
  accounts_for_sample_ = rate > 0 && has_modes(parts, w);
  if (accounts_for_sample_) {
    modes = noisy_modes(parts, w, parts.options);
    const std::vector<ClusterConfidence> confidence = confidence_of(parts, w, *modes);
    // A single uniform area is not a cluster, nor is one uniform area in every category.
    const auto is_uniform = [](const ClusterConfidence& one) { return one.plain > 0 && is_doubtful(one); };
    if (std::all_of(confidence.begin(), confidence.end(), is_uniform)) modes->clusters = Clusters(shape_, {}, {});
  }
  TreeBuilder(*this, parts.options.adjacency, rate, modes).build();
  describe(release, record);
  if (variance > 0) set_intervals(variance, scale, record);
}

// variance and scale: of the noise of a value and of one draw of it, in records. Values of W count every record once.
// Values below the end of a branch count as much as those above.
void ClusterTree::set_intervals(double variance, double scale, double record) {
  constexpr double most_scales_above = 20;  // in scales: values further above are ignored
  std::vector<double> excess(branches_.size(), 0);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    for (std::uint32_t id = branch_[i]; id != 0; id = branches_[id - 1].parent) {
      const double above = (values_[i] - branches_[id - 1].death) / record;
      if (above > most_scales_above * scale) break;  // parents end further down
      excess[id - 1] += 2 * excess_by(variance, scale, above);
    }
  }
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    TreeBranch& branch = branches_[i];
    ClusterConfidence interval;
    const double draws = draws_of(variance, scale);
    set_interval_of_chosen(interval, branch.records, excess[i],
                           reach_of_noise(variance / draws, draws * static_cast<double>(branch.cells)));
    branch.estimated_records = interval.estimated_records;
    branch.least_records = interval.least_records;
    branch.most_records = interval.most_records;
  }
}

// Computes ranks and centroids, and converts sums to records.
void ClusterTree::describe(const Release& release, double record) {
  const auto rank = [this](double value) {
    const auto below = std::upper_bound(values_.begin(), values_.end(), value, std::greater<>());
    return static_cast<std::uint64_t>(below - values_.begin());
  };
  const ClusterMap map(release.parts().grid, release.parts().options.level, release.parts().options.transform,
                       Clusters(shape_, {}, {}));
  std::vector<MeanPlace> places(branches_.size(), MeanPlace(map.grid()));
  for (TreeBranch& branch : branches_) {
    branch.k_birth = rank(branch.birth);
    branch.k_death = rank(branch.death);
    branch.records /= record;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(cells_[i], shape_);
    for (std::uint32_t id = branch_[i]; id != 0; id = branches_[id - 1].parent) {
      const auto all = static_cast<double>(branches_[id - 1].cells);
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const auto [lo, hi] = map.cell_bounds(axis, at[axis]);
        places[id - 1].add(axis, MeanPlace::middle(map.grid().axis(axis), lo, hi), all);
      }
    }
  }
  for (std::size_t i = 0; i < branches_.size(); ++i) branches_[i].centroid = places[i].mean();
}

ClusterTree::Cut ClusterTree::cut(double threshold) const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  for (std::size_t i = 0; i < cells_.size() && values_[i] >= threshold; ++i) {
    std::uint32_t id = branch_[i];
    while (branches_[id - 1].parent != 0 && threshold <= branches_[id - 1].death) id = branches_[id - 1].parent;
    found.emplace_back(cells_[i], id);
  }
  std::sort(found.begin(), found.end());
  Cut result;
  for (const auto& [cell, id] : found) {
    result.cells.push_back(cell);
    result.branch.push_back(id);
  }
  return result;
}

ClusterTree::Leaves ClusterTree::leaves() const {
  Leaves result;
  for (std::uint32_t id = 1; id <= branches_.size(); ++id) {
    if (branches_[id - 1].stable && branches_[id - 1].leaf) result.branch.push_back(id);
  }
  std::stable_sort(result.branch.begin(), result.branch.end(), [this](std::uint32_t a, std::uint32_t b) {
    return branches_[a - 1].cells > branches_[b - 1].cells;
  });
  std::vector<std::uint32_t> label(branches_.size() + 1, 0);
  for (std::size_t i = 0; i < result.branch.size(); ++i) label[result.branch[i]] = static_cast<std::uint32_t>(i + 1);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    std::uint32_t id = branch_[i];
    while (id != 0 && label[id] == 0) id = branches_[id - 1].parent;
    if (id != 0) found.emplace_back(cells_[i], label[id]);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::uint64_t> cells;
  std::vector<std::uint32_t> labels;
  for (const auto& [cell, leaf] : found) {
    cells.push_back(cell);
    labels.push_back(leaf);
  }
  result.clusters = Clusters(shape_, std::move(cells), std::move(labels));
  return result;
}

namespace {

// Clusters that may be noise are mostly small. If every doubtful cluster has fewer cells than every other cluster,
// suggests the minimum size that drops exactly the doubtful ones.
std::optional<BetterShape> without_doubtful(const Release& release) {
  std::uint64_t doubtful = 0, largest = 0, least = UINT64_MAX;
  for (std::size_t i = 0; i < release.confidence().size(); ++i) {
    const std::uint64_t cells = release.clusters()[i].cells;
    if (!is_doubtful(release.confidence()[i])) {
      least = std::min(least, cells);
    } else {
      ++doubtful;
      largest = std::max(largest, cells);
    }
  }
  if (doubtful == 0 || least == UINT64_MAX || largest >= least) return std::nullopt;
  return BetterShape{fmt::format("--min-cells {}", largest + 1),
                     fmt::format("without the {} that may be noise or chance",
                                 doubtful == 1 ? "cluster" : fmt::format("{} clusters", doubtful))};
}

std::optional<BetterShape> at_a_stable_level(const Release& release) {
  const ClusterTree::Level level = ClusterTree(release).level();
  if (level.stable == 0) return std::nullopt;
  ClusterOptions options = release.parts().options;
  options.threshold = Density(level.density);
  if (reshape(release, options).clusters().empty()) return std::nullopt;
  return BetterShape{fmt::format("--density {:.6g}", level.density), "shows what stands out from the noise"};
}

}  // namespace

std::optional<BetterShape> better_shape(const Release& release) {
  constexpr std::uint64_t most_values = std::uint64_t{1} << 18;
  const ReleaseParts& parts = release.parts();
  const NoisyCounts* values = parts.values();
  if (values == nullptr) return std::nullopt;
  if (!release.clusters().empty()) return without_doubtful(release);
  if (values->value().stored() > most_values) return std::nullopt;
  try {
    return at_a_stable_level(release);
  } catch (const InputError&) {  // the tree is too large, or the threshold is below what is known
    return std::nullopt;
  }
}

ClusterTree::Level ClusterTree::level() const {
  std::map<double, int> changes;  // going up: + at a death, - at a birth
  for (const TreeBranch& branch : branches_) {
    if (!branch.stable) continue;
    ++changes[branch.death];
    --changes[branch.birth];
  }
  Level best;
  double longest = 0;
  int alive = 0;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    alive += at->second;
    const auto next = std::next(at);
    if (next == changes.end()) break;
    const double range = next->first / at->first;
    const auto count = static_cast<std::uint64_t>(std::max(alive, 0));
    if (count < best.stable || (count == best.stable && range <= longest) || count == 0) continue;
    best = {std::sqrt(next->first * at->first), count};
    longest = range;
  }
  return best;
}

}  // namespace shoal
