#include "inference/plausible.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "inference/privwave_select.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

namespace {

// Classes end at these shares of the level.
constexpr double class_ends[] = {0.02, 0.05, 0.1, 0.18, 0.28, 0.4, 0.55, 0.7, 0.85, 1, 1.2, 1.5, 2, 2.7};
constexpr double most_of_level = 3;    // more than so many levels around a cell says nothing more
constexpr double borrowed = 20;        // cells that a class borrows from the next ones
constexpr double unseen = 0.1;         // cells that any bin of a class may hold unseen, over all bins
constexpr double of_other_side = 0.3;  // weight of the like class of cells that do, or do not, lie between dense ones
constexpr double dense_beside = 1.0;   // of the level: from here on cells are dense, to lie between
constexpr double wide_share = 0.5;     // most weight of the mean of means: the cells around those around
constexpr double least_wide = 0.01;    // weight from which on these are looked at
constexpr double drawn_anew = 0.8;     // share of the cells in a draw: next to each other, not all change at once
constexpr double step_of_noise = 1.0 / 16;
constexpr double finest_step = 0.25;     // bins are at least four times as wide
constexpr std::size_t aiming_draws = 8;  // the last ones to learn from
constexpr std::size_t quantile_count = 1024;
constexpr int tries = 8;
constexpr std::uint64_t longest_probe = 128;

// A number in [0, 1) for a draw and a cell: SplitMix64's mixing (Steele, Lea, Flood 2014). No noise that protects
// anything.
double public_uniform(std::uint64_t draw, std::uint64_t cell) {
  std::uint64_t x = (draw + 1) * 0x9e3779b97f4a7c15U + cell * 0xd1342543de82ef95U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

constexpr std::size_t classes_of_mean = std::size(class_ends) + 1;

// From the mean around, as a share of the level.
class ClassOfMean {
 public:
  ClassOfMean() {
    for (std::size_t i = 0; i < first_.size(); ++i) {
      const double low = static_cast<double>(i) / steps;
      first_[i] = static_cast<std::uint8_t>(std::upper_bound(std::begin(class_ends), std::end(class_ends), low) -
                                            std::begin(class_ends));
    }
  }
  std::size_t operator()(double mean) const {
    std::size_t result = first_[std::min(first_.size() - 1, static_cast<std::size_t>(steps * mean))];
    while (result < std::size(class_ends) && class_ends[result] <= mean) ++result;
    return result;
  }

 private:
  static constexpr double steps = 32;
  std::array<std::uint8_t, static_cast<std::size_t>(most_of_level* steps)> first_{};  // of the class at each step
};

// A step to a neighbour of larger index; the opposite one is the same direction back.
struct Direction {
  std::vector<int> along;  // of each axis: -1, 0, 1
  std::uint64_t away = 0;
  bool is_face = false;
};

std::vector<Direction> directions(const Shape& shape, bool faces_alone) {
  const std::vector<std::uint64_t> stride = strides(shape);
  std::vector<Direction> result;
  for (std::size_t axis = 0; faces_alone && axis < shape.size(); ++axis) {
    result.push_back({std::vector<int>(shape.size(), 0), stride[axis], true});
    result.back().along[axis] = 1;
  }
  std::vector<int> along(shape.size(), -1);
  for (std::size_t turned = 0; !faces_alone && turned < along.size();) {
    std::int64_t away = 0;
    for (std::size_t axis = 0; axis < along.size(); ++axis) {
      away += along[axis] * static_cast<std::int64_t>(stride[axis]);
    }
    const bool is_face = std::count(along.begin(), along.end(), 0) + 1 == std::ssize(along);
    if (away > 0) result.push_back({along, static_cast<std::uint64_t>(away), is_face});
    turned = 0;
    while (turned < along.size() && ++along[turned] > 1) along[turned++] = -1;
  }
  return result;
}

// Through a cell, from one neighbour to the opposite one. Past three axes there would be too many.
bool has_faces_alone(const Shape& shape) { return shape.size() > 3; }

// result[i] = max(result[i], min(values[i - away], values[i + away])) where both are in the box.
void take_between(const Shape& shape, const Direction& direction, const std::vector<double>& values,
                  std::vector<double>& result) {
  const std::uint64_t row = shape.back(), margin = direction.along.back() == 0 ? 0 : 1;
  std::vector<std::uint64_t> at(shape.size());  // of the row
  for (std::size_t first = margin; first < values.size(); first += row) {
    bool inside = row > 2 * margin;
    for (std::size_t axis = 0; axis + 1 < at.size(); ++axis) {
      inside = inside && (direction.along[axis] == 0 || (at[axis] > 0 && at[axis] + 1 < shape[axis]));
    }
    if (inside) {
      const double *before = values.data() + (first - direction.away),
                   *after = values.data() + (first + direction.away);
      double* here = result.data() + first;
      for (std::uint64_t x = 0; x < row - 2 * margin; ++x) {
        const double both = before[x] < after[x] ? before[x] : after[x];
        here[x] = here[x] < both ? both : here[x];
      }
    }
    for (std::size_t axis = at.size() - 1; axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

// Correlation of the noise of the middle output of an axis with the one `away` from it.
std::vector<double> correlations(std::uint64_t size, const ClusterOptions& options, std::size_t most_away) {
  size = std::min(size, longest_probe);
  std::vector<double> product(most_away + 1, 0.0);
  for (std::uint64_t input = 0; input < size; ++input) {
    std::vector<double> unit(size, 0.0);
    unit[input] = 1;
    const Cells<double> column =
        average_subband(Cells<double>::dense({size}, unit), options.wavelet, options.level, options.transform, 1);
    const std::size_t middle = column.stored() / 2;
    for (std::size_t away = 0; away <= most_away && middle + away < column.stored(); ++away) {
      product[away] += column.values()[middle] * column.values()[middle + away];
    }
  }
  for (std::size_t away = most_away + 1; away-- > 0;) product[away] /= product[0];
  return product;
}

// Along the last axis: each value and `weight` times the two next ones.
void add_next_in_rows(std::vector<double>& values, std::uint64_t row, double weight) {
  for (std::size_t first = 0; first < values.size(); first += row) {
    double before = 0;
    double* here = values.data() + first;
    for (std::uint64_t x = 0; x + 1 < row; ++x) {
      const double own = here[x];
      here[x] += weight * (before + here[x + 1]);
      before = own;
    }
    here[row - 1] += weight * before;
  }
}

// The same along any axis, of whose steps each is `inner` values long.
void add_next(std::vector<double>& values, std::uint64_t extent, std::uint64_t inner, double weight) {
  if (inner == 1) return add_next_in_rows(values, extent, weight);
  std::vector<double> before(inner);
  for (std::size_t first = 0; first < values.size(); first += extent * inner) {
    std::fill(before.begin(), before.end(), 0.0);
    for (std::uint64_t x = 0; x < extent; ++x) {
      double* here = values.data() + first + x * inner;
      for (std::uint64_t i = 0; i < inner; ++i) {
        const double own = here[i];
        here[i] += weight * (before[i] + (x + 1 < extent ? here[inner + i] : 0));
        before[i] = own;
      }
    }
  }
}

NoiseCurve curve_of(const Evidence& evidence, double left) {
  return left == 1 ? NoiseCurve(evidence.noise, evidence.terms)
                   : NoiseCurve(noise_of_variance(evidence.noise.variance * left), evidence.terms);
}

}  // namespace

bool NoiseLinks::any() const {
  return std::any_of(weight.begin(), weight.end(), [](double of) { return of != 0; });
}

NoiseLinks noise_links(const Shape& grid, const ClusterOptions& options) {
  NoiseLinks result;
  result.weight.assign(grid.size(), 0.0);
  if (options.wavelet.is_haar() && options.transform == Transform::decimated) return result;
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    const std::vector<double> with = correlations(grid[axis], options, 2);
    if (std::fabs(with[1]) < 0.01) continue;
    // Least squares on the two next ones. The axes are filtered one after the other: weights and what is left multiply.
    result.weight[axis] = with[1] / (1 + with[2]);
    result.left *= 1 - 2 * with[1] * result.weight[axis];
  }
  return result;
}

// ---- surroundings ---------------------------------------------------------------------------------------------------

Surroundings::Surroundings(const Evidence& evidence) : evidence_(evidence) {
  if (!evidence.cells.empty()) list_neighbours();
}

double Surroundings::work(const Shape& shape, std::size_t cells) {
  return static_cast<double>(cells) * std::pow(3.0, static_cast<double>(shape.size()));
}

// Calls visit(i, j, direction) for every two listed cells that are neighbours, direction by direction, i ascending.
template <class Visit>
void Surroundings::each_pair(const Visit& visit) const {
  const Shape& shape = evidence_.shape;
  const std::vector<std::uint64_t>& cells = evidence_.cells;
  std::vector<std::uint64_t> at(shape.size());
  const std::vector<Direction> all = directions(shape, false);
  for (const Direction& direction : all) {
    for (std::size_t i = 0, j = 0; i < cells.size(); ++i) {
      const std::uint64_t there = cells[i] + direction.away;
      while (j < cells.size() && cells[j] < there) ++j;
      if (j == cells.size()) break;
      if (cells[j] != there) continue;
      coordinates(cells[i], shape, at);
      bool inside = true;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        inside = inside && (direction.along[axis] >= 0 || at[axis] > 0) &&
                 (direction.along[axis] <= 0 || at[axis] + 1 < shape[axis]);
      }
      if (inside) visit(i, j, direction);
    }
  }
}

std::vector<double> Surroundings::wider(const std::vector<double>& values, std::vector<double> means) const {
  const double cells = std::pow(3.0, static_cast<double>(evidence_.shape.size()));
  if (!evidence_.cells.empty()) {
    means = this->means(means);
    const double own = 2 * static_cast<double>(evidence_.shape.size()) * of_face_ * of_face_ +
                       (cells - 1 - 2 * static_cast<double>(evidence_.shape.size())) * of_other_ * of_other_;
    for (std::size_t i = 0; i < means.size(); ++i) means[i] = std::max(0.0, means[i] - own * values[i]) / (1 - own);
    return means;
  }
  std::uint64_t inner = 1;
  for (std::size_t axis = evidence_.shape.size(); axis-- > 0;) {
    add_next(means, evidence_.shape[axis], inner, 1);
    inner *= evidence_.shape[axis];
  }
  for (std::size_t i = 0; i < means.size(); ++i) means[i] = std::max(0.0, means[i] - values[i]) / (cells - 1);
  return means;
}

std::vector<double> Surroundings::between(const std::vector<double>& values) const {
  std::vector<double> result(values.size(), 0.0);
  if (evidence_.cells.empty()) {
    for (const Direction& direction : directions(evidence_.shape, has_faces_alone(evidence_.shape))) {
      take_between(evidence_.shape, direction, values, result);
    }
    return result;
  }
  for (const auto& [cell, one, other] : opposites_) {
    result[cell] = std::max(result[cell], std::min(values[one], values[other]));
  }
  return result;
}

void Surroundings::list_neighbours() {
  const auto axes = static_cast<double>(evidence_.shape.size());
  const double others = std::pow(3.0, axes) - 1 - 2 * axes;
  of_face_ = (others > 0 ? 2.0 / 3 : 1.0) / (2 * axes);
  of_other_ = others > 0 ? 1.0 / 3 / others : 0;
  ends_.resize(2 * evidence_.cells.size());  // how many there are, then where they begin, at last where they end
  each_pair([this](std::size_t i, std::size_t j, const Direction& direction) {
    ++ends_[2 * i + (direction.is_face ? 0 : 1)];
    ++ends_[2 * j + (direction.is_face ? 0 : 1)];
  });
  neighbours_.resize(std::accumulate(ends_.begin(), ends_.end(), std::uint64_t{0}));
  std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), std::uint64_t{0});
  const bool faces_alone = has_faces_alone(evidence_.shape);
  std::vector<std::pair<const Direction*, std::uint32_t>> before(evidence_.cells.size());  // on which direction, who
  each_pair([&](std::size_t from, std::size_t to, const Direction& direction) {
    const auto i = static_cast<std::uint32_t>(from), j = static_cast<std::uint32_t>(to);
    neighbours_[ends_[2 * from + (direction.is_face ? 0 : 1)]++] = j;
    neighbours_[ends_[2 * to + (direction.is_face ? 0 : 1)]++] = i;
    if (faces_alone && !direction.is_face) return;
    before[j] = {&direction, i};
    if (before[i].first == &direction) opposites_.push_back({i, before[i].second, j});
  });
}

std::vector<double> Surroundings::means(const std::vector<double>& values) const {
  if (evidence_.cells.empty()) return neighbour_means(evidence_.shape, values);
  std::vector<double> means(values.size());
  for (std::size_t i = 0, n = 0; i < means.size(); ++i) {
    double faces = 0, others = 0;
    for (; n < ends_[2 * i]; ++n) faces += values[neighbours_[n]];
    for (; n < ends_[2 * i + 1]; ++n) others += values[neighbours_[n]];
    means[i] = of_face_ * faces + of_other_ * others;
  }
  return means;
}

// ---- fields ---------------------------------------------------------------------------------------------------------

PlausibleFields::PlausibleFields(const Evidence& evidence, const NoiseLinks& links, double level)
    : evidence_(evidence),
      links_(links),
      all_noise_(curve_of(evidence, 1)),
      noise_(curve_of(evidence, links.left)),
      level_(std::max(level, 1.0)),
      step_(evidence.whole ? std::max(1.0, std::floor(step_of_noise * noise_.deviation()))
                           : std::max(finest_step, step_of_noise * noise_.deviation())),
      bins_(evidence, noise_),
      spread_(evidence, bins_, all_noise_),
      around_(evidence),
      values_(evidence.values.size()) {
  double x = -1;
  for (std::size_t i = 0; i < quantile_count; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / quantile_count;
    double high = 14 * noise_.deviation() + 1, low = i == 0 ? -high : x;
    for (int halving = 0; halving < 40; ++halving) {
      x = (low + high) / 2;
      (noise_.below(x) < share ? low : high) = x;
    }
    quantiles_.push_back(x);
  }
  counts_.assign(2 * classes_of_mean, std::vector<double>(bins_.count(), 0.0));
  table_ = counts_;
  if (!links_.any()) {
    for (const double value : evidence.values) value_of_.push_back(index_of(value));
  }
  // The first draw knows no neighbours: one spread for all classes.
  for (std::vector<double>& of : table_) {
    of = spread_.shares();
    for (double& share : of) share *= static_cast<double>(values_.size()) + evidence.others;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) draw_cell(i, 0, 0, public_uniform(0, evidence.cell(i)));
  for (Posterior& of : posteriors_) of.drawn = 0;
}

void PlausibleFields::learn(std::size_t draws, std::optional<double> positives) {
  for (std::size_t i = 0; i < draws; ++i) {
    draw_cells();
    if (positives) aim_at(*positives);
    // At last the number of positives alone is followed, which the spreads would go on to move.
    const bool aims = positives && draws - i <= aiming_draws;
    follow_draw(i == 0 ? 0 : aims ? 1 : 2 * i < draws ? 0.5 : 0.8);
    set_table();
  }
}

std::uint32_t PlausibleFields::index_of(double value) {
  const bool known = value != below_floor;
  const std::int64_t key = known ? static_cast<std::int64_t>(std::round(std::clamp(value / step_, -0x1p60, 0x1p60)))
                                 : std::numeric_limits<std::int64_t>::min();
  const auto [entry, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(likely_.size()));
  if (is_new) {
    const double at = known ? static_cast<double>(key) * step_ : value;
    likely_.push_back(likelihood(at, evidence_.floor, bins_, noise_));
    posteriors_.resize(likely_.size() * counts_.size());
  }
  return entry->second;
}

// Where in its bin: in a narrow one anywhere, in a wide one as the noise has it.
double PlausibleFields::inside(std::size_t bin, double centre, std::size_t i) const {
  const double low = bins_.low(bin), high = bins_.high(bin);
  if (evidence_.whole && high - low == 1) return (low + high) / 2;
  const std::uint64_t cell = evidence_.cell(i);
  double value = low + (high - low) * public_uniform(~draw_, cell);
  if (centre != below_floor && high - low > noise_.deviation()) {
    value = std::clamp(centre, low, high);
    for (int attempt = 0; attempt < tries; ++attempt) {
      const double chance = public_uniform(~draw_ - (static_cast<std::uint64_t>(attempt + 1) << 32), cell);
      const double drawn = centre - quantiles_[static_cast<std::size_t>(chance * quantile_count)];
      if (drawn < low || drawn > high) continue;
      value = drawn;
      break;
    }
  }
  if (!evidence_.may_be_negative) value = std::max(value, 0.0);
  return evidence_.whole ? std::round(value) : value;
}

// By the spread of the class, without the cell's own share in it, and the chance of the noisy value.
const PlausibleFields::Posterior& PlausibleFields::posterior(std::uint32_t value, std::size_t of_class) {
  Posterior& result = posteriors_[value * counts_.size() + of_class];
  if (result.learnt == learnt_) return result;
  const Likelihood& likely = likely_[value];
  const double* table = table_[of_class].data() + likely.first;
  const std::size_t count = likely.of_bin.size();
  result.upto.resize(count);
  double sum = 0, all = 0;
  for (std::size_t b = 0; b < count; ++b) {
    result.upto[b] = likely.of_bin[b] * table[b];
    sum += result.upto[b];
  }
  const double least = unseen / static_cast<double>(bins_.count());
  for (std::size_t b = 0; b < count; ++b) {
    all += likely.of_bin[b] * std::max(least, table[b] - result.upto[b] / sum);
    result.upto[b] = all;
  }
  for (double& upto : result.upto) upto /= all;
  result.upto.back() = 1;
  result.learnt = learnt_;
  return result;
}

void PlausibleFields::draw_cell(std::size_t i, std::size_t of_class, double shift, double chance) {
  const std::uint32_t value = value_of_.empty() ? index_of(evidence_.values[i] - shift) : value_of_[i];
  const Posterior& of = posterior(value, of_class);
  ++posteriors_[value * counts_.size() + of_class].drawn;
  const auto drawn = std::upper_bound(of.upto.begin(), of.upto.end() - 1, chance) - of.upto.begin();
  values_[i] = inside(likely_[value].first + static_cast<std::size_t>(drawn), evidence_.values[i] - shift, i);
}

// What the noises of its neighbours let expect of a cell's noise.
std::vector<double> PlausibleFields::shifts() const {
  if (!links_.any()) return {};
  std::vector<double> noise(values_.size());
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = evidence_.values[i] - values_[i];
  std::vector<double> expected = noise;
  std::uint64_t inner = 1;
  for (std::size_t axis = evidence_.shape.size(); axis-- > 0;) {
    add_next(expected, evidence_.shape[axis], inner, -links_.weight[axis]);
    inner *= evidence_.shape[axis];
  }
  for (std::size_t i = 0; i < noise.size(); ++i) expected[i] = noise[i] - expected[i];
  return expected;
}

// By the mean around, in which the cells around those around count as well where noise is large; twice as many for the
// cells that lie between dense ones.
std::vector<std::uint8_t> PlausibleFields::classes() const {
  std::vector<double> capped = values_;
  for (double& value : capped) value = std::clamp(value, 0.0, most_of_level * level_);
  const double noise = noise_.deviation() * noise_.deviation();
  const double wide = wide_share * noise / (noise + level_ * level_ / 4);
  const std::vector<double> means = around_.means(capped), between = around_.between(capped);
  const std::vector<double> wider = wide > least_wide ? around_.wider(capped, means) : means;
  const ClassOfMean class_of;
  std::vector<std::uint8_t> result(capped.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t by_mean = class_of(((1 - wide) * means[i] + wide * wider[i]) / level_);
    result[i] = static_cast<std::uint8_t>(by_mean + (between[i] >= dense_beside * level_ ? classes_of_mean : 0));
  }
  return result;
}

void PlausibleFields::draw_cells() {
  ++draw_;
  const std::vector<std::uint8_t> of_class = classes();
  const std::vector<double> shift = shifts();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double chance = public_uniform(draw_, evidence_.cell(i)) / drawn_anew;
    if (chance < 1) draw_cell(i, of_class[i], shift.empty() ? 0 : shift[i], chance);
  }
}

// A step (Newton's) towards the weight of empty cells with which the last draw would have had so many positives.
void PlausibleFields::aim_at(double positives) {
  double cells = 0, empty = 0, variance = 0;
  for (std::size_t p = 0; p < posteriors_.size(); ++p) {
    const Posterior& of = posteriors_[p];
    if (of.drawn == 0) continue;
    cells += of.drawn;
    if (likely_[p / counts_.size()].first > 0) continue;
    empty += of.drawn * of.upto[0];
    variance += of.drawn * of.upto[0] * (1 - of.upto[0]);
  }
  const double wanted = cells * (1 - positives / static_cast<double>(values_.size()));
  const double step = std::clamp((wanted - empty) / (variance + 0.5), -1.0, 1.0);
  weight_of_empty_ = std::clamp(weight_of_empty_ * std::exp(step), 1e-5, 1e5);
}

// From the last draw the spread of each class: `keep` is the share of what was known before. All chances of a draw
// count, not just the bin that it fell into.
void PlausibleFields::follow_draw(double keep) {
  const std::size_t classes = counts_.size();
  double cells = 0;
  for (const Posterior& of : posteriors_) cells += of.drawn;
  const double scale = (1 - keep) * static_cast<double>(values_.size()) / std::max(1.0, cells);
  for (std::vector<double>& of : counts_) {
    for (double& count : of) count *= keep;
  }
  for (std::size_t p = 0; p < posteriors_.size(); ++p) {
    Posterior& of = posteriors_[p];
    if (of.drawn == 0) continue;
    double* into = counts_[p % classes].data() + likely_[p / classes].first;
    for (std::size_t b = 0; b < of.upto.size(); ++b)
      into[b] += scale * of.drawn * (of.upto[b] - (b > 0 ? of.upto[b - 1] : 0));
    of.drawn = 0;
  }
  if (evidence_.others > 0) {  // far from all that is listed, so in the first class
    const std::vector<double> others = shares_of_others();
    for (std::size_t b = 0; b < others.size(); ++b) counts_[0][b] += (1 - keep) * evidence_.others * others[b];
  }
}

// What each class borrows: of the next means, and of the same mean on the other side.
void PlausibleFields::set_table() {
  ++learnt_;
  const auto add = [](std::vector<double>& sum, const std::vector<double>& counts, double weight) {
    for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += weight * counts[b];
  };
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    std::vector<double> next(bins_.count(), 0.0);
    const std::size_t by_mean = c % classes_of_mean;
    if (by_mean > 0) add(next, counts_[c - 1], 1);
    if (by_mean + 1 < classes_of_mean) add(next, counts_[c + 1], 1);
    add(next, counts_[(c + classes_of_mean) % counts_.size()], of_other_side);
    const double there = std::accumulate(next.begin(), next.end(), 0.0);
    const double share = there > 0 ? std::min(1.0, borrowed / there) : 0;
    for (std::size_t b = 0; b < next.size(); ++b) {
      table_[c][b] = counts_[c][b] + share * next[b] + unseen / static_cast<double>(next.size());
      // Few of the cells are listed, and those for their values: a class that has few is taken to be like all cells.
      if (evidence_.others > 0) table_[c][b] += borrowed * spread_.shares()[b];
    }
    table_[c][0] *= weight_of_empty_;
  }
}

std::vector<double> PlausibleFields::shares_of_others() const {
  std::vector<double> shares(bins_.count(), 0.0);
  const Likelihood below = likelihood(below_floor, evidence_.floor, bins_, noise_);
  double all = 0;
  for (std::size_t b = 0; b < below.of_bin.size(); ++b) {
    shares[b] = below.of_bin[b] * table_[0][b];
    all += shares[b];
  }
  for (double& share : shares) share /= all;
  return shares;
}

double PlausibleFields::others_at_least(double d) const {
  if (evidence_.others == 0) return 0;
  const std::vector<double> shares = shares_of_others();
  double share = 0;
  for (std::size_t b = 0; b < shares.size(); ++b) {
    share += shares[b] * std::clamp((bins_.high(b) - d) / (bins_.high(b) - bins_.low(b)), 0.0, 1.0);
  }
  return evidence_.others * share;
}

const std::vector<double>& PlausibleFields::next() {
  draw_cells();
  return values_;
}

}  // namespace shoal
