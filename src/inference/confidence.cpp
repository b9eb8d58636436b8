#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "base/parallel.hpp"
#include "clusters/neighbours.hpp"
#include "inference/cluster_confidence.hpp"
#include "inference/intervals.hpp"
#include "inference/laplace_law.hpp"
#include "inference/noisy_modes.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "inference/population.hpp"

namespace shoal {

namespace {

constexpr double most_draws = 80;           // fields that are looked at
constexpr double least_draws = 30;          // but on large grids
constexpr double burn_in = 0.25;            // of these, before them, to learn the prior
constexpr double most_work = 1e6;           // cells over all draws
constexpr std::size_t all_cells = 1 << 18;  // of larger grids only what lies in clusters and beside them is drawn
constexpr std::size_t least_for_threads = 1 << 14;  // values: of fewer, a draw takes no longer than a thread to start
constexpr double most_neighbours = 5e7;             // past them (many axes) there is no confidence
constexpr double needed_share = 0.9;                // of the dense cells, in one true cluster: connected
constexpr double counting_share = 0.1;  // of a cluster's cells: what another one must have to be worth a mention
constexpr double level_share = 0.9;     // of a cluster's density: from here on its surroundings are one area with it
constexpr double z95 = 1.96;            // deviations of a 95 % interval of the normal distribution
constexpr double uniform_share = 0.5;   // of the threshold: what is less dense is no part of a uniform area
constexpr double most_telling = 32;     // cells: more of them tell no more about a cluster

double neighbours_to_visit(const Shape& shape, std::size_t cells) {
  return static_cast<double>(cells) * std::pow(3.0, static_cast<double>(shape.size()));
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

// Noisy values, their noise, and what makes values of W of them.
struct Observed {
  Evidence evidence;
  double threshold = 1;     // of the release, in the units of W
  double level = 1;         // the same, as records a cell
  bool is_w = true;         // the values are W' in records; else they are counts, and W follows from them
  bool counts_once = true;  // the values of a cluster add up to its records
};

void set_noise(Evidence& evidence, double variance, double draws) {
  evidence.variance = variance;
  evidence.scale = std::sqrt(variance / (2 * draws));
}

// Small values were raised to the censoring point before the noise: what is not clear of it may be nothing.
void lower_censored(Evidence& evidence, double censored_below) {
  const double clear = censored_below + std::sqrt(evidence.variance);
  for (double& value : evidence.values) value -= censored_below > 0 && value < clear ? censored_below : 0;
}

// Of a large grid: what lies in clusters or beside them. The others are taken to hold what they do on average.
void list_near(Evidence& w, const Clusters& clusters) {
  std::vector<double> values;
  w.cells = with_neighbours(clusters.shape(), clusters.cells());
  double all = 0, near = 0;
  for (const double value : w.values) all += value;
  for (const std::uint64_t cell : w.cells) {
    values.push_back(w.values[cell]);
    near += w.values[cell];
  }
  const auto others = static_cast<double>(w.values.size() - values.size());
  w.elsewhere = others > 0 ? std::max(0.0, all - near) / others : 0;
  w.values = std::move(values);
}

// Of a release with a floor: what it holds, and the cells beside its clusters, which lie below.
std::optional<Observed> observed_from_floor(const ReleaseParts& parts, const Clusters& clusters, double threshold) {
  const Cells<std::int64_t>& sums = parts.values()->value();
  const NoiseLaw& law = *parts.values()->law();  // whatever has a floor has a law
  const ValueScale scale = value_scale(parts.grid.shape(), parts.options, NoisePlace::sums);
  if (scale.record != 1) return std::nullopt;  // some cells count twice at the end of an odd axis
  Observed result{{}, threshold / scale.threshold, threshold / scale.threshold, true, true};
  Evidence& evidence = result.evidence;
  evidence.shape = sums.shape();
  set_noise(evidence, noise_of(law).variance * static_cast<double>(law.terms), static_cast<double>(law.terms));
  const std::vector<std::uint64_t> near = with_neighbours(clusters.shape(), clusters.cells());
  std::set_union(near.begin(), near.end(), sums.index().begin(), sums.index().end(),
                 std::back_inserter(evidence.cells));
  std::size_t at = 0;
  for (const std::uint64_t cell : evidence.cells) {
    const bool is_held = at < sums.stored() && sums.index()[at] == cell;
    evidence.values.push_back(is_held ? static_cast<double>(sums.values()[at]) : 0);
    at += is_held ? 1 : 0;
  }
  return result;
}

// W' by Haar: sums of blocks that share no cell. By any other filter neighbouring values share records and noise: the
// population of the counts is drawn, and filtered.
std::optional<Observed> observed_in(const ReleaseParts& parts, const Clusters& clusters, double threshold) {
  const Shape& shape = clusters.shape();
  if (neighbours_to_visit(shape, clusters.cells().size()) > most_neighbours) return std::nullopt;
  std::optional<Observed> result;
  if (parts.has_floor() && parts.blocks_level() > 0) {
    result = observed_from_floor(parts, clusters, threshold);
  } else if (privwave_place(parts.options) == NoisePlace::sums) {
    std::optional<NoisyRecords> w = noisy_records_of_w(parts, parts.options);
    if (!w) return std::nullopt;
    const double level = threshold / w->scale.threshold;
    result.emplace(Observed{{}, level, level, true, w->whole});
    result->evidence.shape = w->shape;
    result->evidence.values = std::move(w->values);
    set_noise(result->evidence, w->noise.variance, w->terms);
    lower_censored(result->evidence, w->noise.censored_below);
    if (result->evidence.values.size() > all_cells) list_near(result->evidence, clusters);
  } else if (const NoiseLaw* law = law_of_values(parts);
             law != nullptr && law->terms == 1 && parts.values()->value().is_dense()) {
    const Cells<std::int64_t>& counts = parts.values()->value();
    const double gain = std::exp2(static_cast<double>(shape.pooled_axes()) * parts.options.level / 2.0);
    result.emplace(Observed{{}, threshold, threshold / gain, false, false});
    result->evidence.shape = counts.shape();
    set_noise(result->evidence, noise_of(*law).variance, 1);
    result->evidence.values.assign(counts.values().begin(), counts.values().end());
  }
  if (result && neighbours_to_visit(shape, result->evidence.cells.size()) > most_neighbours) return std::nullopt;
  if (result) result->evidence.together = static_cast<double>(parts.unit.max_contributions);
  return result;
}

// Draws of W in the population: what a sample of it has on average.
class Populations {
 public:
  Populations(const Observed& observed, const ClusterOptions& options)
      : observed_(observed),
        options_(options),
        draws_(std::clamp(most_work / (static_cast<double>(observed.evidence.values.size()) + 1), least_draws,
                          most_draws)),
        field_(observed.evidence, observed.level, options.threads) {
    for (int i = 0; i < burn_in * draws_; ++i) field_.next();
  }

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(draws_); }

  // In the units of the threshold, of each value of W that the evidence lists.
  void next(std::vector<double>& into) {
    into = field_.next();
    for (double& rate : into) rate *= observed_.evidence.together;
    if (observed_.is_w) return;
    const Cells<double> w = average_subband(observed_.evidence.shape, into, options_.wavelet, options_.level,
                                            options_.transform, options_.threads);
    into.assign(w.values().begin(), w.values().end());
  }

 private:
  const Observed& observed_;
  const ClusterOptions& options_;
  double draws_;
  PopulationField field_;
};

// Of each cluster the places of its cells and of those around it, in a list of cells.
struct Places {
  Places(const Clusters& clusters, const Evidence& evidence) : inside(clusters.count()), around(clusters.count()) {
    std::vector<std::vector<std::uint64_t>> cells(clusters.count());
    for (std::size_t i = 0; i < clusters.cells().size(); ++i)
      cells[clusters.labels()[i] - 1].push_back(clusters.cells()[i]);
    const auto place = [&evidence](std::uint64_t cell) {
      if (evidence.cells.empty()) return static_cast<std::uint32_t>(cell);
      return static_cast<std::uint32_t>(std::lower_bound(evidence.cells.begin(), evidence.cells.end(), cell) -
                                        evidence.cells.begin());
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const std::uint64_t cell : cells[i]) inside[i].push_back(place(cell));
      const std::vector<std::uint64_t> near = with_neighbours(clusters.shape(), cells[i]);
      for (std::size_t at = 0, own = 0; at < near.size(); ++at) {
        if (own < cells[i].size() && cells[i][own] == near[at]) {
          ++own;
        } else {
          around[i].push_back(place(near[at]));
        }
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> inside, around;
};

double mean_of(const std::vector<double>& w, const std::vector<std::uint32_t>& at) {
  double sum = 0;
  for (const std::uint32_t i : at) sum += w[i];
  return at.empty() ? 0 : sum / static_cast<double>(at.size());
}

struct Tally {
  std::uint32_t real = 0, connected = 0, separate = 0, plain = 0;
  double records = 0, square = 0, variance = 0;                 // of the records in it: sums over draws
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

// Records of the data in a cluster, given the population: what the noisy values add to what is expected.
void add_records(Tally& tally, const Evidence& evidence, const std::vector<double>& w,
                 const std::vector<std::uint32_t>& cells) {
  double mean = 0, variance = 0;
  for (const std::uint32_t i : cells) {
    const double sampled = evidence.together * w[i], weight = sampled / (sampled + evidence.variance + 1e-12);
    mean += w[i] + weight * (evidence.values[i] - w[i]);
    variance += weight * evidence.variance;
  }
  tally.records += mean;
  tally.square += mean * mean;
  tally.variance += variance;
}

void set_interval(ClusterConfidence& of, double records, double reach) {
  of.least_records = std::max(0.0, std::floor(records - reach));
  of.most_records = std::max(0.0, std::ceil(records + reach));
}

// Nothing is certain.
double rounded(double chance) { return std::clamp(std::round(chance * 1000) / 1000, 0.001, 0.999); }

// What a share of the draws is worth was learnt on generated populations (docs/studies/confidence.md). Draws are too
// sure, and know of no shape but boxes, though cells that lie together bear each other out: lines between logits.
double logit(double chance) { return std::log(chance / (1 - chance)); }
double from_logit(double value) { return 1 / (1 + std::exp(-value)); }

// Among the draws in which it is real: these may be few, or none, so a prior counts as some of all draws.
double share_given_real(std::uint32_t of, std::uint32_t real, double prior, double worth) {
  return (of + prior * worth) / (real + worth);
}

ClusterConfidence summed_up(const Tally& tally, std::size_t draws, std::uint64_t size) {
  const auto all = static_cast<double>(draws), cells = static_cast<double>(size);
  const auto share = [all](std::uint32_t of) { return (of + 0.5) / (all + 1); };  // half a draw each way
  const double doublings = std::log2(std::min(cells, most_telling));
  // Few cells that are dense lie together nearly always; of many some may lie apart.
  const double together = share_given_real(tally.connected, tally.real, from_logit(7.5 - 1.25 * doublings), 0.1 * all);
  const double apart = share_given_real(tally.separate, tally.real, 0.9, 0.025 * all);
  ClusterConfidence result{
      .real = rounded(from_logit(-0.5 + 0.73 * logit(share(tally.real)) + 0.4 * doublings)),
      .connected = rounded(together),
      .separate = rounded(from_logit(-0.3 + 0.75 * logit(apart))),
      .plain = rounded(share(tally.plain)),
  };
  std::uint32_t most = 0;
  for (const auto& [id, count] : tally.joined) {
    if (count < most || (count == most && id > result.joined_with)) continue;
    most = count;
    result.joined_with = id;
  }
  const double mean = tally.records / all;
  const double variance = std::max(0.0, tally.square / all - mean * mean) + tally.variance / all;
  set_interval(result, mean, z95 * std::sqrt(variance));
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

bool is_doubtful(const ClusterConfidence& confidence) {
  return confidence.real < taken_as_real || confidence.plain >= taken_as_plain;
}

std::string in_words(const ClusterConfidence& confidence) {
  constexpr double almost_sure = 0.95, even = 0.5, unlikely = 0.2;
  constexpr double worth_words = taken_as_real;  // what is likelier than that goes without saying
  const double real = confidence.real;
  const bool plain = confidence.plain >= taken_as_plain;
  if (plain && real < taken_as_real) return "one with its neighbours: no denser than they are";
  if (real < unlikely) return "probably noise";
  std::string text = real >= almost_sure     ? "almost surely real"
                     : real >= taken_as_real ? "probably real"
                     : real >= even          ? "perhaps real"
                                             : "doubtful";
  if (plain) return text + "; one with its neighbours: hardly denser than they are";
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

std::vector<ClusterConfidence> confidence_of(const ReleaseParts& parts, const Clusters& clusters, double threshold) {
  if (clusters.count() == 0) return {};
  if (std::holds_alternative<DensityModes>(parts.options.threshold)) {
    const Transformed w = transformed_noisy(parts, parts.options);
    const Modes modes = noisy_modes(parts, w, parts.options);
    return modes.clusters == clusters ? confidence_of(parts, w, modes) : std::vector<ClusterConfidence>{};
  }
  const std::optional<Observed> observed = observed_in(parts, clusters, threshold);
  if (!observed) return {};
  Populations populations(*observed, parts.options);
  const Places places(clusters, observed->is_w ? observed->evidence : Evidence{});
  std::vector<Tally> tallies(clusters.count());
  Comparison comparison(clusters);
  std::vector<std::uint64_t> dense;
  const auto look_at = [&](const std::vector<double>& w) {
    dense.clear();
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (w[i] >= observed->threshold) dense.push_back(observed->is_w ? observed->evidence.cell(i) : i);
    }
    const Clusters truth = connect(clusters.shape(), dense, parts.options.adjacency, 1);
    const std::vector<Comparison::Verdict>& verdicts = comparison.with(truth);
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      add(tallies[i], verdicts[i]);
      const double inside = mean_of(w, places.inside[i]);
      if (inside >= uniform_share * observed->threshold && mean_of(w, places.around[i]) >= level_share * inside)
        ++tallies[i].plain;
      if (!observed->counts_once) continue;
      add_records(tallies[i], observed->evidence, w, places.inside[i]);
    }
  };
  // While one draw is looked at, the next is made.
  const unsigned threads = observed->evidence.values.size() < least_for_threads ? 1 : parts.options.threads;
  std::vector<double> w, next;
  populations.next(w);
  for (std::size_t draw = 1; draw <= populations.count(); ++draw) {
    parallel_for(draw < populations.count() ? 2 : 1, threads, [&](std::uint64_t part) {
      if (part == 0) look_at(w);
      if (part == 1) populations.next(next);
    });
    std::swap(w, next);
  }
  std::vector<ClusterConfidence> result;
  result.reserve(tallies.size());
  for (std::size_t i = 0; i < tallies.size(); ++i)
    result.push_back(summed_up(tallies[i], populations.count(), clusters.sizes()[i]));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Evidence& evidence = observed->evidence;
    double size = 0, excess = 0;
    for (const std::uint32_t at : places.inside[i]) size += evidence.values[at];
    for (const auto* cells : {&places.inside[i], &places.around[i]}) {
      for (const std::uint32_t at : *cells)
        excess += excess_by(evidence.variance, evidence.scale, evidence.values[at] - observed->threshold);
    }
    const double draws = evidence.variance / (2 * evidence.scale * evidence.scale);
    ClusterConfidence by_size;
    set_interval_of_chosen(
        by_size, size, excess,
        reach_of_noise(evidence.variance / draws, draws * static_cast<double>(places.inside[i].size())));
    const bool sure = result[i].real >= taken_as_real;
    result[i].least_records = sure ? by_size.least_records : std::min(by_size.least_records, result[i].least_records);
    result[i].most_records = sure ? by_size.most_records : std::max(by_size.most_records, result[i].most_records);
  }
  if (!observed->counts_once) set_intervals_of_noise(parts, clusters, excess_at(parts, clusters, threshold), result);
  return result;
}

}  // namespace shoal
