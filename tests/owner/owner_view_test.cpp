#include "owner/owner_view.hpp"

#include <gtest/gtest.h>

#include "release_examples.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal {
namespace {

bool says(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

TEST(OwnerReport, SaysThatItIsNotPrivateBeforeAnythingElse) {
  const Counts counts(examples::grid_of({20, 20}), examples::blobs({20, 20}, 2), 1234567, 5);
  ClusterOptions options{.threshold = Percentile(60)};
  const Segmentation result = wavecluster(counts, options);
  const ClusterMap map(counts.grid(), 1, Transform::decimated, result.clusters);
  const OwnerView view{"folder/points <1>.csv", counts, map, options, result};
  const std::string page = owner_report(view);
  ASSERT_TRUE(says(page, "NOT PRIVATE"));
  EXPECT_LT(page.find("NOT PRIVATE"), page.find("<figure"));
  EXPECT_TRUE(says(page, "1,234,567"));
  EXPECT_TRUE(says(page, "points &lt;1&gt;.csv"));
  EXPECT_FALSE(says(page, "points <1>.csv"));
  EXPECT_TRUE(says(owner_picture(view).svg(), "NOT PRIVATE"));
}

TEST(OwnerReport, ExplainsEveryParameter) {
  const Counts counts(examples::grid_of({9, 9, 9}), examples::blobs({9, 9, 9}, 2), 10, 0);
  ClusterOptions options{.threshold = Percentile(0)};
  options.wavelet = Wavelet::named("bior2.2");
  options.min_cells = 2;
  const Segmentation result = wavecluster(counts, options);
  const ClusterMap map(counts.grid(), 1, Transform::decimated, result.clusters);
  const std::string page = owner_report({"points.csv", counts, map, options, result});
  for (const char* name : {"Bounds and grid", "Wavelet", "Level", "Percentile", "Adjacency", "Minimum cells"}) {
    EXPECT_TRUE(says(page, name)) << name;
  }
}

TEST(OwnerView, EveryFileSaysThatItIsNotPrivate) {
  const Counts counts(examples::grid_of({20, 20}), examples::blobs({20, 20}, 2), 400, 0);
  const ClusterOptions options{.threshold = Percentile(60)};
  const Segmentation result = wavecluster(counts, options);
  const ClusterMap map(counts.grid(), 1, Transform::decimated, result.clusters);
  const OwnerView view{"points.csv", counts, map, options, result};
  EXPECT_TRUE(says(view.json(), "\"private\": false"));
  EXPECT_EQ(view.contents("a.json"), view.json());
  EXPECT_TRUE(says(view.contents("a.geojson"), "\"private\":false"));
  EXPECT_TRUE(says(view.contents("a.csv"), ",private\n"));
  for (const char* name : {"a.html", "a.svg"}) EXPECT_TRUE(says(view.contents(name), "NOT PRIVATE")) << name;
  const OwnerLevels levels = owner_levels("points.csv", counts, options, {1, 2});
  EXPECT_TRUE(says(levels.json(), "\"private\": false"));
  for (const char* name : {"a.html", "a.svg"}) EXPECT_TRUE(says(levels.contents(name), "NOT PRIVATE")) << name;
}

}  // namespace
}  // namespace shoal
