#include "release/confidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "release/noisy_records.hpp"
#include "release/prior.hpp"
#include "release/privwave_segment.hpp"

namespace shoal {

namespace {

constexpr std::size_t most_draws = 180;
constexpr std::size_t least_draws = 30;
constexpr double most_work = 3e7;       // cells drawn, over all draws
constexpr std::size_t levels = 15;      // thresholds that are tried, equally likely ones
constexpr double never = 0.002;         // cells less likely to be dense are left out of all draws
constexpr double needed_share = 0.9;    // of the dense cells, in one true cluster: connected
constexpr double rough = 0.2;           // deviation of a count that the noisy values alone give, as a share of it
constexpr double counting_share = 0.1;  // of a cluster's cells: what another one must have to be worth a mention

constexpr double nothing_dense = std::numeric_limits<double>::infinity();  // as a threshold

double square(double x) { return x * x; }

// Quantile of the normal distribution; bisection, a few times a release.
double normal_quantile(double share) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

// A uniform number in [0, 1) for a draw and a cell (Steele, Lea, Flood 2014: SplitMix64's mixing). Public and fixed:
// this is no noise that protects anything.
double uniform(std::uint64_t draw, std::uint64_t cell) {
  std::uint64_t x = (draw + 1) * 0x9e3779b97f4a7c15U + cell * 0xd1342543de82ef95U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

struct Estimate {
  double mean, deviation;
};

bool is_about(const auto& answer, const ClusterOptions& options) {
  return Wavelet::named(answer.wavelet).low_pass() == Wavelet::named(options.wavelet).low_pass() &&
         answer.level == options.level && answer.transform == options.transform;
}

// Two independent estimates of one number.
Estimate combined(const Estimate& a, const Estimate& b) {
  const double of_a = 1 / (square(a.deviation) + 1e-9), of_b = 1 / (square(b.deviation) + 1e-9);
  return {(a.mean * of_a + b.mean * of_b) / (of_a + of_b), 1 / std::sqrt(of_a + of_b)};
}

// |L| by what the noisy values tell: the fitted spread, and that as many positives are noise as there are negatives.
Estimate positives_by_values(const NoisyRecords& w, const Prior& prior) {
  double balance = 0, negative = 0;
  for (const double value : w.values) {
    balance += value > 0 ? 1 : value < 0 ? -1 : 0;
    negative += value < 0 ? 1 : 0;
  }
  const double fitted = prior.at_least(0.5), counted = std::max(0.0, balance);
  return {(fitted + counted) / 2, std::fabs(fitted - counted) / 2 + std::sqrt(2 * negative)};
}

// |L| by all that the release says about it.
Estimate positives(const ReleaseParts& parts, const NoisyRecords& w, const Prior& prior) {
  if (parts.profile && is_about(*parts.profile, parts.options)) {
    const double steps = static_cast<double>(parts.profile->scale);
    const double variance = noise_bought(*spent_on(parts, profile_mechanism)).variance / square(steps);
    const FilteredProfile profile = filter_profile(parts.profile->sums.value(), steps, variance);
    return {profile.mean[0], profile.deviation};
  }
  const Estimate by_values = positives_by_values(w, prior);
  if (!parts.answer || !is_about(*parts.answer, parts.options)) return by_values;
  const bool nonpositive = parts.answer->question == Question::nonpositive;
  const Spent* spent = spent_on(parts, nonpositive ? "nonpositive" : "positive");
  if (spent == nullptr) return by_values;
  const auto answer = static_cast<double>(parts.answer->answer.value());
  const auto cells = static_cast<double>(w.values.size());
  return combined({nonpositive ? cells - answer : answer, std::sqrt(noise_bought(*spent).variance)}, by_values);
}

// How many cells hold the share of the records that is asked for. Without a profile the noisy values alone say so, and
// roughly: noise decides which of them are the largest.
Estimate cells_covering(const ReleaseParts& parts, const NoisyRecords& w, double coverage) {
  if (parts.profile && is_about(*parts.profile, parts.options)) {
    const double steps = static_cast<double>(parts.profile->scale);
    const double variance = noise_bought(*spent_on(parts, profile_mechanism)).variance / square(steps);
    const FilteredProfile profile = filter_profile(parts.profile->sums.value(), steps, variance);
    const CountEstimate of = estimate_count(profile, Survival(profile.mean, w.values.size()), parts.options.threshold);
    return {of.k, of.deviation};
  }
  double all = 0, positive = 0;
  for (const double value : w.values) {
    all += value;
    positive += std::max(0.0, value);
  }
  if (!(all > 0)) return {0, 0};
  const ThresholdOptions rule{.rule = ThresholdRule::coverage, .coverage = coverage * std::min(1.0, all / positive)};
  const auto k = static_cast<double>(significant_cells(Cells<double>::dense(w.shape, w.values), rule).k);
  return {k, rough * k};
}

// How many cells WaveCluster would take of the data themselves.
Estimate cells_taken(const ReleaseParts& parts, const NoisyRecords& w, const Prior& prior) {
  const ThresholdOptions& rule = parts.options.threshold;
  if (rule.rule == ThresholdRule::top) return {static_cast<double>(rule.top), 0};
  if (rule.rule == ThresholdRule::coverage) return cells_covering(parts, w, rule.coverage);
  const double kept = 1 - rule.percentile / 100;
  const Spent* drawn = spent_on(parts, "threshold");
  if (parts.answer && parts.answer->question == Question::threshold && is_about(*parts.answer, parts.options) &&
      drawn != nullptr) {
    // d' was drawn with probability ~ exp(-rate/2 |rank - k|): twice the deviation of noise of that rate.
    const NoisyAnswer& known = *parts.answer;
    const double d = static_cast<double>(known.answer.value()) * known.unit / w.scale.record;
    const double scaled = kept / (1 - known.percentile / 100);
    return {prior.at_least(d - (w.whole ? 0.5 : 0)) * scaled, 2 * std::sqrt(noise_bought(*drawn).variance) * scaled};
  }
  const Estimate of = positives(parts, w, prior);
  return {kept * std::clamp(of.mean, 0.0, static_cast<double>(w.values.size())), kept * of.deviation};
}

// Equally likely thresholds of the truth, in records, ascending.
std::vector<double> plausible_thresholds(const ReleaseParts& parts, const NoisyRecords& w, const Prior& prior) {
  const ThresholdOptions& rule = parts.options.threshold;
  if (rule.rule == ThresholdRule::density) {
    const double d = rule.density / w.scale.threshold;
    return {w.whole ? std::ceil(d) - 0.5 : d};
  }
  const Estimate k = cells_taken(parts, w, prior);
  std::vector<double> result;
  for (std::size_t i = levels; i-- > 0;) {
    const double share = (static_cast<double>(i) + 0.5) / levels;
    const double wanted = k.mean + k.deviation * normal_quantile(share);
    if (wanted <= 0) {
      result.push_back(nothing_dense);
      continue;
    }
    // Whole numbers: all cells that tie with the last one are taken.
    const double d = prior.reached_by(std::max(1.0, std::ceil(wanted)));
    result.push_back(w.whole ? std::max(0.5, std::floor(d + 0.5) - 0.5) : std::max(d, 1e-9));
  }
  std::sort(result.begin(), result.end());
  return result;
}

// The density from which on cells are in clusters, but for a few.
double level_of(const NoisyRecords& w, const Clusters& clusters) {
  std::vector<double> values;
  for (const std::uint64_t cell : clusters.cells()) values.push_back(w.values[cell]);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 20);
  std::nth_element(values.begin(), low, values.end());
  return *low;
}

// Sets of cells that may have been the dense ones. A draw takes one of the thresholds, and each cell by its own chance.
class PlausibleTruths {
 public:
  PlausibleTruths(const NoisyRecords& w, const Prior& prior, std::vector<double> thresholds)
      : all_levels_(thresholds.size()) {
    while (!thresholds.empty() && thresholds.back() == nothing_dense) thresholds.pop_back();
    levels_ = thresholds.size();
    // Most cells of a large grid are far from dense: only the others are kept.
    constexpr std::uint64_t lot = 1 << 16;
    std::vector<std::uint64_t> cells;
    for (std::uint64_t first = 0; first < w.values.size() && levels_ > 0; first += lot) {
      cells.resize(std::min<std::uint64_t>(lot, w.values.size() - first));
      std::iota(cells.begin(), cells.end(), first);
      keep(cells, prior.chances(cells, thresholds));
    }
    const double affordable = most_work / (static_cast<double>(cells_.size()) + 1);
    count_ = static_cast<std::size_t>(std::clamp(affordable, double{least_draws}, double{most_draws}));
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  // Ascending.
  void draw(std::size_t number, std::vector<std::uint64_t>& dense) const {
    dense.clear();
    const std::size_t level = number % all_levels_;
    if (level >= levels_) return;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (uniform(number, cells_[i]) < static_cast<double>(chances_[i * levels_ + level])) dense.push_back(cells_[i]);
    }
  }

 private:
  void keep(const std::vector<std::uint64_t>& cells, const std::vector<float>& chances) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto first = chances.begin() + static_cast<std::ptrdiff_t>(i * levels_);
      if (*first < never) continue;  // at the least threshold
      cells_.push_back(cells[i]);
      chances_.insert(chances_.end(), first, first + static_cast<std::ptrdiff_t>(levels_));
    }
  }

  std::size_t all_levels_, levels_ = 0, count_ = 0;  // levels_: those at which anything is dense
  std::vector<std::uint64_t> cells_;
  std::vector<float> chances_;  // of each cell at each of levels_
};

struct Tally {
  std::uint32_t real = 0, connected = 0, separate = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joined;  // with whom, how often
};

void add(Tally& tally, const Comparison::Verdict& verdict) {
  if (!verdict.real) return;
  ++tally.real;
  tally.connected += verdict.connected ? 1U : 0U;
  tally.separate += verdict.joined_with == 0 ? 1U : 0U;
  if (verdict.joined_with == 0) return;
  for (auto& [id, count] : tally.joined) {
    if (id != verdict.joined_with) continue;
    ++count;
    return;
  }
  tally.joined.emplace_back(verdict.joined_with, 1);
}

ClusterConfidence summed_up(const Tally& tally, std::size_t draws) {
  // Half a draw each way: nothing is certain, and what was never seen is even.
  const auto chance = [](std::uint32_t of, std::size_t all) {
    return std::round((of + 0.5) / (static_cast<double>(all) + 1) * 1000) / 1000;
  };
  ClusterConfidence result{chance(tally.real, draws), chance(tally.connected, tally.real),
                           chance(tally.separate, tally.real), 0};
  std::uint32_t most = 0;
  for (const auto& [id, count] : tally.joined) {
    if (count < most || (count == most && id > result.joined_with)) continue;
    most = count;
    result.joined_with = id;
  }
  return result;
}

}  // namespace

Comparison::Comparison(const Clusters& released) : released_(released), verdicts_(released.count()) {}

// Pairs of clusters, released and true, that have a cell in common, once for each such cell; sorted.
void Comparison::overlay(const Clusters& truth) {
  shares_.clear();
  const std::vector<std::uint64_t>&here = released_.cells(), &there = truth.cells();
  for (std::size_t i = 0, j = 0; i < here.size() && j < there.size();) {
    if (here[i] == there[j]) shares_.emplace_back(released_.labels()[i], truth.labels()[j]);
    const bool next_here = here[i] <= there[j], next_there = there[j] <= here[i];
    i += next_here ? 1U : 0U;
    j += next_there ? 1U : 0U;
  }
  std::sort(shares_.begin(), shares_.end());
}

const std::vector<Comparison::Verdict>& Comparison::with(const Clusters& truth) {
  overlay(truth);
  std::fill(verdicts_.begin(), verdicts_.end(), Verdict{});
  by_main_.clear();
  for (std::size_t i = 0; i < shares_.size();) {
    const std::size_t first = i, id = shares_[i].first;
    std::size_t most = 0;
    std::uint32_t main = 0;  // the true cluster that has most of its cells
    while (i < shares_.size() && shares_[i].first == id) {
      const std::size_t start = i;
      while (i < shares_.size() && shares_[i] == shares_[start]) ++i;
      if (i - start <= most) continue;
      most = i - start;
      main = shares_[start].second;
    }
    const auto dense = static_cast<double>(i - first);
    Verdict& verdict = verdicts_[id - 1];
    verdict.real = 2 * dense >= static_cast<double>(released_.sizes()[id - 1]);
    verdict.connected = static_cast<double>(most) >= needed_share * dense;
    if (verdict.real) by_main_.emplace_back(main, static_cast<std::uint32_t>(id));
  }
  find_joined();
  return verdicts_;
}

// Sizes fall with the number: of those that share a main cluster, the first is the largest.
void Comparison::find_joined() {
  std::sort(by_main_.begin(), by_main_.end());
  const auto size = [this](std::uint32_t of) { return static_cast<double>(released_.sizes()[of - 1]); };
  for (std::size_t i = 0; i < by_main_.size();) {
    std::size_t end = i + 1;
    while (end < by_main_.size() && by_main_[end].first == by_main_[i].first) ++end;
    for (std::size_t at = i; at < end && end - i > 1; ++at) {
      const std::uint32_t id = by_main_[at].second;
      const std::uint32_t other = by_main_[at == i ? i + 1 : i].second;
      if (size(other) >= counting_share * size(id)) verdicts_[id - 1].joined_with = other;
    }
    i = end;
  }
}

std::string in_words(const ClusterConfidence& confidence) {
  constexpr double almost_sure = 0.95, quite_sure = 0.9, even = 0.5, unlikely = 0.2;
  const double real = confidence.real;
  if (real < unlikely) return "probably noise";
  std::string text = real >= almost_sure     ? "almost surely real"
                     : real >= taken_as_real ? "probably real"
                     : real >= even          ? "perhaps real"
                                             : "doubtful";
  if (confidence.connected < quite_sure) {
    text += confidence.connected < even ? "; probably several clusters" : "; may be several clusters";
  }
  if (confidence.separate < quite_sure && confidence.joined_with != 0) {
    text += fmt::format("; {} one with cluster {}", confidence.separate < even ? "probably" : "may be",
                        confidence.joined_with);
  }
  return text;
}

std::vector<ClusterConfidence> confidence_of(const ReleaseParts& parts, const Clusters& clusters) {
  if (clusters.count() == 0) return {};
  const std::optional<NoisyRecords> w = noisy_records_of_w(parts, parts.options);
  if (!w) return {};
  const Prior prior(*w, level_of(*w, clusters));
  const PlausibleTruths truths(*w, prior, plausible_thresholds(parts, *w, prior));
  std::vector<Tally> tallies(clusters.count());
  Comparison comparison(clusters);
  std::vector<std::uint64_t> dense;
  for (std::size_t draw = 0; draw < truths.count(); ++draw) {
    truths.draw(draw, dense);
    const Clusters truth = connect(clusters.shape(), dense, parts.options.adjacency, parts.options.min_cells);
    const std::vector<Comparison::Verdict>& verdicts = comparison.with(truth);
    for (std::size_t i = 0; i < tallies.size(); ++i) add(tallies[i], verdicts[i]);
  }
  std::vector<ClusterConfidence> result;
  result.reserve(tallies.size());
  for (const Tally& tally : tallies) result.push_back(summed_up(tally, truths.count()));
  return result;
}

}  // namespace shoal
