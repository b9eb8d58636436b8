#include "inference/noisy_modes.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "inference/intervals.hpp"
#include "inference/noisy_records.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// Cells hold a whole number of steps or days: the last one reaches past the bounds that were asked for, and a uniform
// area leaves a part of it empty.
bool may_end_early(const Axis& axis, std::uint64_t cells) {
  const auto* numbers = std::get_if<Numbers>(&axis.kind().scale);
  const bool in_steps =
      std::holds_alternative<Instants>(axis.kind().scale) || (numbers != nullptr && numbers->step > 0);
  return in_steps && axis.kind().border == Border::open && cells > 2;
}

// Returns the mean value of the cells that a uniform area would fill.
double mean_value(const ReleaseParts& parts, const Cells<std::int64_t>& sums) {
  const Shape& shape = sums.shape();
  std::vector<std::uint8_t> counts(sums.stored(), 1);
  for (std::uint64_t axis = 0, inner = sums.stored(); axis < shape.size(); ++axis) {
    const std::uint64_t outer = inner;
    inner /= shape[axis];
    if (!may_end_early(parts.grid.axis(axis), shape[axis])) continue;
    for (std::uint64_t end = outer; end <= counts.size(); end += outer) {
      std::fill_n(counts.begin() + static_cast<std::ptrdiff_t>(end - inner), inner, std::uint8_t{0});
    }
  }
  double all = 0, cells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    all += static_cast<double>(sums.values()[i] - parts.censored_below());
    cells += 1;
  }
  return all / cells;
}

// Returns the probability that there is only a uniform area. A cluster counts as real at the least evidence, which a
// uniform area shows in at most 5 % of runs; above it, doubt falls as fast as the evidence of one place says.
double doubt_of_plain(double evidence, const Shape& shape) {
  return std::min(1.0, (1 - taken_as_real) * std::exp(least_evidence(shape) - evidence));
}

// The mean noise in the values of each cluster, which a value and its smoothed value have in common. Smoothed values
// below the least value that is admitted count as much as those above.
std::vector<double> excess_in(const ReleaseParts& parts, const Modes& modes) {
  const double variance = noise_of_w(parts, parts.options)->noise.variance;
  std::vector<double> result(modes.clusters.count(), 0);
  for (std::size_t i = 0; i < modes.margins.size(); ++i) {
    result[modes.clusters.labels()[i] - 1] += 2 * excess_by(variance, scale_of_draw(variance), modes.margins[i]);
  }
  return result;
}

}  // namespace

bool has_modes(const ReleaseParts& parts, const Transformed& w) {
  return w.is_haar() && w.is_dense() && !parts.has_floor() && law_of_values(parts) != nullptr;
}

Modes noisy_modes(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options) {
  const std::optional<NoiseOfW> noise = noise_of_w(parts, options);
  if (!has_modes(parts, w)) {
    throw InputError("modes need noisy Haar sums of all cells, which this release does not hold; give a threshold");
  }
  CellNoise of_cell;
  of_cell.variance = noise->noise.variance;
  of_cell.scale = scale_of_draw(of_cell.variance);
  of_cell.together = static_cast<double>(parts.unit.max_contributions);
  if (parts.censored_below() == 0) return find_modes(*w.sums(), of_cell, options.min_cells);
  Cells<std::int64_t> above = *w.sums();
  for (std::int64_t& value : above.values()) value -= parts.censored_below();
  return find_modes(above, of_cell, options.min_cells);
}

ClusterConfidence confidence_of_doubt(double doubt, bool alone, std::uint32_t towards) {
  constexpr double smallest_doubt = 0.001;  // nothing is certain
  // In data without structure, chance shows a second cluster in at most 5 % of runs. To be called separate it must be
  // so strong that chance shows it in a tenth of that: 0.005 times this is 1 - taken_as_real.
  constexpr double separation_factor = 40;
  const auto in_thousandths = [](double chance) { return std::round(chance * 1000) / 1000; };
  const double chance = std::clamp(doubt, smallest_doubt, 1.0);
  const double sure = in_thousandths(1 - chance);
  const double apart = alone ? sure : in_thousandths(1 - std::clamp(separation_factor * doubt, smallest_doubt, 1.0));
  ClusterConfidence result{.real = sure, .connected = sure, .separate = apart, .joined_with = towards};
  if (alone) result.plain = in_thousandths(chance);
  return result;
}

std::vector<ClusterConfidence> confidence_of(const ReleaseParts& parts, const Transformed& w, const Modes& modes) {
  const double mean = mean_value(parts, *w.sums());
  std::vector<ClusterConfidence> result;
  for (const Rise& rise : modes.rises) {
    // No other can be reached: there is none, or only in other categories.
    const bool alone = modes.rises.size() == 1 || (rise.towards == 0 && rise.saddle == 0);
    const double doubt = alone ? doubt_of_plain(evidence_over_mean(rise, mean), modes.clusters.shape()) : rise.doubt;
    result.push_back(confidence_of_doubt(doubt, alone, rise.towards));
  }
  set_intervals_of_noise(parts, modes.clusters, excess_in(parts, modes), result);
  return result;
}

}  // namespace shoal
