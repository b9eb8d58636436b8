#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>

#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "clusters/neighbours.hpp"
#include "inference/cluster_confidence.hpp"
#include "inference/density.hpp"
#include "inference/intervals.hpp"
#include "inference/laplace_law.hpp"
#include "inference/noisy_modes.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

// The levels at which the estimated density is cut: standard errors that are added to it.
constexpr std::array<double, 5> error_levels = {-1.5, -0.75, 0, 0.75, 1.5};
constexpr double most_neighbours = 5e7;  // neighbours to visit; releases with more (many axes) have no confidence
// The share that makes no difference, as confidence.hpp defines: of the cells of a cluster that may lie in another true
// cluster, of the size of a cluster that is not mentioned, and of the density that surroundings may lack.
constexpr double small_share = 0.1;

// From evidence to probabilities: logistic regression on generated populations (docs/studies/confidence.md).
constexpr double most_cells = 32;  // more cells do not add evidence about a cluster
// Standard errors and standard deviations (of the contrast); what lies beyond does not add evidence either.
constexpr double least_errors = -2, most_errors = 4;
struct RealRule {
  static constexpr double offset = -2.4, per_error = 1.86, per_doubling = 0.51, per_contrast = 0.55;
};
struct ConnectedRule {
  static constexpr double prior = 0.9, offset = 3.3, per_logit = 0.9, per_contrast = 0.3, per_doubling = -0.9;
};
struct SeparateRule {
  static constexpr double prior = 0.5, offset = 1.1, per_logit = 1.56, per_contrast = -0.3, per_doubling = 0.24;
};

double neighbours_to_visit(const Shape& shape, std::size_t cells) {
  return static_cast<double>(cells) * std::pow(3.0, static_cast<double>(shape.size()));
}

// Returns the cells and their neighbours, ascending.
std::vector<std::uint64_t> with_neighbours(const Shape& shape, const std::vector<std::uint64_t>& cells) {
  std::vector<std::uint64_t> result = cells;
  const Neighbours neighbours(shape, Adjacency::full);
  for (const std::uint64_t cell : cells) {
    neighbours.visit(cell, [&result](std::uint64_t other) { result.push_back(other); });
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// The noisy values of W in records, and the threshold of the release in records.
struct Observed {
  NoisyField field;
  double threshold = 1;
  bool counts_once = true;  // the values of a cluster add up to its records
};

void set_noise(NoisyField& field, double variance, double draws) {
  field.variance = variance;
  field.scale = scale_of_draw(variance, draws);
}

// Small values were raised to the censoring point before the noise: a value near it may stand for 0.
void lower_censored(NoisyField& field, double censored_below) {
  const double clear = censored_below + std::sqrt(field.variance);
  for (double& value : field.values) value -= censored_below > 0 && value < clear ? censored_below : 0;
}

// A release with a floor: the cells that it holds, and the cells next to its clusters, which lie below the floor.
std::optional<Observed> observed_from_floor(const ReleaseParts& parts, const Clusters& clusters, double threshold) {
  const Cells<std::int64_t>& sums = parts.values()->value();
  const NoiseLaw& law = *parts.values()->law();  // a release with a floor has a law
  const ValueScale scale = value_scale(parts.grid.shape(), parts.options, NoisePlace::sums);
  if (scale.record != 1) return std::nullopt;  // some cells count twice at the end of an odd axis
  Observed result{{}, threshold / scale.threshold, true};
  NoisyField& field = result.field;
  field.shape = sums.shape();
  set_noise(field, noise_of(law).variance, 1);
  const std::vector<std::uint64_t> near = with_neighbours(clusters.shape(), clusters.cells());
  std::set_union(near.begin(), near.end(), sums.index().begin(), sums.index().end(), std::back_inserter(field.cells));
  std::size_t at = 0;
  for (const std::uint64_t cell : field.cells) {
    const bool is_held = at < sums.stored() && sums.index()[at] == cell;
    field.values.push_back(is_held ? static_cast<double>(sums.values()[at]) : 0);
    at += is_held ? 1 : 0;
  }
  return result;
}

std::optional<Observed> observed_in_all_cells(const ReleaseParts& parts, double threshold) {
  std::optional<NoisyRecords> w = noisy_records_of_w(parts, parts.options);
  if (!w) return std::nullopt;
  // Stationary windows overlap, and Haar counts the last cells of an axis twice if they do not fill whole blocks.
  const bool counts_once = w->whole && parts.options.transform == Transform::decimated &&
                           has_whole_blocks(parts.grid.shape(), parts.options.level);
  Observed result{{}, threshold / w->scale.threshold, counts_once};
  NoisyField& field = result.field;
  field.shape = w->shape;
  field.values = std::move(w->values);
  set_noise(field, w->noise.variance, w->terms);
  lower_censored(field, w->noise.censored_below);
  const double block = std::exp2(static_cast<double>(parts.grid.shape().pooled_axes()) * parts.options.level);
  if (parts.options.transform == Transform::stationary) field.overlap = block;
  // The filter does to the chance of the sample what it does to the noise of the counts.
  if (!parts.options.wavelet.is_haar()) field.together = w->scale.gain / block;
  return result;
}

std::optional<Observed> observed_in(const ReleaseParts& parts, const Clusters& clusters, double threshold) {
  if (neighbours_to_visit(clusters.shape(), clusters.cells().size()) > most_neighbours) return std::nullopt;
  std::optional<Observed> result = parts.has_floor() && parts.blocks_level() > 0
                                       ? observed_from_floor(parts, clusters, threshold)
                                       : observed_in_all_cells(parts, threshold);
  if (!result || neighbours_to_visit(clusters.shape(), result->field.cells.size()) > most_neighbours) {
    return std::nullopt;
  }
  result->field.together *= static_cast<double>(parts.unit.max_contributions);
  return result;
}

// Places of the cells of each cluster in a field, grouped by cluster.
class Members {
 public:
  Members(const Clusters& clusters, const NoisyField& field)
      : places_(clusters.cells().size()), ends_(clusters.count() + 1, 0) {
    for (const std::uint32_t label : clusters.labels()) ++ends_[label];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::vector<std::size_t> next(ends_.begin(), ends_.end() - 1);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      places_[next[clusters.labels()[i] - 1]++] = static_cast<std::uint32_t>(field.place(clusters.cells()[i]));
    }
  }
  // Returns the places of the cells of cluster index + 1, ascending.
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t index) const {
    return std::span(places_).subspan(ends_[index], ends_[index + 1] - ends_[index]);
  }
  // Returns into how many stretches the clusters are divided for threads.
  [[nodiscard]] std::uint64_t parts() const { return places_.size() / (std::uint64_t{1} << 12) + 1; }

 private:
  std::vector<std::uint32_t> places_;
  std::vector<std::size_t> ends_;
};

// What is known about one cluster.
struct Findings {
  double errors = 0;  // standard errors by which the estimated density of the median cell exceeds the threshold
  std::uint32_t real = 0, connected = 0, separate = 0;  // number of levels at which it is so
  std::uint32_t joined_with = 0;
  double inside = 0, around = 0;              // mean estimated density
  double error_inside = 0, error_around = 0;  // variances of these means if the cells were known by their values alone
  double excess = 0;                          // mean noise in its noisy size
};

// Returns by how many standard errors each rate exceeds the threshold.
SHOAL_CLONES void errors_from(double threshold, const float* rates, const float* variances, float* errors,
                              std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    errors[i] = static_cast<float>((rates[i] - threshold) / std::sqrt(static_cast<double>(variances[i]) + 1e-9));
  }
}

// Cuts the estimate at one level and compares the dense cells with the released clusters.
std::vector<Comparison::Verdict> verdicts_at(double level, const Values<float>& errors, const NoisyField& field,
                                             const Clusters& clusters, Adjacency adjacency) {
  std::vector<std::uint64_t> dense;
  const auto least = static_cast<float>(-level);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] >= least) dense.push_back(field.cell(i));
  }
  return Comparison(clusters).with(connect(clusters.shape(), dense, adjacency, 1));
}

void look_around(const Observed& observed, const Values<float>& rates, const Members& members,
                 std::vector<Findings>& findings) {
  const NoisyField& field = observed.field;
  const Neighbours neighbours(field.shape, Adjacency::full);
  std::vector<std::uint32_t> seen_by(field.values.size(), 0);
  for (std::uint32_t index = 0; index < findings.size(); ++index) {
    Findings& found = findings[index];
    const std::span<const std::uint32_t> cells = members[index];
    // The exact scale of many draws would count the few values next to the threshold, each as many deviations.
    const double smoothing = scale_of_draw(field.variance);
    const auto excess_at_place = [&](std::uint32_t place) {
      return excess_by(field.variance, smoothing, field.values[place] - observed.threshold);
    };
    for (const std::uint32_t place : cells) {
      seen_by[place] = index + 1;
      found.inside += rates[place];
      found.excess += excess_at_place(place);
    }
    double around = 0;
    for (const std::uint32_t place : cells) {
      neighbours.visit(field.cell(place), [&](std::uint64_t cell) {
        const auto other = static_cast<std::uint32_t>(field.place(cell));
        if (seen_by[other] == index + 1) return;
        seen_by[other] = index + 1;
        found.around += rates[other];
        found.excess += excess_at_place(other);
        ++around;
      });
    }
    const auto inside = static_cast<double>(cells.size());
    found.inside /= inside;
    found.around = around > 0 ? found.around / around : 0;
    found.error_inside = (field.variance + field.together * found.inside) * field.overlap / inside;
    found.error_around = (field.variance + field.together * found.around) * field.overlap / std::max(around, 1.0);
  }
}

std::vector<Findings> findings_in(const Observed& observed, const DensityEstimate& estimate, const Members& members,
                                  const Clusters& clusters, const ClusterOptions& options) {
  const std::size_t cells = estimate.rates.size();
  Values<float> errors(cells);
  parallel_stretches(cells, cells / (std::uint64_t{1} << 16) + 1, options.threads,
                     [&](std::uint64_t begin, std::uint64_t end) {
                       errors_from(observed.threshold, estimate.rates.data() + begin, estimate.variances.data() + begin,
                                   errors.data() + begin, end - begin);
                     });
  std::vector<Findings> result(clusters.count());
  std::array<std::vector<Comparison::Verdict>, error_levels.size()> verdicts;
  parallel_for(error_levels.size() + 1, options.threads, [&](std::uint64_t part) {
    if (part < error_levels.size()) {
      verdicts[part] = verdicts_at(error_levels[part], errors, observed.field, clusters, options.adjacency);
    } else {
      look_around(observed, estimate.rates, members, result);
    }
  });
  parallel_stretches(result.size(), members.parts(), options.threads, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<float> own;
    for (std::uint64_t i = begin; i < end; ++i) {
      own.clear();
      for (const std::uint32_t place : members[i]) own.push_back(errors[place]);
      // Half of the cells have at least this.
      const auto median = own.begin() + static_cast<std::ptrdiff_t>((own.size() - 1) / 2);
      std::nth_element(own.begin(), median, own.end(), std::greater<>());
      result[i].errors = *median;
      for (const auto& at_level : verdicts) {
        if (!at_level[i].real) continue;
        ++result[i].real;
        result[i].connected += at_level[i].connected ? 1U : 0U;
        result[i].separate += at_level[i].joined_with == 0 ? 1U : 0U;
        if (result[i].joined_with == 0)
          result[i].joined_with = at_level[i].joined_with;  // the strictest level that joins
      }
    }
  });
  return result;
}

// Nothing is certain.
double rounded(double chance) { return std::clamp(std::round(chance * 1000) / 1000, 0.001, 0.999); }

double logit(double chance) { return std::log(chance / (1 - chance)); }
double from_logit(double value) { return 1 / (1 + std::exp(-value)); }

// The share of the levels, among those at which the cluster is real. These may be few or none, so a prior takes part as
// one more level.
double share_given_real(std::uint32_t levels, std::uint32_t real, double prior) {
  return (levels + prior) / (real + 1.0);
}

// Returns the probability that the surroundings of a cluster are as dense as it is.
double chance_of_plain(const Findings& found, double threshold) {
  if (found.inside < half_of_level * threshold) return 0;
  constexpr double level_share = 1 - small_share;
  const double error = std::sqrt(found.error_around + level_share * level_share * found.error_inside);
  const double errors = (found.around - level_share * found.inside) / (error + 1e-9);
  return normal_tail(-errors);
}

// contrast: the threshold in standard deviations of a single value.
ClusterConfidence summed_up(const Findings& found, std::uint64_t size, double threshold, double contrast) {
  const double doublings = std::log2(std::min(static_cast<double>(size), most_cells));
  const double errors = std::clamp(found.errors, least_errors, most_errors);
  const double real = RealRule::offset + RealRule::per_error * errors + RealRule::per_doubling * doublings +
                      RealRule::per_contrast * contrast;
  const auto given_real = [&](auto rule, std::uint32_t levels) {
    return rule.offset + rule.per_logit * logit(share_given_real(levels, found.real, rule.prior)) +
           rule.per_contrast * contrast + rule.per_doubling * doublings;
  };
  return {.real = rounded(from_logit(real)),
          .connected = rounded(from_logit(given_real(ConnectedRule{}, found.connected))),
          .separate = rounded(from_logit(given_real(SeparateRule{}, found.separate))),
          .joined_with = found.joined_with,
          .plain = rounded(chance_of_plain(found, threshold))};
}

// Half widths of the noise of a cluster by its number of cells. Most clusters are small, and their widths are sought
// once.
class Reaches {
 public:
  explicit Reaches(const NoisyField& field)
      : draws_(draws_of(field.variance, field.scale)), variance_(field.variance / draws_) {
    for (std::size_t cells = 0; cells < most_kept; ++cells) small_.push_back(reach(cells));
  }
  [[nodiscard]] double of(std::size_t cells) const { return cells < most_kept ? small_[cells] : reach(cells); }

 private:
  static constexpr std::size_t most_kept = 64;
  [[nodiscard]] double reach(std::size_t cells) const {
    return reach_of_noise(variance_, draws_ * static_cast<double>(cells));
  }
  double draws_, variance_;
  std::vector<double> small_;
};

// The interval of a doubtful cluster also covers what the estimated density expects: the chance that noise made it.
void set_interval(ClusterConfidence& result, const Observed& observed, const DensityEstimate& estimate,
                  std::span<const std::uint32_t> cells, double excess, const Reaches& reaches) {
  const NoisyField& field = observed.field;
  double size = 0, expected = 0, variance = 0, error = 0;
  for (const std::uint32_t i : cells) {
    const double rate = estimate.rates[i], sampled = field.together * rate;
    const double weight = sampled / (sampled + field.variance + 1e-12);
    size += field.values[i];
    expected += rate + weight * (field.values[i] - rate);
    variance += weight * field.variance;
    error += (1 - weight) * std::sqrt(static_cast<double>(estimate.variances[i]));
  }
  set_interval_of_chosen(result, size, excess, reaches.of(cells.size()));
  if (result.real >= taken_as_real) return;
  const double reach = normal_quantile(0.05) * std::sqrt(variance + error * error);
  result.least_records = std::min(result.least_records, std::max(0.0, std::floor(expected - reach)));
  result.most_records = std::max(result.most_records, std::max(0.0, std::ceil(expected + reach)));
}

// Stationary windows and filters other than Haar's read cells beside those that a value of W stands for, and those at
// the other end of the axis. Cells that may hold no record, or far fewer than the threshold asks for, show at most such
// an echo of others. least: records that the threshold asks for in the cells of a value.
void doubt_echoes(const Clusters& clusters, double least, std::vector<ClusterConfidence>& confidence) {
  constexpr double most_real_of_echo = 0.5;      // probability that a possible echo is real
  constexpr double least_threshold_share = 0.5;  // of what the threshold asks for: fewer records are an echo
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    ClusterConfidence& one = confidence[i];
    const bool sparse = one.most_records < least_threshold_share * least * static_cast<double>(clusters.sizes()[i]);
    if (one.least_records <= 0 || sparse) one.real = std::min(one.real, most_real_of_echo);
  }
}

}  // namespace

Comparison::Comparison(const Clusters& released)
    : released_(released), verdicts_(released.count()), latest_(released.count()) {}

// Pairs of clusters, released and true, that have cells in common; sorted. Cells side by side mostly have the same
// pair, so most pairs come up few times.
void Comparison::overlay(const Clusters& truth) {
  shares_.clear();
  std::fill(latest_.begin(), latest_.end(), none);
  const std::vector<std::uint64_t>&here = released_.cells(), &there = truth.cells();
  for (std::size_t i = 0, j = 0; i < here.size() && j < there.size();) {
    if (here[i] == there[j]) {
      const std::uint32_t id = released_.labels()[i], other = truth.labels()[j];
      std::size_t& latest = latest_[id - 1];
      if (latest != none && shares_[latest].truth == other) {
        ++shares_[latest].cells;
      } else {
        latest = shares_.size();
        shares_.push_back({id, other, 1});
      }
    }
    const bool next_here = here[i] <= there[j], next_there = there[j] <= here[i];
    i += next_here ? 1U : 0U;
    j += next_there ? 1U : 0U;
  }
  std::sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) {
    return a.released != b.released ? a.released < b.released : a.truth < b.truth;
  });
}

const std::vector<Comparison::Verdict>& Comparison::with(const Clusters& truth) {
  overlay(truth);
  std::fill(verdicts_.begin(), verdicts_.end(), Verdict{});
  by_main_.clear();
  for (std::size_t i = 0; i < shares_.size();) {
    const std::uint32_t id = shares_[i].released;
    std::uint64_t most = 0, all = 0;
    std::uint32_t main = 0;  // the true cluster that has most of its cells
    while (i < shares_.size() && shares_[i].released == id) {
      const std::uint32_t other = shares_[i].truth;
      std::uint64_t cells = 0;
      for (; i < shares_.size() && shares_[i].released == id && shares_[i].truth == other; ++i)
        cells += shares_[i].cells;
      all += cells;
      if (cells <= most) continue;
      most = cells;
      main = other;
    }
    const auto dense = static_cast<double>(all);
    Verdict& verdict = verdicts_[id - 1];
    verdict.real = 2 * dense >= static_cast<double>(released_.sizes()[id - 1]);
    verdict.connected = static_cast<double>(most) >= (1 - small_share) * dense;
    if (verdict.real) by_main_.emplace_back(main, id);
  }
  find_joined();
  return verdicts_;
}

// Sizes fall with the number: of those that share a main cluster, the first is the largest.
void Comparison::find_joined() {
  std::sort(by_main_.begin(), by_main_.end());
  const auto size = [this](std::uint32_t id) { return static_cast<double>(released_.sizes()[id - 1]); };
  for (std::size_t i = 0; i < by_main_.size();) {
    std::size_t end = i + 1;
    while (end < by_main_.size() && by_main_[end].first == by_main_[i].first) ++end;
    for (std::size_t at = i; at < end && end - i > 1; ++at) {
      const std::uint32_t id = by_main_[at].second;
      const std::uint32_t other = by_main_[at == i ? i + 1 : i].second;
      if (size(other) >= small_share * size(id)) verdicts_[id - 1].joined_with = other;
    }
    i = end;
  }
}

bool is_doubtful(const ClusterConfidence& confidence) {
  return confidence.real < taken_as_real || confidence.plain >= taken_as_plain;
}

std::string in_words(const ClusterConfidence& confidence) {
  constexpr double almost_sure = 0.95, even = 0.5, unlikely = 0.2;
  const double real = confidence.real;
  const bool plain = confidence.plain >= taken_as_plain;
  if (plain && real < taken_as_real) return "one with its neighbours: no denser than they are";
  if (real < unlikely) return "probably noise";
  std::string text = real >= almost_sure     ? "almost surely real"
                     : real >= taken_as_real ? "probably real"
                     : real >= even          ? "perhaps real"
                                             : "doubtful";
  if (plain) return text + "; one with its neighbours: hardly denser than they are";
  if (confidence.connected < taken_as_real) {
    text += confidence.connected < even ? "; probably several clusters" : "; may be several clusters";
  }
  if (confidence.separate < taken_as_real && confidence.joined_with != 0) {
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
  const NoisyField& field = observed->field;
  const DensityEstimate estimate = estimate_density(field, observed->threshold, parts.options.threads);
  const Members members(clusters, field);
  const std::vector<Findings> findings = findings_in(*observed, estimate, members, clusters, parts.options);
  const double deviation = std::sqrt(field.variance + field.together * std::fabs(observed->threshold) + 1e-9);
  const double contrast = std::clamp(observed->threshold / deviation, 0.0, most_errors);
  const Reaches reaches(field);
  std::vector<ClusterConfidence> result(findings.size());
  parallel_stretches(result.size(), members.parts(), parts.options.threads,
                     [&](std::uint64_t begin, std::uint64_t end) {
                       for (std::uint64_t i = begin; i < end; ++i) {
                         result[i] = summed_up(findings[i], clusters.sizes()[i], observed->threshold, contrast);
                         if (observed->counts_once)
                           set_interval(result[i], *observed, estimate, members[i], findings[i].excess, reaches);
                       }
                     });
  if (!observed->counts_once) set_intervals_of_noise(parts, clusters, excess_at(parts, clusters, threshold), result);
  const bool stationary = parts.options.transform == Transform::stationary;
  if (stationary || !parts.options.wavelet.is_haar()) {
    const double values = std::exp2(static_cast<double>(parts.grid.shape().pooled_axes()) * parts.options.level);
    doubt_echoes(clusters, observed->threshold / (stationary ? values : 1), result);
  }
  return result;
}

}  // namespace shoal
