#include "inference/privwave_empty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shoal {

namespace {

constexpr double reach = 20;         // times 1 / rate: the noise hardly goes farther
constexpr double most_bins = 65536;  // noise wider than that tells nothing
constexpr double most_bins_expected = 4096;
constexpr double tells_nothing = std::numeric_limits<double>::infinity();
constexpr int most_rounds = 40;
constexpr int learning_rounds = 3;  // few, so that what the values do not tell stays as the profile has it
constexpr double largest_exponent = 500;
constexpr double close_enough = 1e-3;    // cells
constexpr double fewest_empty = 1e-3;    // cells, so that logarithms and ratios stay finite
constexpr double fewest_positive = 0.5;  // cells

// Here values are counted from the lowest: a cell is empty that holds no more.
double bins_for(const ValueNoise& noise) { return std::ceil(reach / noise.rate) + 1; }

// Cells by their value, rounded. At or below zero all values say the same; values out of the noise's reach are left
// out.
std::vector<double> cells_by_value(const std::vector<double>& values, double lowest, std::size_t bins) {
  std::vector<double> result(bins);
  for (const double value : values) {
    const double bin = std::max(0.0, std::nearbyint(value - lowest));
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

// How the positive cells are spread over small values, and what follows for W'.
class PositiveSpread {
 public:
  PositiveSpread(const Survival& survival, const ValueNoise& noise, std::size_t bins)
      : share_(bins), rate_(noise.rate) {
    const double all = std::max(1.0, survival.at_level(static_cast<std::size_t>(std::ilogb(noise.censored_below + 1))));
    for (std::size_t w = 1; w < bins; ++w) {
      share_[w] = survival.density(noise.censored_below + static_cast<double>(w)) / all;
    }
    follow();
  }

  // Cells by their value, as they are to be expected when `empty` of all are.
  [[nodiscard]] std::vector<double> expected(double empty, double all) const {
    const double fall = std::exp(-rate_);
    std::vector<double> cells(seen_.size());
    double of_empty = empty * (1 - fall) / (1 + fall);
    for (std::size_t x = 0; x < cells.size(); ++x, of_empty *= fall) {
      cells[x] = of_empty + (all - empty) * seen_[x] * (1 - fall) / (1 + fall);
    }
    cells[0] /= 1 - fall;  // and all below it
    return cells;
  }

  // The chance that a cell with W' in a bin is empty, when `empty` of all are.
  [[nodiscard]] double chance_empty(std::size_t bin, double empty, double all) const {
    return empty / (empty + (all - empty) * ratio_[bin]);
  }

  // A step of expectation and maximisation towards what the cells show.
  void learn(const std::vector<double>& cells, double empty, double all) {
    std::vector<double> terms(share_.size());
    for (std::size_t x = 0; x < terms.size(); ++x) {
      const double positive = cells[x] * (1 - chance_empty(x, empty, all));
      terms[x] = seen_[x] > 0 ? positive / seen_[x] / (all - empty) : 0;
    }
    const std::vector<double> factor = blurred(terms, rate_);
    for (std::size_t w = 0; w < share_.size(); ++w) share_[w] *= factor[w];
    follow();
  }

 private:
  void follow() {
    seen_ = blurred(share_, rate_);
    ratio_ = seen_;
    for (std::size_t x = 0; x < ratio_.size(); ++x)
      ratio_[x] *= std::exp(std::min(rate_ * static_cast<double>(x), largest_exponent));
  }

  std::vector<double> share_;  // of the positive cells that hold a value
  std::vector<double> seen_;   // the same of W', but for a factor
  std::vector<double> ratio_;  // how much likelier W' is from a positive cell than from an empty one
  double rate_;
};

// Were `empty` of the cells empty: how many look so, and the variance of that.
struct Looks {
  double empty = 0, variance = 1e-9;
};
Looks looks(const std::vector<double>& cells, const PositiveSpread& spread, double empty, double all) {
  Looks result;
  for (std::size_t x = 0; x < cells.size(); ++x) {
    const double chance = spread.chance_empty(x, empty, all);
    result.empty += cells[x] * chance;
    result.variance += cells[x] * chance * (1 - chance);
  }
  return result;
}

// About the number of empty cells.
double information_of(const Looks& seen, double empty, double all) {
  return std::max(1e-12, 1 / seen.variance - all / (empty * (all - empty)));
}

}  // namespace

// Let Z of the N cells be empty, S of them look so, V the variance of S and B = Z (N - Z) / N. S - Z moves by V / B - 1
// for each cell that Z moves, so that the values alone ask for Z + (S - Z) B / (B - V), with variance
// 1 / (1 / V - 1 / B): none when no cell is in doubt, without bound when the two kinds look the same. The spread of the
// positive cells near zero is itself only roughly known, so that the deviation gets V, about the cells in doubt, on
// top.
Estimate cells_above(const Survival& survival, const Estimate& foreseen, const std::vector<double>& values,
                     const ValueNoise& noise) {
  const double wanted = bins_for(noise);
  const auto all = static_cast<double>(values.size());
  if (!(wanted < most_bins) || !(foreseen.deviation > 0) || foreseen.mean < fewest_positive || all < 2) {
    return foreseen;
  }
  const std::vector<double> cells = cells_by_value(values, noise.censored_below, static_cast<std::size_t>(wanted));
  PositiveSpread spread(survival, noise, cells.size());
  const double by_profile = all - foreseen.mean;
  const double weight_of_profile = 1 / (foreseen.deviation * foreseen.deviation);
  double empty = std::clamp(by_profile, fewest_positive, all - fewest_positive);
  double weight_of_values = 0;
  for (int round = 0; round < most_rounds; ++round) {
    if (round > 0 && round <= learning_rounds) spread.learn(cells, empty, all);
    const Looks seen = looks(cells, spread, empty, all);
    const double information = information_of(seen, empty, all);
    const double by_values = empty + std::clamp((seen.empty - empty) / seen.variance / information, -all, all);
    weight_of_values = 1 / (1 / information + seen.variance * seen.variance);
    const double aim =
        (weight_of_values * by_values + weight_of_profile * by_profile) / (weight_of_values + weight_of_profile);
    const double next = std::clamp((empty + aim) / 2, fewest_empty, all - fewest_positive);
    if (round > learning_rounds && std::fabs(next - empty) < close_enough) break;
    empty = next;
  }
  return {all - empty, 1 / std::sqrt(weight_of_values + weight_of_profile)};
}

double expected_variance(const Survival& survival, const ValueNoise& noise, std::uint64_t cells) {
  const double wanted = bins_for(noise);
  const auto all = static_cast<double>(cells);
  if (!(wanted < most_bins_expected) || all < 2) return tells_nothing;
  const double positive = survival.at_level(static_cast<std::size_t>(std::ilogb(noise.censored_below + 1)));
  const double empty = std::clamp(all - positive, fewest_positive, all - fewest_positive);
  const PositiveSpread spread(survival, noise, static_cast<std::size_t>(wanted));
  const Looks seen = looks(spread.expected(empty, all), spread, empty, all);
  return 1 / information_of(seen, empty, all) + seen.variance * seen.variance;
}

}  // namespace shoal
