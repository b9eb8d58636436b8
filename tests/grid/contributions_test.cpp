// What counts of a unit is its own affair: no order of rows, no chunk, no thread and no other unit changes it.
#include "grid/contributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "base/parallel.hpp"
#include "chi_square.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using testing::accepted, testing::caught;

class StudyDraws final : public UniformSource {
 public:
  explicit StudyDraws(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t bound) override {
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

ContributionKey key_of(std::uint64_t seed) {
  StudyDraws draws(seed);
  return ContributionKey::draw(draws);
}

const ContributionKey some_key = key_of(1);

struct Row {
  std::string unit;
  double x, y;
};
using Rows = std::vector<Row>;

const Grid grid({{0, 1, 16, "x"}, {0, 1, 16, "y"}});

// Points over rows that must outlive them, handed out in blocks.
class RowPoints final : public Points {
 public:
  explicit RowPoints(Rows&& rows, std::size_t block = 1000) = delete;
  explicit RowPoints(const Rows& rows, std::size_t block = 1000) : block_(block) {
    for (const Row& row : rows) {
      columns_[0].push_back(row.x);
      columns_[1].push_back(row.y);
      units_.emplace_back(row.unit);
    }
  }
  [[nodiscard]] std::size_t dimensions() const override { return 2; }
  [[nodiscard]] std::vector<std::string> names() const override { return {"x", "y"}; }
  void scan(unsigned threads, const Visit& visit) override {
    parallel_for(threads, threads, [&](std::uint64_t worker) {
      for (std::size_t first = worker * block_; first < units_.size(); first += threads * block_) {
        const std::size_t rows = std::min(block_, units_.size() - first);
        PointBlock block;
        for (const auto& column : columns_) block.columns.push_back(std::span(column).subspan(first, rows));
        block.units = std::span(units_).subspan(first, rows);
        visit(static_cast<unsigned>(worker), block);
      }
    });
  }

 private:
  std::array<std::vector<double>, 2> columns_;
  std::vector<std::string_view> units_;
  std::size_t block_;
};

// Units with 1 to 40 records, many of them equal, some outside.
Rows random_rows(std::uint64_t seed, int units) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(-0.1, 1.1);
  Rows rows;
  for (int unit = 0; unit < units; ++unit) {
    const std::string name = unit % 3 == 0 ? std::to_string(unit) : "a longer name " + std::to_string(unit);
    const auto own = random() % 40;
    for (std::uint64_t i = 0; i <= own; ++i) {
      if (i > 0 && random() % 3 == 0) {
        rows.push_back(rows.back());
      } else {
        rows.push_back({name, place(random), place(random)});
      }
    }
  }
  std::shuffle(rows.begin(), rows.end(), random);
  return rows;
}

std::vector<std::int64_t> cells_of(const Counts& counts) {
  std::vector<std::int64_t> result;
  for (std::uint64_t cell = 0; cell < counts.grid().cell_count(); ++cell) result.push_back(counts.raw().at(cell));
  return result;
}

std::vector<std::int64_t> kept_counts(const Rows& rows, std::uint64_t most, std::size_t block = 1000,
                                      unsigned threads = 1) {
  RowPoints points(rows, block);
  return cells_of(bounded_counts(points, grid, {.threads = threads}, {.most = most}, some_key));
}

std::int64_t total(const std::vector<std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

// ---- the hash, as others compute it too ----------------------------------------------------------------------------

// From PyPI's xxhash: the digests of key, unit, cell and copy (numbers as 8 bytes, the lowest first), each with the one
// before it as its seed. test_spark.py compares with Spark's own.
TEST(RecordRank, IsXxhash64OfKeyUnitCellAndCopy) {
  ContributionKey key{};
  for (std::size_t i = 0; i < key.digits.size(); ++i) key.digits[i] = "0123456789abcdef"[i % 16];
  const RecordRank rank(key);
  EXPECT_EQ(rank.of("ann")(7, 1), -1490630497694048820);
  EXPECT_EQ(rank.of("user 42")(1048575, 12), 1505993514941404488);
  EXPECT_EQ(rank.of("17")(0, 1), 5106249233821202977);
  EXPECT_EQ(rank.of("a name of thirty-nine bytes and not one")(3, UINT64_MAX), 1987416942461351263);
}

TEST(ContributionKey, IsFresh) {
  EXPECT_NE(key_of(1).digits, key_of(2).digits);
  for (const char digit : key_of(3).digits)
    EXPECT_NE(std::string_view("0123456789abcdef").find(digit), std::string::npos);
}

// By the definition: all ranks of a unit, the smallest of them.
TEST(KeptRecords, AreThoseOfTheSmallestRank) {
  const std::vector<UnitCell> cells{{3, 5}, {4, 1}, {900, 700}};
  const RecordRank::OfUnit rank = RecordRank(some_key).of("ann");
  std::vector<std::tuple<std::int64_t, std::uint64_t, std::uint64_t>> all;
  for (const auto& [cell, count] : cells) {
    for (std::uint64_t copy = 1; copy <= count; ++copy) all.emplace_back(rank(cell, copy), cell, copy);
  }
  std::sort(all.begin(), all.end());
  for (const std::uint64_t most : {1U, 2U, 50U, 705U}) {
    std::map<std::uint64_t, std::uint64_t> expected, found;
    for (std::size_t i = 0; i < most; ++i) ++expected[std::get<1>(all[i])];
    std::vector<UnitCell> kept = cells;
    KeptRecords(most, some_key)("ann", kept);
    for (const auto& [cell, count] : kept) found[cell] = count;
    EXPECT_EQ(found, expected);
  }
  std::vector<UnitCell> kept = cells;
  KeptRecords(706, some_key)("ann", kept);
  EXPECT_EQ(kept, cells);
  EXPECT_THROW(KeptRecords(0, some_key), InputError);
}

// ---- a unit's own affair -------------------------------------------------------------------------------------------

TEST(BoundedCounts, KeepAtMostMOfEachUnit) {
  const Rows rows = random_rows(1, 300);
  std::map<std::string, std::int64_t> inside;
  for (const Row& row : rows) {
    if (row.x >= 0 && row.x <= 1 && row.y >= 0 && row.y <= 1) ++inside[row.unit];
  }
  for (const std::int64_t most : {1, 7, 1000}) {
    std::int64_t expected = 0;
    for (const auto& [unit, records] : inside) expected += std::min(records, most);
    EXPECT_EQ(total(kept_counts(rows, static_cast<std::uint64_t>(most))), expected);
  }
}

TEST(BoundedCounts, DependOnNoOrderNoChunkAndNoThread) {
  Rows rows = random_rows(2, 400);
  const std::vector<std::int64_t> expected = kept_counts(rows, 5);
  std::mt19937_64 random(3);
  for (const auto& [block, threads] : std::vector<std::pair<std::size_t, unsigned>>{{1, 1}, {7, 3}, {100'000, 1}}) {
    std::shuffle(rows.begin(), rows.end(), random);
    EXPECT_EQ(kept_counts(rows, 5, block, threads), expected) << "blocks of " << block << ", threads " << threads;
  }
}

// Counts without a unit differ from those with it by what that unit alone gives.
template <class Keep>
std::size_t units_that_change_others(const Rows& rows, const Keep& keep) {
  const std::vector<std::int64_t> all = keep(rows);
  std::set<std::string> units;
  for (const Row& row : rows) units.insert(row.unit);
  std::size_t changed = 0;
  for (const std::string& unit : units) {
    Rows others, own;
    for (const Row& row : rows) (row.unit == unit ? own : others).push_back(row);
    std::vector<std::int64_t> sum = keep(others);
    const std::vector<std::int64_t> alone = keep(own);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += alone[i];
    changed += sum != all ? 1 : 0;
  }
  return changed;
}

TEST(BoundedCounts, WithoutAUnitAllOthersKeepTheirRecords) {
  for (const std::uint64_t most : {1U, 5U}) {
    EXPECT_EQ(units_that_change_others(random_rows(4, 60), [&](const Rows& rows) { return kept_counts(rows, most); }),
              0U);
  }
}

// A choice by the number of the row couples units: a row less renumbers all behind it.
TEST(BoundedCounts, AChoiceByTheNumberOfTheRowIsCaught) {
  const auto by_row_number = [](const Rows& rows) {
    const RecordRank rank(some_key);
    std::map<std::string, std::vector<std::pair<std::int64_t, std::size_t>>> ranked;
    for (std::size_t i = 0; i < rows.size(); ++i) ranked[rows[i].unit].emplace_back(rank.of(rows[i].unit)(0, i), i);
    Rows kept;
    for (auto& [unit, own] : ranked) {
      std::sort(own.begin(), own.end());
      for (std::size_t i = 0; i < std::min<std::size_t>(5, own.size()); ++i) kept.push_back(rows[own[i].second]);
    }
    RowPoints points(kept);
    return cells_of(quantize(points, grid, {.threads = 1}));
  };
  EXPECT_GT(units_that_change_others(random_rows(4, 60), by_row_number), 50U);
}

// ---- points --------------------------------------------------------------------------------------------------------

TEST(BoundedPoints, AreThePointsThatCount) {
  Rows rows = random_rows(5, 200);
  for (const std::uint64_t most : {1U, 6U, 100U}) {
    RowPoints points(rows);
    const PointTable kept = bounded_points(points, grid, Outside::drop, {.most = most}, some_key);
    EXPECT_EQ(cells_of(quantize(kept, grid)), kept_counts(rows, most));
  }
}

// Parts of a weight: those of bounded_counts, cell by cell, and as even within a cell as whole parts can be.
TEST(BoundedPoints, HaveTheirPartsOfAWeight) {
  const Rows rows = random_rows(5, 200);
  for (const Contribution& contribution : {Contribution{.parts = 65536}, {.parts = 7}}) {
    RowPoints points(rows);
    const PointTable shared = bounded_points(points, grid, Outside::drop, contribution, some_key);
    const Counts expected = bounded_counts(points, grid, {.threads = 1}, contribution, some_key);
    for (const std::uint64_t dense_limit : {1'000'000U, 1U}) {
      EXPECT_EQ(cells_of(quantize(shared, grid, {.dense_limit = dense_limit})), cells_of(expected));
    }
    EXPECT_EQ(shared.total() % static_cast<std::int64_t>(contribution.parts), 0);
    EXPECT_EQ(std::count(shared.parts.begin(), shared.parts.end(), 0U), 0);
  }
  const Rows three{{"ann", 0.01, 0.5}, {"ann", 0.03, 0.5}, {"ann", 0.02, 0.5}};
  RowPoints points(three);
  const PointTable shared = bounded_points(points, grid, Outside::drop, {.parts = 8}, some_key);
  EXPECT_EQ(shared.parts, (std::vector<std::uint32_t>{3, 2, 3}));  // by coordinates: 0.01, 0.02, 0.03
}

TEST(BoundedPoints, DependOnNoOrder) {
  Rows rows = random_rows(6, 200);
  const auto sorted = [](const Rows& of) {
    RowPoints points(of);
    const PointTable kept = bounded_points(points, grid, Outside::clamp, {.most = 4}, some_key);
    std::multiset<std::pair<double, double>> result;
    for (std::size_t i = 0; i < kept.rows(); ++i) result.emplace(kept.columns[0][i], kept.columns[1][i]);
    return result;
  };
  const auto expected = sorted(rows);
  std::shuffle(rows.begin(), rows.end(), std::mt19937_64(7));
  EXPECT_EQ(sorted(rows), expected);
}

// ---- every choice is equally likely --------------------------------------------------------------------------------

// Pairs of 5 records, two of them in one cell, over many keys.
double pairs_deviations(const std::function<ContributionKey(std::uint64_t)>& key) {
  const Rows rows{{"ann", 0.01, 0.5}, {"ann", 0.02, 0.5}, {"ann", 0.4, 0.5}, {"ann", 0.6, 0.5}, {"ann", 0.9, 0.5}};
  const int trials = testing::quick() ? 2000 : 20'000;
  std::map<std::pair<double, double>, double> times;
  for (int trial = 0; trial < trials; ++trial) {
    RowPoints points(rows);
    const PointTable kept =
        bounded_points(points, grid, Outside::drop, {.most = 2}, key(static_cast<std::uint64_t>(trial)));
    ++times[{kept.columns[0][0], kept.columns[0][1]}];
  }
  std::vector<double> observed;
  for (const auto& [pair, count] : times) observed.push_back(count);
  observed.resize(10);
  return testing::deviations(observed, std::vector<double>(10, trials / 10.0));
}

TEST(BoundedPoints, EveryChoiceIsEquallyLikely) {
  EXPECT_LT(pairs_deviations([](std::uint64_t trial) { return key_of(trial); }), accepted);
  EXPECT_GT(pairs_deviations([](std::uint64_t trial) { return key_of(trial % 50); }), caught);
}

// ---- shares --------------------------------------------------------------------------------------------------------

constexpr std::uint64_t parts = 65536;

std::vector<std::int64_t> shares(const Rows& rows, std::size_t block = 1000, unsigned threads = 1) {
  RowPoints points(rows, block);
  return cells_of(bounded_counts(points, grid, {.threads = threads}, {.parts = parts}, some_key));
}

TEST(SharedWeight, IsGivenOutWhollyInProportion) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<UnitCell> cells;
    std::uint64_t records = 0;
    for (std::uint64_t cell = 0; cell <= random() % (trial < 290 ? 30 : 100'000); ++cell) {
      cells.push_back({cell, 1 + random() % (trial % 2 == 0 ? 3 : 100'000'000'000)});
      records += cells.back().count;
    }
    std::vector<UnitCell> given = cells;
    SharedWeight(parts, some_key)("ann", given);
    std::uint64_t sum = 0;
    for (const UnitCell& cell : given) {
      const double exact = static_cast<double>(cells[cell.cell].count) / static_cast<double>(records) * parts;
      EXPECT_LT(std::fabs(static_cast<double>(cell.count) - exact), 1 + 1e-9);
      sum += cell.count;
    }
    EXPECT_EQ(sum, parts);
  }
  std::vector<UnitCell> three{{1, 1}, {5, 1}, {9, 1}};
  SharedWeight(parts, some_key)("ann", three);
  std::multiset<std::uint64_t> given;
  for (const UnitCell& cell : three) given.insert(cell.count);
  EXPECT_EQ(given, (std::multiset<std::uint64_t>{21845, 21845, 21846}));
}

TEST(SharedWeight, OfEqualRemaindersEachIsEquallyLikelyToGetMore) {
  std::vector<double> more(3);
  const int trials = testing::quick() ? 3000 : 30'000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<UnitCell> cells{{0, 1}, {1, 1}, {2, 1}};
    SharedWeight(parts, key_of(static_cast<std::uint64_t>(trial)))("ann", cells);
    for (const UnitCell& cell : cells) more[cell.cell] += cell.count == 21846 ? 1 : 0;
  }
  EXPECT_LT(testing::deviations(more, std::vector<double>(3, trials / 3.0)), accepted);
}

TEST(BoundedCounts, OfSharesGiveEveryUnitOneWeightWhateverElseThereIs) {
  Rows rows = random_rows(2, 60);
  std::set<std::string> inside;
  for (const Row& row : rows) {
    if (row.x >= 0 && row.x <= 1 && row.y >= 0 && row.y <= 1) inside.insert(row.unit);
  }
  const std::vector<std::int64_t> expected = shares(rows);
  EXPECT_EQ(total(expected), static_cast<std::int64_t>(inside.size() * parts));
  EXPECT_EQ(units_that_change_others(rows, [](const Rows& some) { return shares(some); }), 0U);
  std::shuffle(rows.begin(), rows.end(), std::mt19937_64(3));
  EXPECT_EQ(shares(rows, 7, 3), expected);
}

// ---- the table -----------------------------------------------------------------------------------------------------

TEST(BoundedCounts, UnitsAreToldApartByTheirBytes) {
  using namespace std::string_literals;
  Rows rows;
  for (const std::string& unit :
       {"a"s, "a "s, "A"s, "a\0"s, "\xff"s, "\xc3\xbf"s, "12345678"s, "123456789"s, "12345678a"s,
        "12345678"s + std::string(300, 'x'), "12345678"s + std::string(300, 'x') + "y"}) {
    for (int i = 0; i < 3; ++i) rows.push_back({unit, 0.5, 0.5});
  }
  EXPECT_EQ(total(kept_counts(rows, 1)), 11);
  EXPECT_EQ(total(kept_counts(rows, 2)), 22);
}

TEST(BoundedCounts, ManyUnitsAndManyEqualRecords) {
  Rows rows;
  for (int unit = 0; unit < 30'000; ++unit) rows.push_back({"u" + std::to_string(unit), 0.3, 0.3});
  for (int i = 0; i < 50'000; ++i) rows.push_back({"one", 0.7, i % 2 == 0 ? 0.7 : 0.1});
  std::shuffle(rows.begin(), rows.end(), std::mt19937_64(8));
  const std::vector<std::int64_t> counts = kept_counts(rows, 40'000, 1000, 2);
  EXPECT_EQ(total(counts), 70'000);
  EXPECT_EQ(counts[4 * 16 + 4], 30'000);
  EXPECT_NEAR(static_cast<double>(counts[11 * 16 + 11]), 20'000, 300);
  EXPECT_EQ(counts[11 * 16 + 11] + counts[11 * 16 + 1], 40'000);
}

TEST(BoundedCounts, SparseGridsOfMoreCellsThan32BitsCountAlike) {
  const Rows rows = random_rows(9, 200);
  const Grid fine({{0, 1, std::uint64_t{1} << 20, "x"}, {0, 1, std::uint64_t{1} << 20, "y"}});
  const Grid less_fine({{0, 1, std::uint64_t{1} << 15, "x"}, {0, 1, std::uint64_t{1} << 16, "y"}});
  for (const Grid& each : {fine, less_fine}) {
    RowPoints points(rows);
    const Counts counts = bounded_counts(points, each, {.threads = 2}, {.most = 3}, some_key);
    EXPECT_FALSE(counts.is_dense());
    const PointTable kept = bounded_points(points, each, Outside::drop, {.most = 3}, some_key);
    const Counts expected = quantize(kept, each);
    EXPECT_EQ(counts.raw(), expected.raw());
    EXPECT_EQ(counts.points(), kept.rows());
  }
}

TEST(BoundedCounts, RowsInNoCellAreNobodysAndTakeNoPlace) {
  const Rows rows{{"ann", NAN, 0.5}, {"", NAN, NAN}, {"", 7, 0.5}, {"ann", 7, 0.5}, {"ann", 0.5, 0.5}};
  EXPECT_EQ(total(kept_counts(rows, 1)), 1);
  const Rows outside{{"ann", 7, 0.5}, {"ann", NAN, 0.5}};
  RowPoints clamped(outside);
  EXPECT_EQ(total(cells_of(bounded_counts(clamped, grid, {.outside = Outside::clamp}, {.most = 1}, some_key))), 1);
}

TEST(BoundedCounts, WithoutAUnitNothingIsCounted) {
  EXPECT_THROW(kept_counts({{"ann", 0.5, 0.5}, {"", 0.5, 0.5}}, 1), InputError);
  EXPECT_THROW(kept_counts({{"ann", 0.5, 0.5}}, 0), InputError);
  const std::vector<double> x{0.5};
  const auto points = array_points({{x.data()}, {x.data()}}, 1);
  EXPECT_THROW(bounded_counts(*points, grid, {}, {.most = 1}, some_key), InputError);
  EXPECT_THROW(bounded_points(*points, grid, Outside::drop, {.most = 1}, some_key), InputError);
  const auto line = array_points({{x.data()}}, 1);
  EXPECT_THROW(bounded_counts(*line, grid, {}, {.most = 1}, some_key), InputError);
}

}  // namespace
}  // namespace shoal
