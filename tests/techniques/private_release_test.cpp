#include "shoal/private_release.hpp"

#include <gtest/gtest.h>

#include "shoal/error.hpp"

namespace shoal {
namespace {

ReleaseRequest request() {
  ReleaseRequest result{.grid = Grid({{0, 1, 8, "x"}}), .epsilon = Epsilon::parse("1")};
  result.options.cluster.threshold.percentile = 10;
  return result;
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
  EXPECT_NE(refusal_of(one).find("the ledger's path is empty"), std::string::npos);
  one.dataset = "";
  EXPECT_NE(refusal_of(one).find("the ledger's path is empty"), std::string::npos);
  one.ledger = "some.db";
  EXPECT_NE(refusal_of(one).find("go together"), std::string::npos);
  one.ledger.reset();
  one.dataset = "trips";
  EXPECT_NE(refusal_of(one).find("go together"), std::string::npos);
}

TEST(PrivateRelease, SeveralRecordsWithoutAUnitColumnAreRefused) {
  ReleaseRequest one = request();
  one.options.unit.max_contributions = 5;
  EXPECT_NE(refusal_of(one).find("no unit column is named"), std::string::npos);
  one.options.unit.column = " ";
  EXPECT_NE(refusal_of(one).find("blank"), std::string::npos);
}

}  // namespace
}  // namespace shoal
