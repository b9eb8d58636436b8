#include "release/prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "release/privwave_select.hpp"

namespace shoal {

namespace {

constexpr double far = 14;                // deviations past which the noise does not reach
constexpr double table_step = 1.0 / 64;   // of a deviation
constexpr unsigned normal_terms = 16;     // from so many draws on a sum is taken as normal
constexpr double bin_growth = 0.2;        // width of a bin over the values in it
constexpr double bin_of_noise = 1.0 / 3;  // and over the noise's deviation
constexpr std::size_t most_bins = 200;
constexpr int rounds = 40;
constexpr std::size_t most_fitted = 4000;  // cells of a class: more of them would teach no more
constexpr double unlikely = 1e-15;
constexpr std::size_t least_class = 40;
// Classes end at these shares of the level.
constexpr double class_ends[] = {0.1, 0.25, 0.5, 0.75, 1, 1.35, 2};

// Density of a sum of `terms` Laplace draws of rate 1, times a constant.
double density_of_sum(double x, unsigned terms) {
  double coefficient = 1, power = 1, sum = 0;
  // j from terms - 1 down to 0 of (terms - 1 + j)! / (j! (terms - 1 - j)!) x^(terms - 1 - j) / 2^j, over its first.
  for (unsigned i = 0; i < terms; ++i) {
    sum += coefficient * power;
    const double j = terms - 1.0 - i;
    coefficient *= 2 * j / ((terms - 1 + j) * (i + 1.0));
    power *= x;
  }
  return std::exp(-x) * sum;
}

}  // namespace

NoiseCurve::NoiseCurve(const ValueNoise& noise, unsigned terms)
    : single_(terms == 1), rate_(noise.rate), deviation_(std::sqrt(noise.variance)) {
  if (single_) return;
  const bool normal = terms >= normal_terms;
  const double rate = std::sqrt(2.0 * terms);  // a sum of draws of this rate has deviation 1
  step_ = table_step * deviation_;
  double sum = 0, last = 0;
  for (int i = 0; i <= static_cast<int>(far / table_step); ++i) {
    const double x = i * table_step;
    const double here = normal ? std::exp(-x * x / 2) : density_of_sum(rate * x, terms);
    if (!table_.empty()) sum += (last + here) / 2;
    table_.push_back(sum);
    last = here;
  }
  for (double& part : table_) part = 0.5 + 0.5 * part / sum;
}

double NoiseCurve::below(double x) const {
  const double away = std::fabs(x);
  double beyond = 0;  // P(X > |x|)
  if (single_) {
    beyond = std::exp(-rate_ * (away + 0.5)) / (1 + std::exp(-rate_));
  } else {
    const double at = away / step_;
    const auto i = static_cast<std::size_t>(std::min(at, static_cast<double>(table_.size())));
    if (i + 1 < table_.size()) {
      beyond = 1 - (table_[i] + (table_[i + 1] - table_[i]) * (at - static_cast<double>(i)));
    }
  }
  return x >= 0 ? 1 - beyond : beyond;
}

Prior::Prior(const NoisyRecords& w, double level) : w_(w), noise_(w.noise, w.terms) {
  make_bins();
  level = std::max(level, 1.0);
  std::vector<double> clipped(w.values.size());
  for (std::size_t i = 0; i < clipped.size(); ++i) clipped[i] = std::clamp(w.values[i], 0.0, 3 * level);
  const std::vector<double> means = neighbour_means(w.shape, clipped);
  std::vector<std::vector<double>> members(std::size(class_ends) + 1);
  class_of_.resize(means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    const auto* end = std::upper_bound(std::begin(class_ends), std::end(class_ends), means[i] / level);
    class_of_[i] = static_cast<std::uint8_t>(end - std::begin(class_ends));
    members[class_of_[i]].push_back(w.values[i]);
  }
  // Classes of few cells go with the next one below; the first: above.
  std::vector<std::uint8_t> merged(members.size());
  std::vector<std::vector<double>> kept;
  for (std::size_t c = 0; c < members.size(); ++c) {
    const bool few = members[c].size() < least_class || (!kept.empty() && kept.back().size() < least_class);
    if (c == 0 || !few) kept.emplace_back();
    kept.back().insert(kept.back().end(), members[c].begin(), members[c].end());
    merged[c] = static_cast<std::uint8_t>(kept.size() - 1);
  }
  for (std::uint8_t& c : class_of_) c = merged[c];
  for (std::vector<double>& values : kept) {
    classes_.push_back({static_cast<double>(values.size()), {}});
    fit(classes_.back(), std::move(values));
  }
}

// Whole numbers one by one near zero, then bins that grow with the values, none much finer than the noise.
void Prior::make_bins() {
  const double most = *std::max_element(w_.values.begin(), w_.values.end()) + 4 * noise_.deviation();
  const double finest = std::max(1.0, std::round(bin_of_noise * noise_.deviation()));
  const double growth = std::max(bin_growth, std::log(std::max(most, 2.0)) / (most_bins / 2.0));
  edges_ = {-0.5, 0.5};
  while (edges_.back() < most && edges_.size() <= most_bins) {
    edges_.push_back(edges_.back() + std::max(finest, std::floor(growth * edges_.back())));
  }
  edges_.back() = std::max(edges_.back(), most);
}

// Values below zero that no noise explains (a wavelet's own) count as the least that it does.
double Prior::within_reach(double value) const {
  return std::max(value, edges_.front() - far / 2 * noise_.deviation());
}

void Prior::likelihood(double value, std::vector<double>& of_bin) const {
  const double reach = far * noise_.deviation() + 1;
  const std::size_t bins = edges_.size() - 1;
  std::fill(of_bin.begin(), of_bin.end(), 0.0);
  value = within_reach(value);
  double above = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t b = 0; b < bins; ++b) {
    if (edges_[b + 1] < value - reach) continue;
    if (edges_[b] > value + reach) break;
    if (std::isnan(above)) above = noise_.below(value - edges_[b]);
    const double next = noise_.below(value - edges_[b + 1]);
    of_bin[b] = std::max(0.0, above - next) / (edges_[b + 1] - edges_[b]);
    above = next;
  }
}

void Prior::fit(Class& into, std::vector<double> values) const {
  const std::size_t bins = edges_.size() - 1;
  into.share.assign(bins, 1.0 / static_cast<double>(bins));
  if (values.size() > most_fitted) {
    const double stride = static_cast<double>(values.size()) / most_fitted;
    for (std::size_t i = 0; i < most_fitted; ++i)
      values[i] = values[static_cast<std::size_t>(stride * static_cast<double>(i))];
    values.resize(most_fitted);
  }
  std::sort(values.begin(), values.end());
  struct Seen {
    double times;
    std::size_t first;
    std::vector<double> likely;  // of the bins from `first` on
  };
  std::vector<Seen> seen;
  std::vector<double> likely(bins);
  for (std::size_t i = 0, next = 0; i < values.size(); i = next) {
    while (next < values.size() && values[next] == values[i]) ++next;
    likelihood(values[i], likely);
    std::size_t first = 0, last = bins;
    while (first < bins && likely[first] < unlikely) ++first;
    while (last > first && likely[last - 1] < unlikely) --last;
    if (first == last) continue;
    const auto at = [&likely](std::size_t b) { return likely.begin() + static_cast<std::ptrdiff_t>(b); };
    seen.push_back({static_cast<double>(next - i), first, {at(first), at(last)}});
  }
  std::vector<double> cells(bins);
  for (int round = 0; round < rounds; ++round) {
    std::fill(cells.begin(), cells.end(), 0.0);
    double all = 0;
    for (const Seen& of : seen) {
      double* share = into.share.data() + of.first;
      double sum = 0;
      for (std::size_t b = 0; b < of.likely.size(); ++b) sum += share[b] * of.likely[b];
      if (!(sum > 0)) continue;
      for (std::size_t b = 0; b < of.likely.size(); ++b) {
        cells[of.first + b] += share[b] * of.likely[b] * (of.times / sum);
      }
      all += of.times;
    }
    if (!(all > 0)) return;
    for (std::size_t b = 0; b < bins; ++b) into.share[b] = cells[b] / all;
  }
}

double Prior::at_least(double d) const {
  double cells = 0;
  for (const Class& of : classes_) {
    for (std::size_t b = 0; b < of.share.size(); ++b) {
      const double part = std::clamp((edges_[b + 1] - d) / (edges_[b + 1] - edges_[b]), 0.0, 1.0);
      cells += of.cells * of.share[b] * part;
    }
  }
  return cells;
}

double Prior::reached_by(double k) const {
  double low = edges_.front(), high = edges_.back();
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (at_least(middle) >= k ? low : high) = middle;
  }
  return low;
}

void Prior::chances_of(double value, const Class& of, std::span<const double> d, double* into) const {
  const double reach = far * noise_.deviation() + 1;
  const std::size_t bins = edges_.size() - 1;
  value = within_reach(value);
  double all = 0;
  for (std::size_t j = 0; j < d.size(); ++j) into[j] = 0;
  const auto first = std::upper_bound(edges_.begin(), edges_.end(), value - reach);
  std::size_t b = first == edges_.begin() ? 0 : static_cast<std::size_t>(first - edges_.begin()) - 1;
  double here = noise_.below(value - edges_[std::min(b, bins)]);
  for (; b < bins && edges_[b] <= value + reach; ++b) {
    const double next = noise_.below(value - edges_[b + 1]);
    const double density = of.share[b] / (edges_[b + 1] - edges_[b]);
    const double mass = density * (here - next);
    all += mass;
    for (std::size_t j = 0; j < d.size() && d[j] < edges_[b + 1]; ++j) {
      into[j] += d[j] <= edges_[b] ? mass : density * (noise_.below(value - d[j]) - next);
    }
    here = next;
  }
  for (std::size_t j = 0; j < d.size(); ++j) {
    into[j] = all > 0 ? std::clamp(into[j] / all, 0.0, 1.0) : (value >= d[j] ? 1.0 : 0.0);
  }
}

std::vector<float> Prior::chances(std::span<const std::uint64_t> cells, std::span<const double> d) const {
  // As a function of W' a chance is smooth where the noise is wide: between points of a table it is taken as linear.
  const double step = std::max(1.0, std::floor(noise_.deviation() / 16));
  std::vector<float> result(cells.size() * d.size());
  if (d.empty()) return result;
  const double low = d.front() - far * noise_.deviation(), high = d.back() + far * noise_.deviation();
  const auto points = static_cast<std::size_t>((high - low) / step) + 3;
  std::vector<std::vector<double>> tables(classes_.size());
  std::vector<double> exact(d.size());
  const bool tabled = w_.whole || noise_.deviation() >= 16;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double value = w_.values[cells[i]];
    const Class& of = classes_[class_of_[cells[i]]];
    float* into = result.data() + i * d.size();
    if (value <= low || value >= high) {
      std::fill_n(into, d.size(), value >= high ? 1.0F : 0.0F);
      continue;
    }
    if (!tabled || cells.size() < points) {
      chances_of(value, of, d, exact.data());
      std::copy(exact.begin(), exact.end(), into);
      continue;
    }
    std::vector<double>& table = tables[class_of_[cells[i]]];
    if (table.empty()) table.assign(points * d.size(), -1);
    const double first = std::floor(low);
    const double at = (value - first) / step;
    const auto point = static_cast<std::size_t>(at);
    const double share = at - static_cast<double>(point);
    for (const std::size_t p : {point, point + 1}) {
      double* entry = table.data() + p * d.size();
      if (entry[0] < 0) chances_of(first + static_cast<double>(p) * step, of, d, entry);
    }
    const double* a = table.data() + point * d.size();
    for (std::size_t j = 0; j < d.size(); ++j) {
      into[j] = static_cast<float>(a[j] + (a[d.size() + j] - a[j]) * share);
    }
  }
  return result;
}

}  // namespace shoal
