// A cell of W describes the cells of the grid under the centre of its filter: clusters lie where the points are.
#include "wavelet/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "chi_square.hpp"
#include "shoal/clusters.hpp"
#include "wavelet/axis_step.hpp"

namespace shoal {
namespace {

constexpr Transform transforms[] = {Transform::decimated, Transform::stationary};

// The share of a normal distribution in [from, from + 1).
double share_of_cell(double from, double centre, double deviation) {
  const auto below = [&](double x) { return std::erfc((centre - x) / deviation / std::sqrt(2.0)) / 2; };
  return below(from + 1) - below(from);
}

using Place = std::vector<double>;  // in cells of the grid, one number per axis

// Blobs with the same number of records, without chance.
Cells<std::int64_t> blobs(const Shape& shape, const std::vector<Place>& centres, double deviation) {
  const double records = 500 * std::pow(deviation, static_cast<double>(shape.size()));
  std::vector<double> counts(cell_count(shape));
  for (const Place& centre : centres) {
    std::vector<std::vector<double>> shares(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      for (std::uint64_t i = 0; i < shape[axis]; ++i) {
        shares[axis].push_back(share_of_cell(static_cast<double>(i), centre[axis], deviation));
      }
    }
    std::vector<std::uint64_t> at(shape.size());
    for (std::uint64_t i = 0; i < counts.size(); ++i) {
      coordinates(i, shape, at);
      double share = records;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) share *= shares[axis][at[axis]];
      counts[i] += share;
    }
  }
  Values<std::int64_t> whole;
  for (const double count : counts) whole.push_back(std::llround(count));
  return Cells<std::int64_t>::dense(shape, std::move(whole));
}

struct Found {
  double labelled = 0;  // share of the records in clusters
  Place off;            // mean over the clusters of their centroid less the centre of their blob
};

// Throws where blobs are joined or not found.
Found found(const Cells<std::int64_t>& counts, const std::vector<Place>& centres, const ClusterOptions& options) {
  std::vector<Axis> axes;
  for (const std::uint64_t extent : counts.shape()) axes.emplace_back(0, static_cast<double>(extent), extent);
  const Clusters clusters = segment(transform(counts, options), options).clusters;
  const ClusterMap map(Grid(axes), options.level, options.transform, clusters);
  Found result{0, Place(axes.size())};
  double all = 0;
  std::vector<std::uint64_t> at(axes.size());
  Place middle(axes.size());
  for (std::uint64_t i = 0; i < counts.stored(); ++i) {
    if (counts.values()[i] == 0) continue;
    coordinates(i, counts.shape(), at);
    std::transform(at.begin(), at.end(), middle.begin(),
                   [](std::uint64_t cell) { return static_cast<double>(cell) + 0.5; });
    const auto records = static_cast<double>(counts.values()[i]);
    all += records;
    if (map.label(middle) != 0) result.labelled += records;
  }
  result.labelled /= all;
  if (centres.size() > 1 && map.label(centres[0]) == map.label(centres[1]))
    throw std::runtime_error("blobs are joined");
  for (const Place& centre : centres) {
    const std::uint32_t label = map.label(centre);
    if (label == 0) throw std::runtime_error("a blob's centre is in no cluster");
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      double sum = 0;
      double cells = 0;
      for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
        if (clusters.labels()[i] != label) continue;
        const auto [lo, hi] = map.cell_bounds(axis, coordinates(clusters.cells()[i], clusters.shape())[axis]);
        sum += (lo + hi) / 2;
        ++cells;
      }
      result.off[axis] += (sum / cells - centre[axis]) / static_cast<double>(centres.size());
    }
  }
  return result;
}

// Blobs and where they are, with the share of the records that Haar labels.
struct Blobs {
  std::vector<Place> centres;
  Cells<std::int64_t> counts;
  double by_haar = 0;
};

// Blobs of one and a half cells of W, at places that lie differently in the cells of W, so that their edges average
// out.
std::vector<Blobs> blobs_for(std::size_t dimensions, std::uint64_t side, unsigned level, Transform kind) {
  const double block = std::exp2(level);
  const auto length = static_cast<double>(side);
  const int places = dimensions == 1 ? 8 : dimensions == 2 ? 3 : 1;
  const ClusterOptions haar{.threshold = Coverage(80), .level = level, .transform = kind, .threads = 1};
  std::vector<Blobs> result;
  for (int place = 0; place < places; ++place) {
    std::vector<Place> centres;
    const std::vector<double> along = dimensions == 3 ? std::vector{0.45} : std::vector{0.3, 0.7};
    for (const double from : along) {
      Place centre;
      for (std::size_t axis = 0; axis < dimensions; ++axis) {
        centre.push_back(from * length + block * place / places + 0.37 * static_cast<double>(axis));
      }
      centres.push_back(centre);
    }
    Cells<std::int64_t> counts = blobs(Shape(dimensions, side), centres, 1.5 * block);
    const double by_haar = found(counts, centres, haar).labelled;
    result.push_back({std::move(centres), std::move(counts), by_haar});
  }
  return result;
}

void expect_blobs_are_found(const std::string& name, const std::vector<Blobs>& all, unsigned level, Transform kind) {
  const ClusterOptions options{
      .threshold = Coverage(80), .wavelet = Wavelet::named(name), .level = level, .transform = kind, .threads = 1};
  double labelled = 0, by_haar = 0;
  Place off(all.front().centres.front().size());
  for (const Blobs& of : all) {
    const Found ours = found(of.counts, of.centres, options);
    labelled += ours.labelled;
    by_haar += of.by_haar;
    for (std::size_t axis = 0; axis < off.size(); ++axis) off[axis] += ours.off[axis] / static_cast<double>(all.size());
  }
  EXPECT_GE(labelled, 0.9 * by_haar);
  for (const double each : off) EXPECT_LE(std::fabs(each), 1 + std::exp2(level) / 8);
}

// Where the filter does not reach around the axis (notice_of_long_filter).
std::uint64_t settings_found(std::size_t dimensions, const std::vector<std::string>& names,
                             const std::vector<std::uint64_t>& side_of_level) {
  std::uint64_t tried = 0;
  for (const Transform kind : transforms) {
    for (unsigned level = 1; level <= side_of_level.size(); ++level) {
      const std::uint64_t side = side_of_level[level - 1];
      const std::vector<Blobs> all = blobs_for(dimensions, side, level, kind);
      for (const std::string& name : names) {
        if (filter_span(Wavelet::named(name), level) > side) continue;
        SCOPED_TRACE(name + " level " + std::to_string(level) + (kind == Transform::stationary ? " stationary" : ""));
        expect_blobs_are_found(name, all, level, kind);
        ++tried;
      }
    }
  }
  return tried;
}

TEST(Placement, ClustersLieWhereThePointsAreOnALine) {
  EXPECT_EQ(settings_found(1, Wavelet::names(), {1024, 1024, 1024, 1024}), Wavelet::names().size() * 4 * 2);
}

TEST(Placement, ClustersLieWhereThePointsAreInThePlane) {
  if (testing::quick()) GTEST_SKIP() << "the optimised build tries all settings";
  EXPECT_GT(settings_found(2, Wavelet::names(), {80, 128, 192, 256}), 500U);
}

TEST(Placement, ClustersLieWhereThePointsAreInSpace) {
  if (testing::quick()) GTEST_SKIP() << "the optimised build tries all settings";
  EXPECT_GT(settings_found(3, Wavelet::names(), {44, 56, 72, 112}), 300U);
}

// Long filters at high levels need boxes that no test can hold. The transform of a product is the product of the
// transforms of its lines, so what lies in the right place on a line does so in space, with every filter.
TEST(Placement, InSpaceIsThatOfTheLines) {
  const std::vector<std::vector<double>> lines = {
      {0, 3, 9, 4, 1, 0, 0, 2, 5, 2, 0, 0, 1}, {1, 1, 7, 8, 2, 0, 0, 0, 3, 1}, {0, 0, 6, 5, 5, 1, 0, 0}};
  const Shape shape{13, 10, 8};
  std::vector<double> product;
  for (const double x : lines[0]) {
    for (const double y : lines[1]) {
      for (const double z : lines[2]) product.push_back(x * y * z);
    }
  }
  for (const std::string& name : Wavelet::names()) {
    const Wavelet wavelet = Wavelet::named(name);
    for (const Transform kind : transforms) {
      for (unsigned level = 1; level <= 4; ++level) {
        const auto w = average_subband(shape, product, wavelet, level, kind);
        std::vector<Cells<double>> of_lines;
        for (const auto& line : lines) of_lines.push_back(average_subband({line.size()}, line, wavelet, level, kind));
        double scale = 1, error = 0;
        for (std::uint64_t i = 0; i < w.stored(); ++i) {
          const std::vector<std::uint64_t> at = coordinates(i, w.shape());
          double expected = 1;
          for (std::size_t axis = 0; axis < 3; ++axis) expected *= of_lines[axis].values()[at[axis]];
          scale = std::max(scale, std::fabs(expected));
          error = std::max(error, std::fabs(w.values()[i] - expected));
        }
        EXPECT_LE(error, 1e-9 * scale) << name << " level " << level;
      }
    }
  }
}

// A line of whole numbers is the value at the centre of gravity, so W is the middle of its block there.
TEST(Placement, OfADecimatedLineIsWithinHalfACellOfTheBlocksMiddle) {
  for (const std::string& name : Wavelet::names()) {
    const Wavelet wavelet = Wavelet::named(name);
    for (const unsigned level : {1U, 2U, 3U, 4U, 5U}) {
      const std::uint64_t size = (std::uint64_t{1} << level) * (2 * wavelet.low_pass().size() + 9);
      std::vector<double> line, ones(size, 1);
      for (std::uint64_t i = 0; i < size; ++i) line.push_back(static_cast<double>(i));
      const auto w = average_subband({size}, line, wavelet, level);
      const auto scale = average_subband({size}, ones, wavelet, level);
      const std::uint64_t middle = w.stored() / 2;
      const double block = std::exp2(level);
      const double at = (static_cast<double>(middle) + 0.5) * block - 0.5;
      EXPECT_NEAR(w.values()[middle] / scale.values()[middle], at, 0.5 + 1e-3) << name << " level " << level;
    }
  }
}

// An odd level is extended by the last value of the axis, wherever the filter looks.
TEST(Placement, OfOddAxesKeepsTheExtensionAtTheEnd) {
  for (const std::string name : {"db4", "sym5", "coif2", "bior2.2", "rbio3.3"}) {
    for (const std::uint64_t size : {101U, 103U, 106U, 127U}) {
      for (const unsigned level : {2U, 3U}) {
        std::vector<std::int64_t> counts(size);
        for (std::uint64_t i = 40; i < 60; ++i) counts[i] = 100;
        const ClusterOptions options{.threshold = Coverage(80), .wavelet = Wavelet::named(name), .level = level};
        const auto cells = Cells<std::int64_t>::dense({size}, counts);
        const Clusters clusters = segment(transform(cells, options), options).clusters;
        double sum = 0;
        for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
          if (clusters.labels()[i] == 1) sum += static_cast<double>(clusters.cells()[i]) + 0.5;
        }
        const double middle = sum / static_cast<double>(clusters.sizes().at(0));
        EXPECT_NEAR(middle * std::exp2(level), 50, std::exp2(level)) << name << " " << size << " level " << level;
      }
    }
  }
}

TEST(Placement, IsThatOfPyWaveletsForDecimatedHaarAndBior22) {
  for (const char* name : {"haar", "db1", "bior1.1", "rbio1.1", "rbio1.3", "rbio1.5"}) {
    for (unsigned level = 1; level <= 60; ++level) {
      EXPECT_EQ(placement_shift(Wavelet::named(name), level, Transform::decimated), 0) << name;
    }
  }
  EXPECT_EQ(placement_shift(Wavelet::named("bior2.2"), 1, Transform::decimated), 0);
  EXPECT_EQ(placement_shift(Wavelet::named("bior2.2"), 2, Transform::decimated), -1);
  EXPECT_EQ(placement_shift(Wavelet::named("db4"), 1, Transform::decimated), -2);
}

TEST(Placement, RollsEachLevelByAboutTheDelayOfTheFilter) {
  for (const std::string& name : Wavelet::names()) {
    const std::vector<double> taps = Wavelet::named(name).low_pass();
    for (const Transform kind : transforms) {
      for (const unsigned level : {1U, 2U, 5U, 20U, 60U}) {
        const std::vector<std::int64_t> shifts = level_shifts(taps, level, kind);
        ASSERT_EQ(shifts.size(), level);
        for (std::size_t q = 0; kind == Transform::decimated && q < shifts.size(); ++q) {
          EXPECT_LE(std::abs(shifts[q]), static_cast<std::int64_t>(taps.size() / 2)) << name << " level " << q + 1;
        }
      }
    }
  }
}

TEST(FilterSpan, CountsTheCellsFromTheFirstToTheLastTap) {
  EXPECT_EQ(filter_span(Wavelet::haar(), 1), 2U);
  EXPECT_EQ(filter_span(Wavelet::haar(), 3), 8U);
  EXPECT_EQ(filter_span(Wavelet::named("rbio1.5"), 1), 2U);  // zeros around two taps
  EXPECT_EQ(filter_span(Wavelet::named("bior2.2"), 2), 13U);
  EXPECT_EQ(filter_span(Wavelet::named("db4"), 2), 22U);
}

}  // namespace
}  // namespace shoal
