#include "evaluation/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/statistics.hpp"
#include "shoal/error.hpp"

namespace shoal::evaluation {
namespace {

TEST(RowsCsv, ReadsBackToTheSameBits) {
  std::vector<Row> rows(2);
  rows[0] = {"a \"set\", of\nmine",
             "privqt",
             Epsilon::parse("0.1"),
             1,
             144,
             150,
             3,
             4,
             1.0 / 3,
             0.1,
             2.0 / 7,
             1e-9,
             0.25,
             1.0 / 9,
             -0.1};
  rows[1] = {"b", "privthr", Epsilon::parse("2"), 7, 1, 2, 3, 4, 5, 1, std::nullopt, std::nullopt, 1e-6};
  EXPECT_EQ(read_rows(rows_csv(rows)), rows);
}

TEST(RowsCsv, HasTheAgreedColumns) {
  EXPECT_EQ(rows_csv({}),
            "dataset,technique,epsilon,run,k_true,k,clusters_true,clusters,dsgc,f_measure,ocm,two_ce,seconds,"
            "adjusted_rand,adjusted_rand_truth\n");
}

TEST(RowsCsv, BadTextIsRefusedWithItsLine) {
  EXPECT_THROW(read_rows("x,y\n1,2\n"), InputError);
  const std::string header = rows_csv({});
  EXPECT_THROW(read_rows(header + "a,b,1\n"), InputError);
  try {
    read_rows(header + "a,privqt,1,1,1,1,1,1,0.5,0.5,,,0,,\na,privqt,1,x,1,1,1,1,0.5,0.5,,,0,,\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos);
  }
}

TEST(Summarize, AveragesTheRunsOfATechniqueAtABudget) {
  std::vector<Row> rows(3);
  for (std::size_t i = 0; i < 3; ++i) {
    rows[i] = {"d", "privqt", Epsilon::parse("1"),        i + 1, 100,          90 + 20 * i,
               3,   i,        static_cast<double>(i * i), 0.5,   std::nullopt, 0.25,
               2};
  }
  const std::vector<Summary> summaries = summarize(rows);
  ASSERT_EQ(summaries.size(), 1U);
  const Summary& summary = summaries.front();
  EXPECT_EQ(summary.runs, 3U);
  EXPECT_DOUBLE_EQ(summary.k.mean, 110);
  // t of 95 % at two degrees of freedom is 4.302653; the deviation of 90, 110, 130 is 20.
  EXPECT_NEAR(summary.k.high - summary.k.mean, 4.302653 * 20 / std::sqrt(3.0), 1e-4);
  EXPECT_DOUBLE_EQ(summary.k_error, (0.1 + 0.1 + 0.3) / 3);
  EXPECT_DOUBLE_EQ(summary.measured[0]->mean, 5.0 / 3);
  EXPECT_FALSE(summary.measured[2].has_value());
  EXPECT_DOUBLE_EQ(summary.measured[3]->mean, 0.25);
  EXPECT_EQ(summary.typical_run, 2U);
}

TEST(StudentT, MeetsTheTables) {
  EXPECT_NEAR(student_t(0.95, 1), 12.7062, 1e-3);
  EXPECT_NEAR(student_t(0.95, 2), 4.30265, 1e-4);
  EXPECT_NEAR(student_t(0.95, 9), 2.26216, 1e-4);
  EXPECT_NEAR(student_t(0.95, 30), 2.04227, 1e-4);
  EXPECT_NEAR(student_t(0.99, 5), 4.03214, 1e-4);
  EXPECT_NEAR(student_t(0.95, 1'000'000), 1.95996, 1e-4);
}

TEST(MedianIndex, IsTheLowerMiddleAndTheFirstOfEquals) {
  EXPECT_EQ(median_index(std::vector<double>{3, 1, 2}), 2U);
  EXPECT_EQ(median_index(std::vector<double>{4, 1, 2, 3}), 2U);
  EXPECT_EQ(median_index(std::vector<double>{5, 5, 5}), 0U);
}

}  // namespace
}  // namespace shoal::evaluation
