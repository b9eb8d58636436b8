// How much room a release may take, from public parameters alone; and that pictures bear the mark of a study.
#include <gtest/gtest.h>

#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"

namespace shoal {
namespace {

const char* const formats[] = {".json", ".geojson", ".csv", ".html", ".svg", ".png"};

// Every other cell of W, so that face adjacency makes each a cluster; large numbers and long coordinates.
Release checkerboard(const Shape& shape, std::int64_t value, Adjacency adjacency) {
  std::vector<std::int64_t> values(cell_count(shape));
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    std::uint64_t blocks = 0;
    for (const std::uint64_t at : coordinates(i, shape)) blocks += at / 2;
    values[i] = blocks % 2 == 0 ? value + static_cast<std::int64_t>(i * 2654435761 % 1000) : -value;
  }
  ReleaseParts parts = examples::parts(Cells<std::int64_t>::dense(shape, values), 0);
  std::vector<Axis> axes;
  for (const std::uint64_t extent : shape) axes.emplace_back(-1e-3 / 7, 1e5 / 3, extent, "a \"long\" name\n");
  parts.grid = Grid(std::move(axes));
  parts.options.adjacency = adjacency;
  return Release(std::move(parts));
}

TEST(Room, NoReleaseTakesMoreThanWasSaid) {
  for (const Shape& shape : {Shape{512}, Shape{64, 64}, Shape{200, 6}, Shape{16, 16, 16}, Shape{6, 6, 6, 6}}) {
    for (const Adjacency adjacency : {Adjacency::face, Adjacency::full}) {
      for (const std::int64_t value : {std::int64_t{5}, std::int64_t{1} << 60}) {
        const Release release = checkerboard(shape, value, adjacency);
        const ReleaseParts& parts = release.parts();
        if (adjacency == Adjacency::face) {
          EXPECT_GE(release.clusters().size(), cell_count(shape) >> (shape.size() + 1));
        }
        for (const char* format : formats) {
          if (std::string(format) == ".geojson" && shape.size() != 2) continue;
          EXPECT_LE(release.contents(format).size(), Release::most_bytes(format, parts.grid, parts.options)) << format;
        }
      }
    }
  }
}

TEST(Room, AFormatThatCannotHoldTheReleaseIsRefusedBeforehand) {
  const Grid cube = examples::grid_of({4, 4, 4});
  EXPECT_THROW(static_cast<void>(Release::most_bytes("r.geojson", cube, {.threshold = Percentile(0)})), InputError);
  EXPECT_THROW(static_cast<void>(Release::most_bytes("r.txt", cube, {.threshold = Percentile(0)})), InputError);
  EXPECT_NO_THROW(static_cast<void>(Release::most_bytes("r.csv", cube, {.threshold = Percentile(0)})));
}

TEST(Room, WhatIsSetAsideIsNeverUnreasonable) {
  ReleaseRequest request{.grid = Grid({Axis(0, 1, 1U << 30), Axis(0, 1, 1U << 30)}),
                         .epsilon = Epsilon::parse("1"),
                         .options = {.cluster = {.threshold = Percentile(0)}}};
  for (const char* format : formats) EXPECT_LE(bytes_to_reserve(request, format), std::uint64_t{1} << 26);
  request.grid = examples::grid_of({40, 40});
  EXPECT_LE(bytes_to_reserve(request, "r.json"), std::uint64_t{1} << 19);
  request.grid = AutomaticGrid{request.bounds()};  // the finest grid that may be chosen
  EXPECT_EQ(bytes_to_reserve(request, "r.json"), std::uint64_t{1} << 26);
}

// A JSON too large for a file loses its noisy values, and where that is not enough its smallest clusters.
TEST(Room, AReleaseIsMadeToFit) {
  const Release release = checkerboard({64, 64}, 5, Adjacency::face);
  const std::size_t whole = release.json().size();
  const std::size_t without = release.without_noisy_values().json().size();
  EXPECT_EQ(release.trimmed_to(whole).json().size(), whole);
  EXPECT_EQ(release.trimmed_to(without).json().size(), without);
  const Release fitted = release.trimmed_to(4000);
  EXPECT_LE(fitted.json().size(), 4000U);
  EXPECT_LT(fitted.clusters().size(), release.clusters().size());
}

TEST(Marks, APictureOfAStudyLooksOtherThanThatOfARelease) {
  ReleaseParts parts = examples::parts(examples::blobs({32, 32}, 1));
  const Release study(parts);
  parts.is_private = true;
  const Release released(std::move(parts));
  for (const char* format : formats) EXPECT_NE(study.contents(format), released.contents(format)) << format;
  EXPECT_NE(study.contents(".svg").find("NOT PRIVATE"), std::string::npos);
}

}  // namespace
}  // namespace shoal
