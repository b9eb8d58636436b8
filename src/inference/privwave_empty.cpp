#include "inference/privwave_empty.hpp"

#include <algorithm>
#include <cmath>

namespace shoal {

namespace {

constexpr double reach = 20;         // times 1 / rate: the noise hardly goes farther
constexpr double most_bins = 65536;  // past that width of the noise the values hold no information
constexpr int rounds = 20;
constexpr double fewest = 1e-3;  // cells of either kind, so that ratios stay finite

// Here values are counted from the censoring point: a cell that holds no more counts as empty.
double bins_for(const ValueNoise& noise) { return std::ceil(reach / noise.rate) + 1; }

// Cells by their value, rounded. At or below zero all values say the same; values out of the noise's reach are left
// out.
std::vector<double> cells_by_value(const std::vector<double>& values, double censored_below, std::size_t bins) {
  std::vector<double> result(bins);
  for (const double value : values) {
    const double bin = std::max(0.0, std::nearbyint(value - censored_below));
    if (bin < static_cast<double>(bins)) result[static_cast<std::size_t>(bin)] += 1;
  }
  return result;
}

// Sums of exp(-rate |x - w|) terms[w] over all w, for every x.
std::vector<double> blurred(const std::vector<double>& terms, double rate) {
  const double fall = std::exp(-rate);
  std::vector<double> result(terms.size());
  double sum = 0;
  for (std::size_t x = 0; x < terms.size(); ++x) result[x] = sum = sum * fall + terms[x];
  sum = 0;
  for (std::size_t x = terms.size() - 1; x-- > 0;) {
    sum = (sum + terms[x + 1]) * fall;
    result[x] += sum;
  }
  return result;
}

// Likelihood of each W' in a cell that holds something, spread as the survival curve says, over that in an empty one.
std::vector<double> likelihood_ratios(const Survival& survival, const ValueNoise& noise, std::size_t bins) {
  const double all = std::max(1.0, survival.at_level(static_cast<std::size_t>(std::ilogb(noise.censored_below + 1))));
  std::vector<double> share(bins);
  for (std::size_t w = 1; w < bins; ++w) {
    share[w] = survival.density(noise.censored_below + static_cast<double>(w)) / all;
  }
  std::vector<double> result = blurred(share, noise.rate);
  for (std::size_t x = 0; x < bins; ++x) result[x] *= std::exp(noise.rate * static_cast<double>(x));
  return result;
}

// The posterior number of empty cells if `empty` of all cells were, and its variance.
struct Posterior {
  double empty = 0, variance = 1e-9;
};
Posterior posterior_empty(const std::vector<double>& cells, const std::vector<double>& ratios, double empty,
                          double all) {
  Posterior result;
  for (std::size_t x = 0; x < cells.size(); ++x) {
    const double chance = empty / (empty + (all - empty) * ratios[x]);
    result.empty += cells[x] * chance;
    result.variance += cells[x] * chance * (1 - chance);
  }
  return result;
}

}  // namespace

// Let Z of the N cells be empty, S the posterior number of empty cells, V its variance and B = Z (N - Z) / N. S - Z
// moves by V / B - 1 for each cell that Z moves, so that the values alone ask for Z + (S - Z) B / (B - V), with
// variance 1 / (1 / V - 1 / B): none when no cell is in doubt, without bound when the two kinds cannot be
// distinguished. The spread of the positive cells near zero is itself only roughly known, so that the deviation gets V,
// about the cells in doubt, on top.
Estimate cells_above(const Survival& survival, const Estimate& predicted, const std::vector<double>& values,
                     const ValueNoise& noise) {
  const double wanted = bins_for(noise);
  const auto all = static_cast<double>(values.size());
  if (!(wanted < most_bins) || !(predicted.deviation > 0) || predicted.mean < fewest || all < 2) {
    return predicted;
  }
  const std::vector<double> cells = cells_by_value(values, noise.censored_below, static_cast<std::size_t>(wanted));
  const std::vector<double> ratios = likelihood_ratios(survival, noise, cells.size());
  const double by_profile = all - predicted.mean;
  const double weight_of_profile = 1 / (predicted.deviation * predicted.deviation);
  double empty = std::clamp(by_profile, fewest, all - fewest);
  double weight_of_values = 0;
  for (int round = 0; round < rounds; ++round) {
    const Posterior seen = posterior_empty(cells, ratios, empty, all);
    const double information = std::max(1e-12, 1 / seen.variance - all / (empty * (all - empty)));
    const double by_values = empty + std::clamp((seen.empty - empty) / seen.variance / information, -all, all);
    weight_of_values = 1 / (1 / information + seen.variance * seen.variance);
    const double aim =
        (weight_of_values * by_values + weight_of_profile * by_profile) / (weight_of_values + weight_of_profile);
    empty = std::clamp((empty + aim) / 2, fewest, all - fewest);
  }
  return {all - empty, 1 / std::sqrt(weight_of_values + weight_of_profile)};
}

}  // namespace shoal
