#include "evaluation/c45.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "shoal/error.hpp"

namespace shoal::evaluation {
namespace {

struct Cases {
  std::vector<std::vector<double>> columns;
  std::vector<std::uint32_t> classes;
  [[nodiscard]] std::vector<std::span<const double>> spans() const { return {columns.begin(), columns.end()}; }
};

// Points on a lattice; the class is a region of the plane, a share of the classes is wrong.
Cases lattice(int side, double wrong, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  Cases cases{{{}, {}}, {}};
  for (int x = 0; x < side; ++x) {
    for (int y = 0; y < side; ++y) {
      cases.columns[0].push_back(x);
      cases.columns[1].push_back(y);
      const bool low = x < side / 3;
      std::uint32_t label = low ? 1U : (y < side / 2 ? 2U : 3U);
      if (uniform(random) < wrong) label = static_cast<std::uint32_t>(1 + random() % 3);
      cases.classes.push_back(label);
    }
  }
  return cases;
}

std::size_t errors(const C45& tree, const Cases& cases) {
  std::vector<std::uint32_t> predicted(cases.classes.size());
  tree.predict(cases.spans(), predicted);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) wrong += predicted[i] != cases.classes[i] ? 1 : 0;
  return wrong;
}

TEST(C45, FindsRegionsExactlyWithAsManyLeavesAsTheyAre) {
  const Cases cases = lattice(30, 0, 1);
  const C45 tree(cases.spans(), cases.classes);
  EXPECT_EQ(errors(tree, cases), 0U);
  EXPECT_EQ(tree.leaves(), 3U);
}

TEST(C45, ThresholdIsAValueThatOccurs) {
  const Cases cases{{{1, 2, 3, 10, 11, 12}}, {1, 1, 1, 2, 2, 2}};
  const C45 tree(cases.spans(), cases.classes);
  const double at = 3;
  const double above = std::nextafter(3.0, 4.0);
  EXPECT_EQ(tree.predict(std::span(&at, 1)), 1U);
  EXPECT_EQ(tree.predict(std::span(&above, 1)), 2U);
}

TEST(C45, ThresholdMayComeFromCasesOutsideTheNode) {
  // The second attribute's values 5 occur only left of the root's cut, and lie in the gap 4 .. 6.5 of the right node.
  Cases cases{{{}, {}}, {}};
  const auto add = [&](double x, double y, std::uint32_t label, int times) {
    for (int i = 0; i < times; ++i) {
      cases.columns[0].push_back(x);
      cases.columns[1].push_back(y);
      cases.classes.push_back(label);
    }
  };
  add(0, 5, 1, 40);
  add(1, 4, 2, 10);
  add(1, 6.5, 3, 10);
  const C45 tree(cases.spans(), cases.classes);
  EXPECT_EQ(tree.leaves(), 3U);
  EXPECT_EQ(tree.predict(std::vector<double>{1, 5}), 2U);
  EXPECT_EQ(tree.predict(std::vector<double>{1, 5.1}), 3U);
}

TEST(C45, FewerThanFourCasesAreALeaf) {
  const Cases cases{{{1, 2, 3}}, {1, 1, 2}};
  EXPECT_EQ(C45(cases.spans(), cases.classes).leaves(), 1U);
}

// A tenth of a class's share would be 100 cases; 25 are enough for a side.
TEST(C45, ASideNeverNeedsMoreThan25Cases) {
  Cases cases{{{}}, {}};
  for (int i = 0; i < 2000; ++i) {
    cases.columns[0].push_back(i);
    cases.classes.push_back(i < 1970 ? 1U : 2U);
  }
  EXPECT_EQ(C45(cases.spans(), cases.classes).leaves(), 2U);
}

TEST(C45, NoCasesPredictZero) {
  const Cases cases{{{}, {}}, {}};
  EXPECT_EQ(C45(cases.spans(), cases.classes).predict(std::vector<double>{1, 2}), 0U);
}

TEST(C45, OneClassIsPredictedEverywhere) {
  const Cases cases{{{1, 2, 3, 4, 5}}, {9, 9, 9, 9, 9}};
  const C45 tree(cases.spans(), cases.classes);
  EXPECT_EQ(tree.leaves(), 1U);
  EXPECT_EQ(tree.predict(std::vector<double>{1e300}), 9U);
}

TEST(C45, EqualValuesAreNeverParted) {
  const Cases cases{{{1, 1, 1, 1, 1, 1, 1, 1}}, {1, 1, 1, 1, 2, 2, 2, 2}};
  const C45 tree(cases.spans(), cases.classes);
  EXPECT_EQ(tree.leaves(), 1U);
  EXPECT_EQ(tree.predict(std::vector<double>{1}), 1U);  // the lowest of equally frequent classes
}

TEST(C45, PruningShrinksATreeGrownOnWrongClasses) {
  const Cases cases = lattice(30, 0.2, 2);
  const C45 full(cases.spans(), cases.classes, {.prune = false});
  const C45 pruned(cases.spans(), cases.classes);
  const C45 hard(cases.spans(), cases.classes, {.confidence = 0.001});
  EXPECT_LT(pruned.leaves(), full.leaves());
  EXPECT_LE(hard.leaves(), pruned.leaves());
  EXPECT_LE(errors(full, cases), errors(pruned, cases));
  const Cases clean = lattice(30, 0, 2);
  EXPECT_LE(errors(pruned, clean), errors(full, clean));
}

TEST(C45, TheOrderOfTheCasesDoesNotMatter) {
  const Cases cases = lattice(20, 0.15, 3);
  std::vector<std::size_t> order(cases.classes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(4));
  Cases shuffled{{{}, {}}, {}};
  for (const std::size_t i : order) {
    shuffled.columns[0].push_back(cases.columns[0][i]);
    shuffled.columns[1].push_back(cases.columns[1][i]);
    shuffled.classes.push_back(cases.classes[i]);
  }
  const C45 one(cases.spans(), cases.classes);
  const C45 other(shuffled.spans(), shuffled.classes);
  for (int i = -2; i < 42; ++i) {
    for (int j = -2; j < 42; ++j) {
      const double x = 0.5 * i, y = 0.5 * j;
      ASSERT_EQ(one.predict(std::vector<double>{x, y}), other.predict(std::vector<double>{x, y}));
    }
  }
}

// Powers of two scale without rounding, so the trees must be the same tree.
TEST(C45, ScaleDoesNotMatter) {
  const Cases cases = lattice(20, 0.15, 5);
  Cases tiny = cases;
  for (auto& column : tiny.columns) {
    for (double& value : column) value *= 0x1p-60;
  }
  const C45 one(cases.spans(), cases.classes);
  const C45 other(tiny.spans(), tiny.classes);
  EXPECT_EQ(one.leaves(), other.leaves());
  for (int i = -2; i < 42; ++i) {
    for (int j = -2; j < 42; ++j) {
      const double x = 0.5 * i, y = 0.5 * j;
      ASSERT_EQ(one.predict(std::vector<double>{x, y}), other.predict(std::vector<double>{x * 0x1p-60, y * 0x1p-60}));
    }
  }
}

TEST(C45, BadTrainingDataAreRefused) {
  const std::vector<std::uint32_t> two{1, 2};
  const Cases short_column{{{1}}, two};
  EXPECT_THROW(C45(short_column.spans(), two), InputError);
  const Cases not_finite{{{1, NAN}}, two};
  EXPECT_THROW(C45(not_finite.spans(), two), InputError);
  EXPECT_THROW(C45({}, two), InputError);
  const Cases good{{{1, 2}}, two};
  EXPECT_THROW(C45(good.spans(), two, {.confidence = 0.6}), InputError);
  EXPECT_THROW(C45(good.spans(), two, {.confidence = 0}), InputError);
}

}  // namespace
}  // namespace shoal::evaluation
