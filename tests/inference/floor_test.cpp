#include "inference/floor.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "chi_square.hpp"
#include "formats/release_json.hpp"
#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/techniques.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using nlohmann::json;
using testing::quick;
using testing::ZeroNoiseNotPrivate;

const Epsilon one = Epsilon::parse("1");

// The same counts, every cell or the occupied ones.
Counts stored(const Shape& shape, const std::vector<std::int64_t>& values, bool dense) {
  if (dense) return {examples::grid_of(shape), Cells<std::int64_t>::dense(shape, values), 0, 0};
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> occupied;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    index.push_back(i);
    occupied.push_back(values[i]);
  }
  return {examples::grid_of(shape), Cells<std::int64_t>::sparse(shape, std::move(index), occupied), 0, 0};
}

// Two blobs on an empty box.
std::vector<std::int64_t> two_blobs(const Shape& shape) {
  std::vector<std::int64_t> values(cell_count(shape));
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const auto at = coordinates(i, shape);
    const bool low = std::all_of(at.begin(), at.end(), [](std::uint64_t x) { return x < 3; });
    const bool high = std::all_of(at.begin(), at.end(), [&](std::uint64_t x) { return x + 3 >= shape[0]; });
    if (low || high) values[i] = 2 + static_cast<std::int64_t>(i % 3);
  }
  return values;
}

PrivateOptions floored(double percentile = 20) {
  PrivateOptions options{.cluster = {.threshold = Percentile(percentile)}};
  options.cluster.threads = 1;
  options.dense_limit = 0;
  return options;
}

Release release_of(const std::string& technique, const Counts& counts, const PrivateOptions& options, Noise& noise,
                   Epsilon epsilon = one) {
  return run_technique(technique, {counts}, epsilon, options, noise);
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

// ---- distributions -------------------------------------------------------------------------------------------------

std::int64_t hash_of(const Release& release, bool with_values) {
  std::size_t hash = release.k() * 31 + release.clusters().size();
  for (const std::uint64_t cell : release.cluster_cells().cells()) hash = hash * 1000003 + cell;
  if (with_values) hash = hash * 1000003 + release.parts().values()->value().stored();
  return static_cast<std::int64_t>(hash % 1'000'000'007);
}

// The difference of two means, in its standard deviations.
double means_apart(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  const auto moments = [](const std::vector<std::int64_t>& values) {
    double sum = 0, squares = 0;
    for (const std::int64_t value : values) {
      sum += static_cast<double>(value);
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto count = static_cast<double>(values.size());
    return std::pair(sum / count, (squares / count - sum / count * sum / count) / count);
  };
  const auto [mean_a, variance_a] = moments(a);
  const auto [mean_b, variance_b] = moments(b);
  return std::fabs(mean_a - mean_b) / std::sqrt(variance_a + variance_b + 1e-12);
}

using Look = std::function<std::int64_t(const Release&)>;

// What `look` sees in runs on dense and on sparse counts.
double two_storages(const PrivateOptions& options, const Look& look) {
  const Shape shape{16, 16};
  const std::vector<std::int64_t> values = two_blobs(shape);
  const Counts dense = stored(shape, values, true), sparse = stored(shape, values, false);
  const auto noise = seeded_noise_not_private(5);
  std::vector<std::int64_t> first, second;
  const int runs = quick() ? 100 : 1500;
  for (int i = 0; i < runs; ++i) first.push_back(look(release_of("privwave", dense, options, *noise)));
  for (int i = 0; i < runs; ++i) second.push_back(look(release_of("privwave", sparse, options, *noise)));
  return std::max(testing::two_sample_deviations(first, second), means_apart(first, second));
}

TEST(Floor, PrivwaveGivesTheSameDistributionWhateverTheStorage) {
  EXPECT_LT(two_storages(floored(), [](const Release& r) { return hash_of(r, true) % 64; }), testing::accepted);
  const Look held = [](const Release& r) { return static_cast<std::int64_t>(r.parts().values()->value().stored()); };
  EXPECT_LT(two_storages(floored(), held), testing::accepted);
  PrivateOptions many = floored();  // noise carries three empty cells across
  many.cluster.threshold = Top(60);
  EXPECT_LT(two_storages(many, held), testing::accepted);
}

TEST(Floor, ALargeBudgetGivesPlainWaveCluster) {
  const Shape shape{16, 16};
  std::mt19937_64 random(3);
  std::vector<std::int64_t> values(256);
  for (auto& value : values) value = random() % 4 == 0 ? static_cast<std::int64_t>(1 + random() % 50) : 0;
  const Counts counts = stored(shape, values, false);
  for (const double percentile : {0.0, 35.0, 80.0}) {
    const auto noise = seeded_noise_not_private(1);
    const Release release = release_of("privwave", counts, floored(percentile), *noise, Epsilon::parse("200"));
    const Segmentation plain = wavecluster(counts, floored(percentile).cluster);
    EXPECT_EQ(release.cluster_cells(), plain.clusters) << percentile;
    EXPECT_EQ(release.parts().floor(), 1);
  }
}

TEST(Floor, ACoarseTransformOfAHugeGridIsNoisedWhole) {
  const Shape shape{16, 16};
  PrivateOptions options = floored();
  options.dense_limit = 100;  // fewer cells than the grid has; W has 4 at level 3
  options.cluster.level = 3;
  const std::vector<std::int64_t> values = two_blobs(shape);
  const auto a = seeded_noise_not_private(4), b = seeded_noise_not_private(4);
  const Release dense = release_of("privwave", stored(shape, values, true), options, *a);
  const Release sparse = release_of("privwave", stored(shape, values, false), options, *b);
  EXPECT_FALSE(dense.parts().has_floor());
  EXPECT_TRUE(sparse.parts().values()->value().is_dense());
  EXPECT_EQ(dense.json(), sparse.json());
}

// ---- the floor itself ----------------------------------------------------------------------------------------------

TEST(Floor, IsTheLeastThatKeepsNoiseDown) {
  for (const bool rounded : {false, true}) {
    for (const double cells : {100.0, 1e9, 4e18}) {
      for (const double rate : {0.01, 0.6, 5.0, 2000.0}) {
        for (const double most : {0.05, 7.0, 1000.0}) {
          const std::int64_t floor = least_floor(cells, {rate, rounded}, most);
          EXPECT_LE(noise_reaching(cells, {rate, rounded}, floor), most * (1 + 1e-9));
          if (floor == 1) continue;
          EXPECT_GT(noise_reaching(cells, {rate, rounded}, floor - 1), most * (1 - 1e-9));
        }
      }
    }
  }
}

// Noise drawn in parts and rounded at random to whole numbers reaches a floor more often than unrounded noise would.
TEST(Floor, OfRoundedPartsIsReachedMoreOften) {
  const PrivacyUnit shared{.column = "who", .share = true};
  const auto parts = static_cast<std::int64_t>(shared.parts_per_weight());
  for (const char* epsilon : {"0.1", "1", "7"}) {
    const double rate = Rate::of(Epsilon::parse(epsilon), shared.parts_per_weight()).value();
    for (const std::int64_t floor : {1, 4}) {
      double chance = 0;
      for (std::int64_t raised = 0; raised < parts; ++raised) {
        chance += std::exp(-rate * static_cast<double>(floor * parts - raised)) / (1 + std::exp(-rate));
      }
      chance /= static_cast<double>(parts);
      EXPECT_NEAR(noise_reaching(1e6, {rate * static_cast<double>(parts), true}, floor) / (1e6 * chance), 1, 1e-4);
    }
  }
}

TEST(Floor, OnATrillionCellsClustersOfDataRemainAndThoseOfNoiseDoNot) {
  const Shape shape{1 << 20, 1 << 20};
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> values;
  for (std::uint64_t x = 0; x < 20; ++x) {
    for (std::uint64_t y = 0; y < 20; ++y) {
      index.push_back((500'000 + x) * shape[1] + 700'000 + y);
      values.push_back(60);
    }
  }
  const Counts counts(examples::grid_of(shape), Cells<std::int64_t>::sparse(shape, index, values), 24'000, 0);
  PrivateOptions options = floored();
  options.dense_limit = shoal::dense_limit;
  const auto noise = seeded_noise_not_private(8);
  const Release release = release_of("privwave", counts, options, *noise);
  ASSERT_EQ(release.clusters().size(), 1U);
  EXPECT_GE(release.clusters()[0].cells, 75U);
  EXPECT_NEAR(static_cast<double>(release.clusters()[0].noisy_size), 24'000, 6000);
  EXPECT_GE(release.parts().values()->value().stored(), release.clusters()[0].cells);
}

// ---- files and reshapes --------------------------------------------------------------------------------------------

Release example() {
  const Shape shape{16, 16};
  const auto noise = seeded_noise_not_private(12);
  std::vector<std::int64_t> values = two_blobs(shape);
  for (auto& value : values) value *= 20;
  return release_of("privwave", stored(shape, values, false), floored(), *noise);
}

TEST(FloorFile, ComesBackAsItWas) {
  const Release release = example();
  const std::string text = release.json();
  EXPECT_EQ(Release::parse(text, "test").json(), text);
  EXPECT_EQ(Release::parse(text, "test").parts().floor(), release.parts().floor());
  EXPECT_FALSE(release.html().empty());
  EXPECT_FALSE(release.csv().empty());
  EXPECT_EQ(release.without_noisy_values().json().find("floor"), std::string::npos);
  EXPECT_FALSE(release.without_noisy_values().parts().has_floor());
}

std::string refusal_of(json document) {
  document["checksum"] = checksum_of_text(document.dump());
  return refusal([&] { Release::parse(document.dump(), "the file"); });
}

TEST(FloorFile, WhatCannotBeIsRefused) {
  const json good = json::parse(example().json());
  const auto with = [&](const std::function<void(json&)>& change) {
    json changed = good;
    change(changed);
    return refusal_of(changed);
  };
  const std::int64_t floor = good["noisy_sums"]["floor"];
  EXPECT_EQ(with([](json&) {}), "nothing was refused");
  EXPECT_NE(with([](json& d) { d["noisy_sums"]["floor"] = 0; }).find("/noisy_sums/floor: a floor must be at least 1"),
            std::string::npos);
  EXPECT_NE(with([&](json& d) { d["noisy_sums"]["floor"] = 100 * floor; }).find("holds a value below its floor"),
            std::string::npos);
  EXPECT_NE(with([](json& d) { d["noisy_sums"]["floor"] = "1"; }).find("/noisy_sums/floor: must be a whole number"),
            std::string::npos);
  EXPECT_NE(with([](json& d) { d["noisy_sums"].erase("floor"); }).find("needs dense noisy values or a floor"),
            std::string::npos);
  EXPECT_NE(with([&](json& d) {
              d.erase("percentile");
              d["density"] = 0.25;
            }).find("has a density below its floor"),
            std::string::npos);
  ASSERT_EQ(good["spent"][1]["name"], "sums");
  EXPECT_NE(with([](json& d) {
              d["spent"][1]["name"] = "counts";
            }).find("/noisy_sums/floor: needs the charge of its values in 'spent', as 'sums'"),
            std::string::npos);
  EXPECT_NE(
      with([](json& d) {
        d["spent"][0]["name"] = "nonpositive";
        d.erase("noisy_profile");
        d["noisy_answer"] = {
            {"question", "nonpositive"}, {"answer", 3}, {"wavelet", "haar"}, {"level", 1}, {"transform", "decimated"}};
      }).find("a release with a floor has a noisy profile or none, but no noisy answer"),
      std::string::npos);
}

TEST(FloorReshape, GivesWhatLiesAboveTheFloor) {
  const Release release = example();
  ClusterOptions options = release.parts().options;
  options.adjacency = Adjacency::face;
  options.min_cells = 2;
  EXPECT_EQ(reshape(release, options).parts().floor(), release.parts().floor());
  options.threshold = Percentile(90);
  EXPECT_LT(reshape(release, options).k(), release.k());
  options.threshold = Density(100);
  EXPECT_GT(reshape(release, options).k(), 0U);
  EXPECT_GE(reshape(release, options).threshold(), 100);
  options.threshold = Top(2);
  EXPECT_EQ(reshape(release, options).k(), 2U);
}

TEST(FloorReshape, RefusesWhatLiesBelowWithTheWayOut) {
  const Release release = example();
  const std::int64_t floor = release.parts().floor();
  ASSERT_GT(floor, 2);
  const auto asked = [&](const std::function<void(ClusterOptions&)>& change) {
    ClusterOptions options = release.parts().options;
    change(options);
    return refusal([&] { reshape(release, options); });
  };
  const auto density = asked([](ClusterOptions& o) { o.threshold = Density(0.5); });
  EXPECT_NE(density.find("choose a density of"), std::string::npos) << density;
  const auto top = asked([](ClusterOptions& o) { o.threshold = Top(1000); });
  EXPECT_NE(top.find("choose a top of"), std::string::npos) << top;
  const auto level = asked([](ClusterOptions& o) { o.level = 2; });
  EXPECT_NE(level.find("keep level 1"), std::string::npos) << level;
  const auto wavelet = asked([](ClusterOptions& o) { o.wavelet = Wavelet::named("db2"); });
  EXPECT_NE(wavelet.find("keep wavelet haar"), std::string::npos) << wavelet;
}

// ---- what techniques refuse, before anything is spent --------------------------------------------------------------

TEST(FloorPlan, RefusalsSayWhatToUseInstead) {
  const auto plan = [](const std::string& technique, const Shape& shape, const PrivateOptions& options) {
    return refusal([&] { planned_spending(technique, examples::grid_of(shape), one, options); });
  };
  const Shape six(6, 64);
  PrivateOptions options{.cluster = {.threshold = Percentile(50)}};
  EXPECT_EQ(plan("privwave", six, options), "nothing was refused");
  for (const std::string technique : {"privthr-em", "privthr", "privqt"}) {
    EXPECT_EQ(plan(technique, six, options),
              technique +
                  " adds noise to every cell, and a grid of 68719476736 cells has too many; use privwave, or "
                  "fewer cells per axis");
    EXPECT_EQ(plan(technique, {8192, 16384}, options), "nothing was refused");  // 2^27 cells
    EXPECT_NE(plan(technique, {8192, 16385}, options).find("use privwave"), std::string::npos);
  }
  Shape odd = six;
  odd[2] = 63;
  EXPECT_NE(plan("privwave", odd, options).find("multiples of 2 cells per axis; use 64 instead of 63"),
            std::string::npos);
  PrivateOptions other = options;
  other.cluster.wavelet = Wavelet::named("db2");
  EXPECT_NE(plan("privwave", six, other).find("supports only wavelet haar"), std::string::npos);
  other = options;
  other.cluster.level = 3;
  EXPECT_EQ(plan("privwave", six, other), "nothing was refused");
  other = options;
  other.cluster.threshold = Density(0.25);
  const std::string low = plan("privwave", six, other);
  EXPECT_NE(
      low.find("noise alone would raise about 1.06e+08 of 1.07e+09 cells to a density of 0.25 (2 records per cell)"),
      std::string::npos)
      << low;
  other.cluster.threshold = Density(std::stod(low.substr(low.find("choose a density of ") + 20)));
  EXPECT_EQ(plan("privwave", six, other), "nothing was refused");
}

TEST(FloorPlan, DensityIsTheFloor) {
  const Shape shape{16, 16};
  PrivateOptions options = floored();
  options.cluster.threshold = Density(15.1);  // times 2: a sum of 31 and more
  ZeroNoiseNotPrivate zero;
  std::vector<std::int64_t> values = two_blobs(shape);
  for (auto& value : values) value *= 10;
  const Counts counts = stored(shape, values, false);
  const Release release = release_of("privwave", counts, options, zero);
  EXPECT_EQ(release.parts().floor(), 31);
  EXPECT_EQ(release.cluster_cells(), wavecluster(counts, options.cluster).clusters);
  EXPECT_EQ(release.parts().spent(), (std::vector<Spent>{{"sums", 1, one}}));
}

}  // namespace
}  // namespace shoal
