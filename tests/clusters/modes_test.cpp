#include "clusters/modes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "clusters/smoothing.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using Place = std::vector<double>;

// Points drawn by `next` in the unit box, counted on `cells` cells per axis, with Laplace noise of this epsilon (0:
// none). Plain generators: nothing here is released.
template <class Next>
Cells<std::int64_t> counted(std::size_t points, std::size_t dimensions, std::uint64_t cells, double epsilon,
                            std::mt19937_64& random, const Next& next) {
  const Shape shape(dimensions, cells);
  std::vector<std::int64_t> values(cell_count(shape), 0);
  for (std::size_t i = 0; i < points; ++i) {
    const Place at = next(random);
    std::uint64_t cell = 0;
    bool inside = true;
    for (const double x : at) {
      inside = inside && x >= 0 && x < 1;
      cell = cell * cells + (inside ? static_cast<std::uint64_t>(x * static_cast<double>(cells)) : 0);
    }
    if (inside) ++values[cell];
  }
  if (epsilon > 0) {
    std::geometric_distribution<std::int64_t> magnitude(1 - std::exp(-epsilon));
    for (std::int64_t& value : values) {
      value += magnitude(random);
      value -= magnitude(random);
    }
  }
  return Cells<std::int64_t>::dense(shape, values);
}

CellNoise noise_of(double epsilon) {
  if (epsilon == 0) return {};
  return {.variance = 2 / (epsilon * epsilon), .scale = 1 / epsilon};
}

Place uniform(std::mt19937_64& random, std::size_t dimensions) {
  std::uniform_real_distribution<double> anywhere(0, 1);
  Place at(dimensions);
  for (double& x : at) x = anywhere(random);
  return at;
}

Place normal(std::mt19937_64& random, const Place& middle, double deviation) {
  std::normal_distribution<double> spread(0, deviation);
  Place at = middle;
  for (double& x : at) x += spread(random);
  return at;
}

Place on_ring(std::mt19937_64& random, double radius, double deviation) {
  std::uniform_real_distribution<double> turn(0, 2 * std::acos(-1.0));
  const double angle = turn(random);
  return normal(random, {0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle)}, deviation);
}

std::size_t found(const Cells<std::int64_t>& values, double epsilon) {
  return find_modes(values, noise_of(epsilon)).clusters.count();
}

// At most 5 % of runs may show more than one cluster; in these fixed ones none does.
TEST(Modes, DataWithoutStructureShowOneClusterAtMost) {
  std::mt19937_64 random(1);
  for (const double epsilon : {0.0, 0.1, 1.0, 10.0}) {
    for (int run = 0; run < 4; ++run) {
      EXPECT_LE(found(counted(20000, 1, 200, epsilon, random, [](auto& r) { return uniform(r, 1); }), epsilon), 1U);
      EXPECT_LE(found(counted(20000, 2, 60, epsilon, random, [](auto& r) { return uniform(r, 2); }), epsilon), 1U);
      EXPECT_LE(found(counted(20000, 3, 16, epsilon, random, [](auto& r) { return uniform(r, 3); }), epsilon), 1U);
      EXPECT_LE(found(counted(20000, 2, 60, epsilon, random,
                              [](auto& r) {
                                return normal(r, {0.5, 0.5}, 0.12);
                              }),
                      epsilon),
                1U);
      const auto ramp = [](std::mt19937_64& r) { return Place{std::sqrt(uniform(r, 1)[0]), uniform(r, 1)[0]}; };
      EXPECT_LE(found(counted(20000, 2, 60, epsilon, random, ramp), epsilon), 1U);
    }
  }
}

TEST(Modes, NoiseAloneShowsNothing) {
  std::mt19937_64 random(2);
  for (const double epsilon : {0.1, 1.0}) {
    for (int run = 0; run < 10; ++run) {
      EXPECT_EQ(found(counted(0, 2, 40, epsilon, random, [](auto& r) { return uniform(r, 2); }), epsilon), 0U);
    }
  }
  EXPECT_EQ(found(Cells<std::int64_t>::dense({7, 9}, std::vector<std::int64_t>(63, 0)), 0), 0U);
}

TEST(Modes, TouchingBlobsOfDifferingDensityAreToldApart) {
  std::mt19937_64 random(3);
  const auto blobs = [](std::mt19937_64& r) {
    switch (r() % 8) {
      case 0:
        return normal(r, {0.75, 0.7}, 0.05);
      case 1:
      case 2:
        return normal(r, {0.52, 0.3}, 0.06);
      default:
        return normal(r, {0.3, 0.3}, 0.05);
    }
  };
  for (const double epsilon : {0.0, 0.5, 1.0}) {
    const Modes modes = find_modes(counted(20000, 2, 60, epsilon, random, blobs), noise_of(epsilon));
    ASSERT_EQ(modes.clusters.count(), 3U) << epsilon;
    const std::uint32_t dense = modes.clusters.label(18 * 60 + 18), beside = modes.clusters.label(31 * 60 + 18);
    const std::uint32_t apart = modes.clusters.label(45 * 60 + 42);
    EXPECT_EQ(dense + beside + apart, 6U);
    EXPECT_EQ(modes.rises[beside - 1].towards, dense);
    for (const Rise& rise : modes.rises) {
      EXPECT_GT(rise.peak, rise.saddle);
      EXPECT_LE(rise.doubt, 0.05);
    }
  }
}

TEST(Modes, ARingIsOneClusterAndNotWhatLiesInIt) {
  std::mt19937_64 random(4);
  const auto both = [](std::mt19937_64& r) {
    return r() % 3 == 0 ? normal(r, {0.5, 0.5}, 0.05) : on_ring(r, 0.35, 0.02);
  };
  for (const double epsilon : {0.0, 0.5}) {
    const Modes modes = find_modes(counted(20000, 2, 60, epsilon, random, both), noise_of(epsilon));
    ASSERT_EQ(modes.clusters.count(), 2U) << epsilon;
    EXPECT_NE(modes.clusters.label(30 * 60 + 30), modes.clusters.label(30 * 60 + 51));
    EXPECT_EQ(modes.clusters.label(30 * 60 + 9), modes.clusters.label(30 * 60 + 51));
  }
}

// 300 places repeated 60 times, as a small sample that was enlarged: its lumps are not clusters.
TEST(Modes, LumpsOfASmallSampleAreNotClusters) {
  std::mt19937_64 random(5);
  std::vector<Place> places;
  for (int i = 0; i < 300; ++i) places.push_back(normal(random, {i % 2 == 0 ? 0.3 : 0.7, 0.5}, 0.08));
  const auto enlarged = [&](std::mt19937_64& r) { return normal(r, places[r() % places.size()], 0.01); };
  EXPECT_EQ(found(counted(18000, 2, 60, 0.5, random, enlarged), 0.5), 2U);
}

// Sixty places on each of two rings: what a wider smoothing shows too is two rings, not beads.
TEST(Modes, WhatAWiderSmoothingDoesNotShowIsNotChosen) {
  std::mt19937_64 random(5);
  std::vector<Place> places;
  for (int i = 0; i < 120; ++i) {
    const int place = i / 2;
    const double angle = 2 * std::acos(-1.0) * place / 60, radius = i % 2 == 0 ? 0.15 : 0.38;
    places.push_back({0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle)});
  }
  for (const double jitter : {0.006, 0.01}) {
    const auto beads = [&](std::mt19937_64& r) { return normal(r, places[r() % places.size()], jitter); };
    EXPECT_EQ(found(counted(20000, 2, 60, 0.5, random, beads), 0.5), 2U) << jitter;
  }
}

// Draws a place along a curve whose density varies by a fifth, in `swells` waves.
double along(std::mt19937_64& random, int swells) {
  std::uniform_real_distribution<double> unit(0, 1);
  for (;;) {
    const double t = unit(random);
    if (unit(random) * 1.1 < 1 + 0.1 * std::cos(2 * std::acos(-1.0) * swells * t)) return t;
  }
}

TEST(Modes, ARingOrAThreadWhoseDensityVariesByAFifthIsOneCluster) {
  std::mt19937_64 random(12);
  const double circle = 2 * std::acos(-1.0);
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    for (const int swells : {2, 3}) {
      const auto ring = [&](std::mt19937_64& r) {
        const double turn = circle * along(r, swells);
        return normal(r, {0.5 + 0.36 * std::cos(turn), 0.5 + 0.36 * std::sin(turn)}, 0.02);
      };
      // Two half circles, the second bent the other way.
      const auto thread = [&](std::mt19937_64& r) {
        const double t = along(r, swells), turn = circle * t;
        const double side = t < 0.5 ? 1 : -1, middle = t < 0.5 ? 0.28 : 0.72;
        return normal(r, {middle - side * 0.22 * std::cos(turn), 0.5 + 0.22 * std::sin(turn)}, 0.015);
      };
      const std::uint64_t cells = epsilon < 0.5 ? 40 : 70;
      EXPECT_EQ(found(counted(60000, 2, cells, epsilon, random, ring), epsilon), 1U) << epsilon << ' ' << swells;
      EXPECT_EQ(found(counted(60000, 2, cells, epsilon, random, thread), epsilon), 1U) << epsilon << ' ' << swells;
    }
  }
}

// Four wide blobs, and two small ones close together in the middle: only a fine view shows the empty cells between
// them.
TEST(Modes, PartsDividedByEmptyCellsAreNotJoined) {
  std::mt19937_64 random(13);
  const auto blobs = [](std::mt19937_64& r) {
    const auto one = r() % 10;
    if (one < 2) return normal(r, {one == 0 ? 0.45 : 0.55, 0.5}, 0.012);
    return normal(r, {one % 2 == 0 ? 0.2 : 0.8, one % 4 < 2 ? 0.2 : 0.8}, 0.06);
  };
  for (const double epsilon : {0.5, 1.0}) {
    for (int run = 0; run < 4; ++run) {
      EXPECT_EQ(found(counted(30000, 2, 64, epsilon, random, blobs), epsilon), 6U) << epsilon << ' ' << run;
    }
  }
}

// A ring with six swells of a tenth more records, seen beyond doubt, and a blob inside.
TEST(Modes, ShallowSwellsDoNotPartACluster) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto swollen = [&](std::mt19937_64& r) {
    if (r() % 3 == 0) return normal(r, {0.5, 0.5}, 0.05);
    double angle = 0;
    do {
      angle = 2 * std::acos(-1.0) * unit(r);
    } while (unit(r) > (1 + 0.07 * std::cos(6 * angle)) / 1.07);
    return normal(r, {0.5 + 0.35 * std::cos(angle), 0.5 + 0.35 * std::sin(angle)}, 0.03);
  };
  EXPECT_EQ(found(counted(600000, 2, 60, 0, random, swollen), 0), 2U);
}

TEST(Modes, RecordsThatComeTogetherCountAsOne) {
  std::mt19937_64 random(6);
  Cells<std::int64_t> values = counted(2000, 2, 40, 0, random, [](auto& r) { return uniform(r, 2); });
  for (std::int64_t& value : values.values()) value *= 50;
  EXPECT_GT(find_modes(values, {}).clusters.count(), 1U);
  EXPECT_EQ(find_modes(values, {.together = 50}).clusters.count(), 1U);
}

TEST(Modes, AreTheSameHoweverTheAxesLie) {
  std::mt19937_64 random(7);
  const auto blobs = [](std::mt19937_64& r) {
    return normal(r, r() % 2 == 0 ? Place{0.3, 0.3} : Place{0.6, 0.7}, 0.06);
  };
  const Cells<std::int64_t> values = counted(5000, 2, 32, 1, random, blobs);
  std::vector<std::int64_t> turned(values.stored());
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) turned[j * 32 + i] = values.values()[i * 32 + j];
  }
  const Modes straight = find_modes(values, noise_of(1));
  const Modes other = find_modes(Cells<std::int64_t>::dense({32, 32}, turned), noise_of(1));
  ASSERT_EQ(straight.clusters.count(), 2U);
  EXPECT_EQ(straight.clusters.sizes(), other.clusters.sizes());
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) {
      EXPECT_EQ(straight.clusters.label(i * 32 + j), other.clusters.label(j * 32 + i));
    }
  }
}

// None of them would count by itself. Chance alone makes only a few of a hundred rise this much.
TEST(Modes, ManyWeakRisesSupportEachOther) {
  std::mt19937_64 random(8);
  const auto lattice = [](std::mt19937_64& r) {
    return normal(r, {0.05 + 0.1 * static_cast<double>(r() % 10), 0.05 + 0.1 * static_cast<double>(r() % 10)}, 0.025);
  };
  const Modes modes = find_modes(counted(100000, 2, 60, 0.1, random, lattice), noise_of(0.1));
  EXPECT_GT(modes.clusters.count(), 40U);
  EXPECT_LT(modes.clusters.count(), 110U);
  std::size_t weak = 0;
  for (const Rise& rise : modes.rises) {
    weak += rise.evidence < least_evidence({60, 60}) ? 1 : 0;
    EXPECT_LE(rise.doubt, 0.05);
  }
  EXPECT_GT(weak, 10U);
}

TEST(Modes, ACellOfAClusterReachesThreePercentOfItsPeak) {
  std::mt19937_64 random(10);
  const auto blobs = [](std::mt19937_64& r) {
    return r() % 20 == 0 ? uniform(r, 2) : normal(r, r() % 2 == 0 ? Place{0.3, 0.3} : Place{0.3, 0.75}, 0.05);
  };
  const Cells<std::int64_t> values = counted(40000, 2, 30, 0, random, blobs);
  const Modes modes = find_modes(values, {});
  ASSERT_EQ(modes.clusters.count(), 2U);
  const Field field = smoothed(values, modes.smoothing);
  std::size_t outside = 0;
  for (std::uint64_t cell = 0; cell < values.stored(); ++cell) {
    const std::uint32_t label = modes.clusters.label(cell);
    if (label != 0) {
      EXPECT_GE(field.values[cell], 0.03 * modes.rises[label - 1].peak);
    }
    outside += label == 0 ? 1 : 0;
  }
  EXPECT_GT(outside, 400U);
}

// Four records far away reach 3 % of the peak. They neither belong to the cluster nor form one.
TEST(Modes, AStrayCellBelongsToNoCluster) {
  std::mt19937_64 random(9);
  const auto blobs = [](std::mt19937_64& r) {
    return normal(r, r() % 2 == 0 ? Place{0.3, 0.3} : Place{0.3, 0.75}, 0.06);
  };
  Cells<std::int64_t> values = counted(2000, 2, 30, 0, random, blobs);
  values.values()[25 * 30 + 25] = 4;
  const Modes modes = find_modes(values, {});
  ASSERT_EQ(modes.clusters.count(), 2U);
  EXPECT_EQ(modes.clusters.label(25 * 30 + 25), 0U);
  EXPECT_GT(smoothed(values, modes.smoothing).values[25 * 30 + 25], 0.03 * modes.rises[0].peak);
}

TEST(Modes, SmallClustersAreDroppedAndSparseBoxesRefused) {
  std::vector<std::int64_t> two(400, 0);
  two[21] = 5000;
  two[378] = 5000;
  const auto values = Cells<std::int64_t>::dense({20, 20}, two);
  const Modes modes = find_modes(values, {});
  ASSERT_EQ(modes.clusters.count(), 2U);
  EXPECT_EQ(find_modes(values, {}, modes.clusters.sizes()[0] + 1).clusters.count(), 0U);
  EXPECT_THROW(static_cast<void>(find_modes(Cells<std::int64_t>::sparse({20, 20}, {3}, {5}), {})), InputError);
}

}  // namespace
}  // namespace shoal
