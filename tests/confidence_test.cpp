// Confidence in released clusters: what it means, that it is computed from the noisy values alone, and that it is right
// about as often as it says.
#include "shoal/confidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "release/confidence.hpp"
#include "release/prior.hpp"
#include "release/release_json.hpp"
#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/techniques.hpp"

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

TEST(NoiseCurve, IsTheDistributionOfASumOfDiscreteLaplace) {
  for (const double rate : {0.2, 0.7}) {
    const ValueNoise one = laplace_noise(rate);
    constexpr int reach = 400;
    std::vector<double> chance(2 * reach + 1);
    const double q = std::exp(-rate);
    for (int x = -reach; x <= reach; ++x) {
      chance[static_cast<std::size_t>(x + reach)] = (1 - q) / (1 + q) * std::pow(q, std::abs(x));
    }
    const std::vector<double> single = chance;
    for (unsigned terms = 1; terms <= 4; terms *= 2) {
      const NoiseCurve curve(terms == 1 ? one : noise_of_variance(one.variance * terms), terms);
      double below = 0;
      for (int x = -reach; x < reach; ++x) {
        below += chance[static_cast<std::size_t>(x + reach)];
        EXPECT_NEAR(curve.below(x + 0.5), below, terms == 1 ? 1e-12 : 0.012) << rate << " " << terms << " " << x;
      }
      std::vector<double> twice(chance.size(), 0.0);
      for (int x = -reach; x <= reach; ++x) {
        for (int y = std::max(-reach, x - reach); y <= std::min(reach, x + reach); ++y) {
          twice[static_cast<std::size_t>(x + reach)] +=
              chance[static_cast<std::size_t>(y + reach)] * chance[static_cast<std::size_t>(x - y + reach)];
        }
      }
      chance = twice;
    }
  }
}

NoisyRecords noisy(const Shape& shape, std::vector<double> values, double rate) {
  NoisyRecords w;
  w.shape = shape;
  w.values = std::move(values);
  w.whole = true;
  w.noise = laplace_noise(rate);
  w.scale = {1, 1, 1};
  return w;
}

TEST(ConfidenceInWords, SaysWhatMatters) {
  EXPECT_EQ(in_words({0.99, 0.99, 0.99, 0}), "almost surely real");
  EXPECT_EQ(in_words({0.99, 0.99, 0.97, 3}), "almost surely real");
  EXPECT_EQ(in_words({0.85, 0.7, 0.7, 3}), "probably real; may be several clusters; may be one with cluster 3");
  EXPECT_EQ(in_words({0.6, 0.3, 0.2, 12}), "perhaps real; probably several clusters; probably one with cluster 12");
  EXPECT_EQ(in_words({0.3, 0.99, 0.99, 0}), "doubtful");
  EXPECT_EQ(in_words({0.1, 0.2, 0.2, 5}), "probably noise");
}

TEST(Prior, TellsHowManyCellsAreAtLeastSoDense) {
  // 1000 of 5000 cells hold 100 records, the others none; noise of deviation 14.
  std::mt19937_64 random(3);
  std::exponential_distribution<double> tail(0.1);
  std::vector<double> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::round((i % 5 == 0 ? 100 : 0) + tail(random) - tail(random));
  }
  const NoisyRecords w = noisy({5000}, values, 0.1);
  const Prior prior(w, 60);
  EXPECT_NEAR(prior.at_least(50), 1000, 30);
  EXPECT_NEAR(prior.at_least(-1), 5000, 1e-6);
  EXPECT_NEAR(prior.at_least(prior.reached_by(700)), 700, 1);
}

TEST(Prior, ChancesGrowWithTheValueAndFallWithTheThreshold) {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> tail(0.1);
  std::vector<double> values(900);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::round(static_cast<double>(i % 30) * 4 + tail(random) - tail(random));
  }
  const NoisyRecords w = noisy({30, 30}, values, 0.1);
  const Prior prior(w, 60);
  std::vector<std::uint64_t> cells(900);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i;
  const std::vector<double> thresholds{20, 50, 80};
  const std::vector<float> chances = prior.chances(cells, thresholds);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_GE(chances[3 * i], chances[3 * i + 1]);
    EXPECT_GE(chances[3 * i + 1], chances[3 * i + 2]);
    EXPECT_GE(chances[3 * i + 2], 0.0F);
    EXPECT_LE(chances[3 * i], 1.0F);
    if (values[i] > 200) {
      EXPECT_GT(chances[3 * i], 0.99F);
    }
    if (values[i] < -60) {
      EXPECT_LT(chances[3 * i + 2], 0.1F);
    }
  }
}

// ---- whole releases -----------------------------------------------------------------------------------------------

Grid unit_grid(const Shape& shape) {
  std::vector<Axis> axes;
  for (const std::uint64_t extent : shape) axes.emplace_back(0, 1, extent);
  return Grid(std::move(axes));
}

// Hills of different heights, some close to each other, on a plain of few records.
Cells<std::int64_t> hills(const Shape& shape, unsigned seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<std::array<double, 4>> hill;
  for (int i = 0; i < count; ++i) {
    const auto below = [&random](double most) { return most * static_cast<double>(random() >> 11) * 0x1p-53; };
    hill.push_back({below(static_cast<double>(shape[0])), below(static_cast<double>(shape.back())), 1.5 + below(3),
                    10 + below(60)});
  }
  std::vector<std::int64_t> values(cell_count(shape));
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const auto at = coordinates(i, shape);
    double height = 0.3;
    for (const auto& [x, y, width, top] : hill) {
      const double dx = static_cast<double>(at.front()) - x, dy = static_cast<double>(at.back()) - y;
      height += top * std::exp(-(dx * dx + dy * dy) / (2 * width * width));
    }
    values[i] = static_cast<std::int64_t>(std::poisson_distribution<int>(height)(random));
  }
  return Cells<std::int64_t>::dense(shape, std::move(values));
}

Release seeded(const std::string& technique, const Cells<std::int64_t>& counts, const char* epsilon, unsigned seed,
               const ThresholdOptions& threshold = {ThresholdRule::percentile, 60, 0, 0}) {
  PrivateOptions options;
  options.cluster.threshold = threshold;
  const auto noise = seeded_noise_not_private(seed);
  return run_technique(technique, {Counts(unit_grid(counts.shape()), counts, 0, 0)}, Epsilon::parse(epsilon), options,
                       *noise);
}

Clusters true_clusters(const Cells<std::int64_t>& counts, const ClusterOptions& options) {
  return segment(transform(counts, options), options).clusters;
}

struct Case {
  double said;
  bool was;
};

struct Study {
  std::vector<Case> real, connected, separate;
};

void add(Study& study, const Release& release, const Cells<std::int64_t>& counts) {
  Comparison comparison(release.cluster_cells());
  const auto& verdicts = comparison.with(true_clusters(counts, release.parts().options));
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

TEST(Confidence, IsRightAboutAsOftenAsItSays) {
  Study study;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Cells<std::int64_t> counts = hills({64, 64}, seed, 24);
    for (const char* epsilon : {"0.05", "0.2", "1"}) {
      for (const char* technique : {"privwave", "privthr", "privqt"}) {
        const double percentile = seed % 2 == 0 ? 60 : 85;
        add(study, seeded(technique, counts, epsilon, 100 + seed, {ThresholdRule::percentile, percentile, 0, 0}),
            counts);
      }
    }
  }
  EXPECT_GT(share(study.real, 0.9, 1), 0.9);
  EXPECT_LT(share(study.real, 0, 0.2), 0.25);
  EXPECT_LT(error_over_constant(study.real), 0.5);
  EXPECT_GT(share(study.connected, 0.9, 1), 0.9);
  EXPECT_LT(share(study.connected, 0, 0.8), 0.9);
  EXPECT_LT(error_over_constant(study.connected), 0.95);
  EXPECT_GT(share(study.separate, 0.9, 1), 0.9);
  EXPECT_LT(share(study.separate, 0, 0.4), 0.4);
  EXPECT_LT(error_over_constant(study.separate), 0.6);
}

TEST(Confidence, MoreBudgetMakesItSurer) {
  const Cells<std::int64_t> counts = hills({64, 64}, 7, 10);
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
  EXPECT_GT(before, 0.99);
}

TEST(Confidence, IsTheSameForTheSameReleaseAndSurvivesItsFile) {
  const Release release = seeded("privwave", hills({48, 40}, 3, 8), "0.3", 9);
  ASSERT_FALSE(release.confidence().empty());
  const Release again = Release::parse(release.json(), "the text");
  EXPECT_EQ(again.confidence(), release.confidence());
  EXPECT_EQ(again.json(), release.json());
  const Release small = seeded("privwave", hills({48, 40}, 3, 8), "0.3", 9).without_noisy_values();
  EXPECT_EQ(small.confidence(), release.confidence());
  EXPECT_EQ(Release::parse(small.json(), "the text").confidence(), release.confidence());
}

TEST(Confidence, FollowsTheRuleAfterAReshape) {
  const Release release = seeded("privwave", hills({48, 40}, 4, 8), "0.5", 2);
  for (const ThresholdOptions& rule :
       {ThresholdOptions{ThresholdRule::top, 0, 40, 0}, ThresholdOptions{ThresholdRule::density, 0, 0, 20.0}}) {
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
    const Release release = seeded("privqt", hills(shape, 5, 6), "0.3", 4);
    for (const char* wavelet : {"haar", "db2", "bior2.2"}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        ClusterOptions options = release.parts().options;
        options.wavelet = wavelet;
        options.transform = transform;
        const Release other = reshape(release, options);
        EXPECT_EQ(other.confidence().size(), other.clusters().size());
        for (const ClusterConfidence& of : other.confidence()) {
          for (const double chance : {of.real, of.connected, of.separate}) EXPECT_TRUE(chance > 0 && chance < 1);
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
  EXPECT_GT(one.confidence()[0].real, 0.5);
  const Release equal(examples::parts(Cells<std::int64_t>::dense({8, 8}, std::vector<std::int64_t>(64, 90))));
  ASSERT_EQ(equal.confidence().size(), 1U);
  EXPECT_EQ(equal.confidence()[0].joined_with, 0U);
}

TEST(Confidence, IsLeftOutWhereTheNoiseIsNotKnown) {
  ReleaseParts parts = examples::parts(examples::blobs({20, 20}, 1));
  parts.spent[0].mechanism = "level-1";
  const Release release(parts);
  EXPECT_TRUE(release.confidence().empty());
  EXPECT_EQ(release.json().find("confidence"), std::string::npos);
  EXPECT_TRUE(Release::parse(release.json(), "the text").confidence().empty());
}

TEST(Confidence, InAFileIsCheckedForItsForm) {
  const Release release = seeded("privqt", hills({32, 32}, 2, 6), "1", 3);
  const auto refused = [&](const auto& change) {
    nlohmann::json document = nlohmann::json::parse(release.json());
    change(document["clusters"]);
    document["checksum"] = checksum(document);
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
  const Release release = seeded("privqt", hills({32, 32}, 2, 6), "1", 3);
  nlohmann::json document = nlohmann::json::parse(release.json());
  document["clusters"][0]["confidence"]["real"] = 0.123;
  document["checksum"] = checksum(document);
  EXPECT_EQ(Release::parse(document.dump(), "the text").confidence(), release.confidence());
}

}  // namespace
}  // namespace shoal
