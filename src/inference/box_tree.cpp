#include "inference/box_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "inference/laplace_law.hpp"

namespace shoal {

namespace {

constexpr std::array<std::size_t, 7> window_widths = {2, 3,  4, 6,
                                                      8, 12, 16};  // of the windows that are compared, in blocks
constexpr double false_cuts = 0.05;                                // probability of any false cut among the open boxes
constexpr double least_valley = 0.15;  // share of the lower peak by which a valley must be deeper
constexpr double sure_deviations = 2.5;
constexpr double nearly_empty = 0.7;     // a valley that is surely deeper cuts nothing: all of these are used
constexpr double flat_deviations = 0.5;  // windows that are this close to the lowest are as good a cut
constexpr double core_tails = 1.2;       // a core reaches beyond half of the peak by this many window_widths at half

using BoxSide = std::pair<std::uint64_t, std::uint64_t>;

// ---- one histogram

// Of the mean of several histograms of the same records.
struct BinNoise {
  LaplaceLaw law;       // of one of them
  double looks = 1;     // how many there are
  double variance = 0;  // of a mean
  double together = 1;  // records that come and go together
  double least_evidence = 0;
};

std::vector<double> window_sums(std::span<const double> histogram, std::size_t width) {
  std::vector<double> sums;
  double sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    sum += histogram[i];
    if (i >= width) sum -= histogram[i - width];
    if (i + 1 >= width) sums.push_back(sum);
  }
  return sums;
}

// Returns a lower bound of minus the logarithm of the probability that chance makes a difference of at least `rise`
// between two sums (Chernoff's bound, at a t that need not be the best): t rise - K(t), where K is the cumulant of the
// noise of `draws` numbers and of `poisson` records.
double evidence_of_rise(double rise, double poisson, double draws, const BinNoise& noise) {
  if (!(rise > 0)) return 0;
  const double half_variance = 0.5 * noise.variance, half = draws * half_variance + 0.5 * poisson * noise.together;
  const double root = std::sqrt(half * half + half_variance * rise * rise);
  const double t = std::min((root - half) / (half_variance * rise), 0.999 * noise.law.rate * noise.looks);
  if (!(t > 0)) return 0;
  const double of_records = t * t * poisson * noise.together / 2 / (1 - std::min(0.9, t * noise.together / 3));
  return t * rise - of_records - draws * noise.looks * noise.law.cumulants(t / noise.looks).value;
}

struct BestValley {
  double sure = 0;  // share of the lower peak by which it is surely deeper
  std::size_t place = 0;
  double evidence = 0;
};

// strongest: set to the evidence of any valley, if that is more.
std::optional<BestValley> best_valley(std::span<const double> histogram, const BinNoise& noise, double& strongest) {
  std::optional<BestValley> best;
  for (const std::size_t width : window_widths) {
    if (3 * width > histogram.size()) break;
    const std::vector<double> sums = window_sums(histogram, width);
    std::vector<double> left = sums, right = sums;
    for (std::size_t i = 1; i < sums.size(); ++i) left[i] = std::max(left[i], left[i - 1]);
    for (std::size_t i = sums.size() - 1; i-- > 0;) right[i] = std::max(right[i], right[i + 1]);
    for (std::size_t i = width; i + width < sums.size(); ++i) {
      const double peak = std::min(left[i - width], right[i + width]), rise = peak - sums[i];
      if (!(rise > 0) || rise < least_valley * peak) continue;
      const double poisson = std::max(0.0, sums[i]) + std::max(0.0, peak), draws = 2 * static_cast<double>(width);
      const double deviation = std::sqrt(noise.together * poisson + draws * noise.variance);
      const double sure = (rise - sure_deviations * deviation) / std::max(peak, 1.0);
      const double evidence = evidence_of_rise(rise, poisson, draws, noise);
      strongest = std::max(strongest, evidence);
      if (evidence < noise.least_evidence || (best && sure <= best->sure)) continue;
      // The middle of all windows that are about as low.
      std::size_t first = i, last = i;
      while (first > 0 && sums[first - 1] <= sums[i] + flat_deviations * deviation) --first;
      while (last + 1 < sums.size() && sums[last + 1] <= sums[i] + flat_deviations * deviation) ++last;
      best = {sure, (first + last + width) / 2, evidence};
    }
  }
  return best;
}

struct BoxCut {
  std::size_t axis = 0;
  std::uint64_t place = 0;
  double sure = 0, margin = 0;
};

// Returns the cuts of one histogram, and of its parts.
void add_valleys(std::span<const double> histogram, std::size_t axis, std::uint64_t first, const BinNoise& noise,
                 std::vector<BoxCut>& cuts, double& strongest) {
  const std::optional<BestValley> valley = best_valley(histogram, noise, strongest);
  if (!valley || valley->place == 0 || valley->place >= histogram.size()) return;
  cuts.push_back({axis, first + valley->place, valley->sure, valley->evidence - noise.least_evidence});
  add_valleys(histogram.first(valley->place), axis, first, noise, cuts, strongest);
  add_valleys(histogram.subspan(valley->place), axis, first + valley->place, noise, cuts, strongest);
}

// How much higher the highest window is than a uniform area would make it.
double margin_over_uniform(std::span<const double> histogram, const BinNoise& noise) {
  double all = 0, most = -std::numeric_limits<double>::max();
  for (const double value : histogram) all += value;
  for (const std::size_t width : window_widths) {
    if (2 * width > histogram.size()) break;
    const double share = static_cast<double>(width) / static_cast<double>(histogram.size());
    for (const double sum : window_sums(histogram, width)) {
      const double evidence =
          evidence_of_rise(sum - share * all, std::max(0.0, sum), static_cast<double>(width) * (1 + share), noise);
      most = std::max(most, evidence - noise.least_evidence);
    }
  }
  return most;
}

// Returns the evidence that a histogram falls from its peak towards one of its ends.
double evidence_of_fall(std::span<const double> histogram, bool to_lower, const BinNoise& noise) {
  double most = 0;
  for (const std::size_t width : window_widths) {
    if (2 * width > histogram.size()) break;
    const std::vector<double> sums = window_sums(histogram, width);
    const double peak = *std::max_element(sums.begin(), sums.end()), end = to_lower ? sums.front() : sums.back();
    if (peak - end < least_valley * peak) continue;
    const double poisson = std::max(0.0, end) + std::max(0.0, peak), draws = 2 * static_cast<double>(width);
    most = std::max(most, evidence_of_rise(peak - end, poisson, draws, noise));
  }
  return most;
}

// Returns the evidence that the records of a box lie elsewhere than those of all boxes: that a window holds more or
// fewer of them than its share of all records.
double evidence_of_difference(std::span<const double> histogram, std::span<const double> of_all, double boxes,
                              const BinNoise& noise) {
  double own = 0, all = 0, strongest = 0;
  for (const double value : histogram) own += value;
  for (const double value : of_all) all += value;
  if (!(all > 0)) return 0;
  const double share = std::clamp(own / all, 0.0, 1.0);
  for (const std::size_t width : window_widths) {
    if (2 * width > histogram.size()) break;
    const std::vector<double> sums = window_sums(histogram, width), expected = window_sums(of_all, width);
    const double draws = static_cast<double>(width) * (1 + share * share * boxes);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double poisson = std::max(0.0, share * expected[i]) + std::max(0.0, sums[i]);
      strongest =
          std::max(strongest, evidence_of_rise(std::fabs(sums[i] - share * expected[i]), poisson, draws, noise));
    }
  }
  return strongest;
}

// Returns where the records of one cluster are: what is at least half as high as the peak, with the core_tails that a
// Gaussian of this width has.
BoxSide core_of(std::span<const double> histogram, std::uint64_t begin) {
  constexpr std::size_t width = 3;
  const std::uint64_t end = begin + histogram.size();
  if (histogram.size() < 2 * width) return {begin, end};
  const std::vector<double> sums = window_sums(histogram, width);
  const auto peak = std::max_element(sums.begin(), sums.end());
  if (!(*peak > 0)) return {begin, end};
  const auto is_high = [&](double sum) { return 2 * sum >= *peak; };
  const auto first = std::find_if(sums.begin(), sums.end(), is_high) - sums.begin();
  const auto last = sums.rend() - std::find_if(sums.rbegin(), sums.rend(), is_high) - 1;
  const double reach = 1 + core_tails * static_cast<double>(last - first + 1);
  const double low = static_cast<double>(first + width / 2) - reach;
  const double high = static_cast<double>(last + width / 2 + 1) + reach;
  const auto within = [&](double place) {
    return begin + static_cast<std::uint64_t>(std::clamp(place, 0.0, static_cast<double>(histogram.size())));
  };
  return {within(std::floor(low)), within(std::ceil(high))};
}

// ---- all boxes

// The places along each axis at which some box ends.
class CutPlaces {
 public:
  explicit CutPlaces(const Shape& blocks) : blocks_(blocks), inner_(blocks.size()) {}

  void add(std::size_t axis, std::uint64_t place) {
    if (place > 0 && place < blocks_[axis]) inner_[axis].insert(place);
  }
  void add(const std::vector<TreeBox>& boxes) {
    for (const TreeBox& box : boxes) {
      for (std::size_t axis = 0; axis < box.sides.size(); ++axis) {
        add(axis, box.sides[axis].first);
        add(axis, box.sides[axis].second);
      }
    }
  }
  [[nodiscard]] const std::set<std::uint64_t>& along(std::size_t axis) const { return inner_[axis]; }
  [[nodiscard]] double cells(const Grid& grid) const {
    double product = 1;
    for (std::size_t axis = 0; axis < inner_.size(); ++axis) {
      product *= is_divided(grid.axis(axis)) ? static_cast<double>(inner_[axis].size() + 1)
                                             : static_cast<double>(blocks_[axis]);
    }
    return product;
  }

 private:
  Shape blocks_;
  std::vector<std::set<std::uint64_t>> inner_;
};

// Sets what the histograms say about a box within the box that they are about.
void look_into(TreeBox& box, const TreeBox& about, const std::vector<std::vector<double>>& histograms) {
  double sum = 0, all = 0, share = 1;
  std::size_t axes = 0;
  for (std::size_t axis = 0; axis < histograms.size(); ++axis) {
    const auto [begin, end] = box.sides[axis];
    if (histograms[axis].empty()) {
      box.core[axis] = box.sides[axis];
      continue;
    }
    const std::span<const double> whole(histograms[axis]);
    const std::span<const double> part = whole.subspan(begin - about.sides[axis].first, end - begin);
    box.core[axis] = core_of(part, begin);
    double of_axis = 0, of_part = 0;
    for (const double value : whole) of_axis += value;
    for (const double value : part) of_part += value;
    share *= std::clamp(of_part / std::max(of_axis, 1.0), 0.0, 1.0);
    all += of_axis;
    sum += of_part;
    ++axes;
  }
  const bool same = box.sides == about.sides;
  box.records = (same ? sum : share * all) / static_cast<double>(std::max<std::size_t>(axes, 1));
}

// Sets what its own histograms say about a box. Its weakest side is the one to which it falls least.
void judge(TreeBox& box, const std::vector<std::vector<double>>& own, const Shape& blocks, const BinNoise& noise) {
  box.is_judged = true;
  box.rises = -std::numeric_limits<double>::max();
  double weakest = std::numeric_limits<double>::max(), sides = 0;
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    if (own[axis].empty()) continue;
    box.rises = std::max(box.rises, margin_over_uniform(own[axis], noise));
    for (const bool lower : {true, false}) {
      const std::uint64_t place = lower ? box.sides[axis].first : box.sides[axis].second;
      if (place == 0 || place == blocks[axis]) continue;
      ++sides;
      const double falls = evidence_of_fall(own[axis], lower, noise);
      if (falls >= weakest) continue;
      weakest = falls;
      box.axis = axis;
      box.place = place;
    }
  }
  // A uniform box has no peak by chance if it rises significantly, so no more than the sides are looked at.
  box.falls = weakest - std::log(std::max(sides, 1.0) / false_cuts);
}

// The parts of a box between the cuts.
std::vector<TreeBox> parts_between(const TreeBox& box, const std::vector<BoxCut>& cuts) {
  std::vector<TreeBox> parts = {box};
  std::map<std::size_t, std::map<std::uint64_t, double>> along;  // axis, place, margin
  for (const BoxCut& cut : cuts) along[cut.axis][cut.place] = cut.margin;
  for (const auto& [axis, places] : along) {
    std::vector<TreeBox> next;
    for (const TreeBox& part : parts) {
      std::uint64_t begin = part.sides[axis].first;
      // Names of a structured binding cannot be captured by clang 14 unless they are copied by name.
      const auto add = [&, axis = axis, &places = places](std::uint64_t end) {
        TreeBox& made = next.emplace_back(part);
        made.sides[axis] = {begin, end};
        made.is_judged = false;
        for (const std::uint64_t place : {begin, end}) {
          const auto cut = places.find(place);
          if (cut == places.end() || (made.is_cut && made.margin <= cut->second)) continue;
          made.margin = cut->second;
          made.axis = axis;
          made.place = place;
          made.is_cut = true;
        }
        begin = end;
      };
      for (const auto& [place, margin] : places) add(place);
      add(part.sides[axis].second);
    }
    parts = std::move(next);
  }
  return parts;
}

// The best cut, the others along its axis, and all that cut nothing.
std::vector<BoxCut> used_of(const std::vector<BoxCut>& cuts) {
  const auto best =
      std::max_element(cuts.begin(), cuts.end(), [](const BoxCut& a, const BoxCut& b) { return a.sure < b.sure; });
  std::vector<BoxCut> used;
  for (const BoxCut& cut : cuts) {
    if (cut.axis == best->axis ? cut.sure >= 0 || &cut == &*best : cut.sure > nearly_empty) used.push_back(cut);
  }
  return used;
}

bool share_a_face(const TreeBox& box, const TreeBox& other) {
  for (std::size_t axis = 0; axis < box.sides.size(); ++axis) {
    const auto [begin, end] = box.sides[axis];
    const auto [other_begin, other_end] = other.sides[axis];
    if (axis == box.axis) {
      if (begin == box.place ? other_end != begin : other_begin != end) return false;
    } else if (other_end <= begin || end <= other_begin) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_divided(const Axis& axis) { return axis.kind().is_pooled(); }

Shape blocks_of(const Grid& grid) { return transformed_shape(grid.shape(), 1, Transform::decimated); }

BoxTree whole_box(const Grid& grid) {
  TreeBox whole;
  for (const std::uint64_t blocks : blocks_of(grid)) whole.sides.emplace_back(0, blocks);
  whole.core = whole.sides;
  return {{std::move(whole)}, {}, std::vector<double>(grid.dimensions(), 0)};
}

namespace {

// Adds the histograms of a step to those that each open box has.
std::vector<TreeBox> with_histograms(std::vector<TreeBox> boxes, std::span<const std::int64_t> values,
                                     const Grid& grid) {
  std::size_t at = 0;
  for (TreeBox& box : boxes) {
    box.histograms.resize(grid.dimensions());
    ++box.looks;
    for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
      if (!is_divided(grid.axis(axis))) continue;
      box.histograms[axis].resize(box.sides[axis].second - box.sides[axis].first);
      for (double& sum : box.histograms[axis]) sum += static_cast<double>(values[at++]);
    }
  }
  return boxes;
}

std::vector<std::vector<double>> mean_histograms(const TreeBox& box) {
  std::vector<std::vector<double>> means = box.histograms;
  for (std::vector<double>& histogram : means) {
    for (double& value : histogram) value /= box.looks;
  }
  return means;
}

BinNoise of_looks(BinNoise noise, unsigned looks) {
  noise.looks = looks;
  noise.variance = noise.law.variance() / looks;
  return noise;
}

// Looks for differences between the boxes, by the histograms of one step, along the axes that were not cut yet.
void find_differences(std::span<const std::int64_t> values, const std::vector<TreeBox>& boxes, const Grid& grid,
                      const BinNoise& noise, std::vector<double>& structure) {
  if (boxes.size() < 2) return;
  const Shape blocks = blocks_of(grid);
  std::vector<std::vector<std::vector<double>>> own;
  std::size_t at = 0;
  std::vector<std::vector<double>> all(blocks.size());
  for (std::size_t axis = 0; axis < blocks.size(); ++axis) all[axis].resize(blocks[axis]);
  for (const TreeBox& box : boxes) {
    own.emplace_back(blocks.size());
    for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
      if (!is_divided(grid.axis(axis))) continue;
      for (std::uint64_t i = box.sides[axis].first; i < box.sides[axis].second; ++i) {
        own.back()[axis].push_back(static_cast<double>(values[at++]));
        all[axis][i] += own.back()[axis].back();
      }
    }
  }
  for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (own[i][axis].size() != blocks[axis]) continue;
      const double evidence = evidence_of_difference(own[i][axis], all[axis], static_cast<double>(boxes.size()), noise);
      structure[axis] = std::max(structure[axis], evidence / noise.least_evidence);
    }
  }
}

}  // namespace

double least_records_of_cluster(const NoiseLaw& law, unsigned looks, double together, std::uint64_t axes) {
  constexpr double bins = 64, width = 6, within = 0.68;
  BinNoise noise{draw_law(law)};
  noise.variance = noise.law.variance();
  noise.together = together;
  noise = of_looks(noise, looks);
  noise.least_evidence = std::log(static_cast<double>(axes) * bins * bins / false_cuts);
  double low = 1, high = 1e12;
  while (high > 1.01 * low) {
    const double records = std::sqrt(low * high), rise = within * records;
    (evidence_of_rise(rise, rise, 2 * width, noise) < noise.least_evidence ? low : high) = records;
  }
  return high;
}

BoxTree divided(const Noised<BoxTree>& tree, const NoisyCounts& histograms, const Noised<std::int64_t>& records,
                const Grid& grid, const PrivacyUnit& unit) {
  const Shape blocks = blocks_of(grid);
  BinNoise noise{draw_law(*histograms.law())};
  noise.variance = noise.law.variance();
  noise.together = static_cast<double>(unit.max_contributions);
  double looks = static_cast<double>(tree.value().open.size());
  looks *= static_cast<double>(grid.shape().pooled_axes());
  const double longest = static_cast<double>(*std::max_element(blocks.begin(), blocks.end()));
  noise.least_evidence = std::log(looks * longest * longest / false_cuts);
  const double fewest = 2 * share_of_a_box * static_cast<double>(std::max<std::int64_t>(0, records.value()));

  BoxTree result{{}, tree.value().closed, tree.value().structure, tree.value().open.size() > 1};
  const std::vector<TreeBox> boxes = with_histograms(tree.value().open, histograms.value().values(), grid);
  find_differences(histograms.value().values(), boxes, grid, noise, result.structure);
  CutPlaces places(blocks);
  places.add(boxes);
  places.add(result.closed);
  for (const TreeBox& box : boxes) {
    const BinNoise of_box = of_looks(noise, box.looks);
    const std::vector<std::vector<double>> own = mean_histograms(box);
    std::vector<BoxCut> cuts;
    double over_uniform = -std::numeric_limits<double>::max();
    for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
      if (!is_divided(grid.axis(axis))) continue;
      double strongest = 0;
      add_valleys(own[axis], axis, box.sides[axis].first, of_box, cuts, strongest);
      result.structure[axis] = std::max(result.structure[axis], strongest / noise.least_evidence);
      over_uniform = std::max(over_uniform, margin_over_uniform(own[axis], of_box));
    }
    CutPlaces then = places;
    if (!cuts.empty()) cuts = used_of(cuts);
    for (const BoxCut& cut : cuts) then.add(cut.axis, cut.place);
    const bool is_full = then.cells(grid) > static_cast<double>(most_box_cells);
    if (cuts.empty() || is_full) {
      TreeBox same = box;
      look_into(same, box, own);
      if (!same.is_cut) same.margin = over_uniform;
      judge(same, own, blocks, of_box);
      (is_full || same.records < fewest ? result.closed : result.open).push_back(std::move(same));
      continue;
    }
    places = std::move(then);
    for (TreeBox& part : parts_between(box, cuts)) {
      part.histograms.clear();
      part.looks = 0;
      look_into(part, box, own);
      result.open.push_back(std::move(part));  // its own histograms will tell how many records it holds
    }
  }
  return result;
}

std::vector<TreeBox> boxes_with_records(const Noised<BoxTree>& tree, const Noised<std::int64_t>& records,
                                        const Grid& grid) {
  std::vector<TreeBox> all = tree.value().closed;
  all.insert(all.end(), tree.value().open.begin(), tree.value().open.end());
  const double least = share_of_a_box * static_cast<double>(std::max<std::int64_t>(0, records.value()));
  std::vector<TreeBox> boxes;
  for (const TreeBox& box : all) {
    if (box.records > least) boxes.push_back(box);
  }
  if (boxes.empty())
    boxes.push_back(
        *std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.records < b.records; }));

  for (TreeBox& box : boxes) {
    if (!box.is_cut) continue;
    double most = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].records <= most || !share_a_face(box, boxes[i])) continue;
      most = boxes[i].records;
      box.towards = static_cast<std::uint32_t>(i + 1);
    }
  }

  // The sides are cut down to the cores where that divides few cells, the longest parts first.
  const Shape blocks = blocks_of(grid);
  CutPlaces places(blocks);
  places.add(boxes);
  struct Trim {
    double share;
    std::size_t box, axis;
    bool lower;
  };
  std::vector<Trim> trims;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
      const auto [begin, end] = boxes[i].sides[axis];
      const auto [first, behind] = boxes[i].core[axis];
      const double length = static_cast<double>(blocks[axis]);
      if (first > begin) trims.push_back({static_cast<double>(first - begin) / length, i, axis, true});
      if (behind < end) trims.push_back({static_cast<double>(end - behind) / length, i, axis, false});
    }
  }
  std::stable_sort(trims.begin(), trims.end(), [](const Trim& a, const Trim& b) { return a.share > b.share; });
  for (const Trim& trim : trims) {
    const auto [first, behind] = boxes[trim.box].core[trim.axis];
    BoxSide& side = boxes[trim.box].sides[trim.axis];
    const std::set<std::uint64_t>& known = places.along(trim.axis);
    // The nearest known place outside the core will do if it is about as good.
    std::uint64_t place = trim.lower ? first : behind;
    if (trim.lower) {
      const auto above = known.upper_bound(place);
      if (above != known.begin() && *std::prev(above) > side.first && place - *std::prev(above) <= 2) {
        place = *std::prev(above);
      }
    } else {
      const auto from = known.lower_bound(place);
      if (from != known.end() && *from < side.second && *from - place <= 2) place = *from;
    }
    CutPlaces then = places;
    then.add(trim.axis, place);
    if (then.cells(grid) > static_cast<double>(most_box_cells)) continue;
    places = std::move(then);
    (trim.lower ? side.first : side.second) = place;
  }
  return boxes;
}

Grid cut_grid(const Grid& grid, const std::vector<TreeBox>& boxes) {
  const Shape blocks = blocks_of(grid);
  CutPlaces places(blocks);
  places.add(boxes);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Axis& axis = grid.axis(i);
    if (!is_divided(axis)) {
      axes.push_back(axis);
      continue;
    }
    std::vector<double> edges;
    std::uint64_t begin = 0;
    const auto add_middle = [&](std::uint64_t end) { edges.push_back(axis.edge(begin + end)); };
    for (const std::uint64_t place : places.along(i)) {
      add_middle(place);
      edges.push_back(axis.edge(2 * place));
      begin = place;
    }
    add_middle(blocks[i]);
    axes.push_back(axis.cut_at(std::move(edges)));
  }
  return Grid(std::move(axes));
}

std::vector<CountedBox> boxes_on(const Noised<std::vector<TreeBox>>& boxes, const Grid& grid) {
  const Shape blocks = blocks_of(grid);
  CutPlaces places(blocks);
  places.add(boxes.value());
  std::vector<CountedBox> result;
  for (const TreeBox& box : boxes.value()) {
    CountedBox& made = result.emplace_back();
    for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
      const auto [begin, end] = box.sides[axis];
      const auto on_grid = [&](std::uint64_t place) -> std::uint64_t {
        if (!is_divided(grid.axis(axis))) return place;
        const std::set<std::uint64_t>& inner = places.along(axis);
        const auto before = static_cast<std::uint64_t>(std::distance(inner.begin(), inner.lower_bound(place)));
        return place == 0 ? 0 : before + 1;
      };
      made.first.push_back(on_grid(begin));
      made.end.push_back(on_grid(end));
    }
    made.towards = box.towards;
    const auto chance = [](double margin) { return std::clamp(false_cuts * std::exp(-margin), 0.0, 1.0); };
    made.doubt = chance(box.margin);
    if (!box.is_cut) continue;
    // Whether a part is a cluster of its own, only its own histograms tell.
    made.doubt = std::max(made.doubt, box.is_judged ? chance(std::min(box.rises, box.falls)) : 0);
  }
  return result;
}

}  // namespace shoal
