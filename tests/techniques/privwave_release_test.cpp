#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/release_json.hpp"
#include "inference/noisy_segmentation.hpp"
#include "shoal/error.hpp"
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

TEST(PrivwaveRelease, SizesOfClustersAreRecordsAlsoOnOddGrids) {
  ZeroNoiseNotPrivate zero;
  const Counts counts = counts_of({5, 5}, std::vector<std::int64_t>(25, 4));
  const Release release = privwave({counts}, Epsilon::parse("100000"), options_of(0), zero);
  ASSERT_EQ(release.clusters().size(), 1U);
  EXPECT_EQ(release.clusters()[0].noisy_size, 100);
}

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

// A release of dense and faint blocks whose sums up to a value of at least `lowest` were raised to it. Noise decides
// whether sums are raised, so this takes the first seed with which they are.
Release censored_release(std::int64_t lowest) {
  Random random(16);
  const Counts counts = dense_and_faint(random);
  for (std::uint64_t seed = 17; seed < 117; ++seed) {
    const auto noise = seeded_noise_not_private(seed);
    Release release = privwave({counts}, Epsilon::parse("1"), options_of(40), *noise);
    if (release.parts().censored_below() >= lowest) return release;
  }
  throw std::runtime_error("no seed of 100 raises the lowest sums");
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
  const Release release = censored_release(3);
  const std::int64_t lowest = release.parts().censored_below();
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
  const Release release = censored_release(3);
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
  const Release release = censored_release(1);
  for (const std::int64_t lowest : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{127}}) {
    auto document = nlohmann::json::parse(release.json());
    document["noisy_sums"]["lowest"] = lowest;
    document["checksum"] = checksum_of_text(document.dump());
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
    document["checksum"] = checksum_of_text(document.dump());
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

}  // namespace
}  // namespace shoal
