// What two releases show of a change: nothing where nothing has changed, and known changes.
#include "shoal/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "inference/change_test.hpp"
#include "release_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"
#include "shoal/private_release.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

constexpr std::uint64_t side = 64;

struct Blob {
  double x, y, deviation, records;  // in cells of the grid
};
using Scene = std::vector<Blob>;

const Scene four{{14, 14, 3, 1500}, {46, 16, 4, 2500}, {18, 46, 2.5, 900}, {48, 48, 5, 4000}};

std::vector<double> expected(const Scene& scene, double background = 0.1) {
  std::vector<double> mean(side * side, background);
  for (const Blob& of : scene) {
    for (std::uint64_t cell = 0; cell < mean.size(); ++cell) {
      const std::uint64_t row = cell / side, column = cell % side;
      const double dx = static_cast<double>(row) + 0.5 - of.x;
      const double dy = static_cast<double>(column) + 0.5 - of.y;
      const double square = of.deviation * of.deviation;
      mean[cell] += of.records * std::exp(-(dx * dx + dy * dy) / (2 * square)) / (6.283185307 * square);
    }
  }
  return mean;
}

std::vector<std::int64_t> sampled(const Scene& scene, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> values;
  for (const double mean : expected(scene)) values.push_back(std::poisson_distribution<std::int64_t>(mean)(random));
  return values;
}

Release released(const std::vector<std::int64_t>& values, const std::string& technique, const std::string& epsilon,
                 std::uint64_t seed, double percentile = 60) {
  const PrivateOptions options{.cluster = {.threshold = Percentile(percentile), .threads = 1}};
  const auto noise = seeded_noise_not_private(seed);
  const Shape shape{side, side};
  Counts counts(examples::grid_of(shape), Cells<std::int64_t>::dense(shape, values), 0, 0);
  return run_technique(technique, {.counts = std::move(counts)}, Epsilon::parse(epsilon), options, *noise);
}

bool any_change(const Changes& changes) {
  return std::any_of(changes.clusters.begin(), changes.clusters.end(),
                     [](const ClusterChange& of) { return of.changed(); });
}

bool has(const ClusterChange& of, Change change) {
  return std::any_of(of.found.begin(), of.found.end(), [&](const FoundChange& one) { return one.change == change; });
}

// The change of the cluster whose cells lie around a place, where both releases show it.
bool found_at(const Changes& changes, const Release& before, const Blob& blob, Change change) {
  const double width = 9.75 / side;
  for (const ClusterChange& of : changes.clusters) {
    for (const std::uint32_t id : of.before) {
      const std::vector<double>& centre = before.clusters()[id - 1].centroid;
      const double dx = (centre[0] + 1.5) / width - blob.x, dy = (centre[1] + 1.5) / width - blob.y;
      if (std::hypot(dx, dy) < 4 && has(of, change)) return true;
    }
  }
  return false;
}

constexpr int pairs = 50;  // 10 were too few: the outcome hung on the seed
const char* const techniques[] = {"privwave", "privqt"};
const char* const epsilons[] = {"0.05", "0.3", "2"};

// How many of the pairs show a change. again: whether the second release is of the same data or of another sample.
int false_alarms(bool again) {
  int alarms = 0;
  for (const char* technique : techniques) {
    for (const char* epsilon : epsilons) {
      for (std::uint64_t pair = 0; pair < pairs; ++pair) {
        const std::vector<std::int64_t> data = sampled(four, pair), other = again ? data : sampled(four, pair + 1000);
        const Release before = released(data, technique, epsilon, 2 * pair);
        alarms += any_change(changes_between(before, released(other, technique, epsilon, 2 * pair + 1))) ? 1 : 0;
      }
    }
  }
  return alarms;
}

TEST(Compare, TwoReleasesOfTheSameDataShowNoChange) {
  EXPECT_LE(false_alarms(true), 15);  // of 300: one in twenty
}

TEST(Compare, TwoSamplesOfOnePopulationShowNoChange) { EXPECT_LE(false_alarms(false), 15); }

// Nothing has changed. Clusters that only one release shows were chosen for their noise, and count too.
TEST(Compare, IntervalsOfTwoSamplesOfOnePopulationHoldNoChange) {
  for (const bool again : {false, true}) {
    int shown = 0, missed = 0, moves = 0, missed_moves = 0, missed_totals = 0, totals = 0;
    for (const char* technique : techniques) {
      for (const char* epsilon : epsilons) {
        for (std::uint64_t pair = 0; pair < pairs; ++pair) {
          const std::vector<std::int64_t> data = sampled(four, pair), other = again ? data : sampled(four, pair + 1000);
          const Changes changes = changes_between(released(data, technique, epsilon, 2 * pair),
                                                  released(other, technique, epsilon, 2 * pair + 1));
          if (changes.total) {
            ++totals;
            missed_totals += std::fabs(changes.total->after - changes.total->before) > changes.total->reach ? 1 : 0;
          }
          for (const ClusterChange& of : changes.clusters) {
            ++shown;
            missed += std::fabs(of.records_after - of.records_before) > of.reach ? 1 : 0;
            for (std::size_t axis = 0; axis < of.move.size(); ++axis) {
              ++moves;
              EXPECT_GT(of.move_reach[axis], 0);
              missed_moves += std::fabs(of.move[axis]) > of.move_reach[axis] ? 1 : 0;
            }
          }
        }
      }
    }
    EXPECT_LE(missed, 0.05 * shown);
    EXPECT_LE(missed_moves, 0.05 * moves);
    EXPECT_LE(missed_totals, 12);  // of 150: 7.5, and two deviations
  }
}

// How many of the pairs show the change of the blob that differs in the scene after.
int found(const char* epsilon, std::size_t blob, Change change, const std::function<Blob(Blob, double)>& changed) {
  int result = 0;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    const Release before = released(sampled(four, pair), "privwave", epsilon, 2 * pair);
    double deviation = 0;  // of the size in either release, for the part of the blob that is in the cluster
    const Release again = released(sampled(four, pair + 500), "privwave", epsilon, 2 * pair + 777);
    for (const ClusterChange& of : changes_between(before, again).clusters) {
      if (of.before.empty()) continue;
      const double x = (before.clusters()[of.before.front() - 1].centroid[0] + 1.5) / 9.75 * side;
      const double y = (before.clusters()[of.before.front() - 1].centroid[1] + 1.5) / 9.75 * side;
      if (std::hypot(x - four[blob].x, y - four[blob].y) < 4)
        deviation = of.deviation / std::sqrt(2.0) * four[blob].records / of.records_before;
    }
    Scene scene = four;
    scene[blob] = changed(scene[blob], deviation);
    const Release after = released(sampled(scene, pair + 1000), "privwave", epsilon, 2 * pair + 1);
    result += found_at(changes_between(before, after), before, four[blob], change) ? 1 : 0;
  }
  return result;
}

TEST(Compare, AMoveOfOneCellIsFound) {
  const auto by_one_cell = [](Blob of, double) {
    of.x += 2;  // cells of W are two of the grid's wide
    return of;
  };
  for (const char* epsilon : {"0.3", "2"}) EXPECT_GE(found(epsilon, 0, Change::moved, by_one_cell), 45) << epsilon;
}

// In each of the two releases: twice three deviations of a size.
TEST(Compare, GrowthOfThreeDeviationsInEachReleaseIsFound) {
  const auto by_three = [](Blob of, double deviation) {
    of.records += 6 * deviation;
    return of;
  };
  for (const char* epsilon : {"0.3", "2"}) EXPECT_GE(found(epsilon, 1, Change::grew, by_three), 40) << epsilon;
}

std::ptrdiff_t count(const Changes& changes, Change change) {
  return std::count_if(changes.clusters.begin(), changes.clusters.end(),
                       [&](const ClusterChange& of) { return has(of, change); });
}

TEST(Compare, AClusterThatComesIsNewAndOneThatGoesIsGone) {
  const Scene three{four[0], four[1], four[3]};
  const Release with = released(sampled(four, 1), "privwave", "1", 1),
                without = released(sampled(three, 2), "privwave", "1", 2);
  EXPECT_EQ(count(changes_between(with, without), Change::gone), 1);
  EXPECT_EQ(count(changes_between(without, with), Change::appeared), 1);
}

// The example of README: the park moves from the third week to the fourth, the fair is in the fifth alone. With --auto
// a cluster reaches far beyond the cells that hold its records.
TEST(Compare, WeeksOfVisitsShowWhatWasHiddenInThem) {
  const auto points = dataset_points("visits", 1);
  ReleaseRequest request{.grid = AutomaticGrid{Grid({{0, 1, 2, "x"}, {0, 1, 2, "y"}})},
                         .epsilon = Epsilon::parse("1"),
                         .options = {.cluster = {.threshold = DensityModes{}, .threads = 1}},
                         .layout = declared_groups("day=2026-W01..2026-W06")};
  const auto is = [](const Changes& changes, Change change) {
    return std::any_of(changes.clusters.begin(), changes.clusters.end(),
                       [&](const ClusterChange& of) { return of.changed() && of.found.front().change == change; });
  };
  int grew = 0, moved = 0, appeared = 0;
  constexpr int runs = 15;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    request.seed = seed;
    const std::vector<Changes> found = compare(private_release(*points, request).releases());
    grew += is(found[1], Change::grew) ? 1 : 0;
    moved += is(found[2], Change::moved) ? 1 : 0;
    appeared += is(found[3], Change::appeared) ? 1 : 0;
  }
  EXPECT_EQ(grew, runs);
  EXPECT_EQ(moved, runs);
  EXPECT_EQ(appeared, runs);
}

TEST(Compare, ABridgeThatIsEmptiedIsASplitAndItsReverseAJoin) {
  Scene bridge{{14, 32, 3, 3000}, {46, 32, 3, 3000}};
  const Scene apart = bridge;
  for (const double x : {20, 24, 28, 32, 36, 40}) bridge.push_back({x, 32, 1.5, 500});
  const Release whole = released(sampled(bridge, 1), "privwave", "1", 1, 75);
  const Release parts = released(sampled(apart, 2), "privwave", "1", 2, 75);
  EXPECT_EQ(count(changes_between(whole, parts), Change::split), 1);
  EXPECT_EQ(count(changes_between(parts, whole), Change::joined), 1);
}

TEST(Compare, ReleasesOfDifferentPlanesAreRefused) {
  const auto refusal = [](const Release& a, const Release& b) {
    try {
      changes_between(a, b);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto on = [](double hi, std::uint64_t cells) {
    ReleaseParts parts = examples::parts(examples::blobs({cells, cells}, 1));
    parts.grid = Grid({Axis(0, hi, cells, "x"), Axis(0, 1, cells, "y")});
    return Release(std::move(parts));
  };
  EXPECT_NE(refusal(on(1, 16), on(2, 16)).find("different planes, x=0:1,y=0:1 and x=0:2,y=0:1"), std::string::npos);
  EXPECT_NE(refusal(on(1, 16), on(1, 20)).find("16 x 16 and 20 x 20 cells"), std::string::npos);
  EXPECT_NE(refusal(on(1, 16).without_noisy_values(), on(1, 16)).find("without its noisy values"), std::string::npos);
  const Release unknown(examples::parts_by_no_law(examples::blobs({16, 16}, 1)));
  EXPECT_NE(refusal(unknown, unknown).find("cannot be compared"), std::string::npos);
  const Release one = on(1, 16);
  EXPECT_THROW(compare({&one, 1}), InputError);
}

// Against draws: P(sum >= x) of a few cells with little noise, where the normal law is off.
TEST(DifferenceTail, IsThatOfDrawnDifferences) {
  const DifferenceLaw law{{{0.5}, 1}, {{1.0}, 2}, 1};
  const std::vector<WeightedCell> cells{{1, 0.5}, {1, 2}, {0.5, 0}};
  std::mt19937_64 random(1);
  const auto laplace = [&random](double rate) {
    std::geometric_distribution<int> of(1 - std::exp(-rate));
    const int more = of(random);
    return more - of(random);
  };
  constexpr int draws = 200'000;
  std::vector<double> sums;
  for (int i = 0; i < draws; ++i) {
    double sum = 0;
    for (const WeightedCell& cell : cells) {
      int of = laplace(0.5) - laplace(1) - laplace(1);
      if (cell.records > 0) {
        of +=
            std::poisson_distribution<int>(cell.records)(random) - std::poisson_distribution<int>(cell.records)(random);
      }
      sum += cell.weight * of;
    }
    sums.push_back(sum);
  }
  for (const double x : {3.0, 8.0, 14.0}) {
    // A sum lies on a grid of halves; the formula is of a smooth law, between x and the value below.
    const auto reach = [&](double from) {
      return static_cast<double>(std::count_if(sums.begin(), sums.end(), [&](double of) { return of >= from; })) /
             draws;
    };
    EXPECT_NEAR(difference_tail(law, cells, x - 0.25), reach(x), 0.1 * reach(x)) << x;
  }
}

}  // namespace
}  // namespace shoal
