// --auto in three axes and more: clusters that are plainly there are found, and none where there is no structure.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "formats/release_json.hpp"
#include "gaussian_sets.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/private_release.hpp"
#include "shoal/release_set.hpp"
#include "shoal/tree.hpp"

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

// Each figure is at most .03 below what these sets have.
TEST(ManyAxes, EightGaussiansInThreeAxesAreFound) { EXPECT_GE(mean_agreement(3, "1", 8), 0.83); }
TEST(ManyAxes, EightGaussiansInFourAxesAreFound) { EXPECT_GE(mean_agreement(4, "1", 2), 0.77); }
TEST(ManyAxes, EightGaussiansInFiveAxesAreFound) { EXPECT_GE(mean_agreement(5, "1", 8), 0.8); }
TEST(ManyAxes, EightGaussiansInSixAxesAreFound) { EXPECT_GE(mean_agreement(6, "1", 8), 0.77); }
TEST(ManyAxes, EightGaussiansInEightAxesAreFound) { EXPECT_GE(mean_agreement(8, "1", 8), 0.9); }

// The figure of the plane, where the same clusters overlap.
TEST(ManyAxes, AxesWithoutStructureDoNotHideClusters) {
  for (const std::size_t others : {2U, 4U}) {
    double plane = 0, all = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const LabelledPoints points = eight_gaussians(2, 30'000, seed, others);
      LabelledPoints alone = points;
      alone.columns.resize(2);
      plane += agreement(alone, released(alone.columns, "1", seed)) / 6;
      const ReleaseSet release = released(points.columns, "1", seed);
      all += agreement(points, release) / 6;
      for (std::size_t axis = 2; axis < 2 + others; ++axis) {
        EXPECT_EQ(release.first().parts().grid.axis(axis).cells(), 2U) << axis << " of set " << seed;
      }
    }
    EXPECT_GE(all, plane - 0.03) << others;
  }
}

TEST(ManyAxes, AGridOfFewAxesSpendsEpsilonExactlyAndIsReadBack) {
  const LabelledPoints points = eight_gaussians(2, 30'000, 1, 4);
  const ReleaseSet set = released(points.columns, "0.9", 3);
  const Release& release = set.first();
  ASSERT_NE(release.parts().values(), nullptr);
  ASSERT_TRUE(release.parts().automatic->structure);
  EXPECT_EQ(release.parts().automatic->structure->value(), (std::vector<std::size_t>{0, 1}));
  Epsilon sum = Epsilon::zero();
  for (const Spent& spent : release.parts().spent()) sum = sum + spent.epsilon;
  EXPECT_EQ(sum, Epsilon::parse("0.9"));
  const Release again = Release::parse(release.json(), "r");
  EXPECT_EQ(again.json(), release.json());
  EXPECT_EQ(again.parts().automatic->structure->value(), release.parts().automatic->structure->value());
  EXPECT_GE(ClusterTree(again).branches().size(), release.clusters().size());
  EXPECT_NO_THROW(static_cast<void>(reshape(release, {.threshold = Percentile(50)})));
}

TEST(ManyAxes, WhatCannotBeResolvedIsSaid) {
  const auto says = [](const char* epsilon) {
    const LabelledPoints points = eight_gaussians(5, 20'000, 1);
    for (const std::string& notice : notices(released(points.columns, epsilon, 1).first())) {
      if (notice.find("do not support more than") != std::string::npos) return notice;
    }
    return std::string();
  };
  EXPECT_NE(says("0.1").find("These records do not support more than "), std::string::npos) << says("0.1");
  EXPECT_NE(says("0.1").find("in 5 axes, clusters of fewer than about "), std::string::npos) << says("0.1");
  EXPECT_EQ(says("2"), "");
}

std::size_t sure_clusters(const ReleaseSet& release) {
  return release.first().clusters().size() - release.first().doubtful().size();
}

TEST(ManyAxes, DataWithoutStructureShowAtMostOneCluster) {
  unsigned runs = 0, several = 0;
  for (const std::size_t axes : {3U, 5U, 8U}) {
    for (const std::size_t points : {1'000U, 20'000U}) {
      for (const char* epsilon : {"0.1", "1", "10"}) {
        for (unsigned kind = 0; kind < 3; ++kind) {
          std::mt19937_64 random(axes * 7 + kind);
          std::uniform_real_distribution<double> anywhere(0, 1);
          std::normal_distribution<double> spread(0.5, 0.12);
          std::exponential_distribution<double> falling(7);
          std::vector<std::vector<double>> columns(axes);
          for (auto& column : columns) {
            for (std::size_t i = 0; i < points; ++i) {
              column.push_back(kind == 0 ? anywhere(random) : kind == 1 ? spread(random) : falling(random));
            }
          }
          ++runs;
          several += sure_clusters(released(columns, epsilon, axes + kind)) > 1 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_LE(several, 1U) << "of " << runs;
}

// Cuts between two clusters also cut the background into pieces, each beside cuts that are sure.
TEST(ManyAxes, PiecesOfABackgroundAreNoClusters) {
  unsigned found = 0, sets = 0;
  for (const std::size_t axes : {5U, 6U, 8U}) {
    for (const double share : {0.3, 0.5}) {
      for (unsigned seed = 1; seed <= 3; ++seed) {
        std::mt19937_64 random(100 * axes + seed);
        std::uniform_real_distribution<double> anywhere(0, 1), inside(0.15, 0.85);
        std::normal_distribution<double> away(0, 0.04);
        std::vector<std::vector<double>> columns(axes), centers(2);
        for (auto& center : centers) {
          for (std::size_t axis = 0; axis < axes; ++axis) center.push_back(inside(random));
        }
        for (unsigned i = 0; i < 20'000; ++i) {
          const bool uniform = anywhere(random) < share;
          for (std::size_t axis = 0; axis < axes; ++axis) {
            columns[axis].push_back(uniform ? anywhere(random) : centers[i % 2][axis] + away(random));
          }
        }
        const std::size_t sure = sure_clusters(released(columns, "1", seed));
        EXPECT_LE(sure, 2U) << axes << " axes, background " << share << ", seed " << seed;
        found += sure == 2 ? 1 : 0;
        ++sets;
      }
    }
  }
  EXPECT_GE(found + 1, sets);
}

TEST(ManyAxes, AUniformAreaIsDoubtful) {
  const LabelledPoints uniform = eight_gaussians(0, 20'000, 1, 5);
  EXPECT_EQ(sure_clusters(released(uniform.columns, "1", 1)), 0U);
}

TEST(Boxes, SpendEpsilonExactlyAndAreReadBack) {
  const LabelledPoints points = eight_gaussians(6, 20'000, 1);
  const ReleaseSet set = released(points.columns, "0.7", 3);
  const Release& release = set.first();
  ASSERT_NE(release.parts().boxes(), nullptr);
  Epsilon sum = Epsilon::zero();
  for (const Spent& spent : release.parts().spent()) sum = sum + spent.epsilon;
  EXPECT_EQ(sum, Epsilon::parse("0.7"));
  const Release again = Release::parse(release.json(), "r");
  EXPECT_EQ(again.json(), release.json());
  EXPECT_EQ(again.cluster_cells(), release.cluster_cells());
  EXPECT_EQ(again.confidence(), release.confidence());
  EXPECT_EQ(again.parts().grid, release.parts().grid);
}

TEST(Boxes, LabelAlikeWithoutTheirNoisyValues) {
  const LabelledPoints points = eight_gaussians(6, 20'000, 2);
  const ReleaseSet set = released(points.columns, "1", 4);
  const std::vector<std::span<const double>> columns(points.columns.begin(), points.columns.end());
  const std::vector<std::uint32_t> labels = Labeller(set).label(columns).labels;
  EXPECT_GT(*std::max_element(labels.begin(), labels.end()), 5U);
  const ReleaseSet small = ReleaseSet::parse(set.without_noisy_values().json(), "r");
  EXPECT_EQ(small.first().parts().boxes(), nullptr);
  EXPECT_EQ(Labeller(small).label(columns).labels, labels);
}

TEST(Boxes, StateTheRecordsInTheirCells) {
  const LabelledPoints points = eight_gaussians(5, 20'000, 3);
  const ReleaseSet set = released(points.columns, "2", 5);
  const std::vector<std::span<const double>> columns(points.columns.begin(), points.columns.end());
  std::vector<double> held(set.first().clusters().size() + 1);
  for (const std::uint32_t label : Labeller(set, {.doubtful = Doubtful::keep}).label(columns).labels) ++held[label];
  std::size_t inside = 0;
  for (const ReleasedCluster& cluster : set.first().clusters()) {
    const ClusterConfidence& stated = set.first().confidence()[cluster.id - 1];
    EXPECT_NEAR(static_cast<double>(cluster.noisy_size), held[cluster.id], 80);
    inside += held[cluster.id] >= stated.least_records && held[cluster.id] <= stated.most_records ? 1 : 0;
  }
  EXPECT_GE(inside + 1, set.first().clusters().size());
}

TEST(Boxes, AreNeitherReshapedNorComparedNorATree) {
  const LabelledPoints points = eight_gaussians(5, 5'000, 1);
  const ReleaseSet set = released(points.columns, "1", 1);
  const ReleaseSet small = set.without_noisy_values();
  for (const Release& release : {set.first(), small.first()}) {
    EXPECT_THROW(static_cast<void>(reshape(release, {.threshold = Percentile(50)})), InputError);
    EXPECT_THROW(static_cast<void>(ClusterTree(release)), InputError);
  }
  EXPECT_THROW(static_cast<void>(Labeller(set, {.strength = true})), InputError);
}

TEST(Boxes, AreRefusedWithInsetsEarlierBoxesOrACircle) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < 5; ++i) axes.emplace_back(0, 1, 2, "a" + std::to_string(i));
  const Grid bounds(axes);
  ReleaseRequest request{.grid = AutomaticGrid{bounds},
                         .epsilon = Epsilon::parse("1"),
                         .options = {.cluster = {.threshold = DensityModes{}}}};
  EXPECT_NO_THROW(static_cast<void>(planned_spending(request)));
  ReleaseRequest insets = request;
  insets.layout = Insets{3};
  EXPECT_THROW(static_cast<void>(planned_spending(insets)), InputError);
  ReleaseRequest earlier = request;
  std::vector<Axis> cut = axes;
  cut[0] = cut[0].cut_at({0.3});
  earlier.grid = AutomaticGrid{bounds, EarlierChoice{Grid(cut), {}}};
  EXPECT_THROW(static_cast<void>(planned_spending(earlier)), InputError);
  axes[2] = Axis(0, 1, 2, "a2", {.border = Border::circle});
  ReleaseRequest circle = request;
  circle.grid = AutomaticGrid{Grid(axes)};
  EXPECT_THROW(static_cast<void>(planned_spending(circle)), InputError);
}

// Two groups, the second without two of the clusters.
TEST(Boxes, AreMadePerGroup) {
  LabelledPoints points = eight_gaussians(5, 40'000, 1);
  std::vector<std::vector<double>> columns(6);
  for (std::size_t i = 0; i < points.truth.size(); ++i) {
    const bool second = i % 16 >= 8;
    if (second && points.truth[i] < 2) continue;
    columns[0].push_back(second ? 1 : 0);
    for (std::size_t axis = 0; axis < 5; ++axis) columns[axis + 1].push_back(points.columns[axis][i]);
  }
  std::vector<Axis> axes;
  std::vector<Column> views = {{columns[0].data()}};
  for (std::size_t i = 0; i < 5; ++i) {
    axes.emplace_back(0, 1, 2, "a" + std::to_string(i));
    views.push_back({columns[i + 1].data()});
  }
  const ReleaseSet set =
      private_release(*array_points(views, columns[0].size()), {.grid = AutomaticGrid{Grid(std::move(axes))},
                                                                .epsilon = Epsilon::parse("2"),
                                                                .options = {.cluster = {.threshold = DensityModes{}}},
                                                                .layout = listed_groups("ward", {"A", "B"}),
                                                                .seed = 1});
  ASSERT_EQ(set.parts().size(), 2U);
  for (const auto& part : set.parts()) {
    ASSERT_NE(part.release.parts().boxes(), nullptr);
    Epsilon sum = Epsilon::zero();
    for (const Spent& spent : part.release.parts().spent()) sum = sum + spent.epsilon;
    EXPECT_EQ(sum, Epsilon::parse("2"));
  }
  EXPECT_GE(set.parts()[0].release.clusters().size(), 7U);
  EXPECT_LT(set.parts()[1].release.clusters().size(), set.parts()[0].release.clusters().size());
  EXPECT_EQ(ReleaseSet::parse(set.json(), "r").json(), set.json());
  EXPECT_EQ(set.html().find("wasm"), std::string::npos);  // the report: the page needs cells of one width
  EXPECT_NE(set.html().find("<svg"), std::string::npos);
  EXPECT_NE(set.csv().size(), 0U);
}

TEST(ManyAxes, BoundsOfEightAxesFitIntoAGrid) {
  for (std::size_t axes = 1; axes <= 8; ++axes) {
    std::vector<Axis> declared;
    for (std::size_t i = 0; i < axes; ++i) declared.emplace_back(0, 1, cells_of_automatic_bounds(axes));
    EXPECT_EQ(Grid(std::move(declared)).dimensions(), axes);
  }
  EXPECT_THROW(static_cast<void>(cells_of_automatic_bounds(9)), InputError);
}

// A box holds all combinations of names. More of them than a release can hold were charged, and then refused.
TEST(Boxes, TooManyCombinationsOfNamesAreRefusedBeforeACharge) {
  std::vector<std::string> names;
  for (int i = 0; i < 128; ++i) names.push_back("n" + std::to_string(i));
  std::vector<DeclaredAxis> declared(5, DeclaredAxis{.lo = 0, .hi = 1});
  for (int i = 0; i < 3; ++i) {
    std::vector<Axis> axes;
    for (const DeclaredAxis& axis : declared) axes.push_back(axis.fitted(2));
    const ReleaseRequest request{.grid = AutomaticGrid{Grid(std::move(axes))},
                                 .epsilon = Epsilon::parse("1"),
                                 .options = {.cluster = {.threshold = DensityModes{}}},
                                 .seed = 1};
    const std::vector<double> column(50, 0.4);
    const auto points = array_points(std::vector<Column>(declared.size(), Column{column.data()}), column.size());
    EXPECT_NO_THROW(static_cast<void>(private_release(*points, request))) << i;
    declared.push_back({.kind = {.scale = Names{names}}});
    declared.back().kind.border = Border::apart;
  }
  std::vector<Axis> axes;
  for (const DeclaredAxis& axis : declared) axes.push_back(axis.fitted(2));
  EXPECT_THROW(static_cast<void>(makes_boxes(Grid(std::move(axes)))), InputError);
}

// Messages advise it: 'shoal reshape FILE -o NAME' makes other files of a release.
TEST(Boxes, CanBeWrittenToOtherFilesWithoutAChange) {
  const LabelledPoints points = eight_gaussians(5, 5'000, 1);
  const ReleaseSet set = released(points.columns, "1", 1);
  const ReleaseSet small = set.without_noisy_values();
  for (const Release& release : {set.first(), small.first()}) {
    EXPECT_EQ(reshape(release, release.parts().options).json(), release.json());
  }
}

TEST(Boxes, FilesWithBrokenBoxesAreRefused) {
  const LabelledPoints points = eight_gaussians(5, 20'000, 1);
  const Release release = released(points.columns, "1", 1).first();
  const auto broken = [&release](const auto& change) {
    nlohmann::json document = nlohmann::json::parse(release.json());
    change(document);
    document["checksum"] = checksum_of_text(document.dump());
    return document.dump();
  };
  EXPECT_NO_THROW(static_cast<void>(Release::parse(broken([](auto& /*as it is*/) {}), "r")));
  const auto refused = [&](const auto& change) {
    EXPECT_THROW(static_cast<void>(Release::parse(broken(change), "r")), InputError);
  };
  refused([](auto& file) { file["noisy_boxes"][0]["end"][0] = 60'000; });
  refused([](auto& file) { file["noisy_boxes"][0]["first"] = file["noisy_boxes"][0]["end"]; });
  refused([](auto& file) { file["noisy_boxes"][0] = file["noisy_boxes"][1]; });
  refused([](auto& file) { file["noisy_boxes"] = nlohmann::json::array(); });
  refused([](auto& file) { file["noisy_boxes"][0]["records"] = 0; });
  refused([](auto& file) { file["noisy_boxes"][0]["doubt"] = 2; });
  refused([](auto& file) { file["axes"][0]["cuts"][0] = 2; });
  refused([](auto& file) { file["axes"][0]["cells"] = 3; });
}

}  // namespace
}  // namespace shoal
