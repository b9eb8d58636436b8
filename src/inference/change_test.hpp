// How likely chance and noise make a difference of two releases as large as the one seen.
#pragma once

#include <span>

#include "inference/laplace_law.hpp"

namespace shoal {

// The law of a_i - b_i, where a_i and b_i are noisy values of the same cell that holds the same number of records on
// average: Poisson counts of units, `weight` records each, and `draws` of noise of this law.
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

// P(sum of weight_i (a_i - b_i) >= x), x > 0, by Lugannani and Rice's saddlepoint formula (1980). At most 1/2.
double difference_tail(const DifferenceLaw& law, std::span<const WeightedCell> cells, double x);
// The sum lies farther than this from its mean with probability `outside`, by the same formula. Requires an `outside`
// of at most 0.1. The formula is of a smooth law: of sums of whole numbers, a whole reach is the next one above.
double difference_reach(const DifferenceLaw& law, std::span<const WeightedCell> cells, double outside = 0.05);

}  // namespace shoal
