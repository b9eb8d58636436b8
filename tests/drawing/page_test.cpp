#include "drawing/page.hpp"

#include <gtest/gtest.h>

#include <array>

#include "drawing/base_map.hpp"
#include "drawing/palette.hpp"
#include "drawing/report.hpp"
#include "release_examples.hpp"
#include "shoal/compare.hpp"
#include "shoal/error.hpp"

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

TEST(BaseMap, HasLakesRiversAndStatesAndStaysSmallForACity) {
  const BaseMap lakes = base_map(-93, -76, 40, 49);  // the Great Lakes
  EXPECT_FALSE(lakes.lakes.empty());
  EXPECT_FALSE(lakes.rivers.empty());
  EXPECT_FALSE(lakes.states.empty());
  EXPECT_TRUE(base_map(-180, 180, -90, 90).rivers.empty());
  for (const auto& [west, east, south, north] :
       {std::array{-74.27, -73.68, 40.49, 40.92}, std::array{13.08, 13.77, 52.33, 52.68},
        std::array{139.5, 139.95, 35.5, 35.85}}) {
    EXPECT_LT(base_map_json(base_map(west, east, south, north)).size(), 300000U);
  }
}

TEST(BaseMap, IsReadAsItWasWritten) {
  const BaseMap map = base_map(-74.27, -73.68, 40.49, 40.92);
  const BaseMap read = read_base_map(base_map_json(map));
  EXPECT_EQ(read.land.size(), map.land.size());
  EXPECT_EQ(read.borders.size(), map.borders.size());
  EXPECT_EQ(read.places.front().name, map.places.front().name);
  EXPECT_EQ(read.credits, map.credits);
  EXPECT_TRUE(read_base_map("{}").empty());
  EXPECT_THROW(read_base_map(R"({"land":[[1,2,3]]})"), InputError);
  EXPECT_THROW(read_base_map("[1"), InputError);
}

TEST(BaseMap, NamesTheNearestPlaceUnlessItIsFar) {
  const Grid grid({Axis(40.49, 40.92, 20, "lat"), Axis(-74.27, -73.68, 20, "lon")});
  BaseMap map;
  map.places = {{"Far & away", -74.2, 40.5}, {"Brooklyn", -73.95, 40.65}, {"Flatbush", -73.96, 40.64}};
  EXPECT_EQ(near_place(map, grid, {40.651, -73.951}), "near Brooklyn");
  EXPECT_EQ(near_place(map, grid, {40.639, -73.961}), "near Flatbush");
  EXPECT_EQ(near_place(map, grid, {40.615, -73.98}), "near Flatbush");  // 4 km: more than a twentieth of the bounds
  EXPECT_EQ(near_place(map, grid, {40.8, -73.8}), "");
  EXPECT_EQ(near_place({}, grid, {40.65, -73.95}), "");
  EXPECT_EQ(near_place(map, Grid({Axis(0, 1, 4, "x"), Axis(0, 1, 4, "y")}), {0.5, 0.5}), "");
}

TEST(BaseMap, LiesUnderThePictureAndTheComparison) {
  ReleaseParts parts = examples::parts(examples::blobs({20, 20}, 2));
  parts.grid = Grid({Axis(-74.27, -73.68, 20, "lon"), Axis(40.49, 40.92, 20, "lat")});
  const Release release(parts);
  const std::string svg = release_picture(release).svg();
  EXPECT_TRUE(says(svg, hex(water_color)));
  EXPECT_TRUE(says(svg, hex(land_color)));
  EXPECT_TRUE(says(svg, ">New York City</text>"));
  EXPECT_TRUE(says(svg, "Natural Earth"));
  EXPECT_TRUE(says(release_report(release), "<th>Place</th>"));
  EXPECT_TRUE(says(release_report(release), "Places are a help for reading"));
  const Release plane(examples::parts(examples::blobs({20, 20}, 2)));
  EXPECT_FALSE(says(release_report(plane), "Places are a help for reading"));
  const std::vector<Release> both{release, release};
  EXPECT_TRUE(says(compare_contents(both, {"before", "after"}, "changes.svg"), hex(water_color)));
  EXPECT_FALSE(says(release_picture(Release(examples::parts(examples::blobs({20, 20}, 2)))).svg(), hex(water_color)));
}

}  // namespace
}  // namespace shoal
