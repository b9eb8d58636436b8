#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>

#include "base/wide.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(SignificantCount, IsTheCeilingOfTheExactProduct) {
  EXPECT_EQ(significant_count(Percentile(58), 501), 211U);  // the paper's sets
  EXPECT_EQ(significant_count(Percentile(10), 159), 144U);
  EXPECT_EQ(significant_count(Percentile(23), 197), 152U);
  EXPECT_EQ(significant_count(Percentile(0), 77), 77U);
  EXPECT_EQ(significant_count(Percentile(50), 2), 1U);
  EXPECT_EQ(significant_count(Percentile(50), 3), 2U);
  EXPECT_EQ(significant_count(Percentile(99.9), 5), 1U);
  EXPECT_EQ(significant_count(Percentile(58), 0), 0U);
}

// In doubles (1 - 0.58) * 100 is 42.00000000000001, whose ceiling is 43.
TEST(SignificantCount, WholePercentilesOfHundredsAreExact) {
  for (std::uint64_t p = 0; p < 100; ++p) {
    for (const std::uint64_t hundreds : {1U, 3U, 1000U}) {
      EXPECT_EQ(significant_count(Percentile(static_cast<double>(p)), 100 * hundreds), (100 - p) * hundreds) << p;
    }
  }
}

TEST(SignificantCount, TakesPercentilesWithNineDecimals) {
  EXPECT_EQ(significant_count(Percentile(0.1), 1000), 999U);
  EXPECT_EQ(significant_count(Percentile(99.999999999), 100'000'000'000), 1U);
  EXPECT_EQ(significant_count(Percentile(99.999999998), 100'000'000'000), 2U);
}

TEST(SignificantCount, DoesNotOverflow) {
  EXPECT_EQ(significant_count(Percentile(50), std::uint64_t{1} << 62), std::uint64_t{1} << 61);
}

TEST(SignificantCount, IsAtLeastOneWhenAnyIsPositive) {
  EXPECT_EQ(significant_count(Percentile(99.9999999999), 3), 1U);  // nearer to 100 than nine decimals tell
}

TEST(SignificantCount, PercentilesOutOfRangeAreRefused) {
  for (const double p : {-1.0, -1e-300, 100.0, 158.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(significant_count(Percentile(p), 10), InputError) << p;
  }
}

template <class T>
Cells<T> random_cells(std::mt19937_64& random, std::int64_t spread) {
  Shape shape;
  for (std::uint64_t i = 1 + random() % 3; i > 0; --i) shape.push_back(1 + random() % 9);
  std::vector<T> values(cell_count(shape));
  for (T& value : values) {
    value = static_cast<T>(static_cast<std::int64_t>(random() % (2 * spread + 1)) - spread);
    if (random() % 3 == 0) value = 0;
  }
  return Cells<T>::dense(shape, values);
}

template <class T>
Cells<T> as_sparse(const Cells<T>& dense) {
  std::vector<std::uint64_t> index;
  std::vector<T> values;
  for (std::size_t i = 0; i < dense.stored(); ++i) {
    if (dense.values()[i] == 0) continue;
    index.push_back(i);
    values.push_back(dense.values()[i]);
  }
  return Cells<T>::sparse(dense.shape(), index, values);
}

template <class T>
void expect_equal(const Significant<T>& a, const Significant<T>& b) {
  EXPECT_EQ(a.positive, b.positive);
  EXPECT_EQ(a.nonpositive, b.nonpositive);
  EXPECT_EQ(a.k, b.k);
  EXPECT_EQ(a.threshold, b.threshold);
  EXPECT_EQ(a.cells, b.cells);
}

// The smallest k whose k largest values hold the share: added up one after the other. Shares with one decimal.
template <class T>
std::uint64_t covering_by_definition(const std::vector<T>& descending, double coverage) {
  const auto tenths = static_cast<Int128>(std::llround(coverage * 10));
  Int128 total = 0, taken = 0;
  for (const T value : descending) total += static_cast<Int128>(value);
  std::uint64_t k = 0;
  while (k < descending.size() && taken * 1000 < total * tenths) taken += static_cast<Int128>(descending[k++]);
  return k;
}

// By sorting all values.
template <class T>
Significant<T> by_definition(const Cells<T>& cells, const Threshold& threshold) {
  std::vector<T> positives;
  for (const T value : cells.values()) {
    if (value > 0) positives.push_back(value);
  }
  std::sort(positives.begin(), positives.end(), std::greater<>());
  Significant<T> result;
  result.positive = positives.size();
  result.nonpositive = cells.cell_count() - positives.size();
  const auto* top = std::get_if<Top>(&threshold);
  const auto* coverage = std::get_if<Coverage>(&threshold);
  result.k = top != nullptr        ? std::min<std::uint64_t>(top->cells(), positives.size())
             : coverage != nullptr ? covering_by_definition(positives, coverage->percent())
                                   : significant_count(std::get<Percentile>(threshold), positives.size());
  if (result.k == 0) return result;
  result.threshold = positives[result.k - 1];
  for (std::uint64_t i = 0; i < cells.cell_count(); ++i) {
    if (cells.at(i) > 0 && cells.at(i) >= result.threshold) result.cells.push_back(i);
  }
  return result;
}

template <class T>
class SignificantCells : public ::testing::Test {};
using Values = ::testing::Types<std::int64_t, double>;
TYPED_TEST_SUITE(SignificantCells, Values);

TYPED_TEST(SignificantCells, AreTheKLargestWithTiesDenseAndSparse) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::int64_t spread = trial % 2 == 0 ? 5 : std::int64_t{1} << (2 + random() % 45);
    const auto cells = random_cells<TypeParam>(random, spread);
    Threshold options = Percentile(static_cast<double>(random() % 1000) / 10);
    if (trial % 3 == 0) options = Top(1 + random() % 50);
    const auto found = significant_cells(cells, options);
    expect_equal(found, by_definition(cells, options));
    expect_equal(significant_cells(as_sparse(cells), options), found);
  }
}

TYPED_TEST(SignificantCells, ByCoverageAreTheFewestThatHoldTheShareWithTiesDenseAndSparse) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::int64_t spread = trial % 2 == 0 ? 5 : std::int64_t{1} << (2 + random() % 35);
    const auto cells = random_cells<TypeParam>(random, spread);
    // Eighths of doubles, so that no share falls between two of them.
    const double coverage = std::is_integral_v<TypeParam> ? static_cast<double>(1 + random() % 1000) / 10
                                                          : 12.5 * static_cast<double>(1 + random() % 8);
    const Coverage options(coverage);
    const auto found = significant_cells(cells, options);
    expect_equal(found, by_definition(cells, options));
    expect_equal(significant_cells(as_sparse(cells), options), found);
  }
}

TYPED_TEST(SignificantCells, ByCoverageOfNothingOneCellAndEverything) {
  const auto covering = [](double coverage) { return Coverage(coverage); };
  const auto empty = Cells<TypeParam>::dense({3}, {0, -1, -2});
  EXPECT_EQ(significant_cells(empty, covering(100)).k, 0U);
  EXPECT_TRUE(significant_cells(empty, covering(50)).cells.empty());
  const auto one = Cells<TypeParam>::dense({4}, {0, 9, 0, -3});
  for (const double coverage : {1e-9, 50.0, 100.0}) {
    EXPECT_EQ(significant_cells(one, covering(coverage)).cells, (std::vector<std::uint64_t>{1})) << coverage;
  }
  const auto some = Cells<TypeParam>::dense({6}, {1, 2, 3, 0, 3, 1});
  EXPECT_EQ(significant_cells(some, covering(100)).k, 5U);
  EXPECT_EQ(significant_cells(some, covering(60)).k, 2U);  // 3 + 3 of 10
  const auto largest = significant_cells(some, covering(1e-9));
  EXPECT_EQ(largest.k, 1U);
  EXPECT_EQ(largest.cells, (std::vector<std::uint64_t>{2, 4}));  // ties
}

TYPED_TEST(SignificantCells, ByDensityAreThosePositiveAndNotBelowIt) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const auto cells = random_cells<TypeParam>(random, 20);
    const Density options(0.25 * static_cast<double>(1 + random() % 90));
    const auto found = significant_cells(cells, options);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < cells.cell_count(); ++i) {
      if (static_cast<double>(cells.at(i)) >= options.least()) expected.push_back(i);
    }
    EXPECT_EQ(found.cells, expected);
    EXPECT_EQ(found.k, expected.size());
    expect_equal(significant_cells(as_sparse(cells), options), found);
  }
}

TYPED_TEST(SignificantCells, NothingPositiveGivesNothing) {
  const auto cells = Cells<TypeParam>::dense({3}, {0, -1, -2});
  const auto found = significant_cells(cells, Percentile(10));
  EXPECT_EQ(found.positive, 0U);
  EXPECT_EQ(found.nonpositive, 3U);
  EXPECT_EQ(found.k, 0U);
  EXPECT_TRUE(found.cells.empty());
  EXPECT_TRUE(significant_cells(Cells<TypeParam>::sparse({3}, {}, {}), Percentile(10)).cells.empty());
}

TYPED_TEST(SignificantCells, SparseCountsTheCellsThatItDoesNotList) {
  const auto cells = Cells<TypeParam>::sparse({std::uint64_t{1} << 30, std::uint64_t{1} << 30}, {5, 9}, {3, -1});
  const auto found = significant_cells(cells, Percentile(0));
  EXPECT_EQ(found.positive, 1U);
  EXPECT_EQ(found.nonpositive, (std::uint64_t{1} << 60) - 1);
  EXPECT_EQ(found.cells, (std::vector<std::uint64_t>{5}));
}

TYPED_TEST(SignificantCells, MeaninglessThresholdsAreRefused) {
  const auto cells = Cells<TypeParam>::dense({2}, {1, 2});
  EXPECT_THROW(significant_cells(cells, Percentile(100)), InputError);
  EXPECT_THROW(significant_cells(cells, Percentile(nan)), InputError);
  EXPECT_THROW(significant_cells(cells, Top(0)), InputError);
  for (const double density : {0.0, -3.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(significant_cells(cells, Density(density)), InputError);
  }
}

TYPED_TEST(SignificantCells, CoveragesOutOfRangeAreRefused) {
  const auto cells = Cells<TypeParam>::dense({2}, {1, 2});
  for (const double coverage : {0.0, -1.0, 100.1, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(significant_cells(cells, Coverage(coverage)), InputError);
  }
}

TEST(SignificantIntegers, CoverageOfTheLargestSumsIsExact) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto cells = Cells<std::int64_t>::dense({4}, {most, most, most, most});
  const auto k = [&](double coverage) { return significant_cells(cells, Coverage(coverage)).k; };
  EXPECT_EQ(k(25), 1U);
  EXPECT_EQ(k(25.000000001), 2U);
  EXPECT_EQ(k(99.999999999), 4U);
}

TEST(SignificantDoubles, NaNIsNotPositiveAndInfinityIs) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto cells = Cells<double>::dense({5}, {nan, infinity, 1, nan, -infinity});
  const auto found = significant_cells(cells, Percentile(50));
  EXPECT_EQ(found.positive, 2U);
  EXPECT_EQ(found.nonpositive, 3U);
  EXPECT_EQ(found.cells, (std::vector<std::uint64_t>{1}));
}

// Small integers are ranked by counting them, larger ones by comparing: every rank on either side of where that
// changes.
TEST(SignificantIntegers, EveryRankIsThatOfASort) {
  std::mt19937_64 random(5);
  std::vector<std::int64_t> values(301);
  for (std::int64_t& value : values) {
    value = random() % 2 == 0 ? 4000 : -5;
    value += static_cast<std::int64_t>(random() % 200);
  }
  std::vector<std::int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const auto cells = Cells<std::int64_t>::dense({values.size()}, values);
  for (std::uint64_t k = 1; k <= values.size() && sorted[k - 1] > 0; ++k) {
    const auto found = significant_cells(cells, Top(k));
    ASSERT_EQ(found.threshold, sorted[k - 1]) << k;
    ASSERT_EQ(found.cells.size(), static_cast<std::size_t>(std::count_if(values.begin(), values.end(),
                                                                         [&](auto v) { return v >= sorted[k - 1]; })));
  }
}

TEST(SignificantIntegers, ThreadsChangeNothing) {
  std::mt19937_64 random(12);
  std::vector<std::int64_t> values(2'500'001);
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 9000) - 3000;
  const auto cells = Cells<std::int64_t>::dense({values.size()}, values);
  for (const double percentile : {5.0, 50.0, 99.9}) {
    const Percentile options(percentile);
    const auto one = significant_cells(cells, options, 1), three = significant_cells(cells, options, 3);
    EXPECT_EQ(one.cells, three.cells);
    EXPECT_EQ(one.threshold, three.threshold);
    EXPECT_EQ(one.positive, three.positive);
    EXPECT_EQ(one.cells.size(), static_cast<std::size_t>(std::count_if(
                                    values.begin(), values.end(), [&](auto value) { return value >= one.threshold; })));
  }
}

TEST(SignificantIntegers, ExtremesAreOrdered) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto cells = Cells<std::int64_t>::dense({4}, {most, most - 1, std::numeric_limits<std::int64_t>::min(), 1});
  EXPECT_EQ(significant_cells(cells, Top(1)).cells, (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(significant_cells(cells, Top(2)).threshold, most - 1);
}

}  // namespace
}  // namespace shoal
