// Leaves of the tree go by the numbers of the release's clusters, and what is offered next shows more.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "release_examples.hpp"
#include "shoal/tree.hpp"

namespace shoal {
namespace {

// A plateau with peaks on it, as wide as `width` on a 40 x 40 grid of W' (80 x 80 counts of equal blocks).
void put(std::vector<std::int64_t>& values, std::uint64_t x, std::uint64_t y, std::uint64_t width, std::int64_t count) {
  for (std::uint64_t i = 2 * x; i < 2 * (x + width); ++i) {
    for (std::uint64_t j = 2 * y; j < 2 * (y + width); ++j) values[i * 80 + j] = count;
  }
}

// Cluster 1: a large plateau with two peaks. Cluster 2: one peak. Below the threshold: a third, faint one.
Release release_at(double density) {
  std::vector<std::int64_t> values(80 * 80);
  put(values, 2, 2, 12, 100);
  put(values, 3, 3, 4, 900);
  put(values, 9, 9, 3, 800);
  put(values, 30, 5, 4, 500);
  put(values, 30, 30, 5, 40);
  ReleaseParts parts = examples::parts(Cells<std::int64_t>::dense({80, 80}, values));
  parts.options.threshold = Density(density);
  return Release(std::move(parts));
}

TEST(LeafNames, AreTheNumbersOfTheReleasesClusters) {
  const Release release = release_at(150);  // W is twice the count here
  ASSERT_EQ(release.clusters().size(), 2U);
  EXPECT_EQ(release.clusters()[0].cells, 144U);
  const ClusterTree tree(release);
  const ClusterTree::Leaves leaves = tree.leaves();
  const std::vector<std::string> names = leaf_names(release, leaves);
  ASSERT_EQ(names.size(), 4U);
  std::set<std::string> all(names.begin(), names.end());
  EXPECT_EQ(all, (std::set<std::string>{"1a", "1b", "2", "3"}));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TreeBranch& leaf = tree.branches()[leaves.branch[i] - 1];
    const std::vector<double>& centre = leaf.centroid;  // axes from -1.5 to 8.25
    const auto block = [](double x) { return (x + 1.5) / 9.75 * 40; };
    const bool faint = block(centre[0]) > 25 && block(centre[1]) > 25;
    EXPECT_EQ(names[i] == "3", faint) << names[i];
    EXPECT_EQ(names[i] == "2", block(centre[0]) > 25 && !faint) << names[i];
  }
}

TEST(LeafNames, AreInTheTreesFileAndPictures) {
  const Release release = release_at(150);
  const ClusterTree tree(release);
  const std::vector<std::string> names = leaf_names(release, tree.leaves());
  const auto json = nlohmann::json::parse(tree_json(release, tree));
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(json["branches"][i]["name"], names[i]);
  const std::string picture = tree_svg(release, tree);
  for (const std::string& name : names) EXPECT_NE(picture.find(">" + name + "</text>"), std::string::npos) << name;
}

TEST(BetterShape, IsNoneWhereAllClustersAreTakenAsReal) {
  EXPECT_FALSE(better_shape(release_at(150)).has_value());
  EXPECT_FALSE(better_shape(release_at(5000).without_noisy_values()).has_value());
}

TEST(BetterShape, IsADensityWhereTheReleaseShowsNothing) {
  const Release nothing = release_at(5000);
  ASSERT_TRUE(nothing.clusters().empty());
  const std::optional<BetterShape> look = better_shape(nothing);
  ASSERT_TRUE(look.has_value());
  EXPECT_EQ(look->options.substr(0, 10), "--density ");
  ClusterOptions options = nothing.parts().options;
  options.threshold = Density(std::stod(look->options.substr(10)));
  const Release there = reshape(nothing, options);
  EXPECT_GT(there.clusters().size(), 0U);
}

TEST(BetterShape, LeavesOutJustWhatMayBeNoise) {
  // Specks of the noise's own size beside two squares of many cells.
  std::mt19937_64 random(4);
  std::vector<std::int64_t> values(80 * 80);
  for (auto& value : values) value = static_cast<std::int64_t>(random() % 9) - 4;
  put(values, 5, 5, 6, 300);
  put(values, 25, 25, 6, 300);
  ReleaseParts parts = examples::parts(Cells<std::int64_t>::dense({80, 80}, values));
  parts.options.threshold = Density(5);
  const Release release(std::move(parts));
  const auto real = [](const Release& of) {
    return std::count_if(of.confidence().begin(), of.confidence().end(),
                         [](const ClusterConfidence& each) { return each.real >= taken_as_real; });
  };
  ASSERT_GT(release.clusters().size(), 2U);
  ASSERT_EQ(real(release), 2);
  const std::optional<BetterShape> look = better_shape(release);
  ASSERT_TRUE(look.has_value());
  ASSERT_EQ(look->options.substr(0, 12), "--min-cells ");
  ClusterOptions options = release.parts().options;
  options.min_cells = std::stoull(look->options.substr(12));
  const Release there = reshape(release, options);
  EXPECT_EQ(there.clusters().size(), 2U);
  EXPECT_EQ(real(there), 2);
}

}  // namespace
}  // namespace shoal
