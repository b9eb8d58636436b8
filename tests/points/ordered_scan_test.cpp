// Scans on several threads that keep the order of the rows.
#include "points/ordered_scan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <span>
#include <stdexcept>
#include <thread>

#include "csv_files.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"

namespace shoal {
namespace {

constexpr unsigned many_threads = 7;

struct Seen {
  std::vector<std::vector<double>> workers = std::vector<std::vector<double>>(many_threads);
  std::vector<double> in_order;  // the first column
};

// Workers with an even number are slow, so that turns end out of order.
void scan(Points& points, Seen& seen) {
  scan_in_order(
      points, many_threads,
      [&](unsigned worker, const PointBlock& block) {
        if (worker % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
        for (const double x : block.columns.front()) seen.workers[worker].push_back(x);
      },
      [&](unsigned worker) {
        seen.in_order.insert(seen.in_order.end(), seen.workers[worker].begin(), seen.workers[worker].end());
        seen.workers[worker].clear();
      });
}

std::string numbered_rows(int rows, int bad_row = -1) {
  std::string text = "x,y\n";
  for (int row = 0; row < rows; ++row) text += fmt::format("{},{}\n", row, row == bad_row ? "wrong" : "0");
  return text;
}

std::vector<double> numbers_below(int end) {
  std::vector<double> numbers;
  for (int i = 0; i < end; ++i) numbers.push_back(i);
  return numbers;
}

class OrderedScanOfCsv : public Csv {
 protected:
  std::unique_ptr<Points> open(const std::string& text, CsvOptions options = {}) {
    options.block_bytes = 100;
    options.columns = {"x", "y"};
    return open_csv(file(text), options);
  }
};

TEST_F(OrderedScanOfCsv, RowsKeepTheirOrderOnManyThreads) {
  Seen seen;
  scan(*open(numbered_rows(20000)), seen);
  EXPECT_EQ(seen.in_order, numbers_below(20000));
}

TEST_F(OrderedScanOfCsv, BlocksWithoutSelectedRowsHoldNobodyUp) {
  Seen seen;
  scan(*open(numbered_rows(20000), {.where = "x >= 19990"}), seen);
  EXPECT_EQ(seen.in_order, (std::vector<double>{19990, 19991, 19992, 19993, 19994, 19995, 19996, 19997, 19998, 19999}));
}

TEST_F(OrderedScanOfCsv, ABadRowEndsTheScanAfterAllBlocksBeforeIt) {
  Seen seen;
  const auto points = open(numbered_rows(20000, 9000));
  try {
    scan(*points, seen);
    FAIL() << "the bad row was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("line 9002"), std::string::npos) << error.what();
  }
  EXPECT_GT(seen.in_order.size(), 8950U) << "blocks of 100 bytes hold fewer than 50 rows";
  EXPECT_LE(seen.in_order.size(), 9000U);
  EXPECT_EQ(seen.in_order, numbers_below(static_cast<int>(seen.in_order.size())));
}

TEST_F(OrderedScanOfCsv, WhatHandOverThrowsEndsTheScan) {
  const auto points = open(numbered_rows(20000));
  int calls = 0;
  const auto third_fails = [&](unsigned) {
    if (++calls == 3) throw std::runtime_error("the disk is full");
  };
  EXPECT_THROW(scan_in_order(
                   *points, many_threads, [](unsigned, const PointBlock&) {}, third_fails),
               std::runtime_error);
  EXPECT_EQ(calls, 3);
}

TEST_F(OrderedScanOfCsv, WhatVisitThrowsEndsTheScan) {
  const auto points = open(numbered_rows(20000));
  const auto fails = [](unsigned, const PointBlock& block) {
    if (block.columns.front().front() > 5000) throw std::runtime_error("no memory");
  };
  EXPECT_THROW(scan_in_order(*points, many_threads, fails, [](unsigned) {}), std::runtime_error);
}

TEST_F(OrderedScanOfCsv, MissingValuesKeepTheOrder) {
  Seen seen;
  scan(*without_missing(open(numbered_rows(5000)), {7}, {}), seen);
  ASSERT_EQ(seen.in_order.size(), 5000U);
  EXPECT_TRUE(std::isnan(seen.in_order[7]));
  seen.in_order[7] = 7;
  EXPECT_EQ(seen.in_order, numbers_below(5000));
}

TEST(OrderedScan, OtherSourcesAreReadOnOneThread) {
  const std::vector<double> numbers = numbers_below(5000);
  std::size_t first = 0;
  const auto points = iterated_points(1, [&] {
    PointBlock block;
    if (first < numbers.size()) block.columns.push_back(std::span(numbers).subspan(first, 10));
    first += 10;
    return block;
  });
  Seen seen;
  scan(*points, seen);
  EXPECT_EQ(seen.in_order, numbers_below(5000));
}

}  // namespace
}  // namespace shoal
