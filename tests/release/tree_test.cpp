// The cluster tree: every cut of it is the clustering at that threshold, and noise alone makes nothing stable.
#include "shoal/tree.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

constexpr TreeOptions everything{.least_deviations = 0};

Release released(Cells<std::int64_t> counts, Adjacency adjacency = Adjacency::full, const char* epsilon = "0.3",
                 const char* wavelet = "haar") {
  ReleaseParts parts = examples::parts(std::move(counts), 60, epsilon);
  parts.options.adjacency = adjacency;
  parts.options.wavelet = Wavelet::named(wavelet);
  parts.options.threshold = Top(5);
  return Release(std::move(parts));
}

// Few different values: many ties.
Cells<std::int64_t> random_counts(const Shape& shape, unsigned seed, std::int64_t most) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> values(cell_count(shape));
  for (auto& value : values) value = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)) - most / 4;
  return Cells<std::int64_t>::dense(shape, values);
}

// W' in its own units, as the tree has it.
std::vector<double> values_of(const Release& release) {
  const Transformed w = transform(release.parts().counts()->counts.value(), release.parts().options);
  std::vector<double> values;
  w.visit([&](const auto& cells) {
    for (const auto value : cells.values()) values.push_back(static_cast<double>(value) * w.unit());
  });
  return values;
}

void expect_same_partition(const ClusterTree::Cut& cut, const Clusters& clusters) {
  ASSERT_EQ(cut.cells, clusters.cells());
  std::map<std::uint32_t, std::uint32_t> to_label, to_branch;
  for (std::size_t i = 0; i < cut.cells.size(); ++i) {
    ASSERT_EQ(to_label.try_emplace(cut.branch[i], clusters.labels()[i]).first->second, clusters.labels()[i]);
    ASSERT_EQ(to_branch.try_emplace(clusters.labels()[i], cut.branch[i]).first->second, cut.branch[i]);
  }
}

TEST(ClusterTree, CutAnywhereGivesTheConnectedComponentsThere) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    for (const Shape& shape : {Shape{60}, Shape{24, 21}, Shape{10, 9, 8}}) {
      for (const Adjacency adjacency : {Adjacency::full, Adjacency::face}) {
        // Also with noise so small that branches are stable.
        for (const char* epsilon : {"0.1", "40"}) {
          const Release release = released(random_counts(shape, seed, seed % 2 == 0 ? 9 : 400), adjacency, epsilon,
                                           seed % 3 == 0 ? "db2" : "haar");
          const ClusterTree tree(release, everything);
          const std::vector<double> values = values_of(release);
          std::set<double> thresholds(values.begin(), values.end());
          for (const double threshold : thresholds) {
            if (threshold <= 0) continue;
            std::vector<std::uint64_t> cells;
            for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
              if (values[cell] >= threshold) cells.push_back(cell);
            }
            expect_same_partition(tree.cut(threshold), connect(release.cluster_cells().shape(), cells, adjacency));
          }
        }
      }
    }
  }
}

TEST(ClusterTree, BranchesEndBelowTheirBirthInsideTheirParent) {
  const Release release = released(random_counts({40, 40}, 3, 100), Adjacency::face, "20");
  const ClusterTree tree(release, everything);
  ASSERT_FALSE(tree.branches().empty());
  std::size_t stable = 0;
  for (const TreeBranch& branch : tree.branches()) {
    EXPECT_GE(branch.birth, branch.death);
    EXPECT_LE(branch.k_birth, branch.k_death);
    EXPECT_GE(branch.cells, 1U);
    stable += branch.stable ? 1U : 0U;
    if (branch.parent == 0) {
      EXPECT_EQ(branch.death, tree.least_threshold());
      continue;
    }
    const TreeBranch& parent = tree.branches()[branch.parent - 1];
    EXPECT_GT(parent.cells, branch.cells);  // the cell that joins them is in it too
    EXPECT_LE(parent.death, branch.death);
    EXPECT_GE(parent.birth, branch.death);
  }
  EXPECT_GT(stable, 0U);
}

// Sixteen hills of 60 records per cell on a background of 5, with next to no noise: each is a stable leaf, and nothing
// else is.
TEST(ClusterTree, HillsOnAPlainAreItsStableLeaves) {
  std::vector<std::int64_t> values(40 * 40, 5);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      if (i % 10 / 4 == 1 && j % 10 / 4 == 1) values[i * 40 + j] = 60;
    }
  }
  const ClusterTree tree(released(Cells<std::int64_t>::dense({40, 40}, values), Adjacency::full, "20"), everything);
  EXPECT_EQ(tree.leaves().branch.size(), 16U);
}

TEST(ClusterTree, AtTheLevelOfADensityIsWhatReshapeGives) {
  const auto noise = seeded_noise_not_private(5);
  const Cells<std::int64_t> counts = examples::blobs({48, 48}, 4, 6);
  PrivateOptions options{.cluster = {.threshold = Percentile(50)}};
  const Release release = run_technique("privwave", {Counts(examples::grid_of({48, 48}), counts, 0, 0)},
                                        Epsilon::parse("1"), options, *noise);
  const ClusterTree tree(release);
  const double density = tree.level().density;
  ASSERT_GT(density, 0);
  ClusterOptions at = release.parts().options;
  at.threshold = Density(density);
  expect_same_partition(tree.cut(density), reshape(release, at).cluster_cells());
}

TEST(ClusterTree, FindsHillsAndWhereTheyJoin) {
  // Two hills with a saddle of 40 between them and a third apart from both; noise of deviation 1.4.
  std::vector<std::int64_t> values(60, 0);
  const auto hill = [&](std::size_t at, std::int64_t top) {
    for (std::size_t i = 0; i < 5; ++i) values[at + i] = top - 5 * static_cast<std::int64_t>(i > 2 ? i - 2 : 2 - i);
  };
  hill(5, 100);
  values[10] = values[11] = 40;
  hill(12, 90);
  hill(40, 70);
  std::vector<std::int64_t> counts;  // each value twice: a Haar sum of one axis is twice the value
  for (const std::int64_t value : values) counts.insert(counts.end(), {value, value});
  const Release release = released(Cells<std::int64_t>::dense({120}, counts), Adjacency::full, "1");
  const ClusterTree tree(release);
  const ClusterTree::Leaves leaves = tree.leaves();
  ASSERT_EQ(leaves.branch.size(), 3U);
  EXPECT_EQ(tree.level().stable, 3U);
  const double unit = std::sqrt(2.0);  // W of a value: twice it over the root of two
  EXPECT_NEAR(tree.level().density, std::sqrt(40.0 * 70.0) * unit, 1e-9);  // between the saddle and the lowest top
  std::multiset<double> births;
  std::size_t joined = 0;
  for (const TreeBranch& branch : tree.branches()) {
    if (!branch.stable || !branch.leaf) continue;
    births.insert(std::round(branch.birth / unit));
    if (branch.parent != 0) {
      EXPECT_NEAR(branch.death, 40 * unit, 1e-9);
      ++joined;
    }
  }
  EXPECT_EQ(births, (std::multiset<double>{70, 90, 100}));
  EXPECT_EQ(joined, 2U);
}

TEST(ClusterTree, NoiseAloneIsNotStable) {
  // No records at all: of 200 releases at most a few may show anything (5 % are allowed; 26 has a chance below 1e-6).
  std::size_t alarms = 0;
  const auto nothing = Cells<std::int64_t>::dense({32, 32}, std::vector<std::int64_t>(1024, 0));
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const auto noise = seeded_noise_not_private(seed);
    PrivateOptions options{.cluster = {.threshold = Top(30)}};
    const Release release =
        run_technique(seed % 2 == 0 ? "privwave" : "privqt", {Counts(examples::grid_of({32, 32}), nothing, 0, 0)},
                      Epsilon::parse("0.5"), options, *noise);
    alarms += ClusterTree(release).leaves().branch.empty() ? 0U : 1U;
  }
  EXPECT_LT(alarms, 26U);
}

// Chance in the sample makes hills that noise does not: 30,000 records anywhere.
TEST(ClusterTree, FragmentsOfAPlainAreNotStable) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> values(80 * 80, 0);
    for (int i = 0; i < 30000; ++i) ++values[random() % values.size()];
    const ClusterTree tree(released(Cells<std::int64_t>::dense({80, 80}, values), Adjacency::full, "4"));
    EXPECT_LE(tree.leaves().branch.size(), 1U) << seed;
  }
}

TEST(ClusterTree, OfAHugeGridWithFewValuesIsThatOfTheValues) {
  // 2^26 cells of W of which a few are listed; the same values on a small grid.
  const auto tree_of = [](std::uint64_t side) {
    std::vector<std::uint64_t> cells;
    std::vector<std::int64_t> values;
    const auto blocks = examples::blobs({40, 40}, 3, 5);
    for (std::uint64_t i = 0; i < 1600; ++i) {
      if (blocks.values()[i] < 20) continue;
      cells.push_back(i / 40 * side + i % 40);
      values.push_back(blocks.values()[i]);
    }
    ReleaseParts parts = examples::parts(Cells<std::int64_t>::sparse({side, side}, cells, values));
    parts.options.threshold = Top(20);
    return ClusterTree(Release(std::move(parts)));
  };
  const ClusterTree small = tree_of(40), huge = tree_of(1 << 14);
  ASSERT_FALSE(small.branches().empty());
  ASSERT_EQ(small.branches().size(), huge.branches().size());
  for (std::size_t i = 0; i < small.branches().size(); ++i) {
    EXPECT_EQ(small.branches()[i].birth, huge.branches()[i].birth);
    EXPECT_EQ(small.branches()[i].death, huge.branches()[i].death);
    EXPECT_EQ(small.branches()[i].cells, huge.branches()[i].cells);
    EXPECT_EQ(small.branches()[i].stable, huge.branches()[i].stable);
  }
  EXPECT_EQ(small.least_threshold(), huge.least_threshold());
}

TEST(ClusterTree, OfDegenerateReleasesIsFine) {
  for (const std::int64_t value : {-5, 0, 7}) {
    for (const Shape& shape : {Shape{1}, Shape{8, 8}, Shape{2, 2, 2, 2, 2, 2, 2, 2, 2}}) {
      const auto counts = Cells<std::int64_t>::dense(shape, std::vector<std::int64_t>(cell_count(shape), value));
      const Release release = released(counts);
      const ClusterTree tree(release, everything);
      EXPECT_EQ(tree.branches().empty(), value <= 0);
      EXPECT_TRUE(nlohmann::json::parse(tree_json(release, tree)).contains("branches"));
      EXPECT_FALSE(tree_svg(release, tree).empty());
    }
  }
}

TEST(ClusterTree, WithoutNoisyValuesIsRefusedAndWithoutKnownNoiseNothingIsStable) {
  const Release release = released(examples::blobs({20, 20}, 1));
  EXPECT_THROW(ClusterTree(release.without_noisy_values()), InputError);
  const Release unknown(examples::parts_by_no_law(examples::blobs({20, 20}, 1)));
  const ClusterTree tree(unknown);
  EXPECT_EQ(tree.deviation(), 0);
  EXPECT_TRUE(tree.leaves().branch.empty());
  EXPECT_NE(tree_html(unknown, tree).find("is unknown"), std::string::npos);
}

TEST(ClusterTree, AsJsonListsStableBranchesFirstAndKnowsTheirParents) {
  const Release release = released(examples::blobs({40, 40}, 2, 5), Adjacency::full, "1");
  const ClusterTree tree(release, everything);
  const auto document = nlohmann::json::parse(tree_json(release, tree));
  const auto& branches = document["branches"];
  const std::vector<std::uint32_t> leaves = tree.leaves().branch;
  ASSERT_GE(leaves.size(), 2U);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    EXPECT_EQ(branches[i]["id"], i + 1);
    EXPECT_EQ(branches[i]["stable"].get<bool>() && branches[i]["leaf"].get<bool>(), i < leaves.size());
  }
  // Where a branch is listed; 0: nowhere, and its parent stands for it.
  const auto listed = [&](const TreeBranch& of) -> std::size_t {
    for (std::size_t i = 0; i < branches.size(); ++i) {
      if (branches[i]["birth"] == of.birth && branches[i]["death"] == of.death && branches[i]["cells"] == of.cells) {
        return i + 1;
      }
    }
    return 0;
  };
  std::size_t joined = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    std::size_t expected = 0;
    for (auto at = tree.branches()[leaves[i] - 1].parent; at != 0 && expected == 0;
         at = tree.branches()[at - 1].parent) {
      expected = listed(tree.branches()[at - 1]);
    }
    EXPECT_EQ(branches[i]["parent"].is_null() ? 0 : branches[i]["parent"].get<std::size_t>(), expected);
    joined += expected != 0 ? 1 : 0;
  }
  EXPECT_GT(joined, 0U);
  EXPECT_THROW(static_cast<void>(tree_contents(release, tree, "tree.csv")), InputError);
}

TEST(TreePicture, ShowsTheReleasesThresholdAndNumbersTheStableClusters) {
  const Release release = released(examples::blobs({40, 40}, 2, 5), Adjacency::full, "1");
  const std::string svg = tree_svg(release, ClusterTree(release));
  EXPECT_NE(svg.find("this release: threshold"), std::string::npos);
  EXPECT_NE(svg.find("largest number of stable clusters"), std::string::npos);
  EXPECT_NE(svg.find("threshold, in the units of W"), std::string::npos);
}

}  // namespace
}  // namespace shoal
