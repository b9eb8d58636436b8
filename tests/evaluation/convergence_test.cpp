// As epsilon grows, every technique gives the clusters of plain WaveCluster, with every wavelet.
#include <gtest/gtest.h>

#include "evaluation/contingency.hpp"
#include "evaluation/metrics.hpp"
#include "privacy/noise.hpp"
#include "shoal/wavecluster.hpp"
#include "technique_examples.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

using examples::bumps;
using examples::options_of;

// DSG_C at epsilon 1000, and how much of it is allowed. privthr-em errs by ranks, a few times sensitivity / epsilon of
// them, so its epsilon is 300 per cell that a record touches; and it cannot hit a k inside a group of equal values, so
// a few cells more or fewer are allowed.
struct Distance {
  double dsg_c, allowed;
};

Distance distance_of(const std::string& technique, const Counts& counts, const PrivateOptions& options) {
  Epsilon epsilon = Epsilon::parse("1000");
  const Segmentation truth = wavecluster(counts, options.cluster);
  double allowed = 0.02;
  if (technique == "privthr-em") {
    const std::uint64_t touched = planned_spending(technique, counts.grid(), epsilon, options)[1].sensitivity;
    epsilon = Epsilon::parse(std::to_string(300 * touched));
    allowed += 3 / static_cast<double>(truth.k);
  }
  const auto noise = seeded_noise_not_private(7);
  const Release release = run_technique(technique, {counts}, epsilon, options, *noise);
  return {evaluation::dsg_c(evaluation::shared_cells(truth.clusters, release.cluster_cells())), allowed};
}

class Convergence : public ::testing::TestWithParam<const char*> {};

TEST_P(Convergence, EveryWaveletLevelDimensionAndNeighbourRelationReachesWaveCluster) {
  const std::vector<Shape> shapes = {{160}, {40, 36}, {14, 12, 16}};
  std::mt19937_64 random(3);
  for (const Shape& shape : shapes) {
    const Counts counts = bumps(random, shape);
    for (const std::string& name : Wavelet::names()) {
      const bool everywhere = name == "haar" || name == "db3" || name == "bior2.2" || name == "bior3.3" ||
                              name == "rbio2.2" || name == "coif1" || name == "sym5";
      for (unsigned level = 1; level <= (everywhere ? 3U : 1U); ++level) {
        for (const Transform transform : {Transform::decimated, Transform::stationary}) {
          if (!everywhere && transform == Transform::stationary) continue;
          for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
            PrivateOptions options = options_of(40, level, name, transform);
            options.unit.neighbors = neighbors;
            const auto [dsg_c, allowed] = distance_of(GetParam(), counts, options);
            EXPECT_LE(dsg_c, allowed) << name << " level " << level << " in " << shape.size() << " dimensions"
                                      << (transform == Transform::stationary ? ", stationary" : "")
                                      << (neighbors == Neighbors::replace ? ", replace" : "");
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Convergence, ::testing::Values("privqt", "privthr", "privthr-em", "privwave"),
                         [](const auto& at) {
                           std::string name = at.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace shoal
