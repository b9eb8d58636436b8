// --auto in three axes and more: clusters that are plainly there are found, and none where there is no structure.
#include <gtest/gtest.h>

#include <random>

#include "gaussian_sets.hpp"
#include "shoal/private_release.hpp"
#include "shoal/release_set.hpp"

namespace shoal {
namespace {

using examples::adjusted_rand;
using examples::eight_gaussians;
using examples::LabelledPoints;

ReleaseSet released(const std::vector<std::vector<double>>& columns, const char* epsilon, std::uint64_t seed) {
  std::vector<Axis> axes;
  std::vector<Column> views;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    axes.emplace_back(0, 1, 2, "a" + std::to_string(i));
    views.push_back({columns[i].data()});
  }
  return private_release(*array_points(views, columns[0].size()),
                         {.grid = AutomaticGrid{Grid(std::move(axes))},
                          .epsilon = Epsilon::parse(epsilon),
                          .options = {.cluster = {.threshold = DensityModes{}}},
                          .seed = seed});
}

double agreement(const LabelledPoints& points, const ReleaseSet& release) {
  const std::vector<std::span<const double>> columns(points.columns.begin(), points.columns.end());
  return adjusted_rand(points.truth, Labeller(release).label(columns).labels);
}

double mean_agreement(std::size_t axes, const char* epsilon, unsigned sets) {
  double sum = 0;
  for (unsigned seed = 1; seed <= sets; ++seed) {
    const LabelledPoints points = eight_gaussians(axes, 20'000, seed);
    sum += agreement(points, released(points.columns, epsilon, seed));
  }
  return sum / sets;
}

TEST(ManyAxes, EightGaussiansInThreeAxesAreFound) { EXPECT_GE(mean_agreement(3, "1", 8), 0.83); }

}  // namespace
}  // namespace shoal
