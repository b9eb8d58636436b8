// The probability that chance and noise produce a difference between two releases as large as the observed one.
#pragma once

#include <span>

#include "inference/laplace_law.hpp"

namespace shoal {

// The law of a_i - b_i, where a_i and b_i are noisy values of one cell with the same expected number of records:
// Poisson counts of units, `weight` records each, plus `draws` draws of noise of this law.
struct DifferenceLaw {
  struct Noise {
    LaplaceLaw law;
    double draws = 1;

    [[nodiscard]] double variance() const { return draws * law.variance(); }
  };
  Noise before, after;
  double weight = 1;

  [[nodiscard]] double noise_variance() const;  // of one cell
  [[nodiscard]] double variance(double records) const { return noise_variance() + 2 * weight * records; }
};

struct WeightedCell {
  double weight;
  double records;  // expected in each release; at least 0
};

// Returns P(sum of weight_i (a_i - b_i) >= x) for x > 0, by the saddlepoint formula of Lugannani and Rice (1980), at
// most 1/2.
double difference_tail(const DifferenceLaw& law, std::span<const WeightedCell> cells, double x);
// The sum lies farther than this from its mean with probability `outside`, by the same formula. Requires an `outside`
// of at most 0.1. The formula assumes a smooth law; for sums of whole numbers, round the result up.
double difference_reach(const DifferenceLaw& law, std::span<const WeightedCell> cells, double outside = 0.05);

}  // namespace shoal
