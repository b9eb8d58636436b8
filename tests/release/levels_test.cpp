// Several resolutions at once: the clusters of each level, and which of a coarse level holds which of a finer one.
#include "shoal/levels.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "drawing/levels_picture.hpp"
#include "owner/owner_view.hpp"
#include "release_examples.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

Clusters random_clusters(const Shape& shape, std::mt19937_64& random, unsigned share) {
  std::vector<std::uint64_t> cells;
  for (std::uint64_t i = 0; i < cell_count(shape); ++i) {
    if (random() % 100 < share) cells.push_back(i);
  }
  return connect(shape, cells, Adjacency::face);
}

// By the labels of both at every cell of the fine level, through the coordinates.
std::vector<Holder> brute_force(const Clusters& fine, const Clusters& coarse, unsigned halvings) {
  std::vector<Holder> result;
  for (std::uint32_t cluster = 1; cluster <= fine.count(); ++cluster) {
    std::map<std::uint32_t, std::uint64_t> counts;
    for (std::uint64_t cell = 0; cell < cell_count(fine.shape()); ++cell) {
      if (fine.label(cell) != cluster) continue;
      std::vector<std::uint64_t> at = coordinates(cell, fine.shape());
      std::uint64_t index = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        for (unsigned q = 0; q < halvings && fine.shape().side(axis).pooled; ++q) at[axis] /= 2;
        index = index * coarse.shape()[axis] + at[axis];
      }
      ++counts[coarse.label(index)];
    }
    Holder best;
    std::uint64_t most = 0;
    for (std::uint32_t other = 1; other <= coarse.count(); ++other) {
      if (counts[other] <= most) continue;
      most = counts[other];
      best = {other, static_cast<double>(most) / static_cast<double>(fine.sizes()[cluster - 1])};
    }
    result.push_back(best);
  }
  return result;
}

TEST(Holders, AreThoseWithMostOfTheCells) {
  std::mt19937_64 random(7);
  Shape wards;
  wards.push_back(13);
  wards.push_back(3, {Border::apart, false});
  for (const Shape& shape : {Shape{37}, Shape{19, 26}, Shape{7, 9, 12}, wards}) {
    for (const unsigned halvings : {0U, 1U, 2U}) {
      const Shape coarse_shape = halvings == 0 ? shape : transformed_shape(shape, halvings, Transform::decimated);
      for (int round = 0; round < 10; ++round) {
        const Clusters fine = random_clusters(shape, random, 40), coarse = random_clusters(coarse_shape, random, 50);
        EXPECT_EQ(holders(fine, coarse, halvings), brute_force(fine, coarse, halvings));
      }
    }
  }
}

TEST(Holders, ATieGoesToTheLargerCluster) {
  const Clusters fine = connect({6}, std::vector<std::uint64_t>{2, 3});
  const Clusters coarse({6}, {0, 1, 2, 3}, {1, 1, 1, 2});
  EXPECT_EQ(holders(fine, coarse, 0), (std::vector<Holder>{{1, 0.5}}));
}

TEST(ParseLevels, TakesRangesAndLists) {
  EXPECT_EQ(parse_levels("1-5"), (std::vector<unsigned>{1, 2, 3, 4, 5}));
  EXPECT_EQ(parse_levels("3"), (std::vector<unsigned>{3}));
  EXPECT_EQ(parse_levels("4,1-2,2"), (std::vector<unsigned>{1, 2, 4}));
  for (const char* wrong : {"", "0-3", "5-1", "1,", "a", "1-", "-3", "1-2-3", "61", " 1"}) {
    EXPECT_THROW(parse_levels(wrong), Error) << wrong;
  }
}

TEST(CheckLevels, RefusesALevelThatLeavesOneCell) {
  const Grid grid = examples::grid_of({64, 20});
  EXPECT_NO_THROW(check_levels(grid, {1, 5}));
  EXPECT_EQ(message_of([&] {
              check_levels(grid, {1, 6});
            }),
            "level 6 leaves no more than one cell of the grid 64 x 20; choose levels up to 5");
  EXPECT_THROW(check_levels(grid, {}), InputError);
  EXPECT_THROW(check_levels(grid, {0, 1}), InputError);
  EXPECT_THROW(check_levels(grid, {2, 2}), InputError);
  EXPECT_NO_THROW(check_levels(examples::grid_of({65}), {6}));
  EXPECT_THROW(check_levels(examples::grid_of({2}), {1}), InputError);
}

TEST(ReleaseLevels, AreTheReshapesOfEachLevelWithTheirHolders) {
  const Release release(examples::parts(examples::blobs({48, 40}, 3, 6)));
  for (const Transform kind : {Transform::decimated, Transform::stationary}) {
    for (const char* wavelet : {"haar", "bior2.2"}) {
      ClusterOptions options = release.parts().options;
      options.transform = kind;
      options.wavelet = Wavelet::named(wavelet);
      options.threshold = Coverage(60);
      const std::vector<unsigned> asked{1, 2, 4};
      const ReleaseLevels levels(release, options, asked);
      ASSERT_EQ(levels.releases().size(), 3U);
      ASSERT_EQ(levels.held_by().size(), 3U);
      EXPECT_TRUE(levels.held_by().back().empty());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        options.level = asked[i];
        EXPECT_EQ(levels.releases()[i].cluster_cells(), reshape(release, options).cluster_cells());
        if (i + 1 == asked.size()) break;
        const unsigned halvings = kind == Transform::decimated ? asked[i + 1] - asked[i] : 0;
        EXPECT_EQ(levels.held_by()[i], brute_force(levels.releases()[i].cluster_cells(),
                                                   levels.releases()[i + 1].cluster_cells(), halvings));
      }
    }
  }
}

TEST(ReleaseLevels, RefuseWhatTheReleaseCannotGive) {
  const Release release(examples::parts(examples::blobs({24, 24}, 3)));
  const ClusterOptions options = release.parts().options;
  EXPECT_NE(message_of([&] {
              ReleaseLevels(release, options, {1, 5});
            }).find("choose levels up to 4"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              ReleaseLevels(release.without_noisy_values(), options, {1, 2});
            }).find("no noisy values"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(ReleaseLevels(release, options, {1, 2}).contents("levels.csv")), InputError);
}

TEST(ReleaseLevels, JsonNamesTheHolderOfEveryCluster) {
  const ReleaseLevels levels(Release(examples::parts(examples::blobs({48, 40}, 3, 6))), {.threshold = Coverage(60)},
                             {1, 2, 3});
  const auto document = nlohmann::json::parse(levels.json());
  EXPECT_EQ(document.at("format"), "shoal-levels/1");
  EXPECT_EQ(document.at("private"), false);
  ASSERT_EQ(document.at("levels").size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& level = document.at("levels")[i];
    EXPECT_EQ(level.at("level"), i + 1);
    ASSERT_EQ(level.at("clusters").size(), levels.releases()[i].clusters().size());
    for (std::size_t j = 0; j < level.at("clusters").size(); ++j) {
      const auto& cluster = level.at("clusters")[j];
      EXPECT_EQ(cluster.at("id"), j + 1);
      EXPECT_EQ(cluster.contains("held_by"), i < 2);
      if (i == 2) continue;
      const Holder& holder = levels.held_by()[i][j];
      EXPECT_EQ(cluster.at("held_by").is_null(), holder.cluster == 0);
      if (holder.cluster != 0) {
        EXPECT_EQ(cluster.at("held_by"), holder.cluster);
      }
      EXPECT_EQ(cluster.at("held_share"), holder.share);
    }
  }
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(LevelsPicture, HasAMapPerLevelInEveryDimension) {
  for (const Shape& shape : {Shape{64}, Shape{48, 40}, Shape{16, 16, 16}}) {
    const ReleaseLevels levels(Release(examples::parts(examples::blobs(shape, 3, 4))), {.threshold = Coverage(50)},
                               {1, 2, 3});
    const std::string svg = levels.svg();
    EXPECT_EQ(times(svg, ">level 2<"), 2U) << "above its map and above its column";
    EXPECT_EQ(times(svg, "<svg"), shape.size() == 1 ? 1U : 4U) << "the picture and the image of each map";
    EXPECT_NE(svg.find("NOT PRIVATE"), std::string::npos);
    EXPECT_EQ(levels.picture(".png").substr(1, 3), "PNG");
    EXPECT_NE(levels.html().find("Clusters of each level"), std::string::npos);
  }
}

TEST(LevelsPicture, WordsSayWhichClusterHoldsWhich) {
  const ClusterMap fine(examples::grid_of({8}), 1, Transform::decimated, Clusters({4}, {0, 1, 3}, {1, 1, 2}));
  const ClusterMap coarse(examples::grid_of({8}), 2, Transform::decimated, Clusters({2}, {0, 1}, {1, 1}));
  std::vector<LevelView> levels{{1, fine, {}, {{1, 1.0}, {1, 1.0}}}, {2, coarse, {}, {}}};
  EXPECT_EQ(held_in_words(levels, 0), "1, 2 in cluster 1 of level 2");
  levels[0].held_by[1] = {0, 0};
  EXPECT_EQ(held_in_words(levels, 0), "1 in cluster 1 of level 2; 2 in none");
  levels[0].doubtful = {1};
  EXPECT_EQ(held_in_words(levels, 0), "2 in none");
  EXPECT_EQ(held_in_words(levels, 1), "");
}

TEST(OwnerLevels, AreNotPrivateAndSayIt) {
  const Counts counts(examples::grid_of({48, 40}), examples::blobs({48, 40}, 3, 6), 1000, 0);
  const OwnerLevels levels = owner_levels("points.csv", counts, {.threshold = Coverage(60)}, {1, 2, 3});
  ASSERT_EQ(levels.views.size(), 3U);
  for (std::size_t i = 0; i + 1 < 3; ++i) {
    EXPECT_EQ(levels.views[i].held_by, brute_force(levels.results[i].clusters, levels.results[i + 1].clusters, 1));
  }
  EXPECT_NE(owner_levels_report(levels).find("NOT PRIVATE"), std::string::npos);
  EXPECT_NE(levels_svg(owner_levels_picture(levels)).find("NOT PRIVATE"), std::string::npos);
  EXPECT_THROW(owner_levels("points.csv", counts, {.threshold = Coverage(60)}, {1, 6}), InputError);
}

}  // namespace
}  // namespace shoal
