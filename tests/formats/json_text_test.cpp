#include "formats/json_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "base/packed.hpp"
#include "formats/release_json.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

using nlohmann::json;

// Whole numbers become integers.
json canonical(json value) {
  if (value.is_structured()) {
    for (json& item : value) item = canonical(item);
  } else if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (std::floor(number) == number && std::fabs(number) < 9007199254740992.0)
      value = static_cast<std::int64_t>(number);
  }
  return value;
}

std::vector<double> many_numbers() {
  std::vector<double> numbers{0.0, -0.0, 1.0, -7.0, 0.1, 1e15, 1e16, 1e22, 1e-5, 0x1p53, -0x1p53, 0x1p52 + 0.5};
  numbers.insert(numbers.end(), {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<double>::infinity(), std::nan("")});
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    numbers.push_back(__builtin_bit_cast(double, static_cast<std::uint64_t>(random())));
    numbers.push_back(static_cast<double>(random() % 4096) / 1024);  // comes again
    numbers.push_back(static_cast<double>(static_cast<std::int64_t>(random() % 2000000) - 1000000) / 1000);
  }
  return numbers;
}

TEST(JsonText, NumbersAreThoseOfNlohmann) {
  JsonNumbers plain(NumberForm::plain), short_form(NumberForm::canonical);
  for (const double number : many_numbers()) {
    std::string text, other;
    plain.append(text, number);
    short_form.append(other, number);
    ASSERT_EQ(text, json(number).dump());
    ASSERT_EQ(other, canonical(json(number)).dump());
  }
}

TEST(JsonText, ListsAreThoseOfNlohmann) {
  const Ring ring{{{0.5, 1}, {0.5, 2.25}, {3, 2.25}, {0.5, 1}}};
  const Ring mirrored{{{1, 0.5}, {2.25, 3}, {2.25, 0.5}, {1, 0.5}}};
  const std::vector<Polygon> polygons{{ring, {ring, mirrored}}, {mirrored, {}}};
  const std::vector<Polygon> swapped{{mirrored, {mirrored, ring}}, {ring, {}}};
  const auto json_of = [](const std::vector<Polygon>& all) {
    json list = json::array();
    for (const Polygon& polygon : all) {
      json rings = json::array();
      rings.push_back(polygon.exterior.points);
      for (const Ring& hole : polygon.holes) rings.push_back(hole.points);
      list.push_back(rings);
    }
    return list.dump();
  };
  JsonNumbers numbers(NumberForm::plain);
  std::string text, other, none;
  numbers.append(text, std::span(polygons), false);
  numbers.append(other, std::span(polygons), true);
  numbers.append(none, std::span<const double>());
  EXPECT_EQ(text, json_of(polygons));
  EXPECT_EQ(other, json_of(swapped));
  EXPECT_EQ(none, "[]");
}

TEST(JsonText, PartsHoldAllClustersInOrder) {
  EXPECT_TRUE(ends_of_parts({}).empty());
  const std::vector<std::uint64_t> large(3, 100000), small(30000, 1);
  EXPECT_EQ(ends_of_parts(large), (std::vector<std::size_t>{1, 2, 3}));
  const std::vector<std::size_t> ends = ends_of_parts(small);
  EXPECT_GT(ends.size(), 2U);
  EXPECT_EQ(ends.back(), small.size());
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
}

// A release whose files are written in several parts.
Release large_release(const std::string& technique, unsigned threads) {
  std::mt19937_64 random(3);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<double> x(60000), y(60000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double size = i % 3 == 0 ? 1 : 0.3;
    x[i] = size * uniform();
    y[i] = size * uniform();
  }
  const Grid grid({Axis(0, 1, 512, "x"), Axis(0, 1, 512, "y")});
  const Counts counts = quantize(*array_points({{x.data()}, {y.data()}}, x.size()), grid, {.threads = 1});
  const auto noise = seeded_noise_not_private(7);
  const PrivateOptions options{.cluster = {.threshold = Percentile(40), .threads = threads}};
  return run_technique(technique, {counts}, Epsilon::parse("1"), options, *noise);
}

TEST(JsonText, TheChecksumOfAFileInPartsIsThatOfItsContent) {
  const Release release = large_release("privqt", 2);
  ASSERT_GT(release.clusters().size(), 1000U);
  ASSERT_GT(release.cluster_cells().cells().size(), 20000U);
  const WrittenRelease written = written_release(release);
  const json document = json::parse(written.text);
  EXPECT_EQ(document.at("checksum"), written.checksum);
  EXPECT_EQ(checksum_of_text(document.dump()), written.checksum);
  EXPECT_EQ(document.at("clusters").size(), release.clusters().size());
  const Release back = Release::parse(written.text, "a test");
  EXPECT_EQ(back.cluster_cells(), release.cluster_cells());
  EXPECT_EQ(back.confidence(), release.confidence());
  EXPECT_EQ(back.json(), written.text);
}

TEST(JsonText, AChecksumIsThatOfTheCanonicalForm) {
  const json documents[] = {json::object(),
                            {{"b", {1, 2.0, -3.5, 1e300}}, {"a", nullptr}, {"c", json::array()}, {"d", json::object()}},
                            {{"quoted \"key\"", "line\nbreak, \\ and \u00e4"},
                             {"true", true},
                             {"large", 18446744073709551615U},
                             {"small", -7}},
                            {{"latin", "caf\xe9"}, {"deep", {{{"x", {{{"y", 1}}}}}}}}};
  for (json document : documents) {
    const std::string text = canonical(document).dump(-1, ' ', false, json::error_handler_t::replace);
    const std::string expected = fmt::format("{:08x}", crc32_of(text));
    const auto dumped = [&] { return document.dump(-1, ' ', false, json::error_handler_t::replace); };
    EXPECT_EQ(checksum_of_text(dumped()), expected) << text;
    document["checksum"] = "anything";
    EXPECT_EQ(checksum_of_text(dumped()), expected) << text;
  }
}

TEST(JsonText, ThreadsChangeNothingInAFile) {
  for (const char* technique : {"privwave", "privqt"}) {
    const Release one = large_release(technique, 1);
    for (const unsigned threads : {2U, 3U, 7U}) {
      const Release several = large_release(technique, threads);
      ASSERT_EQ(several.confidence(), one.confidence());
      EXPECT_EQ(several.json(), one.json());
      EXPECT_EQ(several.geojson(Doubtful::keep), one.geojson(Doubtful::keep));
      EXPECT_EQ(several.csv(), one.csv());
    }
  }
}

TEST(JsonText, AFeatureCollectionInPartsIsGeoJson) {
  const Release release = large_release("privqt", 3);
  const json collection = json::parse(release.geojson(Doubtful::keep));
  ASSERT_EQ(collection.at("features").size(), release.clusters().size());
  for (std::size_t i = 0; i < release.clusters().size(); i += 97) {
    const json& feature = collection.at("features")[i];
    const ReleasedCluster& cluster = release.clusters()[i];
    EXPECT_EQ(feature.at("id"), cluster.id);
    EXPECT_EQ(feature.at("properties").at("cells"), cluster.cells);
    EXPECT_EQ(feature.at("properties").at("centroid"), cluster.centroid);
    EXPECT_EQ(feature.at("properties").at("real"), release.confidence()[i].real);
    const bool single = cluster.outline.size() == 1;
    EXPECT_EQ(feature.at("geometry").at("type"), single ? "Polygon" : "MultiPolygon");
    const json& coordinates = feature.at("geometry").at("coordinates");
    EXPECT_EQ((single ? coordinates : coordinates[0])[0], cluster.outline[0].exterior.points);
  }
  const std::string text = release.csv();
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            release.cluster_cells().cells().size() + 1);
}

}  // namespace
}  // namespace shoal
