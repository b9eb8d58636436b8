// Reshaping: other options on stored noisy values, as if the release had been made with them.
#include <gtest/gtest.h>

#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/release.hpp"

namespace shoal {
namespace {

ClusterOptions with_percentile(double percentile) { return {.threshold = Percentile(percentile)}; }

struct Tally {
  std::uint64_t positive = 0, negative = 0;
};

Tally tally(const Cells<std::int64_t>& counts, const ClusterOptions& options) {
  const Transformed w = transform(counts, options);
  Tally result;
  w.visit([&result](const auto& cells) {
    for (const auto value : cells.values()) {
      result.positive += value > 0 ? 1U : 0U;
      result.negative += value < 0 ? 1U : 0U;
    }
  });
  return result;
}

TEST(Reshape, GivesWhatARunWithThoseOptionsWouldHaveGiven) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Cells<std::int64_t> counts = examples::blobs({22, 19}, seed);
    const Release release(examples::parts(counts));
    for (const char* wavelet : {"haar", "db3", "bior2.2"}) {
      for (const unsigned level : {1U, 2U, 3U}) {
        for (const Transform transform : {Transform::decimated, Transform::stationary}) {
          ClusterOptions options = with_percentile(5.0 * seed);
          options.wavelet = Wavelet::named(wavelet);
          options.level = level;
          options.transform = transform;
          options.adjacency = seed % 2 == 0 ? Adjacency::full : Adjacency::face;
          options.min_cells = 1 + seed % 3;
          ReleaseParts direct = examples::parts(counts);
          direct.options = options;
          const Release reshaped = reshape(release, options), expected(direct);
          EXPECT_EQ(reshaped.cluster_cells(), expected.cluster_cells());
          EXPECT_EQ(reshaped.k(), expected.k());
          EXPECT_EQ(reshaped.k_source(), expected.k_source());
          EXPECT_EQ(reshaped.threshold(), expected.threshold());
          if (seed == 1) {  // all that a file holds, which takes longer
            EXPECT_EQ(reshaped.json(), expected.json());
          }
        }
      }
    }
  }
}

TEST(Reshape, WithTheSameOptionsChangesNothing) {
  for (const Question question : {Question::nonpositive, Question::threshold}) {
    const Release release(examples::parts_with_answer(examples::blobs({20, 20}, 2), question, 40));
    EXPECT_EQ(reshape(release, release.parts().options).json(), release.json());
  }
}

TEST(Reshape, WorksOnAFileThatWasRead) {
  const Release release(examples::parts_with_answer(examples::blobs({20, 20}, 2), Question::nonpositive, 40));
  const Release read = Release::parse(release.json(), "r.json");
  EXPECT_EQ(reshape(read, with_percentile(20)).json(), reshape(release, with_percentile(20)).json());
}

TEST(Reshape, OfAnswersAboutTheSameWKeepsUsingThem) {
  const Cells<std::int64_t> counts = examples::blobs({20, 20}, 2);
  const Release release(examples::parts_with_answer(counts, Question::nonpositive, 0, 60));
  const Release other = reshape(release, with_percentile(20));
  EXPECT_EQ(other.k_source(), KSource::nonpositive);
  EXPECT_EQ(other.k(), significant_count(Percentile(20), tally(counts, with_percentile(20)).positive));
}

TEST(Reshape, OfADrawnThresholdToAnotherPercentileScalesItsCount) {
  const Cells<std::int64_t> counts = examples::blobs({20, 20}, 2);
  const Release release(examples::parts_with_answer(counts, Question::threshold, 60, 60));
  ASSERT_GT(release.k(), 4U);
  const Release other = reshape(release, with_percentile(80));
  EXPECT_EQ(other.k_source(), KSource::scaled);
  const auto positives = static_cast<std::uint64_t>(std::llround(static_cast<double>(release.k()) * 100 / 40));
  // Never more than there are.
  EXPECT_EQ(other.k(),
            significant_count(Percentile(80), std::min(positives, tally(counts, with_percentile(80)).positive)));
  EXPECT_EQ(reshape(other, with_percentile(60)).k_source(), KSource::threshold);
  EXPECT_EQ(reshape(other, with_percentile(60)).json(), release.json());
}

TEST(Reshape, ToAnotherWFallsBackOnTheNegatives) {
  const Cells<std::int64_t> counts = examples::blobs({20, 20}, 2);
  for (const Question question : {Question::nonpositive, Question::threshold}) {
    const Release release(examples::parts_with_answer(counts, question, 60));
    for (const char* wavelet : {"haar", "db2"}) {
      ClusterOptions options = with_percentile(50);
      options.wavelet = Wavelet::named(wavelet);
      options.level = 2;
      const Release other = reshape(release, options);
      const auto [positive, negative] = tally(counts, options);
      EXPECT_EQ(other.k_source(), KSource::negatives);
      EXPECT_EQ(other.k(), significant_count(Percentile(50), positive - std::min(positive, negative)));
    }
  }
}

TEST(Reshape, HaarByAnotherNameIsTheSameWavelet) {
  const Release release(examples::parts_with_answer(examples::blobs({20, 20}, 2), Question::nonpositive, 30));
  ClusterOptions options = with_percentile(60);
  options.wavelet = Wavelet::named("db1");
  EXPECT_EQ(reshape(release, options).k_source(), KSource::nonpositive);
}

TEST(Reshape, ToTopOrDensityNeedsNoAnswer) {
  const Release release(examples::parts_with_answer(examples::blobs({20, 20}, 2), Question::nonpositive, 40));
  ClusterOptions options{.threshold = Top(7)};
  EXPECT_EQ(reshape(release, options).k(), 7U);
  EXPECT_EQ(reshape(release, options).k_source(), KSource::rule);
  options.threshold = Density(20);
  EXPECT_GE(reshape(release, options).threshold(), 20);
}

// ---- noisy sums ------------------------------------------------------------------------------------------------

ReleaseParts sums_parts(const Cells<std::int64_t>& counts, unsigned level) {
  ReleaseParts parts = examples::parts(counts);
  parts.technique = "privwave";
  parts.options.level = level;
  parts.noisy = BlockSums{examples::as_noisy(haar_sums(counts, level), examples::charged("0.3", "sums")), level};
  return parts;
}

TEST(ReshapeSums, AgreeWithCountsForThresholdsAdjacencyAndCoarserLevels) {
  const Cells<std::int64_t> counts = examples::blobs({24, 16}, 6);
  const Release from_counts(examples::parts(counts));
  const Release from_sums(sums_parts(counts, 1));
  EXPECT_EQ(from_sums.cluster_cells(), from_counts.cluster_cells());
  for (const unsigned level : {1U, 2U, 3U}) {
    for (const double percentile : {0.0, 40.0, 85.0}) {
      ClusterOptions options = with_percentile(percentile);
      options.level = level;
      options.adjacency = level == 2 ? Adjacency::face : Adjacency::full;
      const Release a = reshape(from_sums, options), b = reshape(from_counts, options);
      EXPECT_EQ(a.cluster_cells(), b.cluster_cells());
      EXPECT_EQ(a.threshold(), b.threshold());
      ASSERT_EQ(a.clusters().size(), b.clusters().size());
      for (std::size_t i = 0; i < a.clusters().size(); ++i) {
        EXPECT_EQ(a.clusters()[i].noisy_size, b.clusters()[i].noisy_size);
      }
      EXPECT_EQ(Release::parse(a.json(), "r.json").json(), a.json());
      EXPECT_EQ(reshape(a, from_sums.parts().options).json(), from_sums.json());
    }
  }
}

TEST(ReshapeSums, RefuseWhatTheyCannotGive) {
  const Release release(sums_parts(examples::blobs({24, 16}, 6), 2));
  ClusterOptions options = with_percentile(50);
  options.level = 1;
  try {
    (void)reshape(release, options);
    ADD_FAILURE() << "a finer level was given";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("choose 2 or more"), std::string::npos) << error.what();
  }
  options.level = 2;
  options.wavelet = Wavelet::named("db2");
  EXPECT_THROW((void)reshape(release, options), InputError);
  options.wavelet = Wavelet::named("haar");
  options.transform = Transform::stationary;
  EXPECT_THROW((void)reshape(release, options), InputError);
  options.transform = Transform::decimated;
  EXPECT_NO_THROW((void)reshape(release, options));
}

}  // namespace
}  // namespace shoal
