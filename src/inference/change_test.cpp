#include "inference/change_test.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shoal {

namespace {

// Adds the noise of one cell, times its weight.
void add_noise(const DifferenceLaw::Noise& noise, double weight, double s, Cumulants& to) {
  const Cumulants cumulants = noise.law.cumulants(weight * s);
  to.value += noise.draws * cumulants.value;
  to.first += noise.draws * weight * cumulants.first;
  to.second += noise.draws * weight * weight * cumulants.second;
}

// The difference of two Poisson numbers of units, `each` records a unit.
void add_chance(double records, double each, double weight, double s, Cumulants& to) {
  const double units = records / each, by = each * weight;
  to.value += units * (2 * std::cosh(by * s) - 2);
  to.first += units * by * 2 * std::sinh(by * s);
  to.second += units * by * by * 2 * std::cosh(by * s);
}

Cumulants at(const DifferenceLaw& law, std::span<const WeightedCell> cells, double s) {
  Cumulants sum;
  for (const WeightedCell& cell : cells) {
    if (cell.weight == 0) continue;
    add_noise(law.before, cell.weight, s, sum);
    add_noise(law.after, cell.weight, s, sum);
    add_chance(cell.records, law.weight, cell.weight, s, sum);
  }
  return sum;
}

double variance_of(const DifferenceLaw& law, std::span<const WeightedCell> cells) {
  double variance = 0;
  for (const WeightedCell& cell : cells) variance += cell.weight * cell.weight * law.variance(cell.records);
  return variance;
}

// K' grows from 0 without bound below this.
double end_of_saddles(const DifferenceLaw& law, std::span<const WeightedCell> cells) {
  double largest = 0;
  for (const WeightedCell& cell : cells) largest = std::max(largest, std::fabs(cell.weight));
  return std::min(std::min(law.before.law.rate, law.after.law.rate), 700 / law.weight) / largest;
}

constexpr double least_exact_deviations = 1.5;    // deviations: the normal law will do for chances that tell nothing
constexpr std::size_t most_exact_cells = 20'000;  // above this, the normal law is close enough, and faster

// P(sum >= x) with x = K'(s). of: the cumulants at s.
double tail_at(double s, double x, const Cumulants& cumulants, double deviation) {
  const double w = std::sqrt(std::max(0.0, 2 * (s * x - cumulants.value))), u = s * std::sqrt(cumulants.second);
  if (x < least_exact_deviations * deviation || !(w > 0) || !(u > 0)) return normal_tail(x / deviation);
  const double density = std::exp(-w * w / 2) / std::sqrt(2 * std::numbers::pi);
  return std::clamp(normal_tail(w) + density * (1 / u - 1 / w), 0.0, 0.5);
}

}  // namespace

double DifferenceLaw::noise_variance() const { return before.variance() + after.variance(); }

double difference_tail(const DifferenceLaw& law, std::span<const WeightedCell> cells, double x) {
  const double variance = variance_of(law, cells);
  if (!(x > 0) || !(variance > 0)) return 0.5;
  const double deviation = std::sqrt(variance);
  if (x < least_exact_deviations * deviation || cells.size() > most_exact_cells) return normal_tail(x / deviation);
  double low = 0, high = end_of_saddles(law, cells);
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (at(law, cells, middle).first < x ? low : high) = middle;
  }
  const double s = (low + high) / 2;
  return tail_at(s, x, at(law, cells, s), deviation);
}

double difference_reach(const DifferenceLaw& law, std::span<const WeightedCell> cells, double outside) {
  const double variance = variance_of(law, cells);
  if (!(variance > 0)) return 0;
  const double deviation = std::sqrt(variance);
  if (cells.size() > most_exact_cells) return normal_quantile(outside) * deviation;
  double low = 0, high = end_of_saddles(law, cells);
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const Cumulants cumulants = at(law, cells, middle);
    (tail_at(middle, cumulants.first, cumulants, deviation) > outside / 2 ? low : high) = middle;
  }
  return at(law, cells, high).first;
}

}  // namespace shoal
