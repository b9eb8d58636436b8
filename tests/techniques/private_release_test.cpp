#include "shoal/private_release.hpp"

#include <gtest/gtest.h>

#include "shoal/error.hpp"

namespace shoal {
namespace {

ReleaseRequest request() {
  return {.grid = Grid({{0, 1, 8, "x"}}),
          .epsilon = Epsilon::parse("1"),
          .options = {.cluster = {.threshold = Percentile(10)}}};
}

// The refusal, or nothing.
std::string refusal_of(const ReleaseRequest& request) {
  const std::vector<double> x{0.1, 0.2, 0.2, 0.9};
  const auto points = array_points({{x.data()}}, x.size());
  try {
    static_cast<void>(private_release(*points, request));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(PrivateRelease, AnEmptyLedgerOrDatasetDoesNotMeanNone) {
  EXPECT_EQ(refusal_of(request()), "");
  ReleaseRequest one = request();
  one.ledger = "";
  one.dataset = "trips";
  EXPECT_NE(refusal_of(one).find("the path of the ledger is empty"), std::string::npos);
  one.dataset = "";
  EXPECT_NE(refusal_of(one).find("the path of the ledger is empty"), std::string::npos);
  one.ledger = "some.db";
  EXPECT_NE(refusal_of(one).find("give both a ledger and the dataset"), std::string::npos);
  one.ledger.reset();
  one.dataset = "trips";
  EXPECT_NE(refusal_of(one).find("give both a ledger and the dataset"), std::string::npos);
}

TEST(PrivateRelease, SeveralRecordsWithoutAUnitColumnAreRefused) {
  ReleaseRequest one = request();
  one.options.unit.max_contributions = 5;
  EXPECT_NE(refusal_of(one).find("no unit column is given"), std::string::npos);
  one.options.unit.column = " ";
  EXPECT_NE(refusal_of(one).find("blank"), std::string::npos);
}

std::vector<double> some_points() {
  std::vector<double> x;
  for (int i = 0; i < 500; ++i) x.push_back((i * 37 % 100) * (i % 3 == 0 ? 0.01 : 0.002));
  return x;
}

TEST(PrivateRelease, OfCountsIsThatOfTheirPoints) {
  const std::vector<double> x = some_points();
  const auto points = array_points({{x.data()}}, x.size());
  for (const bool automatic : {false, true}) {
    for (const char* technique : {"privwave", "privthr-em", "privthr", "privqt"}) {
      if (automatic && std::string(technique) != "privwave") continue;
      for (const std::uint64_t limit : {dense_limit, std::uint64_t{4}}) {
        ReleaseRequest one = request();
        one.technique = technique;
        if (automatic) {
          one.grid = AutomaticGrid{one.bounds()};
          one.options.cluster.threshold = DensityModes{};
        }
        one.options.dense_limit = automatic ? dense_limit : limit;
        one.seed = 3;
        const auto released = [&](auto&& of) -> std::string {
          try {
            return private_release(of, one).json();
          } catch (const InputError& error) {
            return error.what();
          }
        };
        const std::string expected = released(*points);
        // However they are stored.
        for (const std::uint64_t stored : {dense_limit, std::uint64_t{1}}) {
          const Counts counts = quantize(*points, counted_grid(one), {.dense_limit = stored});
          EXPECT_EQ(released(counts), expected) << technique << ' ' << automatic << ' ' << limit << ' ' << stored;
        }
      }
    }
  }
}

TEST(PrivateRelease, OfCountsOnAnotherGridIsRefusedBeforeAnythingIsCharged) {
  const std::vector<double> x = some_points();
  const auto points = array_points({{x.data()}}, x.size());
  const Counts counts = quantize(*points, request().bounds());
  const auto refusal = [&](const ReleaseRequest& one) -> std::string {
    try {
      static_cast<void>(private_release(counts, one));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal(request()), "");
  ReleaseRequest one = request();
  for (const Grid& grid : {Grid({{0, 1, 9, "x"}}), Grid({{0, 2, 8, "x"}}), Grid({{0, 1, 8, "y"}})}) {
    one.grid = grid;
    EXPECT_NE(refusal(one).find("another grid"), std::string::npos);
  }
  one = request();
  one.grid = AutomaticGrid{one.bounds()};
  EXPECT_NE(refusal(one).find("DensityModes"), std::string::npos);
  one.options.cluster.threshold = DensityModes{};
  EXPECT_NE(refusal(one).find("counted_grid"), std::string::npos);
  one = request();
  one.technique = "baseline";
  EXPECT_NE(refusal(one).find("baseline"), std::string::npos);
  EXPECT_THROW(Counts(request().bounds(), Cells<std::int64_t>::dense({9}, std::vector<std::int64_t>(9)), 0, 0),
               InputError);
}

}  // namespace
}  // namespace shoal
