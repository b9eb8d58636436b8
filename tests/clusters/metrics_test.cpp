#include "clusters/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "clusters/matching.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

using Labels = std::vector<std::uint32_t>;

Contingency cells(const Labels& truth, const Labels& found) { return cross_tabulate(truth, found, Label0::no_group); }
Contingency classes(const Labels& truth, const Labels& found) { return cross_tabulate(truth, found, Label0::group); }

Labels random_labels(std::mt19937_64& random, std::size_t n, std::uint32_t groups) {
  Labels labels(n);
  for (auto& label : labels) label = static_cast<std::uint32_t>(random() % groups);
  return labels;
}

// Groups renamed at random, 0 kept.
Labels renamed(std::mt19937_64& random, const Labels& labels) {
  const std::uint32_t most = *std::max_element(labels.begin(), labels.end());
  Labels names(most + 1);
  for (std::uint32_t i = 0; i <= most; ++i) names[i] = i;
  std::shuffle(names.begin() + 1, names.end(), random);
  Labels result(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) result[i] = names[labels[i]];
  return result;
}

TEST(CrossTabulate, CountsWhatIsSharedAndTheRest) {
  const Contingency table = cells({1, 1, 7, 0, 0}, {3, 0, 3, 3, 0});
  EXPECT_EQ(table.row_sizes, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(table.column_sizes, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(table.shared, (std::vector<Shared>{{0, 0, 1}, {1, 0, 1}}));
}

TEST(CrossTabulate, WeightsCountAnItemSeveralTimes) {
  const std::vector<std::uint64_t> weights{5, 0, 2};
  const Contingency table = cross_tabulate(Labels{1, 1, 1}, Labels{1, 2, 2}, Label0::no_group, weights);
  EXPECT_EQ(table.row_sizes, (std::vector<std::uint64_t>{7}));
  EXPECT_EQ(table.column_sizes, (std::vector<std::uint64_t>{5, 2}));
  EXPECT_EQ(table.shared, (std::vector<Shared>{{0, 0, 5}, {0, 1, 2}}));
}

TEST(CrossTabulate, UnequalLengthsAreRefused) { EXPECT_THROW(cells({1}, {1, 2}), InputError); }

// Section 6.1's example: {g1, g3, g5} and {g1, g5, g7, g9} are 2 apart.
TEST(DsgC, ThePapersExampleIsTwo) {
  //                        g1 g3 g5 g7 g9
  const Contingency table = cells({1, 1, 1, 0, 0}, {1, 0, 1, 1, 1});
  EXPECT_EQ(match_clusters(table).value, 2U);
  EXPECT_DOUBLE_EQ(dsg_c(table), 2.0 / 3);
}

TEST(DsgC, CountsTheClustersThatAreLeftOverOnEitherSide) {
  // One true cluster of three cells; found: two of its cells, and a cluster of two cells elsewhere.
  EXPECT_DOUBLE_EQ(dsg_c(cells({1, 1, 1, 0, 0}, {1, 1, 0, 2, 2})), (1 + 2) / 3.0);
  // The same the other way round.
  EXPECT_DOUBLE_EQ(dsg_c(cells({1, 1, 0, 2, 2}, {1, 1, 1, 0, 0})), (1 + 2) / 4.0);
}

TEST(DsgC, OfOneClusterSplitInTwo) {
  // Four cells split two and two: one half matches (2 apart), the other is left over (2).
  EXPECT_DOUBLE_EQ(dsg_c(cells({1, 1, 1, 1}, {1, 1, 2, 2})), 1.0);
}

TEST(DsgC, OfEmptyResults) {
  EXPECT_DOUBLE_EQ(dsg_c(cells({0, 0}, {0, 0})), 0);
  EXPECT_DOUBLE_EQ(dsg_c(cells({1, 2}, {0, 0})), 1);
  EXPECT_TRUE(std::isinf(dsg_c(cells({0, 0}, {1, 0}))));
}

TEST(DsgC, OnClustersOfCells) {
  const Shape shape{4, 4};
  const Clusters truth(shape, {0, 1, 5, 10}, {1, 1, 1, 2});
  const Clusters found(shape, {0, 1, 10, 11}, {1, 1, 2, 2});
  EXPECT_EQ(shared_cells(truth, found).shared, (std::vector<Shared>{{0, 0, 2}, {1, 1, 1}}));
  EXPECT_DOUBLE_EQ(dsg_c(shared_cells(truth, found)), 2.0 / 4);
  EXPECT_DOUBLE_EQ(dsg_c(shared_cells(truth, truth)), 0);
  EXPECT_DOUBLE_EQ(dsg_c(shared_cells(truth, Clusters(shape, {}, {}))), 1);
  EXPECT_THROW(shared_cells(truth, Clusters({2, 8}, {0}, {1})), InputError);
}

TEST(Metrics, IdenticalGroupingsAreAtDistanceZeroWhateverTheirNames) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    const Labels truth = random_labels(random, 200, 9);
    const Labels found = renamed(random, truth);
    EXPECT_EQ(dsg_c(cells(truth, found)), 0);
    EXPECT_DOUBLE_EQ(f_measure(cells(truth, found)), 1);
    EXPECT_EQ(ocm(classes(truth, found)), 0);
    EXPECT_EQ(two_ce(classes(truth, found)), 0);
    EXPECT_DOUBLE_EQ(adjusted_rand(classes(truth, found)), 1);
    EXPECT_NEAR(adjusted_mutual_information(classes(truth, found)), 1, 1e-12);
  }
}

TEST(Metrics, SymmetricOnesAreSymmetric) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 50; ++round) {
    const Contingency table = classes(random_labels(random, 150, 7), random_labels(random, 150, 12));
    const Contingency turned = table.transposed();
    EXPECT_EQ(match_clusters(table).value, match_clusters(turned).value);
    EXPECT_EQ(ocm(table), ocm(turned));
    EXPECT_EQ(two_ce(table), two_ce(turned));
    EXPECT_DOUBLE_EQ(adjusted_rand(table), adjusted_rand(turned));
    EXPECT_NEAR(adjusted_mutual_information(table), adjusted_mutual_information(turned), 1e-12);
  }
}

TEST(TwoCe, IsTheShareOfPairsTreatedDifferently) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const std::size_t n = 2 + random() % 60;
    const Labels truth = random_labels(random, n, 5);
    const Labels found = random_labels(random, n, 8);
    int differ = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) differ += (truth[i] == truth[j]) != (found[i] == found[j]) ? 1 : 0;
    }
    EXPECT_DOUBLE_EQ(two_ce(classes(truth, found)), differ / (static_cast<double>(n * (n - 1)) / 2));
  }
}

TEST(TwoCe, OfOneSampleOrNoneIsZero) {
  EXPECT_EQ(two_ce(classes({}, {})), 0);
  EXPECT_EQ(two_ce(classes({1}, {2})), 0);
  EXPECT_EQ(ocm(classes({}, {})), 0);
}

TEST(TwoCe, DoesNotOverflowOnBillionsOfSamples) {
  const std::uint64_t n = std::uint64_t{1} << 40;
  const Contingency table{{n, n}, {2 * n}, {{0, 0, n}, {1, 0, n}}};
  EXPECT_NEAR(two_ce(table), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(ocm(table), 0.5);
}

TEST(Ocm, CountsTheSamplesOutsideTheBestMatching) {
  // Class 1 -> 5 (3 samples), 2 -> 6 (2); one sample of each is elsewhere.
  EXPECT_DOUBLE_EQ(ocm(classes({1, 1, 1, 1, 2, 2, 2}, {5, 5, 5, 6, 6, 6, 5})), 2.0 / 7);
  // Two classes predicted as one: only the larger finds its partner.
  EXPECT_DOUBLE_EQ(ocm(classes({1, 1, 1, 2, 2}, {0, 0, 0, 0, 0})), 2.0 / 5);
}

TEST(FMeasure, ByHand) {
  // True: {a b c d}, {e f}. Found: {a b c}, {d e f}; g is true noise in a found cluster and counts nowhere.
  const Labels truth{1, 1, 1, 1, 2, 2, 0};
  const Labels found{1, 1, 1, 2, 2, 2, 1};
  const double first = 2.0 * 3 / (3 + 4);
  const double second = 2.0 * 2 / (3 + 2);
  EXPECT_DOUBLE_EQ(f_measure(cells(truth, found)), (4 * first + 2 * second) / 6);
}

TEST(FMeasure, OfEmptyResults) {
  EXPECT_EQ(f_measure(cells({1, 1}, {0, 0})), 0);
  EXPECT_EQ(f_measure(cells({0, 0}, {1, 1})), 1);
}

TEST(AdjustedRand, IsOneForNoItemsAndForAllAlone) {
  EXPECT_EQ(adjusted_rand(classes({}, {})), 1);
  EXPECT_EQ(adjusted_rand(classes({1, 2, 3}, {7, 8, 9})), 1);
  EXPECT_EQ(adjusted_rand(classes({1, 1, 1}, {7, 8, 9})), 0);
}

TEST(Metrics, OnPredictionsNeedBothClassesOfEverySample) {
  const Contingency partial = cells({1, 0, 2}, {1, 2, 0});
  EXPECT_THROW(ocm(partial), Error);
  EXPECT_THROW(two_ce(partial), Error);
  EXPECT_THROW(adjusted_rand(partial), Error);
  EXPECT_THROW(adjusted_mutual_information(partial), Error);
}

}  // namespace
}  // namespace shoal
