#include "shoal/synthesis.hpp"

#include <gtest/gtest.h>

#include "ledger_file.hpp"
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"

namespace shoal {
namespace {

using testing::eps;
using testing::LedgerFile;
using testing::message_of;

const Grid unit_square({{0, 1, 8, "x"}, {0, 1, 8, "y"}});

std::vector<std::vector<double>> some_points() {
  std::vector<std::vector<double>> columns(2);
  for (int i = 0; i < 400; ++i) {
    columns[0].push_back((i * 37 % 100) * 0.01);
    columns[1].push_back((i * 61 % 100) * 0.002);
  }
  return columns;
}

std::unique_ptr<Points> source_of(const std::vector<std::vector<double>>& columns) {
  return array_points({{columns[0].data()}, {columns[1].data()}}, columns[0].size());
}

std::vector<double> drawn(const Synthesis& synthesis, std::uint64_t most = most_synthetic_points) {
  std::vector<double> xs;
  synthesis.draw(
      [&](const PointBlock& block) { xs.insert(xs.end(), block.columns[0].begin(), block.columns[0].end()); }, most);
  return xs;
}

TEST(Synthesis, IsWhatThePublisherGives) {
  const auto columns = some_points();
  for (const std::string& publisher : publisher_names()) {
    const Synthesis made =
        synthesize(*source_of(columns), {.grid = unit_square, .epsilon = eps("1"), .publisher = publisher, .seed = 4});
    const auto noise = seeded_noise_not_private(4);
    Mechanisms mechanisms(*noise, {}, eps("1"));
    const Noised<Synopsis> synopsis = publish(publisher, {columns}, unit_square, eps("1"), mechanisms);
    EXPECT_EQ(made.spent(), mechanisms.spent()) << publisher;
    EXPECT_EQ(made.boxes(), synopsis.value().boxes()) << publisher;
    EXPECT_EQ(drawn(made), synthetic_points(*noise, synopsis).columns[0]) << publisher;
    EXPECT_FALSE(made.is_private());
  }
}

TEST(Synthesis, SpendsAllOfEpsilonAsPlanned) {
  const SynthesisRequest request{.grid = unit_square, .epsilon = eps("0.7")};
  Epsilon planned = Epsilon::zero(), spent = Epsilon::zero();
  for (const Spent& share : planned_spending(request)) planned = planned + share.epsilon;
  const Synthesis made = synthesize(*source_of(some_points()), request);
  for (const Spent& share : made.spent()) spent = spent + share.epsilon;
  EXPECT_EQ(planned, eps("0.7"));
  EXPECT_EQ(spent, eps("0.7"));
  EXPECT_TRUE(made.is_private());
  EXPECT_LE(drawn(made, 50).size(), 50U);
}

TEST_F(LedgerFile, SyntheticPointsAreChargedOnceAndBeforeTheNoise) {
  Ledger::create(path, "trips", eps("1"));
  const SynthesisRequest request{.grid = unit_square, .epsilon = eps("0.6"), .ledger = path, .dataset = "trips"};
  const auto columns = some_points();
  PreparedSynthesis prepared(*source_of(columns), request);
  EXPECT_TRUE(Ledger(path).history().empty());
  EXPECT_EQ(message_of([&] { static_cast<void>(prepared.publish()); }, ErrorKind::internal),
            "synthetic points are published once, after they were charged");
  EXPECT_TRUE(prepared.charge());
  ASSERT_EQ(Ledger(path).history().size(), 1U);
  EXPECT_EQ(Ledger(path).history()[0].purpose, "synthesize adaptive-grid");
  EXPECT_TRUE(prepared.publish().is_private());
  // The second does not fit, and no point is read for it.
  int reads = 0;
  const auto unread = iterated_points(2, [&] {
    ++reads;
    return PointBlock{};
  });
  static_cast<void>(message_of([&] { static_cast<void>(synthesize(*unread, request)); }, ErrorKind::budget));
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(Ledger(path).history().size(), 1U);
}

TEST(Synthesis, RefusesWhatAReleaseRefuses) {
  const auto columns = some_points();
  const auto refusal = [&](const SynthesisRequest& request) {
    return message_of([&] { static_cast<void>(synthesize(*source_of(columns), request)); }, ErrorKind::input);
  };
  SynthesisRequest request{.grid = unit_square, .epsilon = eps("1")};
  request.ledger = "some.ledger";
  EXPECT_NE(refusal(request).find("give both a ledger and the dataset"), std::string::npos);
  request.dataset = "trips";
  request.seed = 1;
  EXPECT_NE(refusal(request).find("seeded"), std::string::npos);
  request = {.grid = unit_square, .epsilon = eps("1"), .publisher = "none"};
  EXPECT_NE(refusal(request).find("none"), std::string::npos);
  request = {.grid = unit_square, .epsilon = eps("1"), .unit = {.column = "", .max_contributions = 3}};
  EXPECT_NE(refusal(request).find("no unit column"), std::string::npos);
}

}  // namespace
}  // namespace shoal
