#include "shoal/release.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/release_json.hpp"
#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "temporary_folder.hpp"

namespace shoal {
namespace {

using nlohmann::json;

Release example(unsigned seed = 1) { return Release(examples::parts(examples::blobs({24, 17}, seed))); }

std::string refusal(const std::string& text) {
  try {
    (void)Release::parse(text, "r.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

// Changes the document, gives it a fitting checksum, and reads it: only the rule itself can refuse it.
std::string refusal_after(const std::function<void(json&)>& change) {
  json document = json::parse(example().json());
  change(document);
  document["checksum"] = checksum_of_text(document.dump());
  return refusal(document.dump());
}

TEST(Release, SpentMustAddUpToEpsilon) {
  ReleaseParts parts = examples::parts(examples::blobs({8, 8}, 1));
  parts.epsilon = Epsilon::parse("0.4");
  EXPECT_THROW(Release{parts}, Error);
}

TEST(Release, NeedsNoisyValues) {
  ReleaseParts parts = examples::parts(examples::blobs({8, 8}, 1));
  parts.noisy = Withheld{parts.paid()};
  EXPECT_THROW(Release{parts}, Error);
}

TEST(Release, WhatWasSpentIsOnTheReceiptsOfItsValues) {
  const ReleaseParts parts = examples::parts_with_answer(examples::blobs({8, 8}, 1), Question::nonpositive, 12);
  const std::vector<Spent> both = {{"counts", 1, Epsilon::parse("0.2")}, {"nonpositive", 1, Epsilon::parse("0.1")}};
  EXPECT_EQ(parts.spent(), both);
  EXPECT_EQ(Release(parts).without_noisy_values().parts().spent(), both);
  EXPECT_EQ(Release::parse(Release(parts).json(), "r.json").parts().spent(), both);
}

TEST(Release, AgreesWithPlainSegmentationOfTheSameValues) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Cells<std::int64_t> counts = examples::blobs({21, 14}, seed);
    ClusterOptions options{.threshold = Percentile(60)};
    const Segmentation plain = segment(transform(counts, options), options);
    const Release release(examples::parts(counts));
    EXPECT_EQ(release.cluster_cells(), plain.clusters);
    EXPECT_EQ(release.k(), plain.k);
    EXPECT_EQ(release.threshold(), plain.threshold);
  }
}

TEST(Release, NoisySizeIsTheSumOfTheNoisyCountsThatPredictPutsInTheCluster) {
  for (const Transform transform : {Transform::decimated, Transform::stationary}) {
    ReleaseParts parts = examples::parts(examples::blobs({23, 16}, 5));
    parts.options.transform = transform;
    const Release release(parts);
    const ClusterMap map = release.map();
    std::vector<std::int64_t> sizes(release.clusters().size(), 0);
    const Cells<std::int64_t>& counts = parts.counts()->counts.value();
    for (std::uint64_t cell = 0; cell < counts.cell_count(); ++cell) {
      const auto at = coordinates(cell, counts.shape());
      std::vector<double> point;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        point.push_back((parts.grid.axis(axis).edge(at[axis]) + parts.grid.axis(axis).edge(at[axis] + 1)) / 2);
      }
      const std::uint32_t label = map.label(point);
      if (label != 0) sizes[label - 1] += counts.at(cell);
    }
    ASSERT_FALSE(sizes.empty());
    for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(release.clusters()[i].noisy_size, sizes[i]);
  }
}

TEST(Release, CentroidIsTheMeanOfTheCellCentres) {
  const Release release = example();
  const ClusterMap map = release.map();
  std::vector<double> sum(2, 0);
  for (std::size_t i = 0; i < release.cluster_cells().cells().size(); ++i) {
    if (release.cluster_cells().labels()[i] != 1) continue;
    const auto at = coordinates(release.cluster_cells().cells()[i], release.cluster_cells().shape());
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto [lo, hi] = map.cell_bounds(axis, at[axis]);
      sum[axis] += (lo + hi) / 2;
    }
  }
  const auto cells = static_cast<double>(release.clusters()[0].cells);
  EXPECT_NEAR(release.clusters()[0].centroid[0], sum[0] / cells, 1e-12);
  EXPECT_NEAR(release.clusters()[0].centroid[1], sum[1] / cells, 1e-12);
}

TEST(Release, DropsHalfOfTheNoisyNonpositives) {
  const Cells<std::int64_t> counts = examples::blobs({20, 20}, 3);
  const Transformed w = transform(counts, {.threshold = Percentile(0)});
  std::uint64_t positive = 0;
  for (const std::int64_t sum : w.sums()->values()) positive += sum > 0 ? 1 : 0;
  const auto k_with = [&](std::int64_t answer) {
    return Release(examples::parts_with_answer(counts, Question::nonpositive, answer)).k();
  };
  EXPECT_EQ(k_with(40), significant_count(Percentile(60), positive - 20));
  EXPECT_EQ(k_with(41), significant_count(Percentile(60), positive - 20));
  EXPECT_EQ(k_with(-5), significant_count(Percentile(60), positive));
  EXPECT_EQ(k_with(100000), 0U);
}

TEST(Release, WithoutAnythingPositiveHasNoClusters) {
  const auto nothing = Cells<std::int64_t>::dense({6, 6}, std::vector<std::int64_t>(36, -1));
  const std::vector<ReleaseParts> all{examples::parts(nothing),
                                      examples::parts_with_answer(nothing, Question::nonpositive, 36),
                                      examples::parts_with_answer(nothing, Question::threshold, 4)};
  for (const ReleaseParts& parts : all) {
    const Release release(parts);
    EXPECT_TRUE(release.clusters().empty());
    EXPECT_EQ(release.k(), 0U);
    const Release again = Release::parse(release.json(), "r.json");
    EXPECT_EQ(again.json(), release.json());
    EXPECT_FALSE(release.html().empty());
  }
}

TEST(Release, DrawnThresholdSelectsEverySumAtOrAboveIt) {
  const Cells<std::int64_t> counts = examples::blobs({20, 20}, 3);
  const Transformed w = transform(counts, {.threshold = Percentile(0)});
  std::uint64_t at_or_above = 0;
  for (const std::int64_t sum : w.sums()->values()) at_or_above += sum >= 50 ? 1 : 0;
  const Release release(examples::parts_with_answer(counts, Question::threshold, 50));
  EXPECT_EQ(release.k(), at_or_above);
  EXPECT_EQ(release.cluster_cells().cells().size(), at_or_above);
  EXPECT_DOUBLE_EQ(release.threshold(), 25);
}

// ---- files -----------------------------------------------------------------------------------------------------

TEST(ReleaseFile, RoundTripGivesTheSameBytesForAnyShapeRuleAndUnit) {
  const std::vector<Shape> shapes{{37}, {16, 16}, {9, 31}, {7, 6, 5}, {4, 3, 5, 4}};
  unsigned seed = 0;
  for (const Shape& shape : shapes) {
    for (const char* wavelet : {"haar", "db2", "bior2.2"}) {
      for (int kind = 0; kind < 5; ++kind) {
        ReleaseParts parts = kind < 2 ? examples::parts(examples::blobs(shape, ++seed))
                                      : examples::parts_with_answer(examples::blobs(shape, ++seed),
                                                                    static_cast<Question>(kind % 2), 12, 60, wavelet);
        parts.options.wavelet = Wavelet::named(wavelet);
        parts.options.transform = kind == 3 ? Transform::stationary : Transform::decimated;
        parts.options.level = kind == 1 ? 2 : 1;
        parts.options.adjacency = kind == 4 ? Adjacency::face : Adjacency::full;
        parts.unit.neighbors = kind == 2 ? Neighbors::replace : Neighbors::add_remove;
        if (kind == 1) parts.options.threshold = Top(5);
        if (kind == 0) parts.unit = {Neighbors::add_remove, "user \"id\"", 7};
        const Release release(parts);
        const std::string text = release.json();
        const Release again = Release::parse(text, "r.json");
        ASSERT_EQ(again.json(), text);
        EXPECT_EQ(again.cluster_cells(), release.cluster_cells());
        EXPECT_EQ(again.parts().counts()->counts.value(), release.parts().counts()->counts.value());
        EXPECT_EQ(again.parts().grid, release.parts().grid);
        EXPECT_EQ(again.parts().spent(), release.parts().spent());
      }
    }
  }
}

TEST(ReleaseFile, SparseValuesAndExtremesSurvive) {
  ReleaseParts parts = examples::parts(
      Cells<std::int64_t>::sparse({1000000, 1000000}, {3, 5000000, 999999999999}, {-4, INT64_C(1) << 40, 17}));
  const Release release(parts);
  const Release again = Release::parse(release.json(), "r.json");
  EXPECT_EQ(again.parts().counts()->counts.value(), parts.counts()->counts.value());
  const Release dense(examples::parts(Cells<std::int64_t>::dense({1, 3}, {INT64_MIN / 8, -1, INT64_MAX / 8})));
  EXPECT_EQ(Release::parse(dense.json(), "r.json").parts().counts()->counts.value(),
            dense.parts().counts()->counts.value());
}

TEST(ReleaseFile, WithoutNoisyValuesStillPredictsAndRoundTrips) {
  const Release release = example();
  const Release small = release.without_noisy_values();
  const Release again = Release::parse(small.json(), "r.json");
  EXPECT_EQ(again.json(), small.json());
  EXPECT_EQ(again.cluster_cells(), release.cluster_cells());
  EXPECT_LT(small.json().size(), release.json().size());
  ClusterOptions other = again.parts().options;
  other.min_cells += 1;
  EXPECT_THROW((void)reshape(again, other), InputError);
  EXPECT_EQ(reshape(again, again.parts().options).json(), again.json());
}

TEST(ReleaseFile, OneThatIsTooLargeIsKeptWithoutItsNoisyValues) {
  const Release release = example();
  const std::size_t size = release.json().size();
  EXPECT_EQ(release.trimmed_to().json(), release.json());
  EXPECT_EQ(release.trimmed_to(size).json(), release.json());
  EXPECT_EQ(release.trimmed_to(size - 1).json(), release.without_noisy_values().json());
}

TEST(ReleaseFile, EveryTruncationIsRefused) {
  const std::string text = example().json();
  // Without its last newline the file is still whole.
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    ASSERT_NE(refusal(text.substr(0, length)), "") << length;
  }
  EXPECT_EQ(refusal(text.substr(0, text.size() - 1)), "");
}

// A changed byte is refused, or it only changed the layout: then the release that is read is the same.
TEST(ReleaseFile, EveryAlteredByteIsRefusedOrHarmless) {
  const std::string text = Release(examples::parts(examples::blobs({9, 8}, 2))).json();
  std::mt19937_64 random(4);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const std::uint64_t change : {std::uint64_t{1}, std::uint64_t{32}, random() % 255 + 1}) {
      std::string altered = text;
      altered[i] = static_cast<char>(static_cast<unsigned char>(altered[i]) ^ change);
      try {
        ASSERT_EQ(Release::parse(altered, "r.json").json(), text) << i;
      } catch (const InputError&) {
      }
    }
  }
}

TEST(ReleaseFile, RandomDamageNeverGetsThrough) {
  const std::string text = example(7).json();
  std::mt19937_64 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::string altered = text;
    const std::uint64_t start = random() % altered.size();
    const std::uint64_t length = random() % 30;
    switch (random() % 3) {
      case 0:
        altered.erase(start, length);
        break;
      case 1:
        altered.insert(start, altered.substr(random() % altered.size(), length));
        break;
      default:
        for (std::uint64_t i = start; i < std::min(start + length, altered.size()); ++i) {
          altered[i] = static_cast<char>(random());
        }
    }
    try {
      ASSERT_EQ(Release::parse(altered, "r.json").json(), text);
    } catch (const InputError&) {
    }
  }
}

// ---- versions ------------------------------------------------------------------------------------------------------

Release with_db4() {
  ReleaseParts parts = examples::parts(examples::blobs({64, 48}, 3));
  parts.options.wavelet = Wavelet::named("db4");
  parts.options.level = 2;
  return Release(parts);
}

std::string as_version(const Release& release, const char* version, bool without_clusters) {
  json document = json::parse(release.json());
  document["format"] = version;
  if (without_clusters) document["clusters"] = json::array();
  document["checksum"] = checksum_of_text(document.dump());
  return document.dump();
}

TEST(ReleaseFile, IsOfVersionOneForDecimatedHaarAndOfVersionTwoForOthers) {
  const auto version = [](const Release& release) { return json::parse(release.json())["format"].get<std::string>(); };
  EXPECT_EQ(version(example()), "shoal-release/1");
  EXPECT_EQ(version(with_db4()), "shoal-release/2");
  ReleaseParts parts = examples::parts(examples::blobs({16, 12}, 3));
  parts.options.transform = Transform::stationary;
  EXPECT_EQ(version(Release(parts)), "shoal-release/2");
  EXPECT_EQ(Release::parse(as_version(example(), "shoal-release/2", false), "r.json").json(), example().json());
}

// Clusters of version 1 lay beside their points with such wavelets: they are computed anew.
TEST(ReleaseFile, OfVersionOneWithAnotherWaveletGetsItsClustersAtTheRightPlace) {
  const Release release = with_db4();
  ASSERT_GT(release.cluster_cells().count(), 0U);
  EXPECT_EQ(Release::parse(as_version(release, "shoal-release/1", true), "r.json").json(), release.json());
  EXPECT_EQ(Release::parse(as_version(release, "shoal-release/2", true), "r.json").cluster_cells().count(), 0U);
  const std::string bare = as_version(release.without_noisy_values(), "shoal-release/1", false);
  EXPECT_NE(refusal(bare).find("showed clusters of wavelet db4 beside their points"), std::string::npos)
      << refusal(bare);
  EXPECT_EQ(refusal(release.without_noisy_values().json()), "");
}

TEST(ReleaseFile, RefusalsNameThePlace) {
  const auto expect = [](const std::function<void(json&)>& change, const std::string& part) {
    const std::string message = refusal_after(change);
    EXPECT_NE(message.find(part), std::string::npos) << message << "\n wanted: " << part;
  };
  EXPECT_EQ(refusal_after([](json&) {}), "");
  expect([](json& d) { d["axes"][1]["lo"] = "0"; },
         "r.json cannot be read as a release: at /axes/1/lo: must be a number");
  expect([](json& d) { d["axes"][1]["hi"] = -7; }, "at /axes/1");
  expect([](json& d) { d["axes"][0]["cells"] = 0; }, "at /axes/0/cells");
  expect([](json& d) { d["axes"][0]["cells"] = std::uint64_t{1} << 31; }, "at /noisy_counts/shape/0");
  expect([](json& d) { d["axes"] = json::array(); }, "at /axes");
  expect([](json& d) { d["format"] = "shoal-release/3"; }, "at /format: is 'shoal-release/3', but this version");
  expect([](json& d) { d["format"] = "other"; }, "is not a release but another kind of JSON");
  expect([](json& d) { d.erase("format"); }, "is not a release but another kind of JSON");
  expect([](json& d) { d["format"] = "shoal-tree/1"; }, "is not a release but a cluster tree");
  expect([](json& d) { d["epsilon"] = 0.4; }, "at /epsilon");
  expect([](json& d) { d["epsilon"] = 0.4, d["epsilon_exact"] = "0.4"; }, "at /spent: adds up to 0.3");
  expect([](json& d) { d["spent"][0]["sensitivity"] = 0; }, "at /spent/0/sensitivity");
  expect([](json& d) { d["private"] = 1; }, "at /private");
  expect([](json& d) { d["neighbors"] = "some"; }, "at /neighbors: is 'some', but must be one of add-remove, replace");
  expect([](json& d) { d["unit"] = "person"; }, "at /unit");
  expect([](json& d) { d["wavelet"] = "db99"; }, "at /wavelet");
  expect([](json& d) { d["level"] = 0; }, "at /level");
  expect([](json& d) { d["level"] = 63; }, "at /level");
  expect([](json& d) { d["percentile"] = 100; }, "at /percentile");
  expect([](json& d) { d["top"] = 3; }, "exactly one of percentile, top, density, coverage and modes");
  expect([](json& d) { d["extra"] = 3; }, "has the unknown key 'extra'");
  expect([](json& d) { d.erase("k"); }, "lacks 'k'");
  expect([](json& d) { d["clusters"][0]["id"] = 2; }, "at /clusters/0/id");
  expect([](json& d) { d["clusters"][0]["cells"] = 1; }, "at /clusters/0/runs");
  expect([](json& d) { d["clusters"][0]["runs"][0] = 1000000; }, "at /clusters/0/runs/0");
  expect([](json& d) { d["clusters"][0]["runs"][1] = INT64_MAX; }, "at /clusters/0/runs/1");
  expect([](json& d) { d["clusters"][0]["noisy_size"] = 1; }, "at /clusters: has a noisy_size");
  expect([](json& d) { d["clusters"][0]["centroid"] = json::array(); }, "at /clusters/0/centroid");
  expect([](json& d) { d["clusters"][0]["outline"][0][0][0] = 5; }, "at /clusters/0/outline/0/0/0");
  expect([](json& d) { std::swap(d["clusters"][0]["runs"], d["clusters"][1]["runs"]); }, "at /clusters/0/runs");
  expect([](json& d) { d["noisy_counts"]["stored"] = 5; }, "at /noisy_counts/data");
  expect([](json& d) { d["noisy_counts"]["shape"] = {1}; }, "at /noisy_counts/shape");
  expect([](json& d) { d["noisy_counts"]["data"] = "AAAA"; }, "at /noisy_counts/data");
  expect([](json& d) { d["noisy_counts"]["data"] = "A"; }, "base64");
  expect([](json& d) { d["noisy_counts"]["encoding"] = "hex"; }, "at /noisy_counts/encoding");
  expect([](json& d) { d["noisy_sums"] = d["noisy_counts"]; }, "must not have both");
}

TEST(ReleaseFile, HostileTextsAreRefusedWithoutHarm) {
  EXPECT_NE(refusal(std::string(100000, '[')), "");
  EXPECT_NE(refusal("{\"a\":" + std::string(100000, '{')), "");
  EXPECT_NE(refusal("{\"format\":\"shoal-release/1\",\"format\":\"shoal-release/1\"}").find("twice"),
            std::string::npos);
  EXPECT_NE(refusal("null"), "");
  EXPECT_NE(refusal("[]"), "");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal(std::string("\0\xff", 2)), "");
}

// Claims of huge sizes that the content does not bear out must not be allocated for.
TEST(ReleaseFile, ClaimedSizesAreCheckedBeforeAllocation) {
  EXPECT_NE(refusal_after([](json& d) {
              d["axes"][0]["cells"] = d["axes"][1]["cells"] = 1 << 30;
              d["noisy_counts"]["shape"] = {1 << 30, 1 << 30};
              d["noisy_counts"]["stored"] = std::uint64_t{1} << 60;
            }).find("at /noisy_counts/stored"),
            std::string::npos);
  EXPECT_NE(refusal_after([](json& d) {
              d["axes"][0]["cells"] = d["axes"][1]["cells"] = 1 << 30;
              d.erase("noisy_counts");
              d["clusters"] = json::array({{{"id", 1},
                                            {"cells", std::uint64_t{1} << 58},
                                            {"noisy_size", 0},
                                            {"centroid", {0, 0}},
                                            {"outline", json::array()},
                                            {"runs", {0, std::uint64_t{1} << 58}}}});
            }).find("more clustered cells than a release can hold"),
            std::string::npos);
}

TEST(ReleaseFile, LayoutDoesNotMatterAndWholeNumbersMayBeWrittenEitherWay) {
  const std::string text = example().json();
  json document = json::parse(text);
  EXPECT_EQ(Release::parse(document.dump(7), "r.json").json(), text);
  document["percentile"] = 60.0;
  EXPECT_EQ(Release::parse(document.dump(), "r.json").json(), text);
}

TEST(ReleaseFile, EpsilonIsExactToTheLastDecimal) {
  ReleaseParts parts = examples::parts(examples::blobs({8, 8}, 1));
  parts.epsilon = Epsilon::parse("123456.123456789012");
  const std::vector<Spent> spent = {{"a", 1, Epsilon::parse("123456.123456789011")},
                                    {"b", 2, Epsilon::parse("0.000000000001")}};
  parts.noisy = GridCounts{examples::as_noisy_by_no_law(parts.counts()->counts.value(), examples::charged(spent))};
  const Release again = Release::parse(Release(parts).json(), "r.json");
  EXPECT_EQ(again.parts().epsilon, parts.epsilon);
  EXPECT_EQ(again.parts().spent(), spent);
}

TEST(ReleaseFile, NamesInAnyEncodingAreWritten) {
  ReleaseParts parts = examples::parts(examples::blobs({8, 8}, 1));
  parts.grid = Grid({Axis(0, 1, 8, "caf\xe9 <b>\"x\""), Axis(0, 1, 8, "\xc3\xa9t\xc3\xa9")});
  const Release release(parts);
  const Release again = Release::parse(release.json(), "r.json");
  EXPECT_EQ(again.json(), release.json());
  EXPECT_EQ(again.parts().grid.axis(1).name(), "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(release.html().find("<b>\"x\""), std::string::npos);
}

TEST(ReleaseFile, IsSavedBySuffixAndLoaded) {
  const TemporaryFolder own;
  const std::filesystem::path folder = own.path();
  const Release release = example();
  for (const char* name : {"r.json", "r.geojson", "r.csv", "r.html", "r.svg", "r.png"}) release.save(folder / name);
  EXPECT_EQ(Release::load(folder / "r.json").json(), release.json());
  EXPECT_EQ(read_file(folder / "r.geojson"), release.geojson());
  EXPECT_EQ(read_file(folder / "r.csv"), release.csv());
  EXPECT_EQ(read_file(folder / "r.png").substr(1, 3), "PNG");
  EXPECT_THROW(release.save(folder / "r.xml"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.xml"));
  EXPECT_THROW((void)Release::load(folder / "r.csv"), InputError);
  EXPECT_THROW((void)Release::load(folder / "none.json"), InputError);
}

TEST(ReleaseFile, CsvHasARowForEveryClusteredCell) {
  const Release release = example();
  const std::string csv = release.csv();
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "cluster,x_lo,x_hi,y_lo,y_hi,noisy_count,lower_95,upper_95,private");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
            1 + release.cluster_cells().cells().size());
}

TEST(ReleaseFile, GeoJsonPutsLongitudeFirstAndKeepsTheRightHandRule) {
  for (const bool swapped : {false, true}) {
    ReleaseParts parts = examples::parts(examples::blobs({24, 20}, 1));
    const Axis lon(-180, 180, 24, "Longitude"), lat(-90, 90, 20, "lat");
    parts.grid = swapped ? Grid({Axis(-90, 90, 24, "lat"), Axis(-180, 180, 20, "lng")}) : Grid({lon, lat});
    const json collection = json::parse(Release(parts).geojson());
    ASSERT_FALSE(collection["features"].empty());
    double widest = 0;
    for (const json& feature : collection["features"]) {
      const json& geometry = feature["geometry"];
      const json polygons =
          geometry["type"] == "Polygon" ? json::array({geometry["coordinates"]}) : geometry["coordinates"];
      for (const json& rings : polygons) {
        for (std::size_t r = 0; r < rings.size(); ++r) {
          double area = 0;
          for (std::size_t i = 0; i + 1 < rings[r].size(); ++i) {
            const double x1 = rings[r][i][0], y1 = rings[r][i][1], x2 = rings[r][i + 1][0], y2 = rings[r][i + 1][1];
            area += x1 * y2 - x2 * y1;
            widest = std::max(widest, std::fabs(y1));
          }
          EXPECT_EQ(rings[r].front(), rings[r].back());
          EXPECT_TRUE(r == 0 ? area > 0 : area < 0);
        }
      }
    }
    EXPECT_LE(widest, 90);
  }
}

TEST(ReleaseFile, GeoJsonOfThreeAxesIsRefused) {
  EXPECT_THROW((void)Release(examples::parts(examples::blobs({5, 5, 5}, 1))).geojson(), InputError);
}

}  // namespace
}  // namespace shoal
