// The estimated density: it follows what the values show clearly and levels out what noise explains.
#include "inference/density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace shoal {
namespace {

NoisyField noisy(const Shape& shape, const std::vector<double>& rates, double deviation, unsigned seed) {
  std::mt19937_64 random(seed);
  NoisyField field;
  field.shape = shape;
  field.variance = deviation * deviation;
  field.scale = std::sqrt(field.variance / 2);
  for (const double rate : rates) {
    const double sampled = rate > 0 ? static_cast<double>(std::poisson_distribution<int>(rate)(random)) : 0;
    field.values.push_back(sampled + std::normal_distribution<double>(0, deviation)(random));
  }
  return field;
}

double mean_square_error(const Values<float>& estimated, const std::vector<double>& rates) {
  double sum = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) sum += (estimated[i] - rates[i]) * (estimated[i] - rates[i]);
  return sum / static_cast<double>(rates.size());
}

// A square of 20 in an empty box.
std::vector<double> square_of(double rate) {
  std::vector<double> rates(40 * 40, 0);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const std::size_t x = i / 40, y = i % 40;
    if (x >= 10 && x < 30 && y >= 10 && y < 30) rates[i] = rate;
  }
  return rates;
}

TEST(EstimatedDensity, LevelsOutWhatNoiseExplains) {
  const std::vector<double> rates(40 * 40, 30);
  const NoisyField field = noisy({40, 40}, rates, 10, 1);
  EXPECT_LT(mean_square_error(estimate_density(field, 30, 1).rates, rates), 15);  // the values alone: 130
}

TEST(EstimatedDensity, KeepsAnEdgeThatIsClear) {
  const std::vector<double> rates = square_of(1000);
  const DensityEstimate estimate = estimate_density(noisy({40, 40}, rates, 10, 2), 500, 1);
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_EQ(estimate.rates[i] >= 500, rates[i] >= 500) << i;
}

TEST(EstimatedDensity, StatesItsOwnError) {
  const std::vector<double> rates = square_of(40);
  double square = 0, stated = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const DensityEstimate estimate = estimate_density(noisy({40, 40}, rates, 15, seed), 20, 1);
    square += mean_square_error(estimate.rates, rates);
    for (const float variance : estimate.variances) stated += variance / static_cast<double>(rates.size());
  }
  EXPECT_GT(stated / square, 0.3);
  EXPECT_LT(stated / square, 1.5);
}

TEST(EstimatedDensity, DoesNotDependOnThreads) {
  const NoisyField field = noisy({70, 130, 3}, std::vector<double>(70 * 130 * 3, 5), 4, 3);
  const DensityEstimate one = estimate_density(field, 5, 1), four = estimate_density(field, 5, 4);
  EXPECT_EQ(one.rates, four.rates);
  EXPECT_EQ(one.variances, four.variances);
}

TEST(EstimatedDensity, OfListedCellsTakesTheOthersAsEmpty) {
  NoisyField field;
  field.shape = {1000, 1000};
  field.cells = {500500, 500501, 700700};
  field.values = {100, 100, 9};
  field.variance = 9;
  field.scale = std::sqrt(4.5);
  const DensityEstimate estimate = estimate_density(field, 10, 1);
  EXPECT_GT(estimate.rates[0], 80);
  EXPECT_LT(estimate.rates[2], 7);  // three deviations above empty surroundings
}

TEST(EstimatedDensity, OfSmallBoxesIsFinite) {
  for (const Shape& shape : {Shape{1}, Shape{2}, Shape{3, 1}, Shape{2, 2, 2}}) {
    const DensityEstimate estimate =
        estimate_density(noisy(shape, std::vector<double>(cell_count(shape), 7), 1, 4), 5, 2);
    for (const float rate : estimate.rates) EXPECT_NEAR(rate, 7, 10);
  }
}

}  // namespace
}  // namespace shoal
