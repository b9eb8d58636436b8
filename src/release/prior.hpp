// What the values of W may have been, given W': the noise is known, and how the values are spread is learnt from W'
// itself. Empirical Bayes: cells are put into classes by the mean of their neighbours, and in each class the spread is
// the one under which the noisy values are most likely (expectation maximisation over bins).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "release/noisy_records.hpp"

namespace shoal {

// Distribution of the noise of a value of W', a sum of equal discrete Laplace draws. Below x: of whole numbers, x is
// halfway between two.
class NoiseCurve {
 public:
  NoiseCurve(const ValueNoise& noise, unsigned terms);
  [[nodiscard]] double below(double x) const;
  [[nodiscard]] double deviation() const noexcept { return deviation_; }

 private:
  bool single_;
  double rate_, deviation_;
  double step_ = 1;
  std::vector<double> table_;  // of a sum: below i * step_, i >= 0
};

class Prior {
 public:
  // level: a density near which the classes should be fine, in records.
  Prior(const NoisyRecords& w, double level);

  // Cells that are expected to hold at least d records, or all at d <= 0; and the d that about k cells reach.
  [[nodiscard]] double at_least(double d) const;
  [[nodiscard]] double reached_by(double k) const;

  // P(W >= d | W', class) of each cell, for ascending d: result[i * d.size() + j] of cells[i] and d[j].
  [[nodiscard]] std::vector<float> chances(std::span<const std::uint64_t> cells, std::span<const double> d) const;

 private:
  struct Class {
    double cells = 0;
    std::vector<double> share;  // of each bin
  };
  void make_bins();
  void fit(Class& into, std::vector<double> values) const;
  [[nodiscard]] double within_reach(double value) const;
  // P(W' | W in bin) for each bin, over the same factor.
  void likelihood(double value, std::vector<double>& of_bin) const;
  void chances_of(double value, const Class& of, std::span<const double> d, double* into) const;

  const NoisyRecords& w_;
  NoiseCurve noise_;
  std::vector<double> edges_;  // of the bins, ascending
  std::vector<Class> classes_;
  std::vector<std::uint8_t> class_of_;  // of each cell
};

}  // namespace shoal
