#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>

#include "clusters/neighbours.hpp"
#include "inference/cluster_confidence.hpp"
#include "inference/noisy_modes.hpp"
#include "inference/noisy_records.hpp"
#include "inference/plausible.hpp"
#include "inference/privwave_empty.hpp"
#include "inference/privwave_segment.hpp"

namespace shoal {

namespace {

constexpr double most_draws = 180;          // of all cells
constexpr double least_draws = 30;          // but on large grids
constexpr double drawn_share = 2.0 / 3;     // of these the others are for learning
constexpr double most_work = 1.2e7;         // cells over all draws
constexpr std::size_t all_cells = 1 << 18;  // of larger grids the small values are left out
constexpr double most_neighbours = 5e7;     // past them (many axes) there is no confidence
constexpr std::size_t levels = 15;          // thresholds that are tried, equally likely ones
constexpr double needed_share = 0.9;        // of the dense cells, in one true cluster: connected
constexpr double rough = 0.2;               // deviation of a count that the noisy values alone give, as a share of it
constexpr double counting_share = 0.1;      // of a cluster's cells: what another one must have to be worth a mention

constexpr double nothing_dense = std::numeric_limits<double>::infinity();  // as a threshold

double square(double x) { return x * x; }

// Quantile of the normal distribution.
double normal_quantile(double share) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share); }

bool is_about(const auto& answer, const ClusterOptions& options) {
  return answer.wavelet == options.wavelet && answer.level == options.level && answer.transform == options.transform;
}

// Two independent estimates of one number.
Estimate combined(const Estimate& a, const Estimate& b) {
  const double of_a = 1 / (square(a.deviation) + 1e-9), of_b = 1 / (square(b.deviation) + 1e-9);
  return {(a.mean * of_a + b.mean * of_b) / (of_a + of_b), 1 / std::sqrt(of_a + of_b)};
}

// The cells and their neighbours, ascending.
std::vector<std::uint64_t> with_neighbours(const Shape& shape, const std::vector<std::uint64_t>& cells) {
  std::vector<std::uint64_t> result = cells;
  const Neighbours neighbours(shape, Adjacency::full);
  for (const std::uint64_t cell : cells) {
    neighbours.of(cell, [&result](std::uint64_t other) { result.push_back(other); });
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Of a large grid: the large values, and those in or beside clusters.
void leave_small_ones_out(Evidence& w, const Clusters& clusters) {
  std::vector<double> values = w.values;
  const auto least = values.begin() + static_cast<std::ptrdiff_t>(all_cells / 2);
  std::nth_element(values.begin(), least, values.end(), std::greater<>());
  w.floor = *least;
  const std::vector<std::uint64_t> near = with_neighbours(clusters.shape(), clusters.cells());
  values.clear();
  for (std::uint64_t cell = 0, at = 0; cell < w.values.size(); ++cell) {
    const bool is_near = at < near.size() && near[at] == cell;
    at += is_near ? 1 : 0;
    if (!is_near && w.values[cell] < w.floor) continue;
    w.cells.push_back(cell);
    values.push_back(w.values[cell]);
  }
  w.others = static_cast<double>(w.values.size() - values.size());
  w.values = std::move(values);
}

// Of a release with a floor: what it holds, and the cells beside its clusters, which lie below.
std::optional<Evidence> evidence_from_floor(const ReleaseParts& parts, const Clusters& clusters) {
  const Cells<std::int64_t>& sums = parts.values()->value();
  Evidence result;
  result.scale = value_scale(parts.grid.shape(), parts.options, NoisePlace::sums);
  const NoiseLaw& law = *parts.values()->law();  // whatever has a floor has a law
  result.noise = noise_of(law);
  if (law.terms > 1) {  // that of a block's cells, in one
    result.terms = static_cast<unsigned>(std::min<std::uint64_t>(1024, law.terms));
    result.noise = noise_of_variance(result.noise.variance * result.terms);
  }
  if (result.scale.record != 1) return std::nullopt;  // some cells count twice at the end of an odd axis
  result.shape = sums.shape();
  result.whole = true;
  result.floor = static_cast<double>(parts.floor());
  const std::vector<std::uint64_t> near = with_neighbours(clusters.shape(), clusters.cells());
  std::set_union(near.begin(), near.end(), sums.index().begin(), sums.index().end(), std::back_inserter(result.cells));
  std::size_t at = 0;
  for (const std::uint64_t cell : result.cells) {
    const bool is_held = at < sums.stored() && sums.index()[at] == cell;
    result.values.push_back(is_held ? static_cast<double>(sums.values()[at]) : below_floor);
    at += is_held ? 1 : 0;
  }
  result.others = static_cast<double>(sums.cell_count() - result.cells.size());
  return result;
}

std::optional<Evidence> evidence_of(const ReleaseParts& parts, const Clusters& clusters) {
  std::optional<Evidence> result;
  if (parts.has_floor() && parts.blocks_level() > 0) {
    if (Surroundings::work(clusters.shape(), clusters.cells().size()) > most_neighbours) return std::nullopt;
    result = evidence_from_floor(parts, clusters);
  } else if (std::optional<NoisyRecords> w = noisy_records_of_w(parts, parts.options)) {
    result.emplace();
    static_cast<NoisyRecords&>(*result) = std::move(*w);
    result->may_be_negative = !parts.options.wavelet.is_nonnegative();
    const bool independent = !noise_links(parts.grid.shape(), parts.options).any();
    if (independent && result->values.size() > all_cells &&
        Surroundings::work(clusters.shape(), clusters.cells().size()) < most_neighbours) {
      leave_small_ones_out(*result, clusters);
    }
  }
  if (result && !result->cells.empty() && Surroundings::work(result->shape, result->cells.size()) > most_neighbours) {
    return std::nullopt;
  }
  return result;
}

// |L| by what the noisy values tell: the fitted spread, and that as many positives are noise as there are negatives.
Estimate positives_by_values(const Evidence& w, const Spread& spread) {
  double balance = 0, negative = 0;
  for (const double value : w.values) {
    balance += value > 0 ? 1 : value < 0 ? -1 : 0;
    negative += value < 0 ? 1 : 0;
  }
  const double fitted = spread.at_least(0.5), counted = std::max(0.0, balance);
  return {(fitted + counted) / 2, std::fabs(fitted - counted) / 2 + std::sqrt(2 * negative)};
}

// With a floor, privthr has |L| = (positive values of W') - |Z|'/2: noise decides of which empty cells.
Estimate positives_from_floor(const ReleaseParts& parts, const Evidence& w) {
  const NoisyAnswer* known = parts.answer();
  const double cells = static_cast<double>(w.values.size()) + w.others;
  const double answered =
      known != nullptr && known->question == Question::positive ? noise_of(*known->answer.law()).variance : 0;
  const double mean = known != nullptr ? static_cast<double>(known->answer.value()) : 0;
  return {mean, std::sqrt(cells + answered) / 2};
}

bool has_all_whole(const Evidence& w) { return w.whole && w.others == 0; }

// Whether there is more about |L| than the noisy values.
bool tells_positives(const ReleaseParts& parts) {
  if (parts.profile() && is_about(*parts.profile(), parts.options)) return true;
  return parts.answer() && parts.answer()->question != Question::threshold && is_about(*parts.answer(), parts.options);
}

double cells_of(const Evidence& w) { return static_cast<double>(w.values.size()) + w.others; }

// A profile counts a cell that holds a part of a record as that part. There are taken to be as many of them as hold one
// record, each half of it.
Estimate with_fractions(const FilteredProfile& profile, double cells) {
  const Survival survival(profile.mean, static_cast<std::uint64_t>(cells));
  const double missed = (survival.at_level(0) - survival.at_level(1)) / 2;
  return {profile.mean[0] + missed, std::hypot(profile.deviation, missed / 2)};
}

// |L| by all that the release says about it.
Estimate positives(const ReleaseParts& parts, const Evidence& w, const Spread& spread) {
  if (parts.profile() && is_about(*parts.profile(), parts.options)) {
    CellsAbove above;
    if (has_all_whole(w)) {
      above = [&w](const ProfileLevels& mean, const Estimate& foreseen) {
        return cells_above(Survival(mean, w.values.size()), foreseen, w.values, w.noise);
      };
    }
    const auto steps = static_cast<double>(parts.profile()->scale);
    const FilteredProfile profile =
        filter_profile(parts.profile()->sums.value(), steps, noise_of_profile(*parts.profile()), above);
    if (!parts.options.wavelet.is_haar()) return with_fractions(profile, cells_of(w));
    return {profile.mean[0], profile.deviation};
  }
  if (parts.has_floor()) return positives_from_floor(parts, w);
  const Estimate by_values = positives_by_values(w, spread);
  if (!parts.answer() || !is_about(*parts.answer(), parts.options)) return by_values;
  const bool nonpositive = parts.answer()->question == Question::nonpositive;
  if (parts.answer()->question == Question::threshold) return by_values;
  const auto answer = static_cast<double>(parts.answer()->answer.value());
  const auto cells = static_cast<double>(w.values.size());
  return combined({nonpositive ? cells - answer : answer, std::sqrt(noise_of(*parts.answer()->answer.law()).variance)},
                  by_values);
}

// How many cells hold the share of the records that is asked for. Without a profile the noisy values alone say so, and
// roughly: noise decides which of them are the largest.
Estimate cells_covering(const ReleaseParts& parts, const Evidence& w, double coverage) {
  if (parts.profile() && is_about(*parts.profile(), parts.options)) {
    const auto steps = static_cast<double>(parts.profile()->scale);
    const FilteredProfile profile =
        filter_profile(parts.profile()->sums.value(), steps, noise_of_profile(*parts.profile()));
    const CountEstimate of = estimate_count(profile, Survival(profile.mean, w.values.size()), parts.options.threshold);
    return {of.k, of.deviation};
  }
  double all = 0, positive = 0;
  for (const double value : w.values) {
    all += value;
    positive += std::max(0.0, value);
  }
  if (!(all > 0)) return {0, 0};
  const Coverage rule(coverage * std::min(1.0, all / positive));
  const auto k = static_cast<double>(significant_cells(Cells<double>::dense(w.shape, w.values), rule).k);
  return {k, rough * k};
}

// How many cells WaveCluster would take of the data themselves.
Estimate cells_taken(const ReleaseParts& parts, const Evidence& w, const Spread& spread) {
  const Threshold& rule = parts.options.threshold;
  if (const auto* top = std::get_if<Top>(&rule)) return {static_cast<double>(top->cells()), 0};
  if (const auto* coverage = std::get_if<Coverage>(&rule)) return cells_covering(parts, w, coverage->percent());
  const double kept = 1 - std::get<Percentile>(rule).percent() / 100;
  const Estimate of = positives(parts, w, spread);
  return {kept * std::clamp(of.mean, 0.0, static_cast<double>(w.values.size()) + w.others), kept * of.deviation};
}

// The density from which on cells are in clusters, but for a few.
double level_of(const Evidence& w, const Clusters& clusters) {
  std::vector<double> values;
  std::size_t i = 0;
  for (const std::uint64_t cell : clusters.cells()) {
    while (w.cell(i) < cell) ++i;
    values.push_back(w.values[i]);
  }
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 20);
  std::nth_element(values.begin(), low, values.end());
  return *low;
}

// d' of privthr-em, in records.
std::optional<double> drawn_threshold(const ReleaseParts& parts, const Evidence& w) {
  if (!parts.answer() || parts.answer()->question != Question::threshold || !is_about(*parts.answer(), parts.options)) {
    return std::nullopt;
  }
  return static_cast<double>(parts.answer()->answer.value()) * parts.answer()->unit / w.scale.record;
}

// Draws of the dense cells: each takes a draw of W, and a number of cells that the rule may ask for.
class PlausibleTruths {
 public:
  PlausibleTruths(const ReleaseParts& parts, const Evidence& w, double level)
      : parts_(parts),
        w_(w),
        draws_(std::clamp(most_work / (static_cast<double>(w.values.size()) + 1), least_draws, most_draws)),
        fields_(w, noise_links(parts.grid.shape(), parts.options), level) {
    std::optional<double> known;
    if (has_all_whole(w) && tells_positives(parts)) known = positives(parts, w, fields_.spread()).mean;
    fields_.learn(static_cast<std::size_t>((1 - drawn_share) * draws_), known);
    const Threshold& rule = parts.options.threshold;
    if (std::holds_alternative<Density>(rule)) return;
    const auto* percentile = std::get_if<Percentile>(&rule);
    if (percentile != nullptr) threshold_ = drawn_threshold(parts, w);
    if (threshold_) {
      // d' was drawn with probability ~ exp(-rate/2 |rank - k|): twice the deviation of noise of that rate. It may have
      // been drawn for another percentile.
      share_ = (100 - percentile->percent()) / (100 - parts.answer()->percentile);
      taken_ = {0, 2 * std::sqrt(noise_of(*parts.answer()->answer.law()).variance) * share_};
    } else {
      taken_ = cells_taken(parts, w, fields_.spread());
    }
  }

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(drawn_share * draws_); }

  // Ascending.
  void draw(std::size_t number, std::vector<std::uint64_t>& dense) {
    dense.clear();
    const std::vector<double>& field = fields_.next();
    const double least = threshold_of(field, number);
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] >= least) dense.push_back(w_.cell(i));
    }
  }

 private:
  // Cells that hold at least d in this draw, those without evidence included.
  [[nodiscard]] double at_least(const std::vector<double>& field, double d) const {
    const auto here = std::count_if(field.begin(), field.end(), [d](double value) { return value >= d; });
    return static_cast<double>(here) + fields_.others_at_least(d);
  }

  [[nodiscard]] double threshold_of(const std::vector<double>& field, std::size_t number) {
    if (const auto* density = std::get_if<Density>(&parts_.options.threshold)) {
      const double d = density->least() / w_.scale.threshold;
      return w_.whole ? std::ceil(d) : d;
    }
    const double share = (static_cast<double>(number % levels) + 0.5) / levels;
    const double known = threshold_ ? share_ * at_least(field, *threshold_) : taken_.mean;
    const double wanted = std::ceil(known + taken_.deviation * normal_quantile(share));
    if (wanted <= 0) return nothing_dense;
    return std::max(reached_by(field, wanted), w_.whole ? 1 : 1e-9);
  }

  // The largest d that so many cells reach in this draw.
  [[nodiscard]] double reached_by(const std::vector<double>& field, double wanted) {
    sorted_ = field;
    std::size_t low = 0, high = std::min(sorted_.size(), static_cast<std::size_t>(std::min(wanted, 1e18)));
    const auto at = [this](std::size_t i) { return sorted_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(sorted_.begin(), at(high - 1), sorted_.end(), std::greater<>());
    if (w_.others == 0) return sorted_[high - 1];
    // Halves: what is before low is larger than all between, what is after high smaller.
    --high;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      std::nth_element(at(low), at(middle), at(high + 1), std::greater<>());
      const bool enough = static_cast<double>(middle + 1) + fields_.others_at_least(sorted_[middle]) >= wanted;
      (enough ? high : low) = enough ? middle : middle + 1;
    }
    return sorted_[low];
  }

  const ReleaseParts& parts_;
  const Evidence& w_;
  double draws_;
  PlausibleFields fields_;
  Estimate taken_{0, 0};
  std::optional<double> threshold_;  // privthr-em's
  double share_ = 1;
  std::vector<double> sorted_;
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
  constexpr double almost_sure = 0.95, even = 0.5, unlikely = 0.2;
  constexpr double worth_words = taken_as_real;  // what is likelier than that goes without saying
  const double real = confidence.real;
  if (real < unlikely) return "probably noise";
  std::string text = real >= almost_sure     ? "almost surely real"
                     : real >= taken_as_real ? "probably real"
                     : real >= even          ? "perhaps real"
                                             : "doubtful";
  if (confidence.connected < worth_words) {
    text += confidence.connected < even ? "; probably several clusters" : "; may be several clusters";
  }
  if (confidence.separate < worth_words && confidence.joined_with != 0) {
    text += fmt::format("; {} part of cluster {}", confidence.separate < even ? "probably" : "may be",
                        confidence.joined_with);
  }
  return text;
}

std::string without_confidence(const std::string& technique) {
  if (technique == "baseline") {
    return "the release of baseline does not state the noise of its synthetic points";
  }
  return "the release does not hold the values that it is computed from";
}

std::vector<ClusterConfidence> confidence_of(const ReleaseParts& parts, const Clusters& clusters) {
  if (clusters.count() == 0) return {};
  if (std::holds_alternative<DensityModes>(parts.options.threshold)) {
    const Modes modes = noisy_modes(parts, transformed_noisy(parts, parts.options), parts.options);
    return modes.clusters == clusters ? confidence_of(modes) : std::vector<ClusterConfidence>{};
  }
  const std::optional<Evidence> w = evidence_of(parts, clusters);
  if (!w) return {};
  PlausibleTruths truths(parts, *w, level_of(*w, clusters));
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
