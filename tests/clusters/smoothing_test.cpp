#include "clusters/smoothing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace shoal {
namespace {

// By definition, each cell by itself: a Gaussian over whole cells, up to 3 deviations away, over the cells that are
// there.
struct Weighed {
  double value = 0, gain = 0;
};
Weighed by_definition(const std::vector<std::int64_t>& values, const Shape& shape, std::uint64_t at, double deviation) {
  const auto below = [&](double x) { return 0.5 * std::erfc(-x / (deviation * std::sqrt(2.0))); };
  const auto centre = coordinates(at, shape);
  double all = 0, squares = 0, sum = 0;
  for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
    const auto other = coordinates(cell, shape);
    double weight = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const double away = static_cast<double>(other[axis]) - static_cast<double>(centre[axis]);
      weight *= std::fabs(away) <= std::ceil(3 * deviation) ? below(away + 0.5) - below(away - 0.5) : 0;
    }
    all += weight;
    squares += weight * weight;
    sum += weight * static_cast<double>(values[cell]);
  }
  return {sum / all, squares / (all * all)};
}

TEST(Smoothing, IsWhatItsDefinitionSays) {
  std::mt19937_64 random(1);
  for (const Shape& shape : {Shape{23}, Shape{9, 14}, Shape{5, 4, 6}, Shape{1, 8}}) {
    std::vector<std::int64_t> values(cell_count(shape));
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 100) - 20;
    for (const double deviation : {0.5, 1.0, 2.8}) {
      const Field field = smoothed(Cells<std::int64_t>::dense(shape, values), deviation);
      for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
        const Weighed expected = by_definition(values, shape, cell, deviation);
        EXPECT_NEAR(field.values[cell], expected.value, 1e-9);
        EXPECT_NEAR(field.gain[cell], expected.gain, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace shoal
