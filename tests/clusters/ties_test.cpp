// Values of W that are equal in exact arithmetic stay together at a threshold, whatever the order of summation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "shoal/clusters.hpp"

namespace shoal {
namespace {

const std::vector<std::string>& filtered_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const std::string& name : Wavelet::names()) {
      if (!Wavelet::named(name).is_haar()) result.push_back(name);
    }
    return result;
  }();
  return names;
}

// Few different counts: many ties.
std::vector<std::int64_t> random_counts(std::mt19937_64& random, std::uint64_t cells) {
  std::vector<std::int64_t> counts(cells);
  const std::uint64_t most = 2 + random() % 6;
  for (auto& count : counts) count = static_cast<std::int64_t>(random() % most) - (random() % 3 == 0 ? 2 : 0);
  return counts;
}

std::vector<std::uint64_t> transposed(const std::vector<std::uint64_t>& cells, const Shape& shape) {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t cell : cells) result.push_back(cell % shape[1] * shape[0] + cell / shape[1]);
  std::sort(result.begin(), result.end());
  return result;
}

TEST(Ties, TransposedCountsHaveTransposedClusters) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Shape shape{2 + random() % 30, 2 + random() % 30};
    const std::vector<std::int64_t> counts = random_counts(random, shape[0] * shape[1]);
    std::vector<std::int64_t> flipped(counts.size());
    for (std::uint64_t x = 0; x < shape[0]; ++x) {
      for (std::uint64_t y = 0; y < shape[1]; ++y) flipped[y * shape[0] + x] = counts[x * shape[1] + y];
    }
    ClusterOptions options{.threshold = Percentile(0)};
    options.wavelet = Wavelet::named(filtered_names()[random() % filtered_names().size()]);
    options.level = 1 + static_cast<unsigned>(random() % 2);
    options.transform = random() % 4 == 0 ? Transform::stationary : Transform::decimated;
    options.threshold = Percentile(static_cast<double>(random() % 100));
    const Segmentation one = segment(transform(Cells<std::int64_t>::dense(shape, counts), options), options);
    const Segmentation other =
        segment(transform(Cells<std::int64_t>::dense({shape[1], shape[0]}, flipped), options), options);
    ASSERT_EQ(one.positive, other.positive) << options.wavelet.name();
    ASSERT_EQ(one.threshold, other.threshold) << options.wavelet.name();
    ASSERT_EQ(transposed(one.clusters.cells(), one.clusters.shape()), other.clusters.cells())
        << options.wavelet.name() << ' ' << std::get<Percentile>(options.threshold).percent();
  }
}

// Returns the values of a wavelet other than Haar.
const Cells<double>& values_of(const Transformed& w) {
  return *w.visit([](const auto& cells) -> const Cells<double>* {
    if constexpr (std::is_same_v<decltype(cells), const Cells<double>&>) {
      return &cells;
    } else {
      return nullptr;
    }
  });
}

TEST(Ties, ValuesAreWholeStepsAndNoFurtherOffThanOne) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const Shape shape{1 + random() % 9, 1 + random() % 9, 1 + random() % 9};
    const Cells<std::int64_t> counts = Cells<std::int64_t>::dense(shape, random_counts(random, cell_count(shape)));
    ClusterOptions options{.threshold = Percentile(0)};
    options.wavelet = Wavelet::named(filtered_names()[random() % filtered_names().size()]);
    options.level = 1 + static_cast<unsigned>(random() % 3);
    const double step = tie_step(3, options.level);
    EXPECT_EQ(step, std::exp2(-20 - std::ceil(1.5 * options.level)));
    const Transformed w = transform(counts, options);
    const Cells<double> plain = average_subband(
        Cells<double>::dense(shape, std::vector<double>(counts.values().begin(), counts.values().end())),
        options.wavelet, options.level);
    for (std::size_t j = 0; j < plain.stored(); ++j) {
      const double value = values_of(w).values()[j];
      EXPECT_EQ(value, std::floor(value / step) * step);
      EXPECT_LE(std::fabs(value - plain.values()[j]), step);
    }
  }
}

TEST(Ties, SparseCountsGiveTheSameValuesWithoutZeros) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const Shape shape{1 + random() % 20, 1 + random() % 20};
    std::vector<std::int64_t> counts = random_counts(random, cell_count(shape));
    std::vector<std::uint64_t> index;
    std::vector<std::int64_t> stored;
    for (std::uint64_t cell = 0; cell < counts.size(); ++cell) {
      if (random() % 4 != 0) counts[cell] = 0;
      if (counts[cell] == 0) continue;
      index.push_back(cell);
      stored.push_back(counts[cell]);
    }
    ClusterOptions options{.threshold = Percentile(0)};
    options.wavelet = Wavelet::named(filtered_names()[random() % filtered_names().size()]);
    const Transformed dense = transform(Cells<std::int64_t>::dense(shape, counts), options);
    const Transformed sparse = transform(Cells<std::int64_t>::sparse(shape, index, stored), options);
    for (const double value : values_of(sparse).values()) EXPECT_NE(value, 0);
    for (std::uint64_t cell = 0; cell < cell_count(dense.shape()); ++cell) {
      ASSERT_EQ(values_of(dense).at(cell), values_of(sparse).at(cell)) << options.wavelet.name();
    }
  }
}

}  // namespace
}  // namespace shoal
