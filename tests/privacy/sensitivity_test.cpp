// Brute force over neighbours of small datasets: no change exceeds what is declared, and what is declared is reached.
#include "privacy/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "neighbouring_counts.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {
namespace {

using testing::to_neighbor;
using Random = std::mt19937_64;
using Values = std::vector<double>;

struct Case {
  Shape shape;
  ClusterOptions options;
  PrivacyUnit unit;
};

// W of a dataset, by the code that the techniques use.
Values transformed(const Case& at, const std::vector<std::int64_t>& counts) {
  const Transformed w = transform(Cells<std::int64_t>::dense(at.shape, counts), at.options);
  return w.visit([](const auto& cells) { return Values(cells.values().begin(), cells.values().end()); });
}

std::int64_t nonpositive(const Values& w) {
  return std::count_if(w.begin(), w.end(), [](double value) { return value <= 0; });
}

std::int64_t quality(const Values& w, double x, double percentile) {
  const auto rank = std::count_if(w.begin(), w.end(), [x](double value) { return value >= x; });
  const auto positive = static_cast<std::uint64_t>(w.size()) - static_cast<std::uint64_t>(nonpositive(w));
  return -std::abs(rank - static_cast<std::int64_t>(significant_count(Percentile(percentile), positive)));
}

// Largest change of the quality over all x > 0: it is constant between the values of the two W.
std::int64_t quality_change(const Values& a, const Values& b, double percentile) {
  std::int64_t largest = 0;
  for (const Values* w : {&a, &b}) {
    for (const double value : *w) {
      if (value <= 0) continue;
      for (const double x : {value, std::nextafter(value, 1e300)}) {
        largest = std::max(largest, std::abs(quality(a, x, percentile) - quality(b, x, percentile)));
      }
    }
  }
  return largest;
}

std::vector<std::int64_t> random_counts(Random& random, std::uint64_t cells) {
  std::vector<std::int64_t> counts(cells);
  const std::uint64_t most = 1 + random() % 3;
  for (std::int64_t& count : counts) count = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % (most + 1));
  return counts;
}

struct Found {
  std::int64_t nonpositive = 0, rank = 0;
};

Found largest_changes(Random& random, const Case& at, int datasets, int neighbors) {
  Found found;
  for (int i = 0; i < datasets; ++i) {
    const std::vector<std::int64_t> counts = random_counts(random, cell_count(at.shape));
    const Values w = transformed(at, counts);
    for (int j = 0; j < neighbors; ++j) {
      std::vector<std::int64_t> other = counts;
      if (!to_neighbor(random, at.unit, other)) continue;
      const Values v = transformed(at, other);
      found.nonpositive = std::max(found.nonpositive, std::abs(nonpositive(w) - nonpositive(v)));
      found.rank = std::max(found.rank, quality_change(w, v, std::get<Percentile>(at.options.threshold).percent()));
    }
  }
  return found;
}

std::vector<PrivacyUnit> units() {
  std::vector<PrivacyUnit> all;
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
    for (const std::uint64_t m : {1U, 2U}) {
      PrivacyUnit unit;
      unit.neighbors = relation;
      unit.max_contributions = m;
      if (m > 1) unit.column = "user";
      all.push_back(unit);
    }
  }
  return all;
}

Case case_of(const std::string& wavelet, Shape shape, unsigned level, Transform transform, const PrivacyUnit& unit,
             double percentile) {
  Case at{std::move(shape), {.threshold = Percentile(percentile)}, unit};
  at.options.wavelet = Wavelet::named(wavelet);
  at.options.level = level;
  at.options.transform = transform;
  return at;
}

TEST(Sensitivity, CountsMoveByTheRecordsThatDiffer) {
  EXPECT_EQ(counts_sensitivity(units()[0]), 1U);
  EXPECT_EQ(counts_sensitivity(units()[1]), 2U);
  EXPECT_EQ(counts_sensitivity(units()[2]), 2U);
  EXPECT_EQ(counts_sensitivity(units()[3]), 4U);
}

TEST(Sensitivity, IsNeverExceededByAnyWaveletLevelDimensionUnitOrRelation) {
  Random random(11);
  for (const std::string& name : Wavelet::names()) {
    for (const Shape& shape : {Shape{9}, Shape{4, 5}, Shape{3, 2, 4}}) {
      for (const unsigned level : {1U, 2U}) {
        for (const Transform transform : {Transform::decimated, Transform::stationary}) {
          for (const PrivacyUnit& unit : units()) {
            const double percentile = std::vector<double>{0, 10, 58, 90}[random() % 4];
            const Case at = case_of(name, shape, level, transform, unit, percentile);
            const Found found = largest_changes(random, at, 3, 8);
            const auto for_nonpositive = nonpositive_sensitivity(shape, at.options, unit);
            const auto for_rank = rank_sensitivity(shape, at.options, unit);
            ASSERT_LE(static_cast<std::uint64_t>(found.nonpositive), for_nonpositive) << name << " level " << level;
            ASSERT_LE(static_cast<std::uint64_t>(found.rank), for_rank) << name << " level " << level;
          }
        }
      }
    }
  }
}

// Every dataset of up to three records in each of five blocks (where in its block a record lies makes no difference),
// and every neighbour of it: nothing is left to chance.
std::map<std::vector<std::int64_t>, Values> all_tiny_datasets(const Case& at) {
  std::map<std::vector<std::int64_t>, Values> w;
  for (std::uint64_t code = 0; code < 1024; ++code) {  // a base-4 digit a block
    std::vector<std::int64_t> counts(10);
    for (std::size_t block = 0; block < 5; ++block) {
      counts[2 * block] = static_cast<std::int64_t>(code >> (2 * block) & 3);
    }
    w[counts] = transformed(at, counts);
  }
  return w;
}

bool are_neighbors(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, const PrivacyUnit& unit) {
  const auto m = static_cast<std::int64_t>(unit.max_contributions);
  std::int64_t gone = 0;
  std::int64_t come = 0;
  for (std::size_t cell = 0; cell < a.size(); ++cell) {
    gone += std::max<std::int64_t>(0, a[cell] - b[cell]);
    come += std::max<std::int64_t>(0, b[cell] - a[cell]);
  }
  if (gone > m || come > m) return false;
  return unit.neighbors == Neighbors::replace || gone == 0 || come == 0;
}

TEST(Sensitivity, HaarIsReachedAndNeverExceededOnAllTinyDatasets) {
  for (const PrivacyUnit& unit : units()) {
    const Case at = case_of("haar", {10}, 1, Transform::decimated, unit, 0);
    const auto w = all_tiny_datasets(at);
    Found found;
    for (const auto& [a, wa] : w) {
      for (const auto& [b, wb] : w) {
        if (!are_neighbors(a, b, unit)) continue;
        found.nonpositive = std::max(found.nonpositive, std::abs(nonpositive(wa) - nonpositive(wb)));
        for (const double percentile : {0.0, 50.0})
          found.rank = std::max(found.rank, quality_change(wa, wb, percentile));
      }
    }
    EXPECT_EQ(static_cast<std::uint64_t>(found.nonpositive), nonpositive_sensitivity({10}, at.options, unit));
    EXPECT_EQ(static_cast<std::uint64_t>(found.rank), rank_sensitivity({10}, at.options, unit));
  }
}

TEST(Sensitivity, HaarDeclaresOneCellARecordOnLargeGrids) {
  for (const PrivacyUnit& unit : units()) {
    ClusterOptions options{.threshold = Percentile(0)};
    EXPECT_EQ(nonpositive_sensitivity({64, 64}, options, unit), unit.max_contributions);
    EXPECT_EQ(rank_sensitivity({64, 64}, options, unit), unit.records_changed());
  }
}

// What the first record of an empty grid changes, at the worst place.
Found change_by_first_record(const Case& at) {
  Found found;
  std::vector<std::int64_t> counts(cell_count(at.shape));
  const Values empty = transformed(at, counts);
  for (std::int64_t& count : counts) {
    count = 1;
    const Values w = transformed(at, counts);
    found.nonpositive = std::max(found.nonpositive, nonpositive(empty) - nonpositive(w));
    found.rank = std::max(found.rank, quality_change(empty, w, std::get<Percentile>(at.options.threshold).percent()));
    count = 0;
  }
  return found;
}

// Splines have no negative weight: the first record makes all c touched cells positive. With other filters it makes
// the cells of positive weight positive, but for products of weights below a tie_step; the bound is that number, or the
// number of negative weights where there are more of these.
TEST(Sensitivity, IsReachedByTheFirstRecordOfMostWavelets) {
  std::size_t reached = 0, declared_more = 0;
  for (const std::string& name : Wavelet::names()) {
    for (const Shape& shape : {Shape{64}, Shape{16, 20}}) {
      const Case at = case_of(name, shape, 1, Transform::decimated, {}, 0);
      const auto declared = static_cast<std::int64_t>(nonpositive_sensitivity(shape, at.options, {}));
      const Found found = change_by_first_record(at);
      EXPECT_LE(found.nonpositive, declared) << name;
      ++(found.nonpositive == declared ? reached : declared_more);
      if (!Wavelet::named(name).is_nonnegative()) continue;
      EXPECT_EQ(found.nonpositive, declared) << name;
      EXPECT_EQ(found.rank, declared) << name;
    }
  }
  EXPECT_GT(reached, 3 * declared_more) << reached << " and " << declared_more;
}

// Footnote 1 of the paper: a record moves |Z| by the weights of one sign.
TEST(Sensitivity, OfNonpositiveCellsCountsTheWeightsOfOneSign) {
  const auto declared = [](const char* name, Neighbors neighbors) {
    PrivacyUnit unit;
    unit.neighbors = neighbors;
    return nonpositive_sensitivity({64, 64}, case_of(name, {64, 64}, 1, Transform::decimated, unit, 0).options, unit);
  };
  EXPECT_EQ(declared("bior2.2", Neighbors::add_remove), 5U);
  EXPECT_EQ(declared("bior2.2", Neighbors::replace), 9U);
  EXPECT_EQ(declared("bior3.3", Neighbors::add_remove), 8U);
  EXPECT_EQ(declared("bior3.3", Neighbors::replace), 16U);
  EXPECT_EQ(declared("rbio2.2", Neighbors::replace), declared("rbio2.2", Neighbors::add_remove));
}

// Changes one count after the other and keeps what does not make the change of |Z| smaller, until it is as large as it
// is declared to be. A unit takes `gone` away and brings `come`.
std::int64_t most_found(Random& random, const Case& at, const std::vector<std::uint64_t>& gone,
                        const std::vector<std::uint64_t>& come, std::int64_t declared) {
  std::vector<std::int64_t> counts(cell_count(at.shape));
  const auto change = [&](const std::vector<std::int64_t>& without) {
    std::vector<std::int64_t> before = without, after = without;
    for (const std::uint64_t cell : gone) ++before[cell];
    for (const std::uint64_t cell : come) ++after[cell];
    return std::abs(nonpositive(transformed(at, before)) - nonpositive(transformed(at, after)));
  };
  std::int64_t best = 0, most = 0;
  for (int i = 0; i < 100'000 && most < declared; ++i) {
    if (i % 10'000 == 0) {  // it may be stuck
      best = 0;
      counts.assign(counts.size(), 0);
    }
    std::vector<std::int64_t> other = counts;
    for (std::uint64_t changes = i == 0 ? 0 : 1 + random() % 3; changes > 0; --changes) {
      other[random() % other.size()] = static_cast<std::int64_t>(random() % 4);
    }
    const std::int64_t found = change(other);
    if (found < best) continue;
    best = found;
    most = std::max(most, best);
    counts = std::move(other);
  }
  return most;
}

TEST(Sensitivity, OfFiltersWithNegativeWeightsIsReachedUnderBothRelations) {
  struct Reached {
    const char* wavelet;
    Shape shape;
    std::vector<std::uint64_t> gone, come;
    std::uint64_t declared;
  };
  const std::vector<Reached> all = {
      {"bior2.2", {24}, {}, {9}, 2},         {"bior2.2", {24}, {9}, {16}, 4},    {"bior2.2", {12, 12}, {}, {28}, 5},
      {"bior2.2", {16, 16}, {36}, {170}, 9}, {"bior3.3", {12, 12}, {}, {40}, 8}, {"bior2.2", {32}, {}, {9, 23}, 4},
      {"db2", {24}, {5}, {14}, 3},
  };
  Random random(7);
  for (const Reached& each : all) {
    PrivacyUnit unit;
    unit.neighbors = each.gone.empty() ? Neighbors::add_remove : Neighbors::replace;
    unit.max_contributions = each.come.size();
    if (each.come.size() > 1) unit.column = "user";
    const Case at = case_of(each.wavelet, each.shape, 1, Transform::decimated, unit, 0);
    EXPECT_EQ(nonpositive_sensitivity(each.shape, at.options, unit), each.declared) << each.wavelet;
    EXPECT_EQ(most_found(random, at, each.gone, each.come, static_cast<std::int64_t>(each.declared)),
              static_cast<std::int64_t>(each.declared))
        << each.wavelet << ' ' << each.shape.size();
  }
}

// In the steps of value_sensitivity.
double largest_value_change(const Case& at, const Values& a, const Values& b) {
  double largest = 0;
  for (std::size_t cell = 0; cell < a.size(); ++cell) largest = std::max(largest, std::fabs(a[cell] - b[cell]));
  return at.options.wavelet.is_haar() ? largest : largest / tie_step(at.shape.pooled_axes(), at.options.level);
}

// The worst neighbour has all its records in one cell, and takes as many from one other. All such neighbours are tried
// on an axis that is shorter than most filters, and on a plane. What is declared beyond that pays for rounding.
TEST(Sensitivity, OfSingleValuesIsNeverExceededAndNearlyReached) {
  for (const std::string& name : Wavelet::names()) {
    for (const Shape& shape : {Shape{9}, Shape{4, 3}}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        for (const PrivacyUnit& unit : units()) {
          const Case at = case_of(name, shape, 1 + (shape.size() == 1 ? 1 : 0), transform, unit, 0);
          const auto declared = static_cast<double>(value_sensitivity(shape, at.options, unit)->steps);
          const auto records = static_cast<std::int64_t>(unit.max_contributions);
          const bool replace = unit.neighbors == Neighbors::replace;
          double found = 0;
          for (std::uint64_t from = 0; from < cell_count(shape); ++from) {
            for (std::uint64_t to = 0; to < (replace ? cell_count(shape) : 1); ++to) {
              std::vector<std::int64_t> counts(cell_count(shape), 5), other = counts;
              other[from] -= records;
              if (replace) other[to] += records;
              found = std::max(found, largest_value_change(at, transformed(at, counts), transformed(at, other)));
            }
          }
          ASSERT_LE(found, declared) << name;
          // Tap by tap the largest weights need not lie in one column, or have two columns in one row.
          EXPECT_GE(found, 0.5 * declared) << name;
          if (name == "haar") {
            EXPECT_EQ(found, declared);
          }
        }
      }
    }
  }
}

TEST(Sensitivity, OfSingleValuesIsUnknownWhereRoundingHasNoBound) {
  const Case at = case_of("db20", {256, 256, 256}, 6, Transform::decimated, {}, 0);
  EXPECT_FALSE(value_sensitivity(at.shape, at.options, {}));
  EXPECT_TRUE(value_sensitivity(at.shape, case_of("db20", at.shape, 2, Transform::decimated, {}, 0).options, {}));
}

// A cell is zero or not, whichever way a record moves it: every touched cell counts.
TEST(Sensitivity, OfZeroCellsIsNeverExceededAndCountsBothSigns) {
  Random random(3);
  for (const char* name : {"haar", "rbio2.2", "bior2.2", "db3", "coif1"}) {
    for (const Transform transform : {Transform::decimated, Transform::stationary}) {
      for (const PrivacyUnit& unit : units()) {
        const Case at = case_of(name, {6, 9}, 1, transform, unit, 0);
        const auto zeros = [](const Values& w) { return std::count(w.begin(), w.end(), 0.0); };
        std::int64_t found = 0;
        for (int i = 0; i < 60; ++i) {
          std::vector<std::int64_t> counts(cell_count(at.shape)), other;
          if (i % 2 == 0) counts = random_counts(random, counts.size());
          other = counts;
          if (!to_neighbor(random, unit, other)) continue;
          found = std::max(found, std::abs(zeros(transformed(at, counts)) - zeros(transformed(at, other))));
        }
        EXPECT_LE(static_cast<std::uint64_t>(found), zero_sensitivity(at.shape, at.options, unit)) << name;
      }
    }
  }
  const Case at = case_of("bior2.2", {64, 64}, 1, Transform::decimated, {}, 0);
  EXPECT_EQ(zero_sensitivity(at.shape, at.options, {}), 9U);
}

TEST(Sensitivity, IsReachedByNonnegativeWaveletsOverLevelsAndStationary) {
  for (const char* name : {"haar", "rbio2.2", "rbio2.6", "rbio3.1", "rbio3.5"}) {
    for (const unsigned level : {1U, 2U, 3U}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        for (const Shape& shape : {Shape{37}, Shape{9, 12}, Shape{4, 5, 6}}) {
          const Case at = case_of(name, shape, level, transform, {}, 0);
          const Found found = change_by_first_record(at);
          EXPECT_EQ(static_cast<std::uint64_t>(found.nonpositive), nonpositive_sensitivity(shape, at.options, {}))
              << name << " level " << level;
          EXPECT_EQ(static_cast<std::uint64_t>(found.rank), rank_sensitivity(shape, at.options, {}))
              << name << " level " << level;
        }
      }
    }
  }
}

TEST(Sensitivity, NeverExceedsTheCellsThatThereAre) {
  PrivacyUnit unit;
  unit.column = "user";
  unit.max_contributions = 1000;
  ClusterOptions options{.threshold = Percentile(0)};
  EXPECT_EQ(rank_sensitivity({8, 8}, options, unit), 16U);
  EXPECT_EQ(nonpositive_sensitivity({8, 8}, options, unit), 16U);
}

}  // namespace
}  // namespace shoal
