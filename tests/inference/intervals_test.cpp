// 95 % intervals of clustered cells and of the branches of a tree: they hold the records of the data about as often as
// they say, and are missing where the noise is not known.
#include "inference/intervals.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "clusters/clustered_sums.hpp"
#include "release_examples.hpp"
#include "shoal/notices.hpp"
#include "shoal/tree.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

// Six hills on a background of few records; Poisson.
Cells<std::int64_t> hills(unsigned seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](double most) { return most * static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<double> expected(40 * 40, 0.5);
  for (int hill = 0; hill < 6; ++hill) {
    const double x = below(40), y = below(40), top = 10 + below(40);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t row = i / 40, column = i % 40;
      const double dx = static_cast<double>(row) - x, dy = static_cast<double>(column) - y;
      expected[i] += top * std::exp(-(dx * dx + dy * dy) / 18);
    }
  }
  std::vector<std::int64_t> counts;
  counts.reserve(expected.size());
  for (const double mean : expected) counts.push_back(std::poisson_distribution<std::int64_t>(mean)(random));
  return Cells<std::int64_t>::dense({40, 40}, counts);
}

Release released(const std::string& technique, const Cells<std::int64_t>& counts, const char* epsilon, unsigned seed,
                 const Threshold& threshold = Percentile(60)) {
  const PrivateOptions options{.cluster = {.threshold = threshold}};
  const auto noise = seeded_noise_not_private(seed);
  Grid grid({Axis(0, 1, 40), Axis(0, 1, 40)});
  return run_technique(technique, {Counts(std::move(grid), counts, 0, 0)}, Epsilon::parse(epsilon), options, *noise);
}

std::vector<std::int64_t> last_two(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return {std::stoll(fields[fields.size() - 3]), std::stoll(fields[fields.size() - 2])};  // before `private`
}

// On average over the cells that are shown, at least 95 %: also where noise alone carries cells over the threshold.
TEST(CellIntervals, HoldTheRecordsOfTheCellsThatAreShown) {
  for (const char* epsilon : {"0.05", "0.3", "2"}) {
    for (const char* technique : {"privwave", "privqt", "privthr-em"}) {
      double held = 0, all = 0;
      for (unsigned seed = 1; seed <= 12; ++seed) {
        const Cells<std::int64_t> counts = hills(seed);
        const Release release = released(technique, counts, epsilon, seed);
        const std::vector<std::int64_t> truth = clustered_sums(release.cluster_cells(), counts, 1);
        std::istringstream rows(release.csv());
        std::string line;
        std::getline(rows, line);
        ASSERT_EQ(line, "cluster,axis1_lo,axis1_hi,axis2_lo,axis2_hi,noisy_count,lower_95,upper_95,private");
        for (const std::int64_t records : truth) {
          std::getline(rows, line);
          const std::vector<std::int64_t> ends = last_two(line);
          held += ends[0] <= records && records <= ends[1] ? 1 : 0;
          all += 1;
        }
      }
      EXPECT_GT(held / all, 0.95) << technique << " " << epsilon;
    }
  }
}

TEST(CellIntervals, ReachToZeroWhereSmallValuesWereRaised) {
  const Release release = released("privwave", hills(1), "1", 1);
  ASSERT_GT(release.parts().censored_below(), 0);
  const std::optional<CellIntervals> of = CellIntervals::of(release.parts(), release.cluster_cells());
  ASSERT_TRUE(of);
  EXPECT_EQ(of->around(0).least, 0);
  EXPECT_EQ(of->around(release.parts().censored_below()).least, 0);
  EXPECT_GT(of->around(1000).least, 900);
  EXPECT_GT(of->around(INT64_MAX).least, 0);
}

TEST(CellIntervals, AreMissingWhereTheNoiseIsNotKnown) {
  const Release release(examples::parts_by_no_law(examples::blobs({20, 20}, 1)));
  EXPECT_FALSE(CellIntervals::of(release.parts(), release.cluster_cells()));
  EXPECT_EQ(release.csv().find("lower_95"), std::string::npos);
}

// Of clusters of six hills, over techniques, budgets and seeds: the stated number, the noisy sum and the truth.
TEST(ClusterSizes, AreNearlyUnbiasedAndLieInsideTheirIntervals) {
  struct Case {
    const char *technique, *epsilon;
    Threshold threshold;
  };
  const Threshold percentile = Percentile(60), modes = DensityModes{};
  for (const Case& of : std::vector<Case>{{"privwave", "0.1", percentile},
                                          {"privwave", "0.5", percentile},
                                          {"privqt", "0.5", percentile},
                                          {"privqt", "2", percentile},
                                          {"privthr-em", "0.5", percentile},
                                          {"privwave", "0.1", modes},
                                          {"privwave", "0.5", modes}}) {
    double off = 0, noisy_off = 0, half = 0, held = 0, all = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
      const Cells<std::int64_t> counts = hills(seed);
      const Release release = released(of.technique, counts, of.epsilon, seed, of.threshold);
      const std::vector<std::int64_t> truth = clustered_sums(release.cluster_cells(), counts, 1);
      std::vector<double> records(release.clusters().size(), 0);
      for (std::size_t i = 0; i < truth.size(); ++i) {
        records[release.cluster_cells().labels()[i] - 1] += static_cast<double>(truth[i]);
      }
      const std::vector<std::int64_t> stated = stated_sizes(release);
      for (std::size_t i = 0; i < records.size(); ++i) {
        const ClusterConfidence& confidence = release.confidence()[i];
        ASSERT_TRUE(confidence.has_interval());
        EXPECT_EQ(static_cast<double>(stated[i]), confidence.estimated_records);
        EXPECT_LT(confidence.estimated_records, confidence.most_records);
        if (confidence.least_records > 0) {
          EXPECT_GT(confidence.estimated_records, confidence.least_records);
        }
        if (is_doubtful(confidence)) continue;
        off += confidence.estimated_records - records[i];
        noisy_off += static_cast<double>(release.clusters()[i].noisy_size) - records[i];
        half += (confidence.most_records - confidence.least_records) / 2;
        held += confidence.least_records <= records[i] && records[i] <= confidence.most_records ? 1 : 0;
        all += 1;
      }
    }
    SCOPED_TRACE(fmt::format("{} {}", of.technique, of.epsilon));
    EXPECT_GT(all, 100);
    EXPECT_LT(std::fabs(off), 0.4 * half);       // within the noise of one cluster, on average
    EXPECT_LT(std::fabs(off), 0.6 * noisy_off);  // the sum of the chosen values is too large
    EXPECT_GT(held / all, 0.9) << held << " of " << all;
  }
}

// A value of a high level has the noise of many counts, and few values lie near the threshold.
TEST(ClusterSizes, OfHighLevelsLieInsideTheirIntervals) {
  double held = 0, all = 0;
  for (const char* technique : {"privqt", "privthr"}) {
    for (const char* epsilon : {"0.1", "1"}) {
      for (unsigned seed = 1; seed <= 30; ++seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> away(0, 0.1);
        std::vector<std::vector<double>> columns(3);
        for (int i = 0; i < 5'000; ++i) {
          const double center = i % 3 == 0 ? 0.25 : 0.7;
          for (auto& column : columns) column.push_back(center + away(random));
        }
        const Grid grid({Axis(0, 1, 16), Axis(0, 1, 16), Axis(0, 1, 16)});
        Counts counts =
            quantize(*array_points({{columns[0].data()}, {columns[1].data()}, {columns[2].data()}}, columns[0].size()),
                     grid, {});
        const Cells<std::int64_t> raw = counts.raw();
        const PrivateOptions options{.cluster = {.threshold = Percentile(50), .level = 2 + seed % 2}};
        const auto noise = seeded_noise_not_private(seed);
        const Release release = run_technique(technique, {std::move(counts)}, Epsilon::parse(epsilon), options, *noise);
        const std::vector<std::int64_t> truth = clustered_sums(release.cluster_cells(), raw, 1);
        std::vector<double> records(release.clusters().size(), 0);
        for (std::size_t i = 0; i < truth.size(); ++i) {
          records[release.cluster_cells().labels()[i] - 1] += static_cast<double>(truth[i]);
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
          const ClusterConfidence& confidence = release.confidence()[i];
          if (is_doubtful(confidence)) continue;
          held += confidence.least_records <= records[i] && records[i] <= confidence.most_records ? 1 : 0;
          all += 1;
        }
      }
    }
  }
  EXPECT_GT(all, 50);
  EXPECT_GT(held / all, 0.9);
}

// Stationary windows overlap, so that a record counts in several values of W.
TEST(ClusterSizes, OfStationaryTransformsCountARecordOnce) {
  double held = 0, all = 0;
  for (const char* technique : {"privwave", "privqt"}) {
    for (unsigned seed = 1; seed <= 30; ++seed) {
      const Cells<std::int64_t> counts = hills(seed);
      PrivateOptions options{.cluster = {.threshold = Percentile(60), .level = 1 + seed % 3}};
      options.cluster.transform = Transform::stationary;
      const auto noise = seeded_noise_not_private(seed);
      Grid grid({Axis(0, 1, 40), Axis(0, 1, 40)});
      const Release release =
          run_technique(technique, {Counts(std::move(grid), counts, 0, 0)}, Epsilon::parse("1"), options, *noise);
      const Cells<std::int64_t>& raw = counts;
      std::vector<double> records(release.clusters().size(), 0);
      for (std::size_t i = 0; i < release.cluster_cells().cells().size(); ++i) {
        records[release.cluster_cells().labels()[i] - 1] +=
            static_cast<double>(raw.at(release.cluster_cells().cells()[i]));
      }
      for (std::size_t i = 0; i < records.size(); ++i) {
        const ClusterConfidence& confidence = release.confidence()[i];
        if (is_doubtful(confidence)) continue;
        held += confidence.least_records <= records[i] && records[i] <= confidence.most_records ? 1 : 0;
        all += 1;
      }
    }
  }
  EXPECT_GT(all, 100);
  EXPECT_GT(held / all, 0.9);
}

Counts one_blob(unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> away(0, 0.04);
  std::vector<double> x, y;
  for (int i = 0; i < 20'000; ++i) {
    x.push_back(0.3 + away(random));
    y.push_back(0.6 + away(random));
  }
  return quantize(*array_points({{x.data()}, {y.data()}}, x.size()), Grid({Axis(0, 1, 128), Axis(0, 1, 128)}), {});
}

// Filters that are longer than the axis read its other end: "about 0 records, almost surely real".
TEST(ClusterSizes, ThatMayBeZeroAreNeverSure) {
  int echoes = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const PrivateOptions options{.cluster = {.threshold = Coverage(80), .wavelet = Wavelet::named("db20"), .level = 4}};
    const auto noise = seeded_noise_not_private(seed);
    const Release release = run_technique("privwave", {one_blob(seed)}, Epsilon::parse("5"), options, *noise);
    for (const ClusterConfidence& one : release.confidence()) {
      if (one.least_records > 0) continue;
      ++echoes;
      EXPECT_TRUE(is_doubtful(one)) << in_words(one);
    }
  }
  EXPECT_GT(echoes, 0);
}

// A window at the end of an axis reads its beginning, too.
TEST(ClusterSizes, AtTheOtherEndOfAnAxisAreNeverSure) {
  int echoes = 0;
  for (const unsigned level : {1U, 2U}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      std::mt19937_64 random(seed);
      std::exponential_distribution<double> falling(7);
      std::vector<double> x, y;
      for (int i = 0; i < 20'000; ++i) {
        x.push_back(falling(random));
        y.push_back(falling(random));
      }
      Counts counts =
          quantize(*array_points({{x.data()}, {y.data()}}, x.size()), Grid({Axis(0, 1, 16), Axis(0, 1, 16)}), {});
      PrivateOptions options{.cluster = {.threshold = Percentile(58), .level = level}};
      options.cluster.transform = Transform::stationary;
      const auto noise = seeded_noise_not_private(seed);
      const Release release = run_technique("privqt", {std::move(counts)}, Epsilon::parse("5"), options, *noise);
      std::size_t sure = 0;
      for (const ClusterConfidence& one : release.confidence()) sure += is_doubtful(one) ? 0 : 1;
      EXPECT_EQ(sure, 1U) << "level " << level << ", seed " << seed;
      echoes += release.confidence().size() > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(echoes, 0);
}

// The last cells of an axis whose number of cells is odd count twice in W, not among the records.
TEST(ClusterSizes, OnOddGridsCountARecordOnce) {
  for (const char* technique : {"privwave", "privqt", "privthr-em"}) {
    for (const std::uint64_t cells : {3U, 5U, 9U, 33U}) {
      std::mt19937_64 random(cells);
      std::uniform_real_distribution<double> anywhere(0, 1);
      std::vector<double> x, y;
      for (int i = 0; i < 3'000; ++i) {
        x.push_back(anywhere(random));
        y.push_back(anywhere(random));
      }
      Counts counts =
          quantize(*array_points({{x.data()}, {y.data()}}, x.size()), Grid({Axis(0, 1, cells), Axis(0, 1, cells)}), {});
      const PrivateOptions options{.cluster = {.threshold = Percentile(0)}};
      const auto noise = seeded_noise_not_private(cells);
      const Release release = run_technique(technique, {std::move(counts)}, Epsilon::parse("5"), options, *noise);
      ASSERT_EQ(release.confidence().size(), 1U);
      const ClusterConfidence& one = release.confidence().front();
      EXPECT_NEAR(one.estimated_records, 3'000, 30) << technique << " " << cells;
      EXPECT_LT(one.most_records, 3'050) << technique << " " << cells;
    }
  }
}

// At level 2, seven cells are 4 and 3, the last of which counts twice in its sum.
TEST(ClusterSizes, AreNoSurerThanSumsWithSeveralWeights) {
  for (const std::uint64_t cells : {7U, 15U, 13U}) {
    for (const unsigned level : {2U, 3U}) {
      for (const double place : {0.1, 0.75, 0.99}) {
        const std::vector<double> x(3'000, place);
        Counts counts = quantize(*array_points({{x.data()}}, x.size()), Grid({Axis(0, 1, cells)}), {});
        const PrivateOptions options{.cluster = {.threshold = Percentile(0), .level = level}};
        const auto noise = seeded_noise_not_private(cells);
        const Release release = run_technique("privwave", {std::move(counts)}, Epsilon::parse("10"), options, *noise);
        double least = 0, most = 0;
        for (const ClusterConfidence& one : release.confidence()) {
          least += one.least_records;
          most += one.most_records;
        }
        EXPECT_LE(least, 3'000) << cells << " cells, level " << level << ", at " << place;
        EXPECT_GE(most, 3'000) << cells << " cells, level " << level << ", at " << place;
      }
    }
  }
}

// Windows of 2^40 cells per axis overflow what a file can state. What is paid for can be read again in any case.
TEST(ClusterSizes, OfWindowsThatAreLargerThanTheGridCanBeReadAgain) {
  for (const Transform transform : {Transform::stationary, Transform::decimated}) {
    for (const unsigned level : {7U, 28U, 31U, 40U, 60U}) {
      PrivateOptions options{.cluster = {.threshold = Percentile(60), .level = level}};
      options.cluster.transform = transform;
      const auto noise = seeded_noise_not_private(level);
      Grid grid({Axis(0, 1, 40), Axis(0, 1, 40)});
      const Release release =
          run_technique("privqt", {Counts(std::move(grid), hills(1), 0, 0)}, Epsilon::parse("1"), options, *noise);
      ASSERT_FALSE(release.clusters().empty());
      for (const ClusterConfidence& one : release.confidence()) {
        EXPECT_LE(0, one.least_records);
        EXPECT_LE(one.least_records, one.estimated_records);
        EXPECT_LE(one.estimated_records, one.most_records);
        EXPECT_LE(one.most_records, 0x1p62);
      }
      EXPECT_EQ(Release::parse(release.json(), "r").json(), release.json()) << level;
    }
  }
}

TEST(TreeIntervals, HoldTheRecordsOfStableBranches) {
  double held = 0, all = 0;
  for (const char* epsilon : {"0.1", "0.5", "2"}) {
    for (const char* technique : {"privwave", "privqt"}) {
      for (unsigned seed = 1; seed <= 20; ++seed) {
        const Cells<std::int64_t> counts = hills(seed);
        const Release release = released(technique, counts, epsilon, seed);
        const ClusterTree tree(release);
        const ClusterTree::Leaves leaves = tree.leaves();
        const std::vector<std::int64_t> truth = clustered_sums(leaves.clusters, counts, 1);
        std::vector<double> records(leaves.branch.size(), 0);
        for (std::size_t i = 0; i < truth.size(); ++i) {
          records[leaves.clusters.labels()[i] - 1] += static_cast<double>(truth[i]);
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
          const TreeBranch& of = tree.branches()[leaves.branch[i] - 1];
          ASSERT_TRUE(of.has_interval());
          held += of.least_records <= records[i] && records[i] <= of.most_records ? 1 : 0;
          all += 1;
        }
      }
    }
  }
  EXPECT_GT(all, 200);
  EXPECT_GT(held / all, 0.94);
}

TEST(TreeIntervals, AreInItsFilesAndMissingWhereTheNoiseIsNotKnown) {
  const Release release = released("privqt", hills(1), "1", 1);
  const auto branches = nlohmann::json::parse(tree_json(release, ClusterTree(release)))["branches"];
  ASSERT_FALSE(branches.empty());
  for (const auto& branch : branches) {
    EXPECT_LE(branch["size_95"][0], branch["size_95"][1]);
    EXPECT_LE(branch["size_95"][0], std::max<std::int64_t>(branch["noisy_size"].get<std::int64_t>(), 0));
  }
  EXPECT_NE(tree_html(release, ClusterTree(release)).find("95 % interval"), std::string::npos);
  const Release unknown(examples::parts_by_no_law(examples::blobs({20, 20}, 1)));
  const auto of_unknown = nlohmann::json::parse(tree_json(unknown, ClusterTree(unknown)));
  for (const auto& branch : of_unknown["branches"]) {
    EXPECT_TRUE(branch["size_95"].is_null());
  }
}

}  // namespace
}  // namespace shoal
