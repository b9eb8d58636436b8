#include "techniques/techniques.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "shoal/error.hpp"
#include "technique_examples.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using examples::chance_of_positive_noise;
using examples::counts_of;
using examples::grid_of;
using examples::k_of;
using examples::options_of;
using examples::positives_descending;
using examples::random_counts;
using examples::w_of;
using testing::ZeroNoiseNotPrivate;
using Random = std::mt19937_64;

// Several chunks of noise and several parts of every pass.
TEST(Techniques, ThreadsChangeNothingInASeededRun) {
  Random random(11);
  for (const Shape& shape : {Shape{320, 301}, Shape{48, 45, 50}}) {
    const Counts counts = random_counts(random, shape);
    for (const std::string technique : {"privqt", "privthr", "privthr-em", "privwave"}) {
      PrivateOptions options = options_of(80);
      const auto run = [&](unsigned threads) {
        options.cluster.threads = threads;
        return run_technique(technique, {counts}, Epsilon::parse("1"), options, *seeded_noise_not_private(3));
      };
      const Release alone = run(1);
      const auto noisy_values = [](const Release& release) {
        const ReleaseParts& parts = release.parts();
        return parts.values()->value();
      };
      const bool whole = technique == "privqt";  // all that a file holds, which takes longer
      const std::string alone_json = whole ? alone.json() : "";
      for (const unsigned threads : {2U, 3U}) {
        const Release release = run(threads);
        ASSERT_EQ(release.cluster_cells(), alone.cluster_cells()) << technique;
        ASSERT_EQ(release.k(), alone.k()) << technique;
        ASSERT_EQ(release.threshold(), alone.threshold()) << technique;
        ASSERT_EQ(noisy_values(release), noisy_values(alone)) << technique;
        if (whole) {
          ASSERT_EQ(release.json(), alone_json);
        }
      }
    }
  }
}

// ---- without noise, each technique is its pseudocode ---------------------------------------------------------------

// Sums of integers are multiples of 2^-12 here: the tolerance only forgives rounding.
std::vector<std::uint64_t> at_least(const std::vector<double>& w, double d, double tolerance = 1e-9) {
  std::vector<std::uint64_t> cells;
  for (std::uint64_t cell = 0; cell < w.size(); ++cell) {
    if (w[cell] >= d - tolerance) cells.push_back(cell);
  }
  return cells;
}

struct Setting {
  std::string wavelet;
  unsigned level;
  Transform transform;
  Shape shape;
};

std::vector<Setting> settings() {
  return {{"haar", 1, Transform::decimated, {16, 16}},    {"haar", 1, Transform::decimated, {9, 7}},
          {"haar", 2, Transform::decimated, {16, 12}},    {"haar", 1, Transform::stationary, {8, 9}},
          {"haar", 1, Transform::decimated, {6, 5, 4}},   {"haar", 1, Transform::decimated, {40}},
          {"bior2.2", 1, Transform::decimated, {16, 12}}, {"bior2.2", 1, Transform::stationary, {10, 10}},
          {"db4", 2, Transform::decimated, {16, 16}},     {"rbio3.1", 1, Transform::decimated, {8, 6, 8}}};
}

void for_each_setting(const std::function<void(const Counts&, const PrivateOptions&)>& check) {
  Random random(3);
  for (const Setting& at : settings()) {
    for (const double percentile : {0.0, 23.0, 58.0, 99.0}) {
      SCOPED_TRACE(at.wavelet + " level " + std::to_string(at.level) + " p " + std::to_string(percentile));
      check(random_counts(random, at.shape), options_of(percentile, at.level, at.wavelet, at.transform));
    }
  }
}

TEST(WithoutNoise, PrivqtIsWaveClusterOnTheCounts) {
  for_each_setting([](const Counts& counts, const PrivateOptions& options) {
    ZeroNoiseNotPrivate zero;
    const Release release = privqt({counts}, Epsilon::parse("1"), options, zero);
    const std::vector<double> w = w_of(counts, options.cluster);
    const std::vector<double> positives = positives_descending(w);
    const std::uint64_t k = k_of(std::get<Percentile>(options.cluster.threshold).percent(), positives.size());
    EXPECT_EQ(release.k(), k);
    EXPECT_NEAR(release.threshold(), positives[k - 1], 1e-9);
    EXPECT_EQ(release.cluster_cells().cells(), at_least(w, positives[k - 1]));
  });
}

// For wavelets other than Haar two estimates are weighted (inference/noise_share.hpp). At an epsilon at which noise
// makes no positives, they give |L|.
TEST(WithoutNoise, PrivthrDropsWhatNoiseWouldMakeOfZBeforeItCounts) {
  for_each_setting([](const Counts& counts, const PrivateOptions& options) {
    ZeroNoiseNotPrivate zero;
    const bool haar = options.cluster.wavelet.is_haar();
    const Release release = privthr({counts}, Epsilon::parse(haar ? "1" : "1000"), options, zero);
    const std::vector<double> w = w_of(counts, options.cluster);
    std::vector<double> positives = positives_descending(w);
    const auto is_zero = [](double value) { return std::fabs(value) <= 1e-9; };
    const double made = static_cast<double>(std::count_if(w.begin(), w.end(), is_zero)) *
                        chance_of_positive_noise(options, counts.grid().shape(), haar ? 0.9 : 900);
    const std::size_t dropped = std::min(positives.size(), static_cast<std::size_t>(std::llround(made)));
    positives.resize(positives.size() - dropped);
    const std::uint64_t k = k_of(std::get<Percentile>(options.cluster.threshold).percent(), positives.size());
    EXPECT_EQ(release.k(), k);
    if (k > 0) {
      EXPECT_EQ(release.cluster_cells().cells(), at_least(w, positives[k - 1]));
    } else {
      EXPECT_TRUE(release.cluster_cells().cells().empty());
    }
  });
}

// Also where values tie: the threshold that all of them reach is the best one.
TEST(WithoutNoise, PrivthrEmHasTheCellsOfWaveCluster) {
  for_each_setting([](const Counts& counts, const PrivateOptions& options) {
    ZeroNoiseNotPrivate zero;
    const Release release = privthr_em({counts}, Epsilon::parse("1"), options, zero);
    const std::vector<double> w = w_of(counts, options.cluster);
    const std::vector<double> positives = positives_descending(w);
    const std::uint64_t k = k_of(std::get<Percentile>(options.cluster.threshold).percent(), positives.size());
    const std::vector<std::uint64_t> cells = at_least(w, positives[k - 1]);
    EXPECT_EQ(release.cluster_cells().cells(), cells);
    EXPECT_EQ(release.k(), cells.size());
  });
}

// ---- spending -------------------------------------------------------------------------------------------------------

TEST(Spending, WhatIsPlannedIsWhatIsSpentAndAddsUpToEpsilon) {
  Random random(4);
  for (const char* name : {"privqt", "privthr", "privthr-em"}) {
    for (const char* wavelet : {"haar", "bior2.2", "rbio3.3"}) {
      for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
        for (const std::uint64_t m : {1U, 3U}) {
          const Counts counts = random_counts(random, {16, 20});
          PrivateOptions options = options_of(58, 1, wavelet, Transform::decimated);
          options.unit.neighbors = relation;
          options.unit.max_contributions = m;
          if (m > 1) options.unit.column = "user";
          const Epsilon epsilon = Epsilon::parse("0.731");
          const auto noise = seeded_noise_not_private(random());
          const Release release = run_technique(name, {counts}, epsilon, options, *noise);
          EXPECT_EQ(release.parts().spent(), planned_spending(name, counts.grid(), epsilon, options)) << name;
          Epsilon sum = Epsilon::zero();
          for (const Spent& spent : release.parts().spent()) sum = sum + spent.epsilon;
          EXPECT_EQ(sum, epsilon);
          EXPECT_FALSE(release.parts().is_private);
        }
      }
    }
  }
}

TEST(Spending, AlphaIsTheSharesOfTheCounts) {
  const Grid grid = grid_of({64, 64});
  PrivateOptions options = options_of(58);
  const Epsilon one = Epsilon::parse("1");
  EXPECT_EQ(planned_spending("privthr", grid, one, options)[0].epsilon, Epsilon::parse("0.9"));
  EXPECT_EQ(planned_spending("privthr-em", grid, one, options)[0].epsilon, Epsilon::parse("0.7"));
  options.alpha = 0.25;
  EXPECT_EQ(planned_spending("privthr", grid, one, options)[0].epsilon, Epsilon::parse("0.25"));
  EXPECT_EQ(planned_spending("privthr", grid, one, options)[1].epsilon, Epsilon::parse("0.75"));
}

TEST(Spending, LongFiltersDeclareTheCellsThatARecordMoves) {
  const Grid grid = grid_of({64, 64});
  const PrivateOptions options = options_of(58, 1, "bior2.2", Transform::decimated);
  const std::uint64_t c = touched_outputs(Wavelet::named("bior2.2"), {64, 64}, 1, Transform::decimated);
  EXPECT_EQ(c, 9U);  // taps -a b c b -a: three of them on every other cell
  EXPECT_EQ(planned_spending("privthr", grid, Epsilon::parse("1"), options)[1].sensitivity, c);  // zeros
  EXPECT_EQ(planned_spending("privthr-em", grid, Epsilon::parse("1"), options)[1].sensitivity, c);
}

TEST(Spending, ASecureRunIsPrivate) {
  Random random(5);
  const Counts counts = random_counts(random, {8, 8});
  const auto noise = secure_noise();
  EXPECT_TRUE(privthr({counts}, Epsilon::parse("1"), options_of(10), *noise).parts().is_private);
}

// ---- refusals and degenerate data -----------------------------------------------------------------------------------

TEST(Refused, OptionsThatCannotBeFollowed) {
  Random random(6);
  const Counts counts = random_counts(random, {8, 8});
  const auto noise = seeded_noise_not_private(1);
  const auto run = [&](const std::string& name, const PrivateOptions& options) {
    static_cast<void>(run_technique(name, {counts}, Epsilon::parse("1"), options, *noise));
  };
  PrivateOptions good = options_of(10);
  EXPECT_THROW(run("privacy", good), InputError);
  for (const char* name : {"privqt", "privthr", "privthr-em"}) {
    PrivateOptions bad = good;
    bad.cluster.level = 0;
    EXPECT_THROW(run(name, bad), InputError);
    bad = good;
    bad.unit.max_contributions = 0;
    EXPECT_THROW(run(name, bad), InputError);
  }
  for (const char* name : {"privthr", "privthr-em"}) {
    for (const double alpha : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
      PrivateOptions bad = good;
      bad.alpha = alpha;
      EXPECT_THROW(run(name, bad), InputError);
    }
    PrivateOptions bad = good;
    bad.cluster.threshold = Top(5);
    EXPECT_THROW(run(name, bad), InputError);
  }
  for (const double max : {0.0, -3.0, 1e300, std::nan("")}) {
    PrivateOptions bad = good;
    bad.max_density = max;
    EXPECT_THROW(run("privthr-em", bad), InputError) << max;
  }
}

TEST(Degenerate, EndsInAReleaseOrAClearRefusal) {
  const std::vector<Counts> data = {
      counts_of({8, 8}, std::vector<std::int64_t>(64)),                        // empty
      counts_of({1}, {0}),                                                     // one cell, empty
      counts_of({1, 1}, {7}),                                                  // everything in the only cell
      counts_of({3, 5}, {0, 0, 0, 0, 0, 0, 0, 1000000, 0, 0, 0, 0, 0, 0, 0}),  // everything in one cell
      counts_of({2, 2}, {INT64_MAX / 8, 0, 0, 0}),                             // sums near the limit
  };
  for (const Counts& counts : data) {
    for (const char* name : {"privqt", "privthr", "privthr-em"}) {
      for (const char* epsilon : {"0.000000000002", "0.00000001", "1", "1000000"}) {
        for (const char* wavelet : {"haar", "bior2.2"}) {
          const auto noise = seeded_noise_not_private(9);
          const PrivateOptions options = options_of(58, 1, wavelet, Transform::decimated);
          try {
            const Release release = run_technique(name, {counts}, Epsilon::parse(epsilon), options, *noise);
            EXPECT_EQ(release.clusters().size(), release.cluster_cells().count());
          } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input) << name << " " << epsilon << ": " << error.what();
          }
        }
      }
    }
  }
}

TEST(Degenerate, NoPositiveValueGivesNoClusters) {
  const Counts empty = counts_of({8, 8}, std::vector<std::int64_t>(64));
  ZeroNoiseNotPrivate zero;
  for (const char* name : {"privqt", "privthr", "privthr-em"}) {
    const Release release = run_technique(name, {empty}, Epsilon::parse("1"), options_of(58), zero);
    EXPECT_EQ(release.k(), 0U) << name;
    EXPECT_TRUE(release.clusters().empty()) << name;
  }
}

TEST(Degenerate, PrivthrWithMoreToDropThanThereIsGivesNoClusters) {
  std::vector<std::int64_t> values(256);
  values[0] = 5;
  ZeroNoiseNotPrivate zero;
  const Release release = privthr({counts_of({16, 16}, values)}, Epsilon::parse("1"), options_of(0), zero);
  EXPECT_EQ(release.k(), 0U);
  EXPECT_TRUE(release.clusters().empty());
}

// ---- several at once ------------------------------------------------------------------------------------------------

// Run under the thread sanitizer too: tables of noise may be shared, runs may not.
TEST(SideBySide, RunsGiveWhatTheyGiveAlone) {
  Random random(17);
  const Counts counts = random_counts(random, {16, 16});
  const PrivateOptions options = options_of(58);
  const auto run = [&](std::size_t i) {
    const std::unique_ptr<Noise> noise = seeded_noise_not_private(i);
    const char* technique = i % 3 == 0 ? "privwave" : i % 3 == 1 ? "privthr" : "privthr-em";
    const Epsilon epsilon = Epsilon::parse(i % 2 == 0 ? "0.7" : "1.3");
    return run_technique(technique, {counts}, epsilon, options, *noise).json();
  };
  std::vector<std::string> together(24);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < together.size(); i += 3) together[(i * 7) % 24] = run((i * 7) % 24);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(together[i], run(i)) << i;
}

}  // namespace
}  // namespace shoal
