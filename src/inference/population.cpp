#include "inference/population.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/parallel.hpp"
#include "inference/laplace_law.hpp"

namespace shoal {

namespace {

constexpr std::size_t trees = 12;
constexpr std::size_t halvings_a_draw = 2;  // their mean is a draw: what boxes part by chance is smoothed
// Records that a prior share is worth; the first: both halves have one density.
constexpr std::array<double, 6> worth = {0, 400, 100, 25, 6, 1.5};
// Boxes of each, before any is seen.
constexpr std::array<double, 6> unseen = {20, 0.4, 0.3, 0.3, 0.2, 0.1};
constexpr double tail_share = 0.3;  // of the noise's scale: x^2 / (2 (V + 0.3 s x)) is near -log of the Laplace density
constexpr std::array<double, 3> density_ends = {0.1, 0.4, 1.2};  // of the level

const std::vector<double>& normal_quantiles() {
  static const std::vector<double> table = [] {
    std::vector<double> quantiles(2048);
    const auto count = static_cast<double>(quantiles.size());
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      quantiles[i] = normal_quantile((count - static_cast<double>(i) - 0.5) / count);
    }
    return quantiles;
  }();
  return table;
}

}  // namespace

// ---- boxes ----------------------------------------------------------------------------------------------------------

struct PopulationField::Builder {
  using Corner = std::array<std::uint64_t, 16>;  // of a box; a grid has no more axes

  const Evidence& evidence;
  Stream& stream;
  Halving& into;
  std::vector<std::uint64_t> at;     // coordinates of the listed cells, one after the other
  std::vector<std::uint64_t> start;  // an axis: the cell that boxes begin at, anywhere on a circle

  [[nodiscard]] std::size_t axes() const { return evidence.shape.size(); }

  void fill() {
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      const std::uint64_t extent = evidence.shape[axis];
      const bool circle = evidence.shape.border(axis) == Border::circle;
      start.push_back(circle ? static_cast<std::uint64_t>(stream.uniform() * static_cast<double>(extent)) : 0);
    }
    const std::size_t count = evidence.values.size();
    at.resize(evidence.cells.empty() ? 0 : count * axes());
    for (std::size_t i = 0; i < evidence.cells.size(); ++i) {
      const std::span<std::uint64_t> place = std::span(at).subspan(i * axes(), axes());
      coordinates(evidence.cells[i], evidence.shape, place);
      for (std::size_t axis = 0; axis < axes(); ++axis) {
        place[axis] += place[axis] < start[axis] ? evidence.shape[axis] - start[axis] : -start[axis];
      }
    }
    into.leaves.resize(count);
    std::iota(into.leaves.begin(), into.leaves.end(), 0U);
    Corner low{}, high{};
    std::copy(evidence.shape.begin(), evidence.shape.end(), high.begin());
    if (evidence.cells.empty()) {
      into.leaves.clear();
      into.boxes.reserve(2 * count);
      add_dense(low, high);
    } else {
      add_listed(low, high, 0, count);
    }
  }

  // How many random numbers fill() takes if all cells of the box are listed.
  [[nodiscard]] std::uint64_t numbers() const {
    std::uint64_t circles = 0;
    for (std::size_t axis = 0; axis < axes(); ++axis) circles += evidence.shape.border(axis) == Border::circle ? 1 : 0;
    return circles + (evidence.values.size() - 1) * (axes() + 1);
  }

  [[nodiscard]] double volume(const Corner& low, const Corner& high) const {
    double cells = 1;
    for (std::size_t axis = 0; axis < axes(); ++axis) cells *= static_cast<double>(high[axis] - low[axis]);
    return cells;
  }

  // In the middle third of the longest axis. Categories are parted first: none tells of another.
  std::pair<std::size_t, std::uint64_t> place(const Corner& low, const Corner& high) {
    std::size_t longest = 0;
    double most = 0;
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      const double of = static_cast<double>(high[axis] - low[axis]) * (1 + 0.5 * stream.uniform());
      const double length = evidence.shape.border(axis) == Border::apart ? std::numeric_limits<double>::max() : of;
      if (high[axis] - low[axis] < 2 || length <= most) continue;
      most = length;
      longest = axis;
    }
    const std::uint64_t length = high[longest] - low[longest];
    const auto share = (1 + stream.uniform()) / 3 * static_cast<double>(length);
    return {longest, low[longest] +
                         std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::floor(share + 0.5)), 1, length - 1)};
  }

  static std::uint8_t size_of(double cells) {
    if (cells < 0x1p24) {  // most boxes, without a logarithm: rounded up if the square is past 2^(2 floor + 1)
      const auto whole = static_cast<std::uint64_t>(cells);
      const auto floor = static_cast<unsigned>(std::bit_width(whole)) - 1;
      return static_cast<std::uint8_t>(floor + (whole * whole >> (2 * floor + 1)));
    }
    return static_cast<std::uint8_t>(std::min<double>(sizes - 1, std::log2(cells) + 0.5));
  }

  void add_dense(Corner& low, Corner& high) {
    const std::size_t own = into.boxes.size();
    const double cells = volume(low, high);
    into.boxes.emplace_back();
    into.boxes[own].first_leaf = static_cast<std::uint32_t>(into.leaves.size());
    into.boxes[own].leaves = static_cast<std::uint32_t>(cells);
    into.boxes[own].cells = cells;
    into.boxes[own].size = size_of(cells);
    if (cells < 2) {
      std::uint64_t cell = 0;
      for (std::size_t axis = 0; axis < axes(); ++axis) {
        const std::uint64_t extent = evidence.shape[axis], along = low[axis] + start[axis];
        cell = cell * extent + (along < extent ? along : along - extent);
      }
      into.leaves.push_back(static_cast<std::uint32_t>(cell));
    } else {
      const auto [axis, middle] = place(low, high);
      into.boxes[own].share = static_cast<float>(middle - low[axis]) / static_cast<float>(high[axis] - low[axis]);
      std::uint64_t kept = high[axis];
      high[axis] = middle;
      add_dense(low, high);
      high[axis] = kept;
      kept = low[axis];
      low[axis] = middle;
      into.boxes[own].second = static_cast<std::uint32_t>(into.boxes.size());
      add_dense(low, high);
      low[axis] = kept;
    }
    into.boxes[own].end = static_cast<std::uint32_t>(into.boxes.size());
  }

  // Of the leaves from `first` to before `end`, which lie in the box.
  void add_listed(const Corner& low, const Corner& high, std::size_t first, std::size_t end) {
    const std::size_t own = into.boxes.size();
    const double cells = volume(low, high);
    into.boxes.emplace_back();
    into.boxes[own].first_leaf = static_cast<std::uint32_t>(first);
    into.boxes[own].leaves = static_cast<std::uint32_t>(end - first);
    into.boxes[own].cells = cells;
    into.boxes[own].size = size_of(cells);
    if (end > first && cells >= 2) {
      Corner least = high, most = low;
      for (std::size_t i = first; i < end; ++i) {
        for (std::size_t axis = 0; axis < axes(); ++axis) {
          const std::uint64_t x = at[into.leaves[i] * axes() + axis];
          least[axis] = std::min(least[axis], x);
          most[axis] = std::max(most[axis], x);
        }
      }
      for (std::size_t axis = 0; axis < axes(); ++axis) ++most[axis];
      const double needed = volume(least, most);
      if (2 * needed <= cells) {  // straight to where the listed ones are
        into.boxes[own].share = static_cast<float>(needed / cells);
        add_listed(least, most, first, end);
        into.boxes[own].second = static_cast<std::uint32_t>(into.boxes.size());
        Box rest;
        rest.first_leaf = static_cast<std::uint32_t>(end);
        rest.cells = cells - needed;
        rest.size = size_of(cells - needed);
        rest.end = static_cast<std::uint32_t>(into.boxes.size() + 1);
        into.boxes.push_back(rest);
      } else {
        const auto [axis, middle] = place(low, high);
        const auto begin = into.leaves.begin();
        const auto split =
            std::stable_partition(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end),
                                  [&, x = axis, m = middle](std::uint32_t leaf) { return at[leaf * axes() + x] < m; });
        const auto between = static_cast<std::size_t>(split - begin);
        into.boxes[own].share = static_cast<float>(middle - low[axis]) / static_cast<float>(high[axis] - low[axis]);
        Corner inner = high;
        inner[axis] = middle;
        add_listed(low, inner, first, between);
        into.boxes[own].second = static_cast<std::uint32_t>(into.boxes.size());
        inner = low;
        inner[axis] = middle;
        add_listed(inner, high, between, end);
      }
    }
    into.boxes[own].end = static_cast<std::uint32_t>(into.boxes.size());
  }
};

// ---- draws ----------------------------------------------------------------------------------------------------------

PopulationField::PopulationField(const Evidence& evidence, double level, unsigned threads)
    : evidence_(evidence),
      level_(level),
      halvings_(trees),
      sums_(trees),
      rates_(evidence.values.size()),
      mean_(evidence.values.size()),
      weights_(sizes * densities * spreads),
      seen_(sizes * densities * spreads) {
  weigh();
  build(threads);
}

// If all cells are listed, the number of random numbers that a halving takes is known. All halvings are then built at
// once, and each starts at its own place in the stream. Otherwise they are built one after the other.
void PopulationField::build(unsigned threads) {
  const bool all_cells = evidence_.cells.empty();
  if (all_cells) {
    const std::uint64_t numbers = Builder{evidence_, stream_, halvings_.front(), {}, {}}.numbers();
    parallel_for(trees, threads, [&](std::uint64_t i) {
      Stream own{stream_.state + i * numbers * Stream::step};
      Builder{evidence_, own, halvings_[i], {}, {}}.fill();
    });
    stream_.state += trees * numbers * Stream::step;
  } else {
    for (Halving& halving : halvings_) Builder{evidence_, stream_, halving, {}, {}}.fill();
  }
  parallel_for(trees, threads, [&](std::uint64_t i) { sums_[i] = sums_of(halvings_[i]); });
}

std::vector<PopulationField::Sum> PopulationField::sums_of(const Halving& halving) const {
  std::vector<Sum> sums(halving.boxes.size());
  for (std::size_t at = halving.boxes.size(); at-- > 0;) {
    const Box& box = halving.boxes[at];
    if (box.second != 0) {
      const Sum &one = sums[at + 1], &other = sums[box.second];
      sums[at] = {one.value + other.value, one.noise + other.noise};
    } else if (box.leaves > 0) {
      sums[at] = {evidence_.values[halving.leaves[box.first_leaf]], evidence_.variance};
    } else {
      sums[at] = {evidence_.elsewhere * box.cells, 0};
    }
  }
  return sums;
}

double PopulationField::Stream::uniform() {
  state += step;
  std::uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return (static_cast<double>((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
}

double PopulationField::normal() {
  static const std::vector<double>& quantiles = normal_quantiles();
  const double at = 2 * stream_.uniform() - 1;
  const double size = quantiles[static_cast<std::size_t>(std::fabs(at) * static_cast<double>(quantiles.size()))];
  return at < 0 ? -size : size;
}

// Given the expected records of a box: each half's noisy sum tells the share, with the variance of the sample and the
// noise. How likely a spread makes what they tell is bounded as by Bernstein: noise and small counts have heavy tails.
double PopulationField::share_of_first(const Box& box, double rate, const Sum& one, const Sum& other) {
  const double share = box.share, sampled = evidence_.together * rate;
  const double most = std::max(0.0, one.value) + std::max(0.0, other.value) + evidence_.together;
  const double seen_share = (std::max(0.0, one.value) + share * evidence_.together) / most;
  // The share by both sums, if it is about `at`, and its variance.
  const auto estimate = [&](double at) {
    const double of_one = sampled * at + one.noise, of_other = sampled * (1 - at) + other.noise;
    return std::pair((one.value * of_other + (rate - other.value) * of_one) / (rate * (of_one + of_other)),
                     of_one * of_other / (rate * rate * (of_one + of_other)));
  };
  const auto [mean, variance] = estimate(share);
  const double off = std::fabs(mean - share),
               jump = (tail_share * evidence_.scale + evidence_.together / 3) / rate * off;
  std::size_t density = 0;
  while (density < density_ends.size() && rate > density_ends[density] * level_ * box.cells) ++density;
  const std::size_t first = (box.size * densities + density) * spreads;
  // Loops of one operation each, which compilers turn into vectors.
  std::array<double, spreads> spread, chance;
  for (std::size_t i = 0; i < spreads; ++i) spread[i] = variance + share * (1 - share) / (worth[i] + 1);
  spread[0] = variance;
  for (std::size_t i = 0; i < spreads; ++i) chance[i] = -off * off / (2 * (spread[i] + jump));
  for (std::size_t i = 0; i < spreads; ++i) chance[i] = std::exp(chance[i]);
  for (std::size_t i = 0; i < spreads; ++i) chance[i] = weights_[first + i] * chance[i] / std::sqrt(spread[i]);
  double all = 0;
  for (const double part : chance) all += part;
  if (!(all > 0)) return share;
  double at = stream_.uniform() * all;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < spreads; ++i) seen_[first + i] += chance[i] / all;
  while (chosen + 1 < spreads && at >= chance[chosen]) at -= chance[chosen++];
  if (chosen == 0) return share;
  const auto [seen_mean, seen_variance] = estimate(seen_share);
  const double prior = share * (1 - share) / (worth[chosen] + 1), both = prior + seen_variance;
  const double posterior = (share * seen_variance + seen_mean * prior) / both;
  return std::clamp(posterior + normal() * std::sqrt(prior * seen_variance / both), 0.0, 1.0);
}

void PopulationField::draw_rates(const Halving& halving) {
  const std::vector<Box>& boxes = halving.boxes;
  const std::vector<Sum>& sums = sums_[static_cast<std::size_t>(&halving - halvings_.data())];
  box_rates_.resize(boxes.size());
  const double all = std::max(sums[0].value, evidence_.together);
  box_rates_[0] = std::max(all + normal() * std::sqrt(evidence_.together * all + sums[0].noise), evidence_.together);
  for (std::size_t i = 0; i < boxes.size();) {
    const Box& box = boxes[i];
    const double rate = box_rates_[i];
    if (box.second == 0 || 4 * rate < level_) {  // nobody asks how so little is spread
      const double each = rate / box.cells;
      for (std::size_t leaf = 0; leaf < box.leaves; ++leaf) rates_[halving.leaves[box.first_leaf + leaf]] = each;
      i = box.end;
      continue;
    }
    const double first = share_of_first(box, rate, sums[i + 1], sums[box.second]);
    box_rates_[i + 1] = rate * first;
    box_rates_[box.second] = rate * (1 - first);
    ++i;
  }
}

// Expectation maximisation, one step a draw.
void PopulationField::weigh() {
  for (std::size_t first = 0; first < seen_.size(); first += spreads) {
    double all = 0;
    for (std::size_t i = 0; i < spreads; ++i) all += seen_[first + i] + unseen[i];
    for (std::size_t i = 0; i < spreads; ++i) {
      weights_[first + i] = (seen_[first + i] + unseen[i]) / all;
      seen_[first + i] = 0;
    }
  }
}

const std::vector<double>& PopulationField::next() {
  std::fill(mean_.begin(), mean_.end(), 0.0);
  for (std::size_t i = 0; i < halvings_a_draw; ++i) {
    draw_rates(halvings_[draw_++ % halvings_.size()]);
    for (std::size_t at = 0; at < mean_.size(); ++at) mean_[at] += rates_[at] / static_cast<double>(halvings_a_draw);
  }
  weigh();
  return mean_;
}

}  // namespace shoal
