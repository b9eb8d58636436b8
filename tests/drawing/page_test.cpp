#include "drawing/page.hpp"

#include <gtest/gtest.h>

#include "drawing/report.hpp"
#include "release_examples.hpp"

namespace shoal {
namespace {

bool says(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }

TEST(Page, HoldsTheReportTheReleaseAndAPolicyThatForbidsTheNetwork) {
  const std::string page = Release(examples::parts(examples::blobs({40, 40}, 2))).html();
  EXPECT_TRUE(says(page, "default-src 'none'"));
  EXPECT_TRUE(says(page, "id=\"shoal-release\""));
  EXPECT_TRUE(says(page, "<figure>"));
  for (const char* part : {"<link", "<iframe", "src=", "@import", "onclick"}) EXPECT_FALSE(says(page, part)) << part;
}

TEST(Page, TextOfTheReleaseCannotEndItsScript) {
  ReleaseParts parts = examples::parts(examples::blobs({20, 20}, 2));
  parts.grid = Grid({Axis(0, 1, 20, "</script><script>alert(1)</script>"), Axis(0, 1, 20, "y")});
  const std::string page = Release(parts).html();
  EXPECT_FALSE(says(page, "<script>alert"));
}

TEST(Page, TheBaseMapLiesNearTheBoundsAndNeverCrossesTheWholeMap) {
  const BaseMap world = base_map(-180, 180, -90, 90), city = base_map(-74.3, -73.6, 40.4, 41);
  EXPECT_GT(world.land.size(), 50U);
  EXPECT_GT(world.borders.size(), 50U);
  EXPECT_FALSE(city.land.empty());
  for (const auto& line : world.borders) {
    for (std::size_t i = 2; i < line.size(); i += 2) EXPECT_LT(std::abs(line[i] - line[i - 2]), 180);
  }
  for (const auto& ring : city.land) {
    for (std::size_t i = 0; i < ring.size(); i += 2) {
      EXPECT_GT(ring[i], -74.32);
      EXPECT_LT(ring[i], -73.58);
      EXPECT_GT(ring[i + 1], 40.38);
      EXPECT_LT(ring[i + 1], 41.02);
    }
  }
}

TEST(Page, LandCoversAPlaceOnLandAndNoPlaceInTheSea) {
  const BaseMap map = base_map(-74.3, -73.6, 40.4, 41);
  const auto is_land = [&map](double x, double y) {  // even-odd rule
    bool inside = false;
    for (const auto& ring : map.land) {
      for (std::size_t i = 0; i < ring.size(); i += 2) {
        const std::size_t j = i == 0 ? ring.size() - 2 : i - 2;
        const bool crosses = (ring[i + 1] > y) != (ring[j + 1] > y);
        if (crosses && x < ring[i] + (y - ring[i + 1]) / (ring[j + 1] - ring[i + 1]) * (ring[j] - ring[i]))
          inside = !inside;
      }
    }
    return inside;
  };
  EXPECT_TRUE(is_land(-73.95, 40.65));   // Brooklyn
  EXPECT_FALSE(is_land(-73.85, 40.45));  // the Atlantic
}

TEST(Page, PlacesInsideTheBoundsAreNamedTheMostPopulousFirst) {
  const BaseMap map = base_map(13.09, 13.76, 52.34, 52.67);
  ASSERT_FALSE(map.places.empty());
  EXPECT_EQ(map.places.front().name, "Berlin");
}

}  // namespace
}  // namespace shoal
