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

TEST(Page, CoastlinesLieNearTheBoundsAndNeverCrossTheWholeMap) {
  const auto world = coastlines(-180, 180, -90, 90), city = coastlines(-74.3, -73.6, 40.4, 41);
  EXPECT_GT(world.size(), 50U);
  EXPECT_FALSE(city.empty());
  for (const auto& line : world) {
    for (std::size_t i = 2; i < line.size(); i += 2) EXPECT_LT(std::abs(line[i] - line[i - 2]), 180);
  }
  for (const auto& line : city) {
    for (std::size_t i = 0; i < line.size(); i += 2) EXPECT_LT(std::abs(line[i] + 74), 5);
  }
}

}  // namespace
}  // namespace shoal
