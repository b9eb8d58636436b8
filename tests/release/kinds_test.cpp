// Releases of circles and categories. A circle has no beginning and categories have no order: a release of turned
// or reordered counts is the turned or reordered release, in its clusters, its tree, its strengths, its confidence and
// in what is compared with it. Noise would differ, so there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "inference/density.hpp"
#include "privacy/noise.hpp"
#include "release/strength.hpp"
#include "shoal/compare.hpp"
#include "shoal/grid.hpp"
#include "shoal/tree.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/automatic.hpp"
#include "techniques/techniques.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

// Where the cells of each axis go, and where their coordinates go.
struct Moving {
  std::vector<std::vector<std::uint64_t>> to;
  std::vector<double> turned;  // an axis: so far around, as a share

  [[nodiscard]] std::uint64_t cell(std::uint64_t from, const Shape& shape) const {
    std::vector<std::uint64_t> at = coordinates(from, shape);
    std::uint64_t result = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      std::uint64_t along = at[axis];
      if (shape.border(axis) == Border::apart && !to[axis].empty()) along = to[axis][along];
      if (shape.border(axis) == Border::circle) {
        const double by = turned[axis] * static_cast<double>(shape[axis]);
        EXPECT_EQ(by, std::floor(by)) << "not by whole cells";
        along = (along + static_cast<std::uint64_t>(by)) % shape[axis];
      }
      result = result * shape[axis] + along;
    }
    return result;
  }
  [[nodiscard]] Counts of(const Counts& counts) const {
    std::vector<std::int64_t> values(counts.raw().stored());
    for (std::uint64_t i = 0; i < values.size(); ++i) values[cell(i, counts.grid().shape())] = counts.raw().values()[i];
    return {counts.grid(), Cells<std::int64_t>::dense(counts.grid().shape(), values), counts.points(), 0};
  }
};

const Moving half_a_turn{{{}, {}, {}}, {0.5, 0, 0}};
const Moving reordered{{{}, {2, 0, 3, 1}, {}}, {0, 0, 0}};

Grid stays(std::uint64_t hours = 48) {
  const char* texts[] = {"hour=0:24:circle", "ward=A|B|C|D:category", "x=0:10"};
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < 3; ++i) axes.push_back(declared_axis(texts[i]).fitted(i == 0 ? hours : 24));
  return Grid(std::move(axes));
}

struct Blob {
  double hour, x, records;
  std::uint64_t ward;
};
// One over midnight in a ward in the middle of the list; neighbours in the list have theirs elsewhere.
const std::vector<Blob> usual{{0.2, 5, 5000, 1}, {9, 3, 4000, 0}, {14, 7, 3000, 2}, {20, 4, 3500, 2}, {6, 6, 3000, 3}};

Counts counted(const Grid& grid, const std::vector<Blob>& blobs, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> values(grid.cell_count());
  for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
    const std::vector<std::uint64_t> at = coordinates(cell, grid.shape());
    double mean = 0.5;
    for (const Blob& of : blobs) {
      if (at[1] != of.ward) continue;
      const double hour = (static_cast<double>(at[0]) + 0.5) * 24 / static_cast<double>(grid.shape()[0]);
      const double dx = (static_cast<double>(at[2]) + 0.5) * 10 / static_cast<double>(grid.shape()[2]) - of.x;
      const double dh = std::remainder(hour - of.hour, 24);
      mean += of.records * std::exp(-dh * dh / (2 * 1.3 * 1.3) - dx * dx / (2 * 0.8 * 0.8)) / 40;
    }
    values[cell] = std::poisson_distribution<std::int64_t>(mean)(random);
  }
  return {grid, Cells<std::int64_t>::dense(grid.shape(), values), 0, 0};
}

struct Case {
  std::string technique, wavelet;
  unsigned level;
};
const std::vector<Case> cases{{"privwave", "haar", 1},
                              {"privqt", "haar", 1},
                              {"privqt", "haar", 2},
                              {"privthr", "haar", 1},
                              {"privqt", "db2", 1}};

Release released(const Counts& counts, const Case& of = cases[0]) {
  PrivateOptions options{.cluster = {.threshold = Percentile(90), .threads = 1}};
  options.cluster.wavelet = Wavelet::named(of.wavelet);
  options.cluster.level = of.level;
  testing::ZeroNoiseNotPrivate zero;
  return run_technique(of.technique, {.counts = counts}, Epsilon::parse("1"), options, zero);
}

// The clusters of `b` by the numbers of `a`, whose cells go there; 0: there are others.
std::map<std::uint32_t, std::uint32_t> expect_same_clusters(const Release& a, const Release& b, const Moving& change) {
  std::map<std::uint32_t, std::uint32_t> to;
  EXPECT_EQ(a.cluster_cells().count(), b.cluster_cells().count());
  EXPECT_EQ(a.cluster_cells().cells().size(), b.cluster_cells().cells().size());
  EXPECT_GE(a.cluster_cells().count(), 4U);
  for (std::size_t i = 0; i < a.cluster_cells().cells().size(); ++i) {
    const std::uint64_t cell = change.cell(a.cluster_cells().cells()[i], a.cluster_cells().shape());
    const std::uint32_t label = b.cluster_cells().label(cell);
    EXPECT_NE(label, 0U);
    EXPECT_EQ(to.try_emplace(a.cluster_cells().labels()[i], label).first->second, label);
  }
  return to;
}

void expect_same_place(const std::vector<double>& a, const std::vector<double>& b, const Moving& change) {
  EXPECT_NEAR(std::remainder(b[0] - a[0] - 24 * change.turned[0], 24), 0, 1e-6);
  if (!change.to[1].empty()) {
    EXPECT_EQ(static_cast<double>(change.to[1][static_cast<std::size_t>(a[1])]), b[1]);
  }
  EXPECT_NEAR(a[2], b[2], 1e-9);
}

class Kinds : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Kinds, ClustersCentresTreeAndStrengthsTurnWithTheCounts) {
  const Counts counts = counted(stays(), usual);
  const Release a = released(counts, cases[GetParam()]);
  for (const Moving& change : {half_a_turn, reordered}) {
    const Release b = released(change.of(counts), cases[GetParam()]);
    std::map<std::uint32_t, std::uint32_t> to = expect_same_clusters(a, b, change);
    ASSERT_FALSE(::testing::Test::HasFailure());
    for (const ReleasedCluster& of : a.clusters())
      expect_same_place(of.centroid, b.clusters()[to[of.id] - 1].centroid, change);

    const ClusterTree tree(a), other(b);
    ASSERT_EQ(tree.branches().size(), other.branches().size());
    std::map<std::pair<double, std::uint64_t>, double> records;
    for (const TreeBranch& of : tree.branches()) records[{of.birth, of.cells}] += of.records;
    for (const TreeBranch& of : other.branches()) records[{of.birth, of.cells}] -= of.records;
    for (const auto& [key, sum] : records) EXPECT_NEAR(sum, 0, 1e-6) << key.first;

    std::vector<std::vector<double>> columns(3), moved(3);
    for (std::uint64_t cell = 0; cell < counts.grid().cell_count(); ++cell) {
      const auto from = coordinates(cell, counts.grid().shape());
      const auto goes = coordinates(change.cell(cell, counts.grid().shape()), counts.grid().shape());
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Axis& of = counts.grid().axis(axis);
        columns[axis].push_back(of.middle(of.edge(from[axis]), of.edge(from[axis] + 1)));
        moved[axis].push_back(of.middle(of.edge(goes[axis]), of.edge(goes[axis] + 1)));
      }
    }
    const auto strengths = [](const Release& of, const std::vector<std::vector<double>>& at) {
      const std::vector<std::span<const double>> spans{at[0], at[1], at[2]};
      std::vector<std::uint32_t> labels(at[0].size());
      std::vector<double> result(at[0].size());
      of.map().label(spans, labels);
      MembershipStrength(of).compute(spans, labels, result);
      return result;
    };
    const std::vector<double> before = strengths(a, columns), after = strengths(b, moved);
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(before[i], after[i], 1e-9) << i;
    EXPECT_GT(*std::max_element(before.begin(), before.end()), 0.999);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kinds, ::testing::Range(std::size_t{0}, cases.size()));

// Draws of the population differ by their random parts alone.
TEST(KindsOfAxes, ConfidenceTurnsWithTheCounts) {
  const Counts counts = counted(stays(), usual);
  for (const Case& of : {cases[0], cases[1]}) {
    const Release a = released(counts, of);
    ASSERT_EQ(a.confidence().size(), a.clusters().size());
    for (const Moving& change : {half_a_turn, reordered}) {
      const Release b = released(change.of(counts), of);
      std::map<std::uint32_t, std::uint32_t> to = expect_same_clusters(a, b, change);
      ASSERT_FALSE(::testing::Test::HasFailure());
      for (const ReleasedCluster& cluster : a.clusters()) {
        if (cluster.cells < 8) continue;
        const ClusterConfidence &x = a.confidence()[cluster.id - 1], &y = b.confidence()[to[cluster.id] - 1];
        EXPECT_NEAR(x.real, y.real, 0.2);
        EXPECT_NEAR(x.connected, y.connected, 0.2);
        EXPECT_NEAR(x.separate, y.separate, 0.2);
        EXPECT_NEAR(x.plain, y.plain, 0.2);
        EXPECT_NEAR(x.least_records / y.least_records, 1, 0.05);
        EXPECT_NEAR(x.most_records / y.most_records, 1, 0.05);
      }
    }
  }
}

std::vector<double> estimated(const Shape& shape, const std::vector<double>& values) {
  NoisyField field;
  field.shape = shape;
  field.values.assign(values.begin(), values.end());
  field.variance = 100;
  field.scale = std::sqrt(50);
  const Values<float> rates = estimate_density(field, 20, 1).rates;
  return {rates.begin(), rates.end()};
}

TEST(KindsOfAxes, AnEstimatedDensityHasNoSeamAndNoOrderOfCategories) {
  Shape circle, wards;
  circle.push_back(64, {Border::circle, true});
  wards.push_back(16, {Border::apart, false});
  wards.push_back(16);
  std::mt19937_64 random(5);
  std::vector<double> noise(256);
  for (double& value : noise) value = std::normal_distribution<double>(0, 10)(random);
  std::vector<double> over(64), within(64), mixed(256), sorted(256);
  for (std::size_t i = 0; i < 64; ++i) {
    over[i] = (i < 9 || i >= 55 ? 20 : 0) + noise[i];
    within[(i + 32) % 64] = over[i];
  }
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t ward = i / 16;
    mixed[i] = (ward % 2 == 0 ? 20 : 0) + noise[i];
    sorted[(ward % 2 * 8 + ward / 2) * 16 + i % 16] = mixed[i];
  }
  const std::vector<double> a = estimated(circle, over), b = estimated(circle, within);
  const std::vector<double> c = estimated(wards, mixed), d = estimated(wards, sorted);
  double seam = 0, order = 0;
  for (std::size_t i = 0; i < 64; ++i) seam = std::max(seam, std::fabs(a[i] - b[(i + 32) % 64]));
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t ward = i / 16;
    order = std::max(order, std::fabs(c[i] - d[(ward % 2 * 8 + ward / 2) * 16 + i % 16]));
  }
  EXPECT_LT(seam, 1e-9);
  EXPECT_LT(order, 1e-9);
}

TEST(KindsOfAxes, ComparisonsTurnWithTheCounts) {
  std::vector<Blob> moved = usual, grown = usual;
  moved[0].hour += 1;
  grown[2].records *= 1.5;
  const Release before = released(counted(stays(), usual, 1));
  for (const std::vector<Blob>& blobs : {moved, grown, usual}) {
    const Counts after = counted(stays(), blobs, 2);
    const Changes plain = changes_between(before, released(after));
    ASSERT_GE(plain.clusters.size(), 5U);
    for (const Moving& change : {half_a_turn, reordered}) {
      const Release turned = released(change.of(counted(stays(), usual, 1)));
      const Changes other = changes_between(turned, released(change.of(after)));
      ASSERT_EQ(plain.clusters.size(), other.clusters.size());
      std::map<std::uint32_t, std::uint32_t> to = expect_same_clusters(before, turned, change);
      for (const ClusterChange& of : plain.clusters) {
        if (of.before.empty()) continue;
        const auto same = std::find_if(other.clusters.begin(), other.clusters.end(), [&](const ClusterChange& one) {
          return std::find(one.before.begin(), one.before.end(), to[of.before[0]]) != one.before.end();
        });
        ASSERT_NE(same, other.clusters.end());
        ASSERT_EQ(of.found.size(), same->found.size());
        for (std::size_t i = 0; i < of.found.size(); ++i) {
          EXPECT_EQ(of.found[i].change, same->found[i].change);
          EXPECT_NEAR(of.found[i].probability, same->found[i].probability, 1e-6);
        }
        ASSERT_EQ(of.move.size(), same->move.size());
        for (std::size_t axis = 0; axis < of.move.size(); ++axis) {
          EXPECT_NEAR(of.move[axis], same->move[axis], 1e-6);
          if (axis == 1) {
            EXPECT_EQ(of.move[axis], 0);
          }
        }
      }
    }
    const bool shifted = blobs[0].hour != usual[0].hour, larger = blobs[2].records != usual[2].records;
    for (const ClusterChange& of : plain.clusters) {
      if (of.before.empty() || of.after.empty()) continue;
      const std::vector<double>& centre = before.clusters()[of.before[0] - 1].centroid;
      const bool over_midnight = centre[1] == 1 && std::fabs(std::remainder(centre[0], 24)) < 2;
      const bool at_fourteen = centre[1] == 2 && std::fabs(centre[0] - 14) < 2;
      if (before.clusters()[of.before[0] - 1].cells < 8) continue;
      EXPECT_EQ(of.changed(), (shifted && over_midnight) || (larger && at_fourteen)) << centre[0] << ", " << centre[1];
      if (shifted && over_midnight) {
        EXPECT_NEAR(of.move[0], 1, 0.15);
      }
    }
  }
}

TEST(KindsOfAxes, AnAutomaticReleaseTurnsWithTheCounts) {
  std::vector<Axis> axes{declared_axis("hour=0:24:circle").fitted(64),
                         declared_axis("ward=A|B|C|D:category").fitted(64)};
  const Grid finest = finest_grid(Grid(std::move(axes)));
  std::mt19937_64 random(3);
  std::vector<std::int64_t> values(finest.cell_count());
  for (const Blob& of : usual) {
    for (int i = 0; i < 4000; ++i) {
      const double hour = of.hour + std::normal_distribution<double>(0, 1)(random);
      ++values[static_cast<std::uint64_t>(finest.axis(0).cell(hour)) * 4 + of.ward];
    }
  }
  const Counts counts(finest, Cells<std::int64_t>::dense(finest.shape(), values), 0, 0);
  const auto made = [](const Counts& of) {
    testing::ZeroNoiseNotPrivate zero;
    return automatic_release(of, Epsilon::parse("1"), {.cluster = {.threshold = DensityModes{}, .threads = 1}}, zero);
  };
  const Release a = made(counts);
  EXPECT_EQ(a.cluster_cells().count(), 5U);
  for (const Moving& change : {half_a_turn, reordered}) {
    const Release b = made(change.of(counts));
    std::map<std::uint32_t, std::uint32_t> to = expect_same_clusters(a, b, change);
    ASSERT_FALSE(::testing::Test::HasFailure());
    for (const ReleasedCluster& of : a.clusters()) {
      std::vector<double> from = of.centroid, goes = b.clusters()[to[of.id] - 1].centroid;
      from.push_back(0);
      goes.push_back(0);
      expect_same_place(from, goes, change);
    }
  }
}

// Of three wards with 8,000 records each, spread evenly over x, or half of them in a blob.
Counts in_wards(bool with_blobs, std::uint64_t seed) {
  const Grid finest =
      finest_grid(Grid({declared_axis("x=0:1").fitted(64), declared_axis("ward=A|B|C:category").fitted(64)}));
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> values(finest.cell_count());
  for (int i = 0; i < 24000; ++i) {
    const bool in_blob = with_blobs && i % 2 == 0;
    const double x = in_blob ? std::normal_distribution<double>(0.5, 0.03)(random)
                             : std::uniform_real_distribution<double>(0, 1)(random);
    ++values[static_cast<std::uint64_t>(finest.axis(0).cell(x)) * 3 + static_cast<std::uint64_t>(i) / 8000];
  }
  return {finest, Cells<std::int64_t>::dense(finest.shape(), values), 0, 0};
}

Release of_wards(bool with_blobs, std::uint64_t seed) {
  const Counts counts = in_wards(with_blobs, seed);
  const auto noise = seeded_noise_not_private(seed);
  return automatic_release(counts, Epsilon::parse("1"), {.cluster = {.threshold = DensityModes{}, .threads = 1}},
                           *noise);
}

// 365 days are 53 weeks, the last of one day: the rest are uniform all the same.
TEST(KindsOfAxes, APlainThatEndsBeforeItsLastCellIsNoCluster) {
  for (const char* first : {"day=2026-01-01:2026-12-31", "age=0:110:int"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Grid grid({declared_axis(first).fitted(64), declared_axis("y=0:1").fitted(64)});
      const Axis& axis = grid.axis(0);
      const double step = first[0] == 'd' ? 86400 : 1;
      std::mt19937_64 random(seed);
      std::vector<std::int64_t> values(grid.cell_count());
      for (int i = 0; i < 30000; ++i) {
        const auto value = static_cast<double>(random() % (first[0] == 'd' ? 365 : 111));
        const auto y = random() % 64;
        ++values[static_cast<std::uint64_t>(axis.cell(axis.lo() + step / 2 + step * value)) * 64 + y];
      }
      const Counts counts(grid, Cells<std::int64_t>::dense(grid.shape(), values), 0, 0);
      const auto noise = seeded_noise_not_private(seed);
      const PrivateOptions options{.cluster = {.threshold = Percentile(60), .threads = 1}};
      const Release release = run_technique("privqt", {counts}, Epsilon::parse("10"), options, *noise);
      EXPECT_EQ(ClusterTree(release).leaves().branch.size(), 0U) << first << " " << seed;
    }
  }
}

TEST(KindsOfAxes, WithoutNoiseAPlainInEveryCategoryIsOnePlain) {
  const ClusterOptions modes{.threshold = DensityModes{}, .threads = 1};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(wavecluster(automatic_counts(in_wards(false, seed)), modes).clusters.count(), 1U) << seed;
    EXPECT_EQ(wavecluster(automatic_counts(in_wards(true, seed)), modes).clusters.count(), 3U) << seed;
  }
}

TEST(KindsOfAxes, APlainInEveryCategoryIsNoCluster) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Release uniform = of_wards(false, seed);
    EXPECT_EQ(uniform.doubtful().size(), uniform.clusters().size()) << seed;
    const ClusterTree tree(uniform);
    EXPECT_EQ(std::count_if(tree.branches().begin(), tree.branches().end(), [](const auto& of) { return of.stable; }),
              0)
        << seed;
    const Release blobs = of_wards(true, seed);
    EXPECT_EQ(blobs.clusters().size() - blobs.doubtful().size(), 3U) << seed;
  }
}

}  // namespace
}  // namespace shoal
