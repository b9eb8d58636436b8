#include "release/strength.hpp"

#include <gtest/gtest.h>

#include "release_examples.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

// Two clusters of W' along one axis of eight blocks: 40, 20 and 10; 0; 6; the rest is empty.
Release released(Threshold threshold) {
  ReleaseParts parts =
      examples::parts(Cells<std::int64_t>::dense({16}, {20, 20, 10, 10, 5, 5, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0}), 50, "1");
  parts.options.threshold = threshold;
  return Release(std::move(parts));
}

std::vector<double> strengths_of(const Release& release, const ClusterMap& map, const std::vector<double>& points) {
  const std::vector<std::span<const double>> columns = {points};
  std::vector<std::uint32_t> labels(points.size());
  map.label(columns, labels);
  std::vector<double> strengths(points.size());
  MembershipStrength(release).compute(columns, labels, strengths);
  return strengths;
}

// Middles of blocks, whatever the axis' bounds.
std::vector<double> middles(const ClusterMap& map) {
  std::vector<double> points;
  for (std::uint64_t block = 0; block < 8; ++block) {
    const auto [lo, hi] = map.cell_bounds(0, block);
    points.push_back((lo + hi) / 2);
  }
  return points;
}

TEST(MembershipStrength, IsTheDensityOverTheLargestOfTheCluster) {
  const Release release = released(Top(3));
  ASSERT_EQ(release.cluster_cells().count(), 1U);
  std::vector<double> points = middles(release.map());
  points.push_back(1e9);
  const std::vector<double> expected = {1, 0.5, 0.25, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(strengths_of(release, release.map(), points), expected);
}

TEST(MembershipStrength, OfLabelsThatReachFurtherIsThatOfThePlace) {
  const Release release = released(Top(2));
  const std::vector<double> halo = strengths_of(release, release.map().assigned(Assign::halo), middles(release.map()));
  EXPECT_EQ(halo, (std::vector<double>{1, 0.5, 0.25, 0, 0, 0, 0, 0}));
  const std::vector<double> nearest =
      strengths_of(release, release.map().assigned(Assign::nearest), middles(release.map()));
  EXPECT_EQ(nearest, (std::vector<double>{1, 0.5, 0.25, 0, 0.15, 0, 0, 0}));
}

TEST(MembershipStrength, OfModesIsSmoothed) {
  ReleaseParts parts = examples::parts(examples::blobs({48, 48}, 4, 4), 50, "1");
  parts.options.threshold = DensityModes{};
  const Release release(std::move(parts));
  ASSERT_GT(release.cluster_cells().count(), 1U);
  const ClusterMap map = release.map().assigned(release.usual_assign());
  std::vector<double> x, y;
  for (int i = 0; i < 48 * 48; ++i) {
    const auto [x0, x1] = map.cell_bounds(0, static_cast<std::uint64_t>(i / 2 % 24));
    const auto [y0, y1] = map.cell_bounds(1, static_cast<std::uint64_t>(i / 48 / 2));
    x.push_back((x0 + x1) / 2);
    y.push_back((y0 + y1) / 2);
  }
  const std::vector<std::span<const double>> columns = {x, y};
  std::vector<std::uint32_t> labels(x.size());
  map.label(columns, labels);
  std::vector<double> strengths(x.size());
  MembershipStrength(release).compute(columns, labels, strengths);
  std::vector<double> most(release.cluster_cells().count() + 1, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_GE(strengths[i], 0);
    EXPECT_LE(strengths[i], 1);
    most[labels[i]] = std::max(most[labels[i]], strengths[i]);
  }
  EXPECT_EQ(most[0], 0);
  for (std::size_t label = 1; label < most.size(); ++label) EXPECT_EQ(most[label], 1);
}

TEST(MembershipStrength, NeedsTheNoisyValues) {
  EXPECT_THROW(MembershipStrength(released(Top(2)).without_noisy_values()), InputError);
}

}  // namespace
}  // namespace shoal
