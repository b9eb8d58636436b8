#include "shoal/release_set.hpp"

#include <gtest/gtest.h>

#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/private_release.hpp"

namespace shoal {
namespace {

// Two squares of many records on a grid of 16 x 16 cells.
ReleaseSet plain() {
  const Grid grid({{0, 16, 16, "x"}, {0, 16, 16, "y"}});
  std::vector<std::int64_t> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t x = i / 16, y = i % 16;
    values[i] = (x >= 2 && x < 6 && y >= 2 && y < 6) || (x >= 10 && x < 14 && y >= 10 && y < 14) ? 300 : 0;
  }
  return private_release(Counts(grid, Cells<std::int64_t>::dense(grid.shape(), values), 0, 0),
                         {.grid = grid,
                          .epsilon = Epsilon::parse("1"),
                          .options = {.cluster = {.threshold = Density(100)}},
                          .technique = "privqt",
                          .seed = 4});
}

TEST(ReleaseSet, APlainReleaseIsASetOfOnePart) {
  const ReleaseSet set = plain();
  const Release& release = set.first();
  ASSERT_TRUE(set.is_whole());
  EXPECT_EQ(set.names(), std::vector<std::string>{""});
  EXPECT_EQ(&set.at(""), &release);
  EXPECT_EQ(set.grouping(), nullptr);
  EXPECT_TRUE(set.insets().empty());
  EXPECT_EQ(set.epsilon(), release.parts().epsilon);
  EXPECT_EQ(set.spent().size(), release.parts().spent().size());
  EXPECT_EQ(set.notices(), notices(release));
  for (const char* path : {"a.json", "a.geojson", "a.csv", "a.html", "a.svg", "a.png"}) {
    EXPECT_EQ(set.contents(path), release.contents(path)) << path;
  }
  EXPECT_THROW(static_cast<void>(set.contents("a.txt")), InputError);
  EXPECT_THROW(static_cast<void>(set.at("overview")), InputError);
}

TEST(ReleaseSet, APlainFileIsReadAsASetAndAsARelease) {
  const ReleaseSet set = plain();
  const std::string text = set.json();
  EXPECT_TRUE(ReleaseSet::parse(text, "it").is_whole());
  EXPECT_EQ(ReleaseSet::parse(text, "it").json(), text);
  EXPECT_EQ(Release::parse(text, "it").json(), text);
  EXPECT_THROW(static_cast<void>(ReleaseSet::parse("{}", "it")), InputError);
}

TEST(ReleaseSet, ItsFileIsTrimmedAsThatOfARelease) {
  const ReleaseSet set = plain();
  EXPECT_EQ(set.trimmed_to().json(), set.json());
  const std::size_t limit = set.json().size() - 1;
  EXPECT_EQ(set.trimmed_to(limit).json(), set.first().trimmed_to(limit).json());
  EXPECT_EQ(set.trimmed_to(limit).json(), set.without_noisy_values().json());
}

TEST(ReleaseSet, ANumberOfReleasesThatDoesNotFitTheLayoutIsRefused) {
  const Release one = plain().first();
  EXPECT_THROW(ReleaseSet(Whole{}, {}), InputError);
  EXPECT_THROW(ReleaseSet(Whole{}, {one, one}), InputError);
  EXPECT_THROW(ReleaseSet(Insets{1}, {one}), InputError);
  EXPECT_THROW(ReleaseSet(listed_groups("ward", {"A", "B"}), {one}), InputError);
  EXPECT_EQ(ReleaseSet(Insets{9}, {one, one}).insets().size(), 1U);
  EXPECT_EQ(std::get<Insets>(ReleaseSet(Insets{9}, {one, one}).layout()).most, 1U);
}

TEST(Labeller, LabelsByAPlainReleaseAsItsMapDoes) {
  const ReleaseSet set = plain();
  const std::vector<double> x{3.5, 12.5, 8.5, 99}, y{3.5, 12.5, 8.5, 3};
  const std::vector<std::span<const double>> columns{x, y};
  const Labeller labeller(set, {.doubtful = Doubtful::keep, .strength = true});
  const PointLabels found = labeller.label(columns);
  std::vector<std::uint32_t> expected(x.size());
  set.first().map().label(columns, expected);
  EXPECT_EQ(found.labels, expected);
  EXPECT_NE(found.labels[0], found.labels[1]);
  EXPECT_EQ(found.labels[2], 0U);
  EXPECT_EQ(labeller.clusters(), 2U);
  EXPECT_TRUE(found.parts.empty() && found.places.empty());
  EXPECT_GT(found.strengths[0], 0.5);
  EXPECT_EQ(found.strengths[3], 0);
  EXPECT_EQ(Labeller(set.first().map()).label(columns).labels, expected);
}

}  // namespace
}  // namespace shoal
