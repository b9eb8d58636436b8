// What is known of W besides the noisy values themselves: how the noise is spread, and how the values are.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "inference/noisy_records.hpp"

namespace shoal {

// Distribution of the noise of a value of W', a sum of equal discrete Laplace draws. Below x: of whole numbers, x is
// halfway between two.
class NoiseCurve {
 public:
  NoiseCurve(const ValueNoise& noise, unsigned terms);
  [[nodiscard]] double below(double x) const;
  [[nodiscard]] double deviation() const noexcept { return deviation_; }
  [[nodiscard]] double censored_below() const noexcept { return censored_below_; }

 private:
  bool single_;
  double rate_, deviation_, censored_below_;
  double step_ = 1;
  std::vector<double> table_;  // of a sum: below i * step_, i >= 0
};

// As a value: nothing is known but that it lies below the floor.
inline constexpr double below_floor = -std::numeric_limits<double>::infinity();

// The noisy values that chances are drawn from.
struct Evidence : NoisyRecords {
  std::vector<std::uint64_t> cells;  // of the values, ascending; empty: all cells of the box
  double floor = below_floor;        // all other cells lie below it
  double others = 0;                 // how many these are
  bool may_be_negative = false;      // without the noise: a wavelet with weights below zero

  [[nodiscard]] std::uint64_t cell(std::size_t i) const { return cells.empty() ? i : cells[i]; }
};

// Bins of values: whole numbers one by one near zero, then wider ones, none much finer than the noise.
class Bins {
 public:
  Bins(const Evidence& evidence, const NoiseCurve& noise);

  [[nodiscard]] std::size_t count() const noexcept { return edges_.size() - 1; }
  [[nodiscard]] double low(std::size_t bin) const { return edges_[bin]; }
  [[nodiscard]] double high(std::size_t bin) const { return edges_[bin + 1]; }
  [[nodiscard]] double middle(std::size_t bin) const;

 private:
  std::vector<double> edges_;  // ascending
};

// P(W' | W in bin), over the same factor, of the bins in reach of a noisy value.
struct Likelihood {
  std::size_t first = 0;
  std::vector<double> of_bin;  // from `first` on; not empty
};
Likelihood likelihood(double value, double floor, const Bins& bins, const NoiseCurve& noise);

// How the values of W are spread over the cells: the spread under which the noisy values are most likely (expectation
// maximisation over bins).
class Spread {
 public:
  Spread(const Evidence& evidence, const Bins& bins, const NoiseCurve& noise);

  // Cells that are expected to hold at least d records, or all at d <= 0.
  [[nodiscard]] double at_least(double d) const;
  [[nodiscard]] const std::vector<double>& shares() const noexcept { return shares_; }  // of each bin

 private:
  const Bins& bins_;
  double cells_;
  std::vector<double> shares_;
};

}  // namespace shoal
