#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using Points2 = std::vector<std::pair<double, double>>;

// A map whose cells are unit squares; the stationary transform keeps cells as they are.
ClusterMap unit_map(const Shape& shape, const std::vector<std::uint64_t>& cells, Adjacency adjacency) {
  const Grid grid({Axis(0, static_cast<double>(shape[0]), shape[0]), Axis(0, static_cast<double>(shape[1]), shape[1])});
  return {grid, 1, Transform::stationary, connect(shape, cells, adjacency)};
}

// Drawn with x to the right and y upwards: the first line is the highest y.
ClusterMap drawn(const std::vector<std::string>& lines, Adjacency adjacency = Adjacency::full) {
  const Shape shape{lines.front().size(), lines.size()};
  std::vector<std::uint64_t> cells;
  for (std::uint64_t x = 0; x < shape[0]; ++x) {
    for (std::uint64_t y = 0; y < shape[1]; ++y) {
      if (lines[shape[1] - 1 - y][x] == '#') cells.push_back(x * shape[1] + y);
    }
  }
  return unit_map(shape, cells, adjacency);
}

double signed_area(const Ring& ring) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ring.points.size(); ++i) {
    const auto [x0, y0] = ring.points[i];
    const auto [x1, y1] = ring.points[i + 1];
    sum += x0 * y1 - x1 * y0;
  }
  return sum / 2;
}

bool contains(const Ring& ring, double x, double y) {
  bool inside = false;
  for (std::size_t i = 0; i + 1 < ring.points.size(); ++i) {
    const auto [x0, y0] = ring.points[i];
    const auto [x1, y1] = ring.points[i + 1];
    if ((y0 > y) != (y1 > y) && x < x0) inside = !inside;  // sides are upright or level
    static_cast<void>(x1);
  }
  return inside;
}

bool contains(const Polygon& polygon, double x, double y) {
  return contains(polygon.exterior, x, y) && std::none_of(polygon.holes.begin(), polygon.holes.end(),
                                                          [&](const Ring& hole) { return contains(hole, x, y); });
}

// Closed, turning at every corner, and never at one place twice: walked in unit steps.
void expect_simple(const Ring& ring) {
  ASSERT_GE(ring.points.size(), 5U);
  ASSERT_EQ(ring.points.front(), ring.points.back());
  std::set<std::pair<double, double>> visited;
  const std::size_t sides = ring.points.size() - 1;
  for (std::size_t i = 0; i < sides; ++i) {
    auto [x, y] = ring.points[i];
    const auto [end_x, end_y] = ring.points[i + 1];
    const auto [next_x, next_y] = ring.points[(i + 1) % sides + 1];
    ASSERT_NE(x == end_x, y == end_y);
    ASSERT_NE(x == end_x, end_x == next_x) << "a corner lies on a straight line";
    while (x != end_x || y != end_y) {
      ASSERT_TRUE(visited.emplace(x, y).second) << "touches itself at " << x << ", " << y;
      x += (end_x > x) - (end_x < x);
      y += (end_y > y) - (end_y < y);
    }
  }
}

TEST(Outline, OfOneCellIsItsSquareCounterClockwise) {
  const auto polygons = outline(drawn({"...", ".#.", "..."}), 1);
  ASSERT_EQ(polygons.size(), 1U);
  EXPECT_TRUE(polygons[0].holes.empty());
  EXPECT_EQ(polygons[0].exterior.points, (Points2{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}}));
}

TEST(Outline, HasCornersOnly) {
  const auto polygons = outline(drawn({"###", "###"}), 1);
  ASSERT_EQ(polygons.size(), 1U);
  EXPECT_EQ(polygons[0].exterior.points, (Points2{{0, 0}, {3, 0}, {3, 2}, {0, 2}, {0, 0}}));
}

TEST(Outline, HolesRunClockwise) {
  const auto polygons = outline(drawn({"###", "#.#", "###"}), 1);
  ASSERT_EQ(polygons.size(), 1U);
  ASSERT_EQ(polygons[0].holes.size(), 1U);
  EXPECT_EQ(signed_area(polygons[0].exterior), 9);
  EXPECT_EQ(signed_area(polygons[0].holes[0]), -1);
}

TEST(Outline, CellsThatMeetAtACornerGiveSeparatePolygons) {
  const auto polygons = outline(drawn({".#", "#."}), 1);
  ASSERT_EQ(polygons.size(), 2U);
  for (const Polygon& polygon : polygons) EXPECT_EQ(signed_area(polygon.exterior), 1);
}

// The middle is closed by a corner only: the hole touches the exterior there, and neither touches itself.
TEST(Outline, APieceClosedByACornerHasAHole) {
  const auto polygons = outline(drawn({"###", "#.#", "##."}), 1);
  ASSERT_EQ(polygons.size(), 1U);
  ASSERT_EQ(polygons[0].holes.size(), 1U);
  EXPECT_EQ(signed_area(polygons[0].exterior), 8);
  EXPECT_EQ(signed_area(polygons[0].holes[0]), -1);
  expect_simple(polygons[0].exterior);
  expect_simple(polygons[0].holes[0]);
}

TEST(Outline, HolesThatMeetAtACornerAreSeparate) {
  const auto polygons = outline(drawn({"####", "#.##", "##.#", "####"}), 1);
  ASSERT_EQ(polygons.size(), 1U);
  ASSERT_EQ(polygons[0].holes.size(), 2U);
}

TEST(Outline, AnIslandInAHoleIsAPolygonOfItsOwn) {
  const auto polygons = outline(drawn({"#####", "#...#", "#.#.#", "#..##", "#####"}, Adjacency::full), 1);
  EXPECT_EQ(polygons.size(), 2U);  // the island hangs on by a corner
}

TEST(Outline, CoversItsCellsExactlyWithSimpleRings) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 1500; ++trial) {
    const Shape shape{1 + random() % 9, 1 + random() % 9};
    std::vector<std::uint64_t> cells;
    const std::uint64_t share = 2 + random() % 8;
    for (std::uint64_t i = 0; i < cell_count(shape); ++i) {
      if (random() % 10 < share) cells.push_back(i);
    }
    const ClusterMap map = unit_map(shape, cells, trial % 2 == 0 ? Adjacency::full : Adjacency::face);
    const auto all = outlines(map);
    ASSERT_EQ(all.size(), map.clusters().count());
    for (std::uint32_t cluster = 1; cluster <= map.clusters().count(); ++cluster) {
      const auto polygons = outline(map, cluster);
      double area = 0;
      for (const Polygon& polygon : polygons) {
        expect_simple(polygon.exterior);
        ASSERT_GT(signed_area(polygon.exterior), 0);
        area += signed_area(polygon.exterior);
        for (const Ring& hole : polygon.holes) {
          expect_simple(hole);
          ASSERT_LT(signed_area(hole), 0);
          area += signed_area(hole);
        }
      }
      ASSERT_EQ(area, static_cast<double>(map.clusters().sizes()[cluster - 1]));
      for (std::uint64_t cell = 0; cell < cell_count(shape); ++cell) {
        const std::uint64_t row = cell / shape[1], column = cell % shape[1];
        const double x = static_cast<double>(row) + 0.5;
        const double y = static_cast<double>(column) + 0.5;
        const auto holding = std::count_if(polygons.begin(), polygons.end(),
                                           [&](const Polygon& polygon) { return contains(polygon, x, y); });
        ASSERT_EQ(holding, map.clusters().label(cell) == cluster ? 1 : 0);
      }
      ASSERT_EQ(all[cluster - 1].size(), polygons.size());
      for (std::size_t i = 0; i < polygons.size(); ++i) {
        ASSERT_EQ(all[cluster - 1][i].exterior.points, polygons[i].exterior.points);
      }
    }
  }
}

TEST(Outline, ThreadsChangeNothing) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> cells;
  for (std::uint64_t i = 0; i < 120 * 130; ++i) {
    if (random() % 10 < 3) cells.push_back(i);
  }
  const ClusterMap map = unit_map({120, 130}, cells, Adjacency::face);
  const auto alone = outlines(map, 1);
  const auto together = outlines(map, 3);
  ASSERT_EQ(alone.size(), together.size());
  ASSERT_GT(alone.size(), 1000U);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    ASSERT_EQ(alone[i].size(), together[i].size());
    for (std::size_t j = 0; j < alone[i].size(); ++j) {
      ASSERT_EQ(alone[i][j].exterior.points, together[i][j].exterior.points);
      ASSERT_EQ(alone[i][j].holes.size(), together[i][j].holes.size());
    }
  }
}

TEST(Outline, IsInTheUnitsOfTheAxesAndCutByTheBounds) {
  const Grid grid({Axis(-1, 1.5, 5), Axis(10, 60, 5)});
  const ClusterMap map(grid, 1, Transform::decimated, connect({3, 3}, std::vector<std::uint64_t>{8}));
  const auto polygons = outline(map, 1);
  ASSERT_EQ(polygons.size(), 1U);
  EXPECT_EQ(polygons[0].exterior.points, (Points2{{1, 50}, {1.5, 50}, {1.5, 60}, {1, 60}, {1, 50}}));
}

TEST(Outline, OtherDimensionsAndUnknownClustersAreRefused) {
  const ClusterMap line(Grid({Axis(0, 1, 2)}), 1, Transform::decimated, connect({1}, std::vector<std::uint64_t>{0}));
  EXPECT_THROW(outline(line, 1), InputError);
  EXPECT_THROW(outlines(line), InputError);
  const ClusterMap plane = drawn({"#"});
  EXPECT_THROW(outline(plane, 0), InputError);
  EXPECT_THROW(outline(plane, 2), InputError);
}

}  // namespace
}  // namespace shoal
