// Confidence in released clusters: what it means, that it is computed from the noisy values alone, and that it is right
// about as often as it says.
#include "shoal/confidence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "clusters/clustered_sums.hpp"
#include "formats/release_json.hpp"
#include "inference/cluster_confidence.hpp"
#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/points.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

// A digit a cell: 0 is noise.
Clusters drawn(const std::vector<std::string>& rows) {
  std::vector<std::uint64_t> cells;
  std::vector<std::uint32_t> labels;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      if (rows[row][column] == '.') continue;
      cells.push_back(row * rows[row].size() + column);
      labels.push_back(static_cast<std::uint32_t>(rows[row][column] - '0'));
    }
  }
  return {{rows.size(), rows[0].size()}, cells, labels};
}

TEST(Comparison, AClusterIsRealWhenHalfOfItsCellsAreDense) {
  const Clusters released = drawn({"1111..22"});
  Comparison comparison(released);
  EXPECT_TRUE(comparison.with(drawn({"11......"}))[0].real);
  EXPECT_FALSE(comparison.with(drawn({"1......."}))[0].real);
  EXPECT_FALSE(comparison.with(drawn({"11......"}))[1].real);
  EXPECT_FALSE(comparison
                   .with(drawn({"...."
                                "...."}))[0]
                   .real);
}

TEST(Comparison, AClusterIsConnectedWhenNineTenthsOfItsDenseCellsAreInOne) {
  const Clusters released = drawn({"11111111111"});
  Comparison comparison(released);
  EXPECT_TRUE(comparison.with(drawn({"111111111.2"}))[0].connected);   // 9 of 10
  EXPECT_FALSE(comparison.with(drawn({"11111111.22"}))[0].connected);  // 8 of 10
}

TEST(Comparison, ClustersAreJoinedWhenTheyShareTheirMainTrueCluster) {
  const Clusters released = drawn({"111.22.3"});
  Comparison comparison(released);
  const auto verdicts = comparison.with(drawn({"111111.2"}));
  EXPECT_EQ(verdicts[0].joined_with, 2U);
  EXPECT_EQ(verdicts[1].joined_with, 1U);
  EXPECT_EQ(verdicts[2].joined_with, 0U);
}

TEST(Comparison, ACrumbBelongsToItsClusterButTheClusterDoesNotMindTheCrumb) {
  const Clusters released = drawn({"11111111111.2"});
  Comparison comparison(released);
  const auto verdicts = comparison.with(drawn({"1111111111111"}));
  EXPECT_EQ(verdicts[0].joined_with, 0U);
  EXPECT_EQ(verdicts[1].joined_with, 1U);
}

TEST(ConfidenceInWords, SaysWhatMatters) {
  EXPECT_EQ(in_words({0.99, 0.99, 0.99, 0}), "almost surely real");
  EXPECT_EQ(in_words({0.99, 0.99, 0.97, 3}), "almost surely real");
  EXPECT_EQ(in_words({0.99, 0.81, 0.81, 3}), "almost surely real");
  EXPECT_EQ(in_words({0.99, 0.79, 0.99, 3}), "almost surely real; may be several clusters");
  EXPECT_EQ(in_words({0.99, 0.99, 0.79, 3}), "almost surely real; may be part of cluster 3");
  EXPECT_EQ(in_words({0.85, 0.7, 0.7, 3}), "probably real; may be several clusters; may be part of cluster 3");
  EXPECT_EQ(in_words({0.6, 0.3, 0.2, 12}), "perhaps real; probably several clusters; probably part of cluster 12");
  EXPECT_EQ(in_words({0.3, 0.99, 0.99, 0}), "doubtful");
  EXPECT_EQ(in_words({0.1, 0.2, 0.2, 5}), "probably noise");
  EXPECT_EQ(in_words({0.1, 0.2, 0.2, 5, 0.9}), "one with its neighbours: no denser than they are");
  EXPECT_EQ(in_words({0.99, 0.9, 0.2, 5, 0.9}),
            "almost surely real; one with its neighbours: hardly denser than they are");
}

TEST(Doubtful, IsWhatMayBeNoiseOrPartOfAPlain) {
  EXPECT_FALSE(is_doubtful({0.8, 0.1, 0.1, 3, 0.49}));
  EXPECT_TRUE(is_doubtful({0.79, 0.9, 0.9, 0, 0}));
  EXPECT_TRUE(is_doubtful({0.99, 0.9, 0.9, 0, 0.5}));
}

// ---- whole releases -----------------------------------------------------------------------------------------------

Grid unit_grid(const Shape& shape) {
  std::vector<Axis> axes;
  for (const std::uint64_t extent : shape) axes.emplace_back(0, 1, extent);
  return Grid(std::move(axes));
}

// What a cell is expected to hold, and a sample of it.
struct Land {
  Cells<double> expected;
  Cells<std::int64_t> counts;
};

Land sampled(const Shape& shape, const std::vector<double>& expected, std::mt19937_64& random) {
  std::vector<std::int64_t> counts;
  for (const double height : expected) counts.push_back(std::poisson_distribution<std::int64_t>(height)(random));
  return {Cells<double>::dense(shape, expected), Cells<std::int64_t>::dense(shape, counts)};
}

// Hills of different heights, some close to each other, on a uniform background of few records.
Land hills(const Shape& shape, unsigned seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<std::array<double, 4>> hill;
  for (int i = 0; i < count; ++i) {
    const auto below = [&random](double most) { return most * static_cast<double>(random() >> 11) * 0x1p-53; };
    hill.push_back({below(static_cast<double>(shape[0])), below(static_cast<double>(shape.back())), 1.5 + below(3),
                    10 + below(60)});
  }
  std::vector<double> expected(cell_count(shape));
  for (std::uint64_t i = 0; i < expected.size(); ++i) {
    const auto at = coordinates(i, shape);
    double height = 0.3;
    for (const auto& [x, y, width, top] : hill) {
      const double dx = static_cast<double>(at.front()) - x, dy = static_cast<double>(at.back()) - y;
      height += top * std::exp(-(dx * dx + dy * dy) / (2 * width * width));
    }
    expected[i] = height;
  }
  return sampled(shape, expected, random);
}

Release seeded(const std::string& technique, const Cells<std::int64_t>& counts, const char* epsilon, unsigned seed,
               const Threshold& threshold = Percentile(60), std::uint64_t most_dense = dense_limit,
               const char* wavelet = "haar") {
  PrivateOptions options{.cluster = {.threshold = threshold, .wavelet = Wavelet::named(wavelet)}};
  options.dense_limit = most_dense;
  const auto noise = seeded_noise_not_private(seed);
  return run_technique(technique, {Counts(unit_grid(counts.shape()), counts, 0, 0)}, Epsilon::parse(epsilon), options,
                       *noise);
}

// Clusters of the population at the release's threshold.
Clusters true_clusters(const Cells<double>& expected, const Release& release) {
  const ClusterOptions& options = release.parts().options;
  const Cells<double> w = average_subband(expected, options.wavelet, options.level, options.transform);
  std::vector<std::uint64_t> dense;
  for (std::size_t i = 0; i < w.stored(); ++i) {
    if (w.values()[i] >= release.threshold()) dense.push_back(i);
  }
  return connect(w.shape(), dense, options.adjacency);
}

struct Case {
  double said;
  bool was;
};

struct Study {
  std::vector<Case> real, connected, separate;
};

void add(Study& study, const Release& release, const Land& land) {
  Comparison comparison(release.cluster_cells());
  const auto& verdicts = comparison.with(true_clusters(land.expected, release));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const ClusterConfidence& says = release.confidence()[i];
    study.real.push_back({says.real, verdicts[i].real});
    if (!verdicts[i].real) continue;
    study.connected.push_back({says.connected, verdicts[i].connected});
    study.separate.push_back({says.separate, verdicts[i].joined_with == 0});
  }
}

double share(const std::vector<Case>& cases, double low, double high, std::size_t least = 30) {
  double was = 0, count = 0;
  for (const Case& of : cases) {
    if (of.said < low || of.said >= high) continue;
    was += of.was ? 1 : 0;
    count += 1;
  }
  EXPECT_GE(count, static_cast<double>(least)) << "too few cases from " << low << " to " << high;
  return was / count;
}

// Mean squared error of what is said, over that of always saying how often it is so: any constant gives at least 1.
double error_over_constant(const std::vector<Case>& cases) {
  double mean = 0, error = 0;
  for (const Case& of : cases) mean += (of.was ? 1.0 : 0.0) / static_cast<double>(cases.size());
  for (const Case& of : cases) {
    const double off = of.said - (of.was ? 1 : 0);
    error += off * off / static_cast<double>(cases.size());
  }
  return error / (mean * (1 - mean));
}

// Mean of |said - was|, each averaged over a fifth of the scale.
double calibration_error(const std::vector<Case>& cases) {
  std::array<double, 5> off{};
  for (const Case& of : cases)
    off[std::min<std::size_t>(4, static_cast<std::size_t>(5 * of.said))] += of.said - (of.was ? 1 : 0);
  double sum = 0;
  for (const double part : off) sum += std::fabs(part);
  return sum / static_cast<double>(cases.size());
}

TEST(Confidence, IsRightAboutThePopulationAsOftenAsItSays) {
  Study study;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Land land = hills({64, 64}, seed, 24);
    for (const char* epsilon : {"0.05", "0.2", "1", "10"}) {
      for (const char* technique : {"privwave", "privthr", "privqt", "privthr-em"}) {
        const double percentile = seed % 2 == 0 ? 60 : 85;
        add(study, seeded(technique, land.counts, epsilon, 100 + seed, Percentile(percentile)), land);
      }
    }
  }
  EXPECT_GT(share(study.real, 0.95, 1.01), 0.95);
  EXPECT_LT(share(study.real, 0, 0.2), 0.1);
  EXPECT_LT(error_over_constant(study.real), 0.3);
  // Hills alone. Over all kinds of populations, python/tests/test_calibration.py holds 0.05.
  EXPECT_LT(calibration_error(study.real), 0.07);
  EXPECT_LT(calibration_error(study.connected), 0.04);
  EXPECT_LT(calibration_error(study.separate), 0.07);
  EXPECT_GT(share(study.separate, 0.95, 1.01), 0.95);
}

TEST(Confidence, OfOtherWaveletsIsAboutTheFilteredPopulation) {
  Study study;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Land land = hills({64, 64}, seed, 24);
    for (const char* epsilon : {"0.5", "2"}) {
      add(study, seeded("privwave", land.counts, epsilon, 100 + seed, Percentile(40), dense_limit, "bior2.2"), land);
    }
  }
  EXPECT_LT(calibration_error(study.real), 0.1);
  EXPECT_LT(calibration_error(study.separate), 0.22);
}

// A uniform area has no clusters: what a threshold makes of it is said to be one with its neighbours, and nothing is
// separate.
TEST(Confidence, FragmentsOfAPlainAreOneWithTheirNeighbours) {
  for (const double height : {3.0, 40.0}) {
    for (const char* epsilon : {"0.1", "1", "10"}) {
      for (const char* technique : {"privwave", "privthr", "privqt", "privthr-em"}) {
        std::mt19937_64 random(5);
        const Shape shape{64, 64};
        const Land land = sampled(shape, std::vector<double>(cell_count(shape), height), random);
        const Release release = seeded(technique, land.counts, epsilon, 3, Percentile(60));
        if (release.clusters().empty()) continue;
        for (const ClusterConfidence& of : release.confidence()) {
          EXPECT_TRUE(is_doubtful(of)) << technique << " " << epsilon << ": " << in_words(of);
          EXPECT_TRUE(in_words(of).find("one with its neighbours") != std::string::npos || of.real < 0.2)
              << technique << " " << epsilon << ": " << in_words(of);
        }
        const std::optional<std::string> notice = notice_of_uniform_area(release);
        if (!notice) {  // then there is more noise than anything else
          EXPECT_EQ(epsilon, std::string("0.1")) << technique;
          continue;
        }
        EXPECT_NE(notice->find("The threshold runs through a uniform area"), std::string::npos);
        EXPECT_NE(release.html().find("The threshold runs through a uniform area"), std::string::npos);
      }
    }
  }
  const Release land = seeded("privwave", hills({64, 64}, 1, 10).counts, "1", 1);
  EXPECT_FALSE(notice_of_uniform_area(land));
}

TEST(Confidence, OfSpiralsSaysThatTheyAreSeparate) {
  // Three arms of 31,200 points; faint cells beside them are few, and none lies between two of them.
  const Dataset spirals = make_dataset("ds2", 1);
  std::vector<std::int64_t> values(40 * 40);
  for (std::size_t i = 0; i < spirals.columns[0].size(); ++i) {
    const auto x = static_cast<std::size_t>(40 * spirals.columns[0][i]);
    const auto y = static_cast<std::size_t>(40 * spirals.columns[1][i]);
    ++values[x * 40 + y];
  }
  const Cells<std::int64_t> counts = Cells<std::int64_t>::dense({40, 40}, values);
  double separate = 0, clusters = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Release release = seeded("privwave", counts, "1", seed, Percentile(10));
    EXPECT_EQ(release.clusters().size() - release.doubtful().size(), 3U);
    for (const ClusterConfidence& of : release.confidence()) {
      if (is_doubtful(of)) continue;
      EXPECT_GT(of.separate, 0.6);
      separate += of.separate;
      ++clusters;
    }
  }
  EXPECT_GT(separate / clusters, 0.8);
}

TEST(Confidence, OfReleasesWithAFloorIsRightAboutAsOftenAsItSays) {
  Study study;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Land land = hills({96, 96}, seed, 24);
    for (const char* epsilon : {"0.1", "0.3", "1"}) {
      // A percentile drops clusters that may be noise. A density that noise reaches in one cell of thirty keeps them.
      const Threshold percentile = Percentile(seed % 2 == 0 ? 80 : 90), density = Density(1.5 / std::stod(epsilon));
      for (const Threshold& threshold : {percentile, density}) {
        const Release release = seeded("privwave", land.counts, epsilon, 100 + seed, threshold, 100);
        ASSERT_TRUE(release.parts().has_floor());
        add(study, release, land);
      }
    }
  }
  EXPECT_GT(share(study.real, 0.9, 1.01), 0.9);
  EXPECT_LT(share(study.real, 0, 0.4), 0.25);
  EXPECT_LT(calibration_error(study.real), 0.1);
  EXPECT_LT(calibration_error(study.separate), 0.1);
}

TEST(Confidence, TakesForNoiseWhatNoiseAloneCarriesToAFloor) {
  // A record in each of a few hundred cells: none of the values that reach the floor says anything.
  std::vector<std::int64_t> values(256 * 256, 0);
  for (std::size_t i = 0; i < values.size(); i += 199) values[i] = 1;
  const Cells<std::int64_t> counts = Cells<std::int64_t>::dense({256, 256}, values);
  const Release release = seeded("privwave", counts, "0.5", 3, Density(5), 100);
  ASSERT_TRUE(release.parts().has_floor());
  ASSERT_GT(release.confidence().size(), 20U);
  double said = 0;
  for (const ClusterConfidence& of : release.confidence()) said += of.real;
  EXPECT_LT(said / static_cast<double>(release.confidence().size()), 0.2);
}

TEST(Confidence, OfALargeGridIsLikeThatOfASmallOneInIt) {
  // Hills in a corner of so many cells that only those in clusters and beside them are drawn.
  const Land small = hills({64, 64}, 6, 12);
  std::vector<std::int64_t> values(1100 * 1100, 0);
  std::vector<double> expected(values.size(), 0);
  for (std::uint64_t i = 0; i < small.counts.stored(); ++i) {
    values[i / 64 * 1100 + i % 64] = small.counts.values()[i];
    expected[i / 64 * 1100 + i % 64] = small.expected.values()[i];
  }
  const Land large{Cells<double>::dense({1100, 1100}, expected), Cells<std::int64_t>::dense({1100, 1100}, values)};
  Study study;
  add(study, seeded("privwave", large.counts, "0.5", 1, Top(300)), large);
  EXPECT_GT(share(study.real, 0.8, 1.01, 4), 0.7);
  EXPECT_LT(calibration_error(study.real), 0.2);
}

// Of the intervals shown 95 % hold the records of the data in their cluster; in a fixed study, 92 % at the least.
TEST(Intervals, HoldTheRecordsOfTheData) {
  for (const bool modes : {false, true}) {
    double held = 0, all = 0;
    for (unsigned seed = 1; seed <= 12; ++seed) {
      const Land land = hills({64, 64}, seed, 24);
      for (const char* epsilon : {"0.05", "0.2", "1"}) {
        for (const char* technique : {"privwave", "privqt"}) {
          Release release = seeded(technique, land.counts, epsilon, 100 + seed, Percentile(70));
          if (modes) {
            ClusterOptions options = release.parts().options;
            options.threshold = DensityModes();
            if (release.parts().censored_below() > 0) continue;
            release = reshape(release, options);
          }
          const std::vector<std::int64_t> truth = clustered_sums(release.cluster_cells(), haar_sums(land.counts, 1), 1);
          std::vector<double> records(release.clusters().size(), 0);
          for (std::size_t i = 0; i < truth.size(); ++i) {
            records[release.cluster_cells().labels()[i] - 1] += static_cast<double>(truth[i]);
          }
          for (std::size_t i = 0; i < records.size(); ++i) {
            const ClusterConfidence& of = release.confidence()[i];
            ASSERT_TRUE(of.has_interval());
            held += of.least_records <= records[i] && records[i] <= of.most_records ? 1 : 0;
            all += 1;
          }
        }
      }
    }
    EXPECT_GT(all, 200);
    EXPECT_GT(held / all, 0.92) << (modes ? "modes" : "a threshold");
  }
}

TEST(Confidence, MoreBudgetMakesItSurer) {
  const Cells<std::int64_t> counts = hills({64, 64}, 7, 10).counts;
  double before = 0;
  for (const char* epsilon : {"0.02", "0.1", "0.5", "5"}) {
    double real = 0, all = 0;
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Release release = seeded("privqt", counts, epsilon, seed);
      for (std::size_t i = 0; i < release.clusters().size(); ++i) {
        const auto cells = static_cast<double>(release.clusters()[i].cells);
        real += release.confidence()[i].real * cells;
        all += cells;
      }
    }
    EXPECT_GT(real / all, before) << epsilon;
    before = real / all;
  }
  EXPECT_GT(before, 0.98);
}

TEST(Confidence, IsTheSameForTheSameReleaseAndSurvivesItsFile) {
  const Release release = seeded("privwave", hills({48, 40}, 3, 8).counts, "0.3", 9);
  ASSERT_FALSE(release.confidence().empty());
  const Release again = Release::parse(release.json(), "the text");
  EXPECT_EQ(again.confidence(), release.confidence());
  EXPECT_EQ(again.json(), release.json());
  const Release small = seeded("privwave", hills({48, 40}, 3, 8).counts, "0.3", 9).without_noisy_values();
  EXPECT_EQ(small.confidence(), release.confidence());
  EXPECT_EQ(Release::parse(small.json(), "the text").confidence(), release.confidence());
}

TEST(Confidence, DoesNotDependOnThreads) {
  const Release release = seeded("privwave", hills({300, 200}, 3, 40).counts, "0.3", 9);
  ClusterOptions options = release.parts().options;
  options.threads = 1;
  const Release one = reshape(release, options);
  options.threads = 5;
  ASSERT_GT(one.confidence().size(), 5U);
  EXPECT_EQ(reshape(release, options).confidence(), one.confidence());
}

TEST(Confidence, FollowsTheRuleAfterAReshape) {
  const Release release = seeded("privwave", hills({48, 40}, 4, 8).counts, "0.5", 2);
  for (const Threshold& rule : std::vector<Threshold>{Top(40), Density(20)}) {
    ClusterOptions options = release.parts().options;
    options.threshold = rule;
    const Release other = reshape(release, options);
    ASSERT_EQ(other.confidence().size(), other.clusters().size());
    for (const ClusterConfidence& of : other.confidence()) {
      EXPECT_GT(of.real, 0);
      EXPECT_LT(of.real, 1);
    }
  }
}

TEST(Confidence, HoldsForEveryWaveletTransformAndDimension) {
  for (const Shape& shape : {Shape{200}, Shape{24, 20}, Shape{12, 10, 14}}) {
    const Release release = seeded("privqt", hills(shape, 5, 6).counts, "0.3", 4);
    for (const char* wavelet : {"haar", "db2", "bior2.2"}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        ClusterOptions options = release.parts().options;
        options.wavelet = Wavelet::named(wavelet);
        options.transform = transform;
        const Release other = reshape(release, options);
        EXPECT_EQ(other.confidence().size(), other.clusters().size());
        for (const ClusterConfidence& of : other.confidence()) {
          for (const double chance : {of.real, of.connected, of.separate, of.plain})
            EXPECT_TRUE(chance > 0 && chance < 1);
        }
      }
    }
  }
}

TEST(Confidence, OfDegenerateReleasesIsStillInRange) {
  // No cluster; one cell; all cells equal.
  EXPECT_TRUE(Release(examples::parts(Cells<std::int64_t>::dense({8, 8}, std::vector<std::int64_t>(64, -5))))
                  .confidence()
                  .empty());
  const Release one(examples::parts(Cells<std::int64_t>::dense({1}, {50}), 0));
  ASSERT_EQ(one.confidence().size(), 1U);
  EXPECT_GT(one.confidence()[0].real, 0);
  const Release equal(examples::parts(Cells<std::int64_t>::dense({8, 8}, std::vector<std::int64_t>(64, 90))));
  ASSERT_EQ(equal.confidence().size(), 1U);
  EXPECT_EQ(equal.confidence()[0].joined_with, 0U);
}

TEST(Confidence, IsLeftOutWhereTheNoiseIsNotKnown) {
  const Release release(examples::parts_by_no_law(examples::blobs({20, 20}, 1)));
  EXPECT_TRUE(release.confidence().empty());
  EXPECT_EQ(release.json().find("confidence"), std::string::npos);
  EXPECT_TRUE(Release::parse(release.json(), "the text").confidence().empty());
}

TEST(Confidence, InAFileIsCheckedForItsForm) {
  const Release release = seeded("privqt", hills({32, 32}, 2, 6).counts, "1", 3);
  const auto refused = [&](const auto& change) {
    nlohmann::json document = nlohmann::json::parse(release.json());
    change(document["clusters"]);
    document["checksum"] = checksum_of_text(document.dump());
    try {
      Release::parse(document.dump(), "the text");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("was read");
  };
  ASSERT_GE(release.clusters().size(), 2U);
  EXPECT_NE(refused([](auto& list) { list[0]["confidence"]["real"] = 1.5; }).find("/clusters/0/confidence/real"),
            std::string::npos);
  EXPECT_NE(refused([](auto& list) { list[1].erase("confidence"); }).find("in all clusters or in none"),
            std::string::npos);
  EXPECT_NE(refused([](auto& list) { list[0]["confidence"]["surely"] = 1; }).find("surely"), std::string::npos);
  EXPECT_NE(refused([](auto& list) { list[0]["confidence"]["joined_with"] = list.size() + 1; }).find("joined_with"),
            std::string::npos);
}

TEST(Confidence, InAFileWithNoisyValuesIsComputedAgain) {
  const Release release = seeded("privqt", hills({32, 32}, 2, 6).counts, "1", 3);
  nlohmann::json document = nlohmann::json::parse(release.json());
  document["clusters"][0]["confidence"]["real"] = 0.123;
  document["checksum"] = checksum_of_text(document.dump());
  EXPECT_EQ(Release::parse(document.dump(), "the text").confidence(), release.confidence());
}

}  // namespace
}  // namespace shoal
