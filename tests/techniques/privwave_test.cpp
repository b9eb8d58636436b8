#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "formats/release_json.hpp"
#include "inference/noisy_segmentation.hpp"
#include "inference/privwave_empty.hpp"
#include "inference/privwave_noise.hpp"
#include "inference/privwave_profile.hpp"
#include "inference/privwave_select.hpp"
#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/techniques.hpp"
#include "wavelet/haar_blocks.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using testing::ZeroNoiseNotPrivate;
using Random = std::mt19937_64;

Counts counts_of(const Shape& shape, const std::vector<std::int64_t>& values) {
  return {examples::grid_of(shape), Cells<std::int64_t>::dense(shape, values), 0, 0};
}

Counts random_counts(Random& random, const Shape& shape, std::uint64_t most = 40) {
  std::vector<std::int64_t> values(cell_count(shape));
  for (std::int64_t& value : values) value = random() % 3 != 0 ? 0 : static_cast<std::int64_t>(random() % most);
  return counts_of(shape, values);
}

PrivateOptions options_of(double percentile, unsigned level = 1, const std::string& wavelet = "haar",
                          Transform transform = Transform::decimated) {
  PrivateOptions options{.cluster = {.threshold = Percentile(0)}};
  options.cluster.wavelet = Wavelet::named(wavelet);
  options.cluster.level = level;
  options.cluster.transform = transform;
  options.cluster.threshold = Percentile(percentile);
  options.cluster.threads = 1;
  return options;
}

// ---- Haar's blocks
// ---------------------------------------------------------------------------------------------------

TEST(HaarBlocks, WeightedPiecesAreHaarSums) {
  Random random(1);
  for (const Shape& shape : {Shape{7}, Shape{1}, Shape{13, 6}, Shape{5, 9, 3}, Shape{1, 8}, Shape{16, 16}}) {
    for (const unsigned level : {1U, 2U, 3U, 5U}) {
      const Counts counts = random_counts(random, shape);
      const HaarPieces pieces = haar_pieces(shape, level);
      EXPECT_EQ(pieces.blocks, transformed_shape(shape, level, Transform::decimated));
      const auto sums = folded(counts.raw(), pieces.pieces, pieces.of_cell);
      EXPECT_EQ(folded(sums, pieces.blocks, pieces.block_of, pieces.weight), haar_sums(counts.raw(), level));
      const auto once = folded(sums, pieces.blocks, pieces.block_of);
      EXPECT_EQ(std::accumulate(once.values().begin(), once.values().end(), std::int64_t{0}),
                std::accumulate(counts.raw().values().begin(), counts.raw().values().end(), std::int64_t{0}));
    }
  }
}

TEST(HaarBlocks, CountedOnceTheyGiveRecords) {
  Random random(21);
  for (const unsigned level : {1U, 2U}) {
    for (const Shape& shape : {Shape{5, 6}, Shape{9}, Shape{1, 8}, Shape{6, 10, 1}}) {  // blocks of one weight each
      const Counts counts = random_counts(random, shape);
      const HaarPieces pieces = haar_pieces(shape, level);
      const auto once = folded(folded(counts.raw(), pieces.pieces, pieces.of_cell), pieces.blocks, pieces.block_of);
      EXPECT_EQ(counted_once(haar_sums(counts.raw(), level), pieces), once);
    }
  }
}

TEST(PrivwaveRelease, SizesOfClustersAreRecordsAlsoOnOddGrids) {
  ZeroNoiseNotPrivate zero;
  const Counts counts = counts_of({5, 5}, std::vector<std::int64_t>(25, 4));
  const Release release = privwave({counts}, Epsilon::parse("100000"), options_of(0), zero);
  ASSERT_EQ(release.clusters().size(), 1U);
  EXPECT_EQ(release.clusters()[0].noisy_size, 100);
}

TEST(HaarBlocks, ARecordWeighsMoreOnlyWhereAxesAreShorterThanABlock) {
  EXPECT_EQ(record_weight(haar_pieces({64, 63}, 2)), 1);
  EXPECT_EQ(record_weight(haar_pieces({1, 64}, 1)), 2);
  EXPECT_EQ(record_weight(haar_pieces({1, 1}, 3)), 64);
  EXPECT_EQ(record_weight(haar_pieces({1}, 62)), std::int64_t{1} << 62);
}

// ---- without noise
// ---------------------------------------------------------------------------------------------------

TEST(WithoutNoise, PrivwaveIsWaveCluster) {
  Random random(2);
  for (const Shape& shape : {Shape{32, 32}, Shape{17, 9}, Shape{50}, Shape{8, 6, 5}, Shape{4, 4, 4, 4}, Shape{1, 9}}) {
    for (const unsigned level : {1U, 2U}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        for (const double percentile : {0.0, 23.0, 58.0, 99.0}) {
          const Counts counts = random_counts(random, shape, 2 + random() % 60);
          PrivateOptions options = options_of(percentile, level, "haar", transform);
          options.cluster.adjacency = random() % 2 == 0 ? Adjacency::full : Adjacency::face;
          options.cluster.min_cells = 1 + random() % 3;
          ZeroNoiseNotPrivate zero;
          const Release release = privwave({counts}, Epsilon::parse("100000"), options, zero);
          const Segmentation truth = wavecluster(counts, options.cluster);
          EXPECT_EQ(release.k(), truth.k);
          EXPECT_EQ(release.cluster_cells(), truth.clusters);
          EXPECT_DOUBLE_EQ(release.threshold(), truth.threshold);
        }
      }
    }
  }
}

TEST(WithoutNoise, ByCoverageToo) {
  Random random(21);
  for (const Shape& shape : {Shape{32, 32}, Shape{17, 9}, Shape{50}, Shape{8, 6, 5}, Shape{1, 9}}) {
    for (const Transform transform : {Transform::decimated, Transform::stationary}) {
      for (const double coverage : {0.001, 23.0, 80.0, 99.9, 100.0}) {
        const Counts counts = random_counts(random, shape, 2 + random() % 60);
        PrivateOptions options = options_of(0, 1, "haar", transform);
        options.cluster.threshold = Coverage(coverage);
        ZeroNoiseNotPrivate zero;
        const Release release = privwave({counts}, Epsilon::parse("1000"), options, zero);
        const Segmentation truth = wavecluster(counts, options.cluster);
        EXPECT_EQ(release.k(), truth.k);
        EXPECT_EQ(release.cluster_cells(), truth.clusters);
        EXPECT_DOUBLE_EQ(release.threshold(), truth.threshold);
      }
    }
  }
}

// Bumps of many heights, as data have them.
Counts bumps(Random& random, const Shape& shape) {
  std::vector<std::int64_t> values(cell_count(shape));
  for (int bump = 0; bump < 6; ++bump) {
    const double height = 20 + static_cast<double>(random() % 200), width = 2 + static_cast<double>(random() % 4);
    std::vector<double> centre;
    for (const std::uint64_t extent : shape) centre.push_back(static_cast<double>(random() % extent));
    for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
      const auto at = coordinates(cell, shape);
      double distance = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        distance += std::pow((static_cast<double>(at[axis]) - centre[axis]) / width, 2);
      }
      values[cell] += std::llround(height * std::exp(-distance / 2));
    }
  }
  return counts_of(shape, values);
}

// A share of the budget that leaves the exact case out: k then comes from octaves, within which a line stands for the
// curve.
TEST(ProfileSteps, TheOctavesTellTheCoveringCountWithinAFewPercent) {
  Random random(22);
  for (int round = 0; round < 30; ++round) {
    const Counts counts = bumps(random, {48, 48});
    for (const double coverage : {30.0, 60.0, 80.0, 95.0}) {
      PrivateOptions options = options_of(0);
      options.cluster.threshold = Coverage(coverage);
      ZeroNoiseNotPrivate zero;
      const Release release = privwave({counts}, Epsilon::parse("2"), options, zero);
      const auto truth = static_cast<double>(wavecluster(counts, options.cluster).k);
      EXPECT_NEAR(static_cast<double>(release.k()), truth, 2 + 0.06 * truth) << coverage;
      EXPECT_EQ(release.k_source(), KSource::profile);
    }
  }
}

// At a small budget the covering count is known better than the count of a percentile with the same k.
TEST(ProfileSteps, UnderNoiseTheCoveringCountIsSteadierThanThePercentiles) {
  Random random(23);
  double coverage_error = 0, percentile_error = 0;
  for (int round = 0; round < 60; ++round) {
    const Counts counts = bumps(random, {48, 48});
    PrivateOptions by_coverage = options_of(0), by_percentile = options_of(0);
    by_coverage.cluster.threshold = Coverage(80);
    const Segmentation truth = wavecluster(counts, by_coverage.cluster);
    by_percentile.cluster.threshold =
        Percentile(100 - 100 * static_cast<double>(truth.k) / static_cast<double>(truth.positive));
    const auto error = [&](const PrivateOptions& options) {
      const auto noise = seeded_noise_not_private(random());
      const double k = static_cast<double>(privwave({counts}, Epsilon::parse("0.1"), options, *noise).k());
      return std::fabs(k / static_cast<double>(truth.k) - 1);
    };
    coverage_error += error(by_coverage);
    percentile_error += error(by_percentile);
  }
  EXPECT_LT(coverage_error, 0.8 * percentile_error);
}

TEST(WithoutNoise, ALargeEpsilonFindsWaveClustersCells) {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const Counts counts = random_counts(random, {24, 24});
    const auto noise = seeded_noise_not_private(random());
    const PrivateOptions options = options_of(40);
    const Release release = privwave({counts}, Epsilon::parse("200"), options, *noise);
    EXPECT_EQ(release.cluster_cells(), wavecluster(counts, options.cluster).clusters);
  }
}

TEST(WithoutNoise, NoRecordsGiveNoClusters) {
  ZeroNoiseNotPrivate zero;
  const Release release =
      privwave({counts_of({8, 8}, std::vector<std::int64_t>(64))}, Epsilon::parse("1"), options_of(50), zero);
  EXPECT_EQ(release.k(), 0U);
  EXPECT_EQ(release.threshold(), 0);
  EXPECT_TRUE(release.clusters().empty());
  PrivateOptions covering = options_of(0);
  covering.cluster.threshold = Coverage(80);
  for (const char* epsilon : {"1", "1000"}) {
    const Counts nothing = counts_of({8, 8}, std::vector<std::int64_t>(64));
    EXPECT_TRUE(privwave({nothing}, Epsilon::parse(epsilon), covering, zero).clusters().empty());
  }
}

TEST(WithoutNoise, OtherWaveletsComeNear) {
  std::vector<std::int64_t> values = {};
  for (int x = 0; x < 32; ++x) {
    for (int y = 0; y < 32; ++y) values.push_back((x / 8) % 2 == 0 && (y / 8) % 2 == 0 ? 50 + (7 * x + 3 * y) % 9 : 0);
  }
  for (const char* wavelet : {"bior2.2", "db2", "sym4"}) {
    ZeroNoiseNotPrivate zero;
    const Counts counts = counts_of({32, 32}, values);
    const PrivateOptions options = options_of(60, 1, wavelet);
    const Release release = privwave({counts}, Epsilon::parse("100000"), options, zero);
    const Segmentation truth = wavecluster(counts, options.cluster);
    EXPECT_NEAR(static_cast<double>(release.k()), static_cast<double>(truth.k),
                0.15 * static_cast<double>(truth.k) + 1);
    EXPECT_EQ(release.clusters().size(), truth.clusters.count());
  }
}

// ---- what a record can do
// --------------------------------------------------------------------------------------------

// Not private: keeps the values that noise was asked for, and adds none.
class KeepingNoise final : public Noise {
 public:
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate, unsigned) override {
    last.assign(values.begin(), values.end());
  }
  std::uint64_t below(std::uint64_t) override { return 0; }
  std::size_t choose(std::span<const WeightedInterval>, Rate) override { return 0; }
  std::vector<std::int64_t> last;
};

struct Asked {
  ProfileSums profile;
  std::vector<std::int64_t> values;
  std::uint64_t profile_sensitivity, values_sensitivity;
};

Asked asked_of(const Counts& counts, const PrivateOptions& options) {
  KeepingNoise noise;
  const Release release = privwave({counts}, Epsilon::parse("1"), options, noise);
  const auto& spent = release.parts().spent();
  return {release.parts().profile()->sums.value(), noise.last, spent.at(0).sensitivity, spent.at(1).sensitivity};
}

std::uint64_t moved(const auto& a, const auto& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<std::uint64_t>(std::abs(a[i] - b[i]));
  return sum;
}

TEST(Sensitivity, NoNeighbourMovesTheQuestionsFurtherThanStated) {
  Random random(4);
  struct Case {
    const char* wavelet;
    unsigned level;
    Transform transform;
    Shape shape;
  };
  for (const Case& c : {Case{"haar", 1, Transform::decimated, {8, 7}},
                        {"haar", 2, Transform::decimated, {7, 9}},
                        {"haar", 3, Transform::decimated, {3, 2}},
                        {"haar", 1, Transform::stationary, {6, 5}},
                        {"haar", 2, Transform::stationary, {3, 6}},
                        {"bior2.2", 1, Transform::decimated, {8, 6}},
                        {"bior2.2", 1, Transform::stationary, {7, 6}},
                        {"db3", 2, Transform::decimated, {9, 8}},
                        {"rbio3.1", 1, Transform::decimated, {4, 5, 4}},
                        {"coif2", 1, Transform::decimated, {11}}}) {
    for (const std::int64_t floor : {0, 5, 1 << 20}) {
      const PrivateOptions options = options_of(30, c.level, c.wavelet, c.transform);
      std::vector<std::int64_t> values(cell_count(c.shape));
      for (auto& value : values) value = floor + static_cast<std::int64_t>(random() % 3);
      const Asked before = asked_of(counts_of(c.shape, values), options);
      for (std::size_t cell = 0; cell < values.size(); ++cell) {
        ++values[cell];
        const Asked after = asked_of(counts_of(c.shape, values), options);
        EXPECT_LE(moved(before.profile, after.profile), before.profile_sensitivity) << c.wavelet << " " << cell;
        EXPECT_EQ(moved(before.values, after.values), 1U);
        EXPECT_EQ(before.values_sensitivity, 1U);
        --values[cell];
      }
    }
  }
}

TEST(Sensitivity, OfDecimatedHaarIsOneAlsoForOddSizes) {
  for (const unsigned level : {1U, 2U, 3U}) {
    for (const Shape& shape : {Shape{64, 64}, Shape{7, 9}, Shape{5, 5, 5}}) {
      for (const Spent& spent :
           planned_spending("privwave", examples::grid_of(shape), Epsilon::parse("1"), options_of(50, level))) {
        EXPECT_EQ(spent.sensitivity, 1U);
      }
    }
  }
}

TEST(Sensitivity, GrowsWithTheUnitAndTheRelation) {
  Random random(5);
  const Counts counts = random_counts(random, {10, 10});
  for (const auto& [relation, m, factor] :
       {std::tuple{Neighbors::replace, 1U, 2U}, {Neighbors::add_remove, 3U, 3U}, {Neighbors::replace, 3U, 6U}}) {
    for (const char* wavelet : {"haar", "db2"}) {
      PrivateOptions options = options_of(50, 1, wavelet);
      const auto one = planned_spending("privwave", counts.grid(), Epsilon::parse("1"), options);
      options.unit = {relation, m > 1 ? "user" : "", m};
      const auto many = planned_spending("privwave", counts.grid(), Epsilon::parse("1"), options);
      for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(many[i].sensitivity, factor * one[i].sensitivity);
    }
  }
}

// ---- spending
// --------------------------------------------------------------------------------------------------------

TEST(Spending, StaysWithinThePlanAndAddsUpExactly) {
  Random random(6);
  for (const char* text : {"0.731", "1", "0.000000012347", "0.1", "7.000000000003"}) {
    const Epsilon epsilon = Epsilon::parse(text);
    const Counts counts = random_counts(random, {16, 12}, 500);
    const PrivateOptions options = options_of(30);
    const auto plan = planned_spending("privwave", counts.grid(), epsilon, options);
    const auto noise = seeded_noise_not_private(7);
    const auto spent = run_technique("privwave", {counts}, epsilon, options, *noise).parts().spent();
    ASSERT_EQ(plan.size(), 3U);
    ASSERT_EQ(spent.size(), 2U);
    EXPECT_EQ(plan[0].epsilon + plan[1].epsilon + plan[2].epsilon, epsilon);
    EXPECT_EQ(spent[0].epsilon + spent[1].epsilon, epsilon);
    EXPECT_EQ(spent[0].mechanism, "profile");
    EXPECT_EQ(spent[1].mechanism, "sums");
    EXPECT_GE(spent[0].epsilon, plan[0].epsilon);
    EXPECT_GE(spent[1].epsilon, plan[1].epsilon);
  }
}

TEST(Spending, OtherRulesNeedNoProfile) {
  Random random(7);
  const Counts counts = random_counts(random, {16, 16});
  PrivateOptions options = options_of(0);
  options.cluster.threshold = Top(9);
  ZeroNoiseNotPrivate zero;
  Release release = run_technique("privwave", {counts}, Epsilon::parse("1"), options, zero);
  EXPECT_EQ(release.parts().spent(), (std::vector<Spent>{{"sums", 1, Epsilon::parse("1")}}));
  EXPECT_EQ(release.parts().spent(), planned_spending("privwave", counts.grid(), Epsilon::parse("1"), options));
  EXPECT_FALSE(release.parts().profile() != nullptr);
  EXPECT_EQ(release.cluster_cells(), wavecluster(counts, options.cluster).clusters);
  options.cluster.threshold = Density(20);
  EXPECT_EQ(run_technique("privwave", {counts}, Epsilon::parse("1"), options, zero).cluster_cells(),
            wavecluster(counts, options.cluster).clusters);
}

TEST(Spending, CoverageAsksForTheProfileAsAPercentileDoes) {
  Random random(24);
  const Counts counts = random_counts(random, {16, 16});
  PrivateOptions options = options_of(0);
  options.cluster.threshold = Coverage(80);
  const auto noise = seeded_noise_not_private(1);
  const Release release = run_technique("privwave", {counts}, Epsilon::parse("1"), options, *noise);
  ASSERT_EQ(release.parts().spent().size(), 2U);
  EXPECT_EQ(release.parts().spent()[0].mechanism, "profile");
  const auto planned = [&](const PrivateOptions& of, const Counts& at) {
    return planned_spending("privwave", at.grid(), Epsilon::parse("1"), of).front().epsilon;
  };
  EXPECT_EQ(planned(options, counts), Epsilon::parse("0.1"));         // |L| hardly matters
  EXPECT_EQ(planned(options_of(50), counts), Epsilon::parse("0.1"));  // values may be censored
  EXPECT_EQ(planned(options_of(50), random_counts(random, {15, 16})), Epsilon::parse("0.2"));
}

TEST(Refused, WhatCannotBeFollowed) {
  Random random(8);
  const Counts counts = random_counts(random, {8, 8});
  const auto noise = seeded_noise_not_private(1);
  const auto run = [&](const PrivateOptions& options, const char* epsilon = "1") {
    static_cast<void>(run_technique("privwave", {counts}, Epsilon::parse(epsilon), options, *noise));
  };
  PrivateOptions bad = options_of(50);
  bad.alpha = 0.5;
  EXPECT_THROW(run(bad), InputError);
  EXPECT_THROW(run(options_of(100)), InputError);
  for (const double coverage : {0.0, 101.0}) EXPECT_THROW(Coverage{coverage}, InputError);
  EXPECT_THROW(run(options_of(50), "0.000000000009"), InputError);
  EXPECT_THROW(run(options_of(50, 60, "haar", Transform::stationary)), InputError);
  EXPECT_THROW(run(options_of(50, 30, "db8")), InputError);
  const Counts sparse(Grid({Axis(0, 1, 1000)}), Cells<std::int64_t>::sparse({1000}, {3}, {1}), 1, 0);
  const PrivateOptions filtered = options_of(50, 1, "db2");  // noise on every count, which sparse counts do not list
  EXPECT_THROW(static_cast<void>(privwave({sparse}, Epsilon::parse("1"), filtered, *noise)), InputError);
}

TEST(Degenerate, EndsInAReleaseOrAClearRefusal) {
  const std::vector<Counts> data = {
      counts_of({8, 8}, std::vector<std::int64_t>(64)),
      counts_of({1}, {0}),
      counts_of({1, 1}, {7}),
      counts_of({3, 5}, {0, 0, 0, 0, 0, 0, 0, 1000000, 0, 0, 0, 0, 0, 0, 0}),
      counts_of({2, 2}, {INT64_MAX / 8, 0, 0, 0}),
      counts_of({2, 1, 3}, {1, 0, 0, 2, 5, 1}),
      counts_of(Shape(9, 2), std::vector<std::int64_t>(512, 3)),
  };
  for (const Counts& counts : data) {
    for (const char* epsilon : {"0.000000000002", "0.00000001", "0.1", "1", "1000000"}) {
      for (const char* wavelet : {"haar", "bior2.2"}) {
        for (const Transform transform : {Transform::decimated, Transform::stationary}) {
          for (const unsigned level : {1U, 3U}) {
            const auto noise = seeded_noise_not_private(9);
            try {
              const Release release = run_technique("privwave", {counts}, Epsilon::parse(epsilon),
                                                    options_of(58, level, wavelet, transform), *noise);
              EXPECT_EQ(release.clusters().size(), release.cluster_cells().count());
              EXPECT_TRUE(std::isfinite(release.threshold()));
              // Nine axes give a cell 19,682 neighbours, and the file's confidence looks at them: once is enough.
              if (counts.grid().dimensions() == 9 && (epsilon != std::string("1") || level != 3)) continue;
              EXPECT_EQ(Release::parse(release.json(), "r").json(), release.json());
            } catch (const Error& error) {
              EXPECT_EQ(error.kind(), ErrorKind::input) << epsilon << " " << wavelet << ": " << error.what();
            }
          }
        }
      }
    }
  }
}

// ---- releases
// --------------------------------------------------------------------------------------------------------

TEST(PrivwaveRelease, IsReadBackAndReshapedAsIfItHadBeenMadeSo) {
  Random random(10);
  for (const char* wavelet : {"haar", "db2"}) {
    const auto noise = seeded_noise_not_private(11);
    const Release release =
        privwave({random_counts(random, {22, 19}, 90)}, Epsilon::parse("0.7"), options_of(35, 1, wavelet), *noise);
    const Release read = Release::parse(release.json(), "r.json");
    EXPECT_EQ(read.json(), release.json());
    EXPECT_EQ(reshape(read, release.parts().options).json(), release.json());
    for (const double percentile : {0.0, 35.0, 70.0, 99.5}) {
      for (const Adjacency adjacency : {Adjacency::full, Adjacency::face}) {
        ReleaseParts parts = release.parts();
        parts.options.threshold = Percentile(percentile);
        parts.options.adjacency = adjacency;
        const Release other = reshape(read, parts.options);
        EXPECT_EQ(other.k_source(), KSource::profile);
        EXPECT_EQ(other.json(), Release(parts).json());
      }
    }
    ClusterOptions covering = release.parts().options;
    covering.threshold = Coverage(80);
    const Release other = reshape(read, covering);
    EXPECT_EQ(other.k_source(), KSource::profile);
    EXPECT_EQ(other.confidence().size(), other.clusters().size());
    EXPECT_EQ(Release::parse(other.json(), "r.json").json(), other.json());
    EXPECT_EQ(reshape(Release::parse(other.json(), "r.json"), release.parts().options).json(), release.json());
  }
}

TEST(PrivwaveRelease, OfAnotherWFallsBackOnTheNegatives) {
  Random random(12);
  const auto noise = seeded_noise_not_private(13);
  const Release release = privwave({random_counts(random, {32, 32})}, Epsilon::parse("1"), options_of(0), *noise);
  ASSERT_EQ(release.parts().censored_below(), 0);  // every cell that holds anything is asked for
  ClusterOptions options = release.parts().options;
  options.level = 2;
  EXPECT_EQ(reshape(release, options).k_source(), KSource::negatives);
  options.wavelet = Wavelet::named("db2");
  EXPECT_THROW((void)reshape(release, options), InputError);
  const Release mostly_empty = privwave({bumps(random, {64, 64})}, Epsilon::parse("0.1"), options_of(0), *noise);
  ASSERT_EQ(mostly_empty.parts().censored_below(), 0);
  options = mostly_empty.parts().options;
  options.level = 2;
  options.threshold = Coverage(80);
  const Release covering = reshape(mostly_empty, options);
  EXPECT_EQ(covering.k_source(), KSource::negatives);
  ASSERT_EQ(covering.confidence().size(), covering.clusters().size());
  // By the values alone the count is rough, but large clusters stand out all the same.
  for (const ReleasedCluster& cluster : covering.clusters()) {
    if (cluster.cells < 20) continue;
    EXPECT_GT(covering.confidence()[cluster.id - 1].real, 0.8) << cluster.id;
  }
}

// Blocks of 60 to 100 records, some of 1, and empty ones.
Counts dense_and_faint(Random& random, std::uint64_t one_in = 4) {
  std::vector<std::int64_t> values(32 * 32);
  for (std::size_t y = 0; y < 32; y += 2) {
    for (std::size_t x = 0; x < 32; x += 2) {
      const bool is_dense = (x < 12 && y < 12) || (x >= 20 && y >= 16);
      values[y * 32 + x] = is_dense ? 60 + static_cast<std::int64_t>(random() % 40) : random() % one_in == 0 ? 1 : 0;
    }
  }
  return counts_of({32, 32}, values);
}

std::string refusal_of(const Release& release, const ClusterOptions& options) {
  try {
    static_cast<void>(reshape(release, options));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PrivwaveRelease, RaisedValuesAreToldInTheFileAndAskedForNoMore) {
  Random random(16);
  const Counts counts = dense_and_faint(random);
  const auto noise = seeded_noise_not_private(17);
  const Release release = privwave({counts}, Epsilon::parse("1"), options_of(40), *noise);
  const std::int64_t lowest = release.parts().censored_below();
  ASSERT_GE(lowest, 3);
  EXPECT_EQ(release.cluster_cells().count(), 2U);
  const Release read = Release::parse(release.json(), "r.json");
  EXPECT_EQ(read.parts().censored_below(), lowest);
  EXPECT_EQ(read.json(), release.json());
  EXPECT_EQ(release.without_noisy_values().parts().censored_below(), 0);

  ClusterOptions options = release.parts().options;
  options.threshold = Percentile(60);
  EXPECT_EQ(reshape(read, options).k_source(), KSource::profile);
  options.threshold = Percentile(0);
  EXPECT_NE(refusal_of(read, options).find("choose a percentile of"), std::string::npos);
  options.threshold = Coverage(100);
  EXPECT_NE(refusal_of(read, options).find("choose a coverage of"), std::string::npos);
  options.threshold = Coverage(80);
  EXPECT_EQ(refusal_of(read, options), "");
  options.threshold = Density(static_cast<double>(lowest) / 2);
  EXPECT_NE(refusal_of(read, options).find("choose a density of"), std::string::npos);
  options.threshold = Density(static_cast<double>(lowest + 1) / 2);
  EXPECT_EQ(refusal_of(read, options), "");
  options.threshold = Top(200);
  EXPECT_NE(refusal_of(read, options).find("choose a top of"), std::string::npos);
  options.threshold = Top(20);
  EXPECT_EQ(refusal_of(read, options), "");
  options.level = 2;
  EXPECT_NE(refusal_of(read, options).find("keep level 1"), std::string::npos);
}

TEST(PrivwaveRelease, PicturesShowNothingWhereValuesWereRaised) {
  Random random(22);
  const auto noise = seeded_noise_not_private(23);
  const Release release = privwave({dense_and_faint(random)}, Epsilon::parse("1"), options_of(40), *noise);
  const std::int64_t lowest = release.parts().censored_below();
  ASSERT_GE(lowest, 1);
  const Cells<std::int64_t> shown = shown_values(release.parts());
  const auto noisy = release.parts().values()->value().values();
  std::size_t emptied = 0;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    EXPECT_EQ(shown.values()[i], noisy[i] <= lowest ? 0 : noisy[i]);
    emptied += shown.values()[i] == 0 ? 1U : 0U;
  }
  EXPECT_GT(emptied, noisy.size() / 4);
}

// The percentile that a refusal names is one that works.
TEST(PrivwaveRelease, TheLeastPercentileIsOneThatWorks) {
  Random random(18);
  const auto noise = seeded_noise_not_private(19);
  const Release release = privwave({dense_and_faint(random)}, Epsilon::parse("1"), options_of(40), *noise);
  ClusterOptions options = release.parts().options;
  options.threshold = Percentile(0);
  const std::string text = refusal_of(release, options);
  const std::string before = "choose a percentile of ";
  options.threshold = Percentile(std::stod(text.substr(text.find(before) + before.size())));
  EXPECT_GT(std::get<Percentile>(options.threshold).percent(), 5);
  EXPECT_LT(std::get<Percentile>(options.threshold).percent(), 40);
  EXPECT_EQ(refusal_of(release, options), "");
}

TEST(PrivwaveRelease, APercentileThatAsksForFaintCellsIsRefused) {
  Random random(26);
  const auto noise = seeded_noise_not_private(27);
  for (const std::uint64_t one_in : {1U, 4U}) {  // many faint cells: percentile 40 would ask for them
    const Release release = privwave({dense_and_faint(random, one_in)}, Epsilon::parse("1"), options_of(70), *noise);
    ASSERT_GE(release.parts().censored_below(), 1);
    ClusterOptions options = release.parts().options;
    options.threshold = Percentile(40);
    EXPECT_EQ(refusal_of(release, options).empty(), one_in == 4);
  }
}

// Whatever the noise made of the profile.
TEST(PrivwaveRelease, ItsOwnPercentileAndHigherOnesAreNeverRefused) {
  Random random(28);
  int raised = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto noise = seeded_noise_not_private(100 + seed);
    const char* epsilon = seed % 2 == 0 ? "0.1" : "0.3";
    const Release release =
        privwave({dense_and_faint(random, 2)}, Epsilon::parse(epsilon), options_of(seed % 3 == 0 ? 45 : 52), *noise);
    raised += release.parts().censored_below() > 0 ? 1 : 0;
    ClusterOptions options = release.parts().options;
    options.adjacency = Adjacency::face;
    EXPECT_EQ(refusal_of(release, options), "") << seed;
    options.threshold = Percentile(std::get<Percentile>(options.threshold).percent() + 10);
    EXPECT_EQ(refusal_of(release, options), "") << seed;
  }
  EXPECT_GT(raised, 100);
}

TEST(PrivwaveRelease, ALowestValueThatCannotBeIsRefused) {
  Random random(20);
  const auto noise = seeded_noise_not_private(21);
  const Release release = privwave({dense_and_faint(random)}, Epsilon::parse("1"), options_of(40), *noise);
  ASSERT_GE(release.parts().censored_below(), 1);
  for (const std::int64_t lowest : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{127}}) {
    auto document = nlohmann::json::parse(release.json());
    document["noisy_sums"]["lowest"] = lowest;
    document["checksum"] = checksum(document);
    EXPECT_THROW((void)Release::parse(document.dump(), "r.json"), InputError) << lowest;
  }
  ReleaseParts parts = release.parts();
  parts.hint = {};
  EXPECT_ANY_THROW(Release(std::move(parts)));
}

TEST(PrivwaveRelease, WithoutItsNoisyValuesHasNoProfileEither) {
  Random random(14);
  const auto noise = seeded_noise_not_private(15);
  const Release release = privwave({random_counts(random, {16, 16})}, Epsilon::parse("1"), options_of(35), *noise);
  EXPECT_EQ(release.without_noisy_values().json().find("noisy_"),
            release.without_noisy_values().json().find("noisy_size"));
}

TEST(PrivwaveRelease, FilesWithABrokenProfileAreRefused) {
  Random random(16);
  const auto noise = seeded_noise_not_private(17);
  const Release release = privwave({random_counts(random, {16, 16})}, Epsilon::parse("1"), options_of(35), *noise);
  const auto refused = [&](const std::function<void(nlohmann::json&)>& spoil, const char* words) {
    auto document = nlohmann::json::parse(release.json());
    spoil(document);
    document["checksum"] = checksum(document);
    try {
      (void)Release::parse(document.dump(), "r.json");
      ADD_FAILURE() << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused([](auto& d) { d["noisy_profile"]["sums"].push_back(1); }, "must hold 24 numbers");
  refused([](auto& d) { d["noisy_profile"]["scale"] = 0; }, "/noisy_profile/scale");
  refused([](auto& d) { d["noisy_profile"].erase("level"); }, "level");
  refused([](auto& d) { d["spent"][0]["name"] = "another"; }, "must be listed in 'spent'");
  refused([](auto& d) { d.erase("noisy_sums"); }, "needs dense noisy values");
}

TEST(PrivwaveRelease, AProfileNeedsTheLawOfItsNoise) {
  Random random(18);
  const auto noise = seeded_noise_not_private(19);
  ReleaseParts parts = privwave({random_counts(random, {16, 16})}, Epsilon::parse("1"), options_of(35), *noise).parts();
  NoisyProfile profile = *parts.profile();
  profile.sums = PostProcessing::of(
      +[](const Noised<ProfileSums>& sums) { return sums.value(); }, profile.sums);
  parts.hint = profile;
  EXPECT_THROW(Release{parts}, Error);
}

// ---- steps after the noise
// -------------------------------------------------------------------------------------------

// Numbers of an independent prototype in numpy.
struct Known {
  ProfileSums sums;
  std::uint64_t cells;
  double percentile;
  const char* epsilon;
  unsigned share;
  double positives, deviation;
  std::uint64_t k, keep;
};
const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {{3060, 6051, 11883, 22918, 43157, 76299, 120347, 149715, 122354, 40104, 2284, 4,
        -1,   11,   -2,    -5,    -10,   -8,    -3,     -15,    16,     33,    0,    -2},
       4096,
       58,
       "0.5",
       2,
       3060.51046701,
       13.2626270573,
       1285,
       1286},
      {{154, 318, 637, 1253, 2546, 1380, 12, -14, 9, 45, 7, 1, 11, -4, 4, -4, -8, -15, 3, 5, 6, -9, 6, -3},
       324,
       58,
       "0.5",
       2,
       158.349386327,
       3.75430034001,
       67,
       67},
      {{671, 1157, 2026, 3535, 6199, 10724, 17708, 28543, 42759, 59491, 59194, 15592,
        -1,  2,    -6,   -14,  25,   -3,    3,     -22,   -7,    18,    -1,    -11},
       1024,
       80,
       "0.5",
       6,
       670.511357141,
       4.66919006876,
       134,
       134},
      {{2501, 5015, 9995, 19935, 39920, 79868, 159731, 307030, -20, -14, -18, -4,
        -2,   24,   4,    40,    -6,    4,     2,      1,      1,   0,   -11, -9},
       4096,
       58,
       "0.5",
       2,
       2505.49237688,
       10.8882580801,
       1052,
       1053},
      {{67, 163, 186, 437, 403, 905, 1171, 920, 557, -3, -7, 83, -2, -70, 19, -54, -27, 88, -6, 97, 10, 0, -112, -31},
       324,
       58,
       "0.1",
       2,
       47.9829174067,
       9.95547342376,
       20,
       20},
      {{862, 1719, 3444, 6883, 13619, 8027, 1, -2, 0, 4, -9, -5, -8, -2, 0, 9, 4, 1, 1, 0, -3, 3, 0, -6},
       1024,
       23,
       "2",
       2,
       861.290332303,
       2.90056520427,
       663,
       670},
      {{1454, 2617, 4647, 8305, 14367, 24883, 42047, 65985, 101239, 137364, 145861, 41191,
        0,    0,    0,    0,    0,     0,     0,     0,     0,      0,      0,      0},
       4096,
       10,
       "8",
       2,
       1453.99652182,
       0.796164025911,
       1309,
       1343},
      {{729, 1339, 2860, 5694, 11434, 22750, 45474, 87693, -44, -117, -64, 53,
        4,   28,   145,  46,   84,    -62,   -37,   -121,  83,  37,   4,   8},
       4096,
       80,
       "0.1",
       2,
       711.534673761,
       13.0524411474,
       142,
       140},
      {{281, 556, 1083, 2081, 3855, 6736, 11102, 15486, 12653, 4900, 52, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0},
       324,
       10,
       "8",
       3,
       281.021192389,
       0.466051741923,
       253,
       254},
      {{2260, 4509, 9032, 18064, 36128, 72257, 144511, 288998, 101578, -3, -3, 4,
        -5,   0,    1,    -1,    0,     6,     -1,     4,      -1,     1,  -2, 0},
       4096,
       10,
       "2",
       2,
       2259.55039826,
       3.36322227848,
       2034,
       2037},
      {{3537, 6259, 11091, 19571, 34440, 58937, 97810, 159768, 243756, 330732, 336670, 103798,
        0,    0,    0,     0,     1,     0,     0,     0,      -1,     -1,     1,      -1},
       4096,
       23,
       "8",
       2,
       3536.99782868,
       0.796190916088,
       2724,
       2763},
      {{236,  288, 789, 1329, 2611, 4833, 9563, 18675, 155, 0,  -75, 81,
        -144, 57,  25,  22,   74,   112,  26,   112,   80,  11, -31, 173},
       324,
       80,
       "0.05",
       2,
       162.859617872,
       9.11184095123,
       33,
       32},
      {{469, 409, 946, 1749, 3257, 5920, 9373, 12173, 8497, 3089, -2,  13,
        -11, -16, 14,  -9,   -103, 114,  26,   43,    -20,  -3,   -22, 70},
       324,
       80,
       "0.1",
       3,
       263.339856002,
       16.8793149799,
       53,
       53},
      {{2688, 5377, 10763, 21527, 43056, 86109, 172224, 344405, 120908, -3, 0,  -1,
        -3,   2,    2,     1,     -5,    -2,    1,      -2,     2,      6,  -1, 1},
       4096,
       58,
       "2",
       2,
       2688.03274091,
       3.40336133866,
       1129,
       1131},
  };
  return all;
}

TEST(ProfileSteps, ShareKAndCellsToKeepAreThePrototypes) {
  for (const Known& at : known()) {
    const PrivwaveBudget budget{.epsilon = Epsilon::parse(at.epsilon)};
    EXPECT_EQ(choose_share(at.sums, budget, at.cells, Percentile(at.percentile)).share, at.share);
    const FilteredProfile profile = filter_profile(at.sums, 1, budget.profile_noise(at.share));
    EXPECT_NEAR(profile.mean[0], at.positives, 1e-8 * at.positives);
    EXPECT_NEAR(profile.deviation, at.deviation, 1e-8 * at.deviation);
    const Percentile rule(at.percentile);
    const CountEstimate estimate = estimate_count(profile, Survival(profile.mean, at.cells), rule);
    const CellsToKeep kept = cells_to_keep(profile, at.cells, rule, estimate, budget.value_noise(at.share), false);
    EXPECT_EQ(kept.k, at.k);
    EXPECT_EQ(kept.keep, at.keep);
  }
}

ProfileSums sums_of(const std::vector<std::int64_t>& values) {
  ProfileSums sums{};
  for (std::size_t j = 0; j < profile_levels; ++j) {
    for (const auto v : values) {
      sums[j] += std::clamp<std::int64_t>(v - (std::int64_t{1} << j) + 1, 0, std::int64_t{1} << j);
    }
  }
  return sums;
}

TEST(ProfileSteps, WithoutNoiseTheProfileIsExact) {
  const FilteredProfile profile = filter_profile(sums_of({1, 1, 2, 5, 9, 30, 31, 700}), 1, {0});
  EXPECT_EQ(profile.mean[0], 8);
  EXPECT_EQ(profile.deviation, 0);
}

// W and W', and what a profile with noise of the same rate makes of W.
struct Mixed {
  std::vector<double> values;
  FilteredProfile profile;
  double positive = 0;
};
Mixed mixed(Random& random, std::size_t empty, std::size_t positive, std::int64_t least, double rate) {
  std::vector<std::int64_t> w(empty);
  for (std::size_t i = 0; i < positive; ++i) w.push_back(least + static_cast<std::int64_t>(random() % 100));
  std::geometric_distribution<std::int64_t> half(-std::expm1(-rate));
  ProfileSums sums = sums_of(w);
  for (std::int64_t& sum : sums) sum += half(random) - half(random);
  Mixed result;
  for (const std::int64_t value : w) result.values.push_back(static_cast<double>(value + half(random) - half(random)));
  result.profile = filter_profile(sums, 1, {laplace_noise(rate).variance});
  result.positive = static_cast<double>(positive);
  return result;
}

Estimate above_zero(const Mixed& data, double rate) {
  return cells_above(Survival(data.profile.mean, data.values.size()), {data.profile.mean[0], data.profile.deviation},
                     data.values, laplace_noise(rate));
}

TEST(CellsAbove, AGridWithoutSmallValuesAreAllOfItsCells) {
  Random random(25);
  for (int round = 0; round < 20; ++round) {
    const Mixed data = mixed(random, 0, 400, 60, 0.4);
    const Estimate found = above_zero(data, 0.4);
    EXPECT_NEAR(found.mean, 400, 0.01);
    EXPECT_LT(found.deviation, 0.1);
  }
}

// Half of the profile's squared error, at most, and a deviation that says so.
TEST(CellsAbove, AlmostFullGridsAreKnownBetterByTheValues) {
  Random random(26);
  double by_profile = 0, by_both = 0, stated = 0;
  for (int round = 0; round < 200; ++round) {
    const Mixed data = mixed(random, 12, 388, 30, 0.4);
    const Estimate found = above_zero(data, 0.4);
    by_profile += std::pow(data.profile.mean[0] - data.positive, 2);
    by_both += std::pow(found.mean - data.positive, 2);
    stated += std::pow(found.deviation, 2);
    EXPECT_LE(found.deviation, data.profile.deviation);
  }
  EXPECT_LT(by_both, by_profile / 2);
  EXPECT_LT(by_both, 2 * stated);
}

TEST(CellsAbove, ValuesThatTellNothingChangeNothing) {
  Random random(27);
  for (const double rate : {1e-6, 0.001}) {  // noise a thousand times as wide as the values
    const Mixed data = mixed(random, 300, 300, 1, 1);
    const Estimate found = above_zero(data, rate);
    EXPECT_NEAR(found.mean, data.profile.mean[0], 0.05 * data.profile.deviation);
    EXPECT_NEAR(found.deviation, data.profile.deviation, 0.05 * data.profile.deviation);
  }
}

// Values that were raised by 7 tell the cells above 7 just as values from 0 on tell those above 0.
TEST(CellsAbove, TheLowestValueIsTheNewZero) {
  Random random(28);
  std::geometric_distribution<std::int64_t> half(-std::expm1(-0.4));
  std::vector<std::int64_t> w(100), higher(100, 7);
  for (int i = 0; i < 300; ++i) {
    w.push_back(1 + static_cast<std::int64_t>(random() % 60));
    higher.push_back(w.back() + 7);
  }
  std::vector<double> values, raised;
  for (const std::int64_t value : w) {
    values.push_back(static_cast<double>(value + half(random) - half(random)));
    raised.push_back(values.back() + 7);
  }
  ValueNoise noise = laplace_noise(0.4);
  const auto survival = [](const std::vector<std::int64_t>& of) {
    return Survival(filter_profile(sums_of(of), 1, {0}).mean, 400);
  };
  const Estimate plain = cells_above(survival(w), {310, 12}, values, noise);
  noise.censored_below = 7;
  const Estimate censored = cells_above(survival(higher), {310, 12}, raised, noise);
  EXPECT_NEAR(plain.mean, 300, 12);
  EXPECT_NEAR(censored.mean, plain.mean, 3);
  EXPECT_NEAR(censored.deviation, plain.deviation, 0.2 * plain.deviation);
  EXPECT_LT(censored.deviation, 12);
}

// What the profile's first levels tell when they are seen finely, and with them what the values tell of the others.
TEST(ProfileSteps, FineFirstLevelsAndTheValuesHoldTheNumberOfCellsInPlace) {
  Random random(29);
  const double rate = 0.05;
  std::geometric_distribution<std::int64_t> wide(-std::expm1(-rate)), narrow(-std::expm1(-0.5));
  double coarse = 0, fine = 0, both = 0, stated = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> w(300);
    for (int i = 0; i < 40; ++i) w.push_back(1 + static_cast<std::int64_t>(random() % 3));
    for (int i = 0; i < 200; ++i) w.push_back(40 + static_cast<std::int64_t>(random() % 60));
    ProfileSums sums = sums_of(w), finer = sums;
    for (std::size_t j = 0; j < profile_levels; ++j) {
      sums[j] += wide(random) - wide(random);
      finer[j] = j < 2 ? finer[j] + narrow(random) - narrow(random) : sums[j];
    }
    std::vector<double> values;
    for (const std::int64_t value : w) {
      values.push_back(static_cast<double>(std::max<std::int64_t>(value, 3) + narrow(random) - narrow(random)));
    }
    const ProfileNoise noise{laplace_noise(rate).variance, 2, laplace_noise(0.5).variance};
    ValueNoise of_values = laplace_noise(0.5);
    of_values.censored_below = 3;
    const CellsAbove above = [&](const ProfileLevels& mean, const Estimate& foreseen) {
      return cells_above(Survival(mean, w.size()), foreseen, values, of_values);
    };
    const FilteredProfile by_both = filter_profile(finer, 1, noise, above);
    coarse += std::pow(filter_profile(sums, 1, {noise.variance}).mean[0] - 240, 2);
    fine += std::pow(filter_profile(finer, 1, noise).mean[0] - 240, 2);
    both += std::pow(by_both.mean[0] - 240, 2);
    stated += std::pow(by_both.deviation, 2);
  }
  EXPECT_LT(fine, coarse / 10);
  EXPECT_LT(both, fine);
  EXPECT_LT(both, 4 * stated);
}

// By drawing them: cells of which more noisy values reach d than not.
TEST(ProfileSteps, TheLikelyCellsAreThoseOfWhichMoreReachTheThresholdThanNot) {
  Random random(30);
  const double rate = 0.1, d = 40;
  std::geometric_distribution<std::int64_t> half(-std::expm1(-rate));
  std::vector<double> inside(400), outside(400);  // noisy values of cells that hold d, and of those that do not
  const int rounds = 200;
  ProfileLevels mean{};
  for (std::size_t j = 0; j < 7; ++j) mean[j] = 200;  // 200 cells, spread over [64, 128)
  for (int round = 0; round < rounds; ++round) {
    for (int cell = 0; cell < 2000; ++cell) {
      const std::int64_t w = cell < 200 ? 64 + static_cast<std::int64_t>(random() % 64) : 0;
      const std::int64_t seen = std::clamp<std::int64_t>(w + half(random) - half(random), 0, 399);
      (w >= 40 ? inside : outside)[static_cast<std::size_t>(seen)] += 1.0 / rounds;
    }
  }
  double past = 0, expected = 0;
  for (std::size_t x = 399; x >= 40; --x) {
    past += inside[x] + outside[x];
    double here = 0, there = 0;  // smoothed over a few values
    for (std::size_t near = x; near < x + 6 && near < 400; ++near) here += inside[near], there += outside[near];
    if (here >= there) expected = past;
  }
  mean[6] = 200;
  const Survival survival(mean, 2000);
  EXPECT_NEAR(survival.likely(d, laplace_noise(rate)), expected, 0.1 * expected);
  EXPECT_LT(expected, 215);
}

TEST(NeighbourMeans, AreTheMeansByDefinition) {
  Random random(20);
  for (const Shape& shape : {Shape{9}, Shape{6, 5}, Shape{4, 3, 5}, Shape{3, 2, 4, 3}, Shape{1, 6}, Shape{1, 1}}) {
    std::vector<double> values(cell_count(shape));
    for (double& value : values) value = static_cast<double>(random() % 100);
    const std::vector<double> means = neighbour_means(shape, values);
    for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
      double faces = 0, others = 0, face_count = 0, other_count = 0;
      const auto at = coordinates(cell, shape);
      for (std::uint64_t other = 0; other < values.size(); ++other) {
        const auto to = coordinates(other, shape);
        std::uint64_t steps = 0, farthest = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
          const std::uint64_t along = at[axis] > to[axis] ? at[axis] - to[axis] : to[axis] - at[axis];
          steps += along;
          farthest = std::max(farthest, along);
        }
        if (farthest != 1) continue;
        (steps == 1 ? faces : others) += values[other];
        (steps == 1 ? face_count : other_count) += 1;
      }
      const double expected = face_count == 0    ? 0
                              : other_count == 0 ? faces / face_count
                                                 : (2 * faces / face_count + others / other_count) / 3;
      EXPECT_DOUBLE_EQ(means[cell], expected);
    }
  }
}

// Two blocks of 100 records a cell, and between them one cell of `bridge` records that joins them, and two of 48.
SelectedCells bridged(double bridge, double rate, double deviation = 0) {
  std::vector<double> values(7 * 3, 100);
  for (const std::size_t cell : {3U, 10U, 17U}) values[cell] = cell == 10 ? bridge : 48;
  return select_cells({3, 7}, values, laplace_noise(rate), {19, 19, 0, deviation, false}, Adjacency::full);
}

TEST(Joining, ADoubtfulCellIsLeftOut) {
  EXPECT_EQ(bridged(50, 0.05).cells.size(), 18U);
  EXPECT_EQ(bridged(100, 3).cells.size(), 19U);  // noise is too small for doubts
}

TEST(Joining, ACellWhoseRankMayBePastKIsLeftOut) {
  EXPECT_EQ(bridged(60, 3, 0.5).cells.size(), 19U);
  EXPECT_EQ(bridged(60, 3, 0.7).cells.size(), 18U);
}

// In one row: 20 cells of 206 records, cells of 103 to 106 as given, and 100 of about 5; W' is within 1 of these.
std::uint64_t taken_of_crowd(const std::array<std::uint64_t, 4>& crowd, std::uint64_t k, double deviation) {
  std::vector<double> values(20, 206);
  for (std::size_t i = 0; i < crowd.size(); ++i) values.insert(values.end(), crowd[i], 103.0 + static_cast<double>(i));
  for (int i = 0; i < 100; ++i) values.push_back(2 + i % 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(i % 3) - 1;
  const Shape shape{values.size()};
  return select_cells(shape, values, laplace_noise(1.6), {k, k, 0, deviation, false}, Adjacency::full).cells.size();
}

TEST(Crowds, AreTakenDownToTheGapBelow) {
  EXPECT_EQ(taken_of_crowd({58, 57, 31, 17}, 150, 1), 183U);
  EXPECT_EQ(taken_of_crowd({58, 57, 31, 17}, 181, 1), 183U);
  EXPECT_EQ(taken_of_crowd({1, 1, 1, 2}, 23, 0), 23U);  // five cells are no crowd
}

TEST(Crowds, AreNotEnteredByAFewDoubtfulCells) {
  EXPECT_EQ(taken_of_crowd({163, 0, 0, 0}, 21, 0), 183U);
  EXPECT_EQ(taken_of_crowd({163, 0, 0, 0}, 21, 0.7), 20U);
  EXPECT_EQ(taken_of_crowd({163, 0, 0, 0}, 23, 0.7), 183U);
}

TEST(ValueNoise, OfStationaryHaarIsThatOfItsWindow) {
  PrivateOptions options = options_of(50, 1, "haar", Transform::stationary);
  EXPECT_DOUBLE_EQ(value_scale({16, 16}, options.cluster, NoisePlace::counts).gain, 4);
  options.cluster.level = 2;
  EXPECT_DOUBLE_EQ(value_scale({16, 16}, options.cluster, NoisePlace::counts).gain, 16);
  options = options_of(50, 2, "db4");
  EXPECT_NEAR(value_scale({64, 64}, options.cluster, NoisePlace::counts).gain, 16,
              1e-6);  // orthonormal rows, record 1/4
}

}  // namespace
}  // namespace shoal
