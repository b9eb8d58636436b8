#include "clusters/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "clusters/matching.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using Costs = std::vector<std::int64_t>;

// Every way to give each row a column of its own.
std::int64_t least_by_enumeration(std::size_t rows, std::size_t columns, const Costs& cost) {
  if (rows > columns) {
    Costs turned(cost.size());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) turned[j * rows + i] = cost[i * columns + j];
    }
    return least_by_enumeration(columns, rows, turned);
  }
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), 0U);
  std::int64_t least = INT64_MAX;
  do {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += cost[i * columns + order[i]];
    least = std::min(least, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

void expect_valid(const Assignment& found, std::size_t rows, std::size_t columns, const Costs& cost) {
  std::vector<bool> taken(columns, false);
  std::size_t pairs = 0;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t j = found.partner[i];
    if (j == unmatched) continue;
    ASSERT_LT(j, columns);
    ASSERT_FALSE(taken[j]);
    taken[j] = true;
    ++pairs;
    sum += cost[i * columns + j];
  }
  EXPECT_EQ(pairs, std::min(rows, columns));
  EXPECT_EQ(sum, found.cost);
}

TEST(Assign, IsTheBestOfAllPermutations) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t rows = 1 + random() % 6;
    const std::size_t columns = 1 + random() % 6;
    const auto span = static_cast<std::int64_t>(1 + random() % 20);
    Costs cost(rows * columns);
    for (auto& value : cost) value = static_cast<std::int64_t>(random() % (2 * span)) - span;
    const Assignment found = assign(rows, columns, cost);
    expect_valid(found, rows, columns, cost);
    ASSERT_EQ(found.cost, least_by_enumeration(rows, columns, cost));
  }
}

TEST(Assign, OfNothingIsNothing) {
  EXPECT_EQ(assign(0, 0, {}).cost, 0);
  EXPECT_EQ(assign(3, 0, {}).partner, std::vector<std::size_t>(3, unmatched));
  EXPECT_TRUE(assign(0, 3, {}).partner.empty());
}

TEST(Assign, EqualCostsMatchEverybody) {
  const Costs cost(50 * 50, 7);
  const Assignment found = assign(50, 50, cost);
  expect_valid(found, 50, 50, cost);
  EXPECT_EQ(found.cost, 350);
}

TEST(Assign, ExactWhereDoublesAreNot) {
  const std::int64_t large = std::int64_t{1} << 56;
  const Costs cost{large + 1, large, large, large - 2};
  EXPECT_EQ(assign(2, 2, cost).cost, 2 * large - 1);
}

TEST(Assign, CostsThatCouldOverflowAreRefused) {
  EXPECT_THROW(assign(1, 1, Costs{INT64_MAX}), InputError);
  EXPECT_THROW(assign(1, 1, Costs{INT64_MIN}), InputError);
}

TEST(Assign, AMatrixOfTheWrongSizeIsRefused) { EXPECT_THROW(assign(2, 2, Costs{1, 2, 3}), InputError); }

// Groups n items in two ways; label 0 means no group.
Contingency random_table(std::mt19937_64& random, std::size_t n, std::uint32_t rows, std::uint32_t columns) {
  std::vector<std::uint32_t> truth(n);
  std::vector<std::uint32_t> found(n);
  const bool in_runs = random() % 2 == 0;  // neighbouring items in the same group, as cells of clusters are
  for (std::size_t i = 0; i < n; ++i) {
    truth[i] = in_runs ? static_cast<std::uint32_t>(i * rows / n) + 1 : static_cast<std::uint32_t>(random() % rows);
    found[i] = static_cast<std::uint32_t>(random() % columns);
    if (in_runs && random() % 4 != 0) found[i] = static_cast<std::uint32_t>(i * columns / n);
  }
  return cross_tabulate(truth, found, Label0::no_group);
}

// M_cost by its definition over every matching.
std::uint64_t least_cost(const Contingency& table) {
  const std::size_t rows = table.row_sizes.size();
  const std::size_t columns = table.column_sizes.size();
  if (rows > columns) return least_cost(table.transposed());
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t least = UINT64_MAX;
  do {
    std::uint64_t cost = 0;
    for (std::size_t place = 0; place < columns; ++place) {
      const std::uint64_t b = table.column_sizes[order[place]];
      if (place >= rows) {
        cost += b;
        continue;
      }
      const std::uint64_t a = table.row_sizes[place];
      std::uint64_t both = 0;
      for (const Shared& pair : table.shared) {
        if (pair.row == place && pair.column == order[place]) both = pair.items;
      }
      cost += std::max(a - both, b - both);
    }
    least = std::min(least, cost);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(MatchClusters, BothMethodsFindTheLeastCostOfAllMatchings) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 1500; ++round) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 6);
    const auto columns = static_cast<std::uint32_t>(1 + random() % 6);
    const Contingency table = random_table(random, 1 + random() % 40, rows, columns);
    const std::uint64_t least = least_cost(table);
    ASSERT_EQ(match_clusters(table, MatchingMethod::dense).value, least);
    ASSERT_EQ(match_clusters(table, MatchingMethod::sparse).value, least);
    ASSERT_EQ(match_clusters(table.transposed(), MatchingMethod::sparse).value, least);
  }
}

TEST(MatchClusters, EveryClusterOfTheSmallerSideHasAPartner) {
  std::mt19937_64 random(3);
  const Contingency table = random_table(random, 3000, 200, 300);
  for (const auto method : {MatchingMethod::dense, MatchingMethod::sparse}) {
    const Matching matching = match_clusters(table, method);
    EXPECT_EQ(std::count(matching.partner.begin(), matching.partner.end(), unmatched), 0);
  }
}

TEST(MatchClusters, MethodsAgreeOnHundredsOfClusters) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    const auto rows = static_cast<std::uint32_t>(2 + random() % 300);
    const auto columns = static_cast<std::uint32_t>(2 + random() % 300);
    const Contingency table = random_table(random, 100 + random() % 5000, rows, columns);
    EXPECT_EQ(match_clusters(table, MatchingMethod::dense).value, match_clusters(table, MatchingMethod::sparse).value);
    EXPECT_EQ(match_classes(table, MatchingMethod::dense).value, match_classes(table, MatchingMethod::sparse).value);
  }
}

TEST(MatchClasses, BothMethodsShareTheMost) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 500; ++round) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 6);
    const auto columns = static_cast<std::uint32_t>(1 + random() % 6);
    const Contingency table = random_table(random, 1 + random() % 40, rows, columns);
    Costs cost(table.row_sizes.size() * table.column_sizes.size(), 0);
    for (const Shared& pair : table.shared) {
      cost[pair.row * table.column_sizes.size() + pair.column] = -static_cast<std::int64_t>(pair.items);
    }
    const auto most =
        static_cast<std::uint64_t>(-least_by_enumeration(table.row_sizes.size(), table.column_sizes.size(), cost));
    ASSERT_EQ(match_classes(table, MatchingMethod::dense).value, most);
    ASSERT_EQ(match_classes(table, MatchingMethod::sparse).value, most);
  }
}

TEST(MatchClasses, ClassesThatShareNothingHaveNoPartner) {
  const std::vector<std::uint32_t> truth{1, 1, 2, 2};
  const std::vector<std::uint32_t> found{1, 1, 1, 1};
  const Contingency table = cross_tabulate(truth, found, Label0::group);
  for (const auto method : {MatchingMethod::dense, MatchingMethod::sparse}) {
    const Matching matching = match_classes(table, method);
    EXPECT_EQ(matching.value, 2U);
    EXPECT_EQ(std::count(matching.partner.begin(), matching.partner.end(), unmatched), 1);
  }
}

}  // namespace
}  // namespace shoal
