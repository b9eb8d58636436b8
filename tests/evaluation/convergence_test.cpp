// As epsilon grows, every technique gives the clusters of plain WaveCluster: with every wavelet, at levels 1 to 3, with
// both transforms, in 1 to 3 dimensions and under both neighbour relations. With SHOAL_QUICK set, only a few wavelets
// are tried, at level 1.
//
// baseline clusters synthetic points. It is tried with privelet, the only publisher whose boxes are the cells of the
// grid. The others spread the points of a box evenly, and their boxes cut through cells at any budget.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "chi_square.hpp"
#include "clusters/contingency.hpp"
#include "clusters/metrics.hpp"
#include "privacy/noise.hpp"
#include "shoal/wavecluster.hpp"
#include "technique_examples.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

using examples::bumps;
using examples::options_of;

constexpr double largest_dsg_c = 0.02;

// The middles of the cells, each as often as its count states.
PointTable points_of(const Counts& counts) {
  const Grid& grid = counts.grid();
  PointTable points;
  points.columns.resize(grid.dimensions());
  std::uint64_t cell = 0;
  for (const std::int64_t count : counts.raw().values()) {
    const auto at = coordinates(cell++, grid.shape());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const double middle = (grid.axis(axis).edge(at[axis]) + grid.axis(axis).edge(at[axis] + 1)) / 2;
      points.columns[axis].insert(points.columns[axis].end(), static_cast<std::size_t>(count), middle);
    }
  }
  return points;
}

struct Example {
  Counts counts;
  PointTable points;

  [[nodiscard]] Release release(const std::string& technique, const Epsilon& epsilon,
                                const PrivateOptions& options) const {
    const auto noise = seeded_noise_not_private(7);
    return run_technique(technique, {counts, &points}, epsilon, options, *noise);
  }
};

Example example_in(std::size_t dimensions) {
  const std::vector<Shape> shapes = {{160}, {40, 36}, {14, 12, 16}};
  std::mt19937_64 random(2 + dimensions);
  Counts counts = bumps(random, shapes[dimensions - 1]);
  PointTable points = points_of(counts);
  return {std::move(counts), std::move(points)};
}

double dsg_c(const Segmentation& truth, const Release& release) {
  return dsg_c(shared_cells(truth.clusters, release.cluster_cells()));
}

void expect_clusters(const std::string& technique, const Example& example, const PrivateOptions& options) {
  const Segmentation truth = wavecluster(example.counts, options.cluster);
  EXPECT_LE(dsg_c(truth, example.release(technique, Epsilon::parse("1000"), options)), largest_dsg_c);
}

class Convergence : public ::testing::TestWithParam<std::tuple<const char*, std::size_t>> {};

TEST_P(Convergence, EveryWaveletLevelTransformAndNeighbourRelationReachesWaveCluster) {
  const auto& [technique, dimensions] = GetParam();
  const bool quick = testing::quick();
  const Example example = example_in(dimensions);
  const std::vector<std::string> names =
      quick ? std::vector<std::string>{"haar", "db3", "bior2.2", "rbio2.2"} : Wavelet::names();
  for (const std::string& name : names) {
    for (unsigned level = 1; level <= (quick ? 1U : 3U); ++level) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
          SCOPED_TRACE(name + " level " + std::to_string(level) +
                       (transform == Transform::stationary ? ", stationary" : "") +
                       (neighbors == Neighbors::replace ? ", replace" : ""));
          PrivateOptions options = options_of(40, level, name, transform);
          options.unit.neighbors = neighbors;
          options.publisher = "privelet";
          expect_clusters(technique, example, options);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Convergence,
                         ::testing::Combine(::testing::Values("privqt", "privthr", "privthr-em", "privwave",
                                                              "baseline"),
                                            ::testing::Values(1U, 2U, 3U)),
                         [](const auto& at) {
                           std::string name = std::get<0>(at.param);
                           std::erase(name, '-');
                           return name + "In" + std::to_string(std::get<1>(at.param)) + "Dimensions";
                         });

}  // namespace
}  // namespace shoal
