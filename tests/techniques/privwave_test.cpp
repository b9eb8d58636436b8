#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "inference/privwave_profile.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"
#include "technique_examples.hpp"
#include "techniques/techniques.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using examples::bumps;
using examples::counts_of;
using examples::options_of;
using examples::random_counts;
using testing::ZeroNoiseNotPrivate;
using Random = std::mt19937_64;

// ---- without noise

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
  EXPECT_EQ(planned(options, counts), Epsilon::parse("0.1"));
  EXPECT_EQ(planned(options_of(50), counts), Epsilon::parse("0.1"));
  EXPECT_EQ(planned(options_of(50), random_counts(random, {15, 16})), Epsilon::parse("0.1"));
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

}  // namespace
}  // namespace shoal
