#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/parallel.hpp"
#include "clusters/streaming_transform.hpp"
#include "shoal/error.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {
namespace {

using Random = std::mt19937_64;

Shape random_shape(Random& random, std::size_t dimensions, std::uint64_t most) {
  Shape shape;
  for (std::size_t i = 0; i < dimensions; ++i) shape.push_back(1 + random() % most);
  return shape;
}

// About a third of the cells hold something.
template <class T>
Cells<T> random_cells(Random& random, const Shape& shape) {
  std::vector<T> values(cell_count(shape));
  for (T& value : values) {
    if (random() % 3 == 0) value = static_cast<T>(static_cast<std::int64_t>(random() % 2001) - 1000);
  }
  return Cells<T>::dense(shape, std::move(values));
}

template <class T>
Cells<T> sparse_of(const Cells<T>& dense) {
  std::vector<std::uint64_t> index;
  std::vector<T> values;
  for (std::uint64_t i = 0; i < dense.stored(); ++i) {
    if (dense.values()[i] == T{}) continue;
    index.push_back(i);
    values.push_back(dense.values()[i]);
  }
  return Cells<T>::sparse(dense.shape(), std::move(index), values);
}

template <class T>
void expect_same_values(const Cells<T>& a, const Cells<T>& b) {
  ASSERT_EQ(a.shape(), b.shape());
  for (std::uint64_t cell = 0; cell < a.cell_count(); ++cell) ASSERT_EQ(a.at(cell), b.at(cell)) << "cell " << cell;
}

Cells<std::int64_t> line(const std::vector<std::int64_t>& values) {
  const std::uint64_t size = values.size();
  return Cells<std::int64_t>::dense({size}, values);
}

TEST(HaarSums, AreSumsOfPairs) { EXPECT_EQ(haar_sums(line({1, 2, 3, 4}), 1), line({3, 7})); }

TEST(HaarSums, OddAxisDoublesItsLastValue) {
  EXPECT_EQ(haar_sums(line({1, 2, 3, 4, 5}), 1), line({3, 7, 10}));
  EXPECT_EQ(haar_sums(line({1, 2, 3, 4, 5}), 2), line({10, 20}));
  EXPECT_EQ(haar_sums(line({7}), 3), line({56}));
}

TEST(HaarSums, StationaryLooksAheadAroundTheEnd) {
  EXPECT_EQ(haar_sums(line({1, 2, 4, 8, 16}), 1, Transform::stationary), line({3, 6, 12, 24, 17}));
  EXPECT_EQ(haar_sums(line({1, 2, 4, 8, 16}), 2, Transform::stationary), line({23, 15, 30, 29, 27}));
}

TEST(HaarSums, KeepTheTotalOnEvenBoxes) {
  Random random(1);
  const Cells<std::int64_t> counts = random_cells<std::int64_t>(random, {8, 16, 4});
  std::int64_t total = 0;
  for (const std::int64_t value : counts.values()) total += value;
  const Cells<std::int64_t> sums = haar_sums(counts, 2);
  std::int64_t sum = 0;
  for (const std::int64_t value : sums.values()) sum += value;
  EXPECT_EQ(sum, total);
}

TEST(HaarSums, AgreeWithTheFilterInFloatingPoint) {
  Random random(2);
  const Wavelet haar = Wavelet::named("haar");
  for (int i = 0; i < 200; ++i) {
    const std::size_t dimensions = 1 + random() % 4;
    const Cells<std::int64_t> counts = random_cells<std::int64_t>(random, random_shape(random, dimensions, 9));
    std::vector<double> as_double(counts.values().begin(), counts.values().end());
    const auto level = static_cast<unsigned>(1 + random() % 3);
    const Transform kind = random() % 2 == 0 ? Transform::decimated : Transform::stationary;
    const Cells<std::int64_t> sums = haar_sums(counts, level, kind);
    const Cells<double> average = average_subband(counts.shape(), as_double, haar, level, kind);
    const double unit = std::exp2(-static_cast<double>(dimensions * level) / 2);
    ASSERT_EQ(sums.shape(), average.shape());
    for (std::size_t cell = 0; cell < sums.stored(); ++cell) {
      ASSERT_NEAR(static_cast<double>(sums.values()[cell]) * unit, average.values()[cell], 1e-9);
    }
  }
}

TEST(HaarSums, PastTheLimitsOf64BitsAreKeptWithin2To62) {
  const std::int64_t most = std::int64_t{1} << 62;
  EXPECT_EQ(haar_sums(line({INT64_MAX, 0}), 1), line({INT64_MAX}));
  EXPECT_EQ(haar_sums(line({INT64_MIN, 0}), 1), line({INT64_MIN}));
  EXPECT_EQ(haar_sums(line({INT64_MAX, INT64_MIN}), 1), line({-1}));
  EXPECT_EQ(haar_sums(line({INT64_MAX, 1}), 1), line({most}));
  EXPECT_EQ(haar_sums(line({INT64_MIN, -1}), 1), line({-most}));
  EXPECT_EQ(haar_sums(line({INT64_MAX}), 1), line({most}));
  EXPECT_EQ(haar_sums(line({4}), 60), line({std::int64_t{1} << 62}));
  EXPECT_EQ(haar_sums(line({8}), 60), line({most}));
  EXPECT_EQ(haar_sums(sparse_of(line({INT64_MAX, 1})), 1).values()[0], most);
  EXPECT_EQ(haar_sums(Cells<std::int64_t>::dense(Shape(16, 1), {1}), 4).values()[0], most);
}

TEST(HaarSums, RefuseLevelsOutOfRange) {
  EXPECT_THROW(haar_sums(line({1, 2}), 0), InputError);
  EXPECT_THROW(haar_sums(line({1, 2}), 61), InputError);
}

TEST(Sparse, HaarSumsEqualTheDenseOnes) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Cells<std::int64_t> dense = random_cells<std::int64_t>(random, random_shape(random, 1 + random() % 5, 7));
    const auto level = static_cast<unsigned>(1 + random() % 3);
    for (const Transform kind : {Transform::decimated, Transform::stationary}) {
      const Cells<std::int64_t> sums = haar_sums(sparse_of(dense), level, kind);
      EXPECT_FALSE(sums.is_dense());
      expect_same_values(haar_sums(dense, level, kind), sums);
    }
  }
}

TEST(Sparse, EveryWaveletGivesTheBitsOfTheDenseTransform) {
  Random random(4);
  for (const std::string& name : Wavelet::names()) {
    const Wavelet wavelet = Wavelet::named(name);
    const Cells<double> dense = random_cells<double>(random, random_shape(random, 1 + random() % 3, 11));
    const auto level = static_cast<unsigned>(1 + random() % 3);
    for (const Transform kind : {Transform::decimated, Transform::stationary}) {
      expect_same_values(average_subband(dense, wavelet, level, kind),
                         average_subband(sparse_of(dense), wavelet, level, kind));
    }
  }
}

TEST(Sparse, HugeBoxesCostOnlyWhatTheyHold) {
  const Shape shape(3, std::uint64_t{1} << 20);
  const std::uint64_t last = cell_count(shape) - 1;
  const auto counts = Cells<std::int64_t>::sparse(shape, {0, 1, last}, {5, 6, 7});
  const Cells<std::int64_t> sums = haar_sums(counts, 3);
  EXPECT_EQ(sums.shape(), Shape(3, std::uint64_t{1} << 17));
  EXPECT_EQ(sums, Cells<std::int64_t>::sparse(sums.shape(), {0, cell_count(sums.shape()) - 1}, {11, 7}));
}

TEST(Sparse, EmptyStaysEmpty) {
  const auto nothing = Cells<double>::sparse({9, 9}, {}, {});
  EXPECT_EQ(average_subband(nothing, Wavelet::named("db4"), 2).stored(), 0U);
}

TEST(Threads, DoNotChangeASingleBit) {
  Random random(5);
  for (const Shape& shape : {Shape{257, 301}, Shape{1, 1000}, Shape{40, 33, 51}, Shape{9, 8, 17, 12}, Shape{3001}}) {
    const Cells<double> values = random_cells<double>(random, shape);
    const Cells<std::int64_t> counts = random_cells<std::int64_t>(random, shape);
    for (const Transform kind : {Transform::decimated, Transform::stationary}) {
      const Cells<double> one = average_subband(values, Wavelet::named("sym8"), 2, kind, 1);
      EXPECT_EQ(one, average_subband(values, Wavelet::named("sym8"), 2, kind, 7));
      EXPECT_EQ(haar_sums(counts, 2, kind, 1), haar_sums(counts, 2, kind, 7));
    }
  }
}

// Values come to be only when they are filled: one that is read too early is wrong.
TEST(StreamingTransform, IsTheTransformWhateverTheStretchesAndTheirOrder) {
  Random random(9);
  bool several = false;
  for (int trial = 0; trial < 60; ++trial) {
    const std::uint64_t most[] = {100'000, 400, 60, 20};
    const std::size_t dimensions = 1 + random() % 4;
    const Shape shape = random_shape(random, dimensions, most[dimensions - 1]);
    const Cells<std::int64_t> all = random_cells<std::int64_t>(random, shape);
    ClusterOptions options{.threshold = Percentile(0)};
    options.level = 1 + static_cast<unsigned>(random() % 4);
    if (trial % 10 == 0) options.wavelet = Wavelet::named("db2");
    if (trial % 10 == 1) options.transform = Transform::stationary;
    StreamingTransform streaming(shape, options), by_slabs(shape, options);
    several |= streaming.slabs() > 2;
    std::vector<std::uint64_t> cuts = {0, all.stored()};
    for (int i = 0; i < 20; ++i) cuts.push_back(random() % all.stored());
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::size_t> order(cuts.size() - 1);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::int64_t> filled(all.stored(), 1'000'000);
    for (const std::size_t i : order) {
      for (std::uint64_t cell = cuts[i]; cell < cuts[i + 1]; ++cell) filled[cell] = all.values()[cell];
      streaming.on_filled(filled, cuts[i], cuts[i + 1]);
    }
    const Transformed expected = transform(all, options), found = std::move(streaming).finish(all);
    ASSERT_EQ(found, expected);
    if (by_slabs.slabs() == 0) continue;
    for (std::uint64_t i = by_slabs.slabs(); i-- > 0;) {
      const auto [begin, end] = by_slabs.slab(i);
      by_slabs.sum(i, all.values().subspan(begin, end - begin));
    }
    ASSERT_EQ(std::move(by_slabs).finish(), expected);
  }
  EXPECT_TRUE(several);
}

TEST(StreamingTransform, ManyThreadsFillAtOnce) {
  Random random(10);
  const Shape shape = {701, 333};
  const Cells<std::int64_t> all = random_cells<std::int64_t>(random, shape);
  StreamingTransform streaming(shape, {.threshold = Percentile(0)});
  ASSERT_GT(streaming.slabs(), 4U);
  parallel_stretches(all.stored(), 999, 4,
                     [&](auto begin, auto end) { streaming.on_filled(all.values(), begin, end); });
  EXPECT_EQ(*std::move(streaming).finish(all).sums(), haar_sums(all, 1));
}

TEST(StreamingTransform, BoxesWithTooLargeSlabsAreTransformedAtTheEnd) {
  const Shape shape = {3, std::uint64_t{1} << 18};
  const Cells<std::int64_t> all = Cells<std::int64_t>::dense(shape, Values<std::int64_t>(cell_count(shape)));
  StreamingTransform streaming(shape, {.threshold = Percentile(0)});
  EXPECT_EQ(streaming.slabs(), 0U);
  EXPECT_EQ(*std::move(streaming).finish(all).sums(), haar_sums(all, 1));
}

TEST(AverageSubband, IsLinear) {
  Random random(6);
  const Wavelet wavelet = Wavelet::named("bior4.4");
  const Cells<double> a = random_cells<double>(random, {13, 10});
  const Cells<double> b = random_cells<double>(random, {13, 10});
  std::vector<double> sum(a.stored());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = a.values()[i] + b.values()[i];
  const Cells<double> wa = average_subband(a, wavelet, 2);
  const Cells<double> wb = average_subband(b, wavelet, 2);
  const Cells<double> together = average_subband(a.shape(), sum, wavelet, 2);
  for (std::size_t i = 0; i < together.stored(); ++i) {
    EXPECT_NEAR(together.values()[i], wa.values()[i] + wb.values()[i], 1e-9);
  }
}

TEST(AverageSubband, AWrongNumberOfValuesIsRefused) {
  const std::vector<double> five(5);
  EXPECT_THROW(average_subband(Shape{2, 3}, five, Wavelet::named("haar"), 1), Error);
}

}  // namespace
}  // namespace shoal
