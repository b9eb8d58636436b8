#include "inference/prior.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace shoal {

namespace {

constexpr double far = 14;                // deviations past which the noise does not reach
constexpr double table_step = 1.0 / 64;   // of a deviation
constexpr unsigned normal_terms = 16;     // from so many draws on a sum is taken as normal
constexpr double bin_growth = 0.2;        // width of a bin over the values in it
constexpr double bin_of_noise = 1.0 / 3;  // and over the noise's deviation
constexpr std::size_t most_bins = 200;
constexpr double unlikely = 1e-9;         // over the likeliest
constexpr double like_values = 1.0 / 16;  // of a deviation: noisy values that are fitted as one
constexpr int rounds = 300;               // what a spread starts from is long seen in the count of nearly empty cells
constexpr double unseen = 0.1;            // cells that any bin may hold unseen, over all bins

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
    : single_(terms == 1),
      rate_(noise.rate),
      deviation_(std::sqrt(noise.variance)),
      censored_below_(noise.censored_below) {
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

Bins::Bins(const Evidence& evidence, const NoiseCurve& noise) : edges_{-0.5, 0.5} {
  double least = 0, most = 0;
  for (const double value : evidence.values) {
    most = std::max(most, value);
    if (value != below_floor) least = std::min(least, value);
  }
  most += 4 * noise.deviation();
  const double finest = std::max(1.0, std::round(bin_of_noise * noise.deviation()));
  const double growth = std::max(bin_growth, std::log(std::max(most, 2.0)) / (most_bins / 2.0));
  while (edges_.back() < most && edges_.size() <= most_bins) {
    edges_.push_back(edges_.back() + std::max(finest, std::floor(growth * edges_.back())));
  }
  edges_.back() = std::max(edges_.back(), most);
  while (evidence.may_be_negative && edges_.front() > least && edges_.size() <= 2 * most_bins) {
    edges_.insert(edges_.begin(), edges_.front() - std::max(finest, std::floor(growth * -edges_.front())));
  }
}

double Bins::middle(std::size_t bin) const { return (low(bin) + high(bin)) / 2; }

Likelihood likelihood(double value, double floor, const Bins& bins, const NoiseCurve& noise) {
  std::vector<double> of_bin(bins.count());
  // Values below all that noise explains count as the least that it does.
  value = std::max(value, value == below_floor ? value : bins.low(0) - far / 2 * noise.deviation());
  // Smaller values than the lowest were raised to it.
  const double raised_up_to = noise.censored_below() > 0 ? noise.censored_below() + 0.5 : bins.low(0);
  const double of_raised = noise.below(value - raised_up_to + 1) - noise.below(value - raised_up_to);
  double above = noise.below(value - raised_up_to);
  for (std::size_t bin = 0; bin < bins.count(); ++bin) {
    if (value == below_floor) {
      of_bin[bin] = noise.below(floor - 0.5 - bins.middle(bin));
      continue;
    }
    const double next = noise.below(value - std::max(bins.high(bin), raised_up_to));
    const double raised = std::clamp(raised_up_to - bins.low(bin), 0.0, bins.high(bin) - bins.low(bin));
    of_bin[bin] = (std::max(0.0, above - next) + raised * of_raised) / (bins.high(bin) - bins.low(bin));
    above = next;
  }
  const double most = *std::max_element(of_bin.begin(), of_bin.end());
  if (!(most > 0)) return {value < 0 ? 0 : bins.count() - 1, {1}};
  std::size_t first = 0, end = of_bin.size();
  while (of_bin[first] < unlikely * most) ++first;
  while (of_bin[end - 1] < unlikely * most) --end;
  const auto at = [&of_bin](std::size_t bin) { return of_bin.begin() + static_cast<std::ptrdiff_t>(bin); };
  return {first, {at(first), at(end)}};
}

Spread::Spread(const Evidence& evidence, const Bins& bins, const NoiseCurve& noise)
    : bins_(bins),
      cells_(static_cast<double>(evidence.values.size()) + evidence.others),
      shares_(bins.count(), 1.0 / static_cast<double>(bins.count())) {
  if (evidence.others > 0) {
    // Below a floor noise and small values look alike: what noise explains is noise. One cell may be anything.
    std::fill(shares_.begin(), shares_.end(), 1 / (cells_ * static_cast<double>(bins.count())));
    shares_[0] = 1 - 1 / cells_;
  }
  const double step = std::max(evidence.whole ? 1.0 : 0.0, like_values * noise.deviation());
  std::map<double, double> times;
  for (const double value : evidence.values) times[value == below_floor ? value : std::round(value / step) * step] += 1;
  if (evidence.others > 0) times[below_floor] += evidence.others;
  std::vector<std::pair<Likelihood, double>> seen;
  for (const auto& [value, count] : times) seen.emplace_back(likelihood(value, evidence.floor, bins, noise), count);

  std::vector<double> cells(bins.count());
  for (int round = 0; round < rounds; ++round) {
    std::fill(cells.begin(), cells.end(), unseen / static_cast<double>(bins.count()));
    for (const auto& [likely, count] : seen) {
      const double* share = shares_.data() + likely.first;
      double sum = 0;
      for (std::size_t b = 0; b < likely.of_bin.size(); ++b) sum += share[b] * likely.of_bin[b];
      if (!(sum > 0)) continue;
      double* into = cells.data() + likely.first;
      for (std::size_t b = 0; b < likely.of_bin.size(); ++b) into[b] += share[b] * likely.of_bin[b] * (count / sum);
    }
    for (std::size_t b = 0; b < cells.size(); ++b) shares_[b] = cells[b] / (cells_ + unseen);
  }
}

double Spread::at_least(double d) const {
  double share = 0;
  for (std::size_t b = 0; b < shares_.size(); ++b) {
    share += shares_[b] * std::clamp((bins_.high(b) - d) / (bins_.high(b) - bins_.low(b)), 0.0, 1.0);
  }
  return cells_ * share;
}

}  // namespace shoal
