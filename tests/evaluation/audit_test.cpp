// The privacy claim under attack. Seeds are fixed, so no verdict ever changes; with fresh seeds the chance that a sound
// technique is accused is below 1e-6 in all. 10^6 runs per technique, shared by two tiny datasets and all their
// neighbours (both relations: half each); the publishers of baseline share them (audit_cases.cpp), SHOAL_QUICK a
// hundredth.
#include "evaluation/audit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "chi_square.hpp"
#include "evaluation/broken.hpp"
#include "evaluation/group_audit.hpp"
#include "evaluation/inset_audit.hpp"
#include "evaluation/replay.hpp"
#include "privacy/mechanisms.hpp"
#include "shoal/private_release.hpp"
#include "techniques/automatic.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {
namespace {

constexpr double rows = 64;  // no more lines than this are audited here, all together

SamplingOptions sampling(std::uint64_t runs) {
  SamplingOptions options;
  options.runs = testing::quick() ? runs / 100 : runs;
  options.error = 1e-6 / rows;
  return options;
}

// As `shoal audit` has it, but shorter when quick.
AuditRow attack(AuditCase each, std::uint64_t runs) {
  for (AuditCase::Replay& replay : each.replays) replay.runs = testing::quick() ? 1 + replay.runs / 10 : replay.runs;
  return audit(each, sampling(runs));
}

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

double binomial_at_least(std::uint64_t k, std::uint64_t trials, double p) {
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::uint64_t successes = k; successes <= trials; ++successes) {
    const auto i = static_cast<double>(successes);
    sum += std::exp(log_choose(n, i) + i * std::log(p) + (n - i) * std::log1p(-p));
  }
  return sum;
}

TEST(Audit, ClopperPearsonBoundsSolveTheBinomialTails) {
  for (const std::uint64_t n : {1U, 7U, 100U, 1000U}) {
    for (const double error : {0.05, 1e-6, 1e-9}) {
      for (const std::uint64_t k : std::set<std::uint64_t>{0, 1, n / 3, n / 2, n - 1, n}) {
        const double low = binomial_lower(k, n, error);
        const double high = binomial_upper(k, n, error);
        ASSERT_LE(low, static_cast<double>(k) / static_cast<double>(n));
        ASSERT_GE(high, static_cast<double>(k) / static_cast<double>(n));
        if (k == 0) {
          ASSERT_EQ(low, 0);
          ASSERT_NEAR(high, -std::expm1(std::log(error) / static_cast<double>(n)), 1e-9);
        } else {
          ASSERT_NEAR(binomial_at_least(k, n, low) / error, 1, 1e-6) << k << " of " << n;
        }
        if (k == n) {
          ASSERT_EQ(high, 1);
        } else {
          ASSERT_NEAR(binomial_at_least(n - k, n, 1 - high) / error, 1, 1e-3) << k << " of " << n;
        }
      }
    }
  }
}

TEST(Audit, NeighborsAreAllThatTheUnitAllows) {
  const TinyData data = TinyData::in_cells(Grid({Axis(0, 3, 3)}), {2, 0, 1});
  const auto texts = [&](const PrivacyUnit& unit) {
    std::set<std::vector<std::int64_t>> found;
    for (const TinyData& each : neighbors_of(data, unit)) {
      const auto values = each.counts.raw().values();
      EXPECT_TRUE(found.emplace(values.begin(), values.end()).second) << "twice";
    }
    return found;
  };
  using Expected = std::set<std::vector<std::int64_t>>;
  EXPECT_EQ(texts({}), (Expected{{1, 0, 1}, {2, 0, 0}, {3, 0, 1}, {2, 1, 1}, {2, 0, 2}}));
  EXPECT_EQ(texts({Neighbors::replace, {}, 1}), (Expected{{1, 1, 1}, {1, 0, 2}, {3, 0, 0}, {2, 1, 0}}));
  EXPECT_EQ(texts({Neighbors::add_remove, "person", 2}).size(), 5U + 2U + 6U);
}

TEST(Audit, NeighborsInGroupsAreAllThatTheUnitAllows) {
  // Two groups of two cells.
  const TinyData data = TinyData::in_cells(Grid({Axis(0, 2, 2), Axis(0, 2, 2)}), {1, 0, 0, 1});
  const auto found = [&](Neighbors neighbors, std::uint64_t most, std::uint64_t groups) {
    return neighbors_in_groups(data, {neighbors, "person", most}, groups).size();
  };
  EXPECT_EQ(found(Neighbors::add_remove, 1, 1), 2U + 4U);
  EXPECT_EQ(found(Neighbors::add_remove, 1, 2), 3U + 8U);  // one in each group, or one alone
  EXPECT_EQ(found(Neighbors::add_remove, 2, 1), 2U + 10U);
  EXPECT_EQ(found(Neighbors::replace, 1, 1), 6U + 6U);  // and three other places for each of the two records
}

TEST(Audit, SamplingBoundsComeCloseToTheTruthFromBelow) {
  const AuditCase each = audit_case("privqt", Epsilon::parse("1"), Neighbors::add_remove);
  const Sampled found = audit_by_sampling(each.subject, each.starts, sampling(300'000));
  EXPECT_LE(found.lower_bound, 1);
  EXPECT_TRUE(testing::quick() || found.lower_bound > 0.85) << found.where;
}

TEST(Audit, EveryTechniqueIsAttacked) {
  const auto names = audit_names();
  for (const std::string& technique : technique_names()) {
    const auto of = [&](const std::string& name) { return name == technique || name.starts_with(technique + "/"); };
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), of)) << technique;
  }
}

class Technique : public ::testing::TestWithParam<std::string> {};

TEST_P(Technique, KeepsItsClaim) {
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
    const AuditCase each = audit_case(GetParam(), Epsilon::parse("1"), neighbors);
    const AuditRow row = attack(each, 500'000);
    EXPECT_FALSE(row.caught_by_sampling()) << row.sampled.lower_bound << " " << row.sampled.where;
    EXPECT_FALSE(row.caught_by_replay()) << row.replayed.largest_loss << " " << row.replayed.where;
    // The attack does reach the mechanisms.
    if (testing::quick()) continue;
    if (each.replays.empty()) {
      EXPECT_GT(row.sampled.lower_bound, 0.1);  // sampling sees less: docs/audit.md says how much
    } else {
      EXPECT_GT(row.replayed.largest_loss, 0.3);
    }
  }
}

class ReplayedTechnique : public ::testing::TestWithParam<std::string> {};

// Another budget than 1, where a factor that is forgotten or applied twice cannot hide.
TEST_P(ReplayedTechnique, KeepsASmallClaimExactly) {
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
    const AuditCase each = audit_case(GetParam(), Epsilon::parse("0.3"), neighbors);
    const AuditCase::Replay& first = each.replays.front();
    const Replayed found = audit_by_replay(first.subject, first.starts, first.runs, 5);
    EXPECT_FALSE(exceeds(found.largest_loss, first.subject.epsilon)) << found.largest_loss << " " << found.where;
  }
}

// The largest loss between a profile and a neighbour's in which one level holds `more`, at a claim of 1 record's
// presence.
double profile_loss(std::int64_t more) {
  const Epsilon one = Epsilon::parse("1");
  const auto asked = [&one](Noise& noise, const ProfileSums& of) {
    Mechanisms mechanisms(noise, {}, one);
    ProfileSession session = mechanisms.profile(of, 1, one, 2, "profile");
    const auto choice = PostProcessing::of(
        +[](const Noised<ProfileSums>& first) { return ProfileChoice{first.value()[0] % 2 == 0 ? 2U : 6U}; },
        session.first());
    return std::move(session).refine(choice).profile;
  };
  ProfileSums sums{}, neighbour{};
  sums[0] = 5;
  neighbour[0] = 5 + more;
  const auto inner = seeded_noise_not_private(6);
  double largest = 0;
  for (int i = 0; i < 200; ++i) {
    RecordingNoise recording(*inner, 2);
    const ChosenProfile seen = asked(recording, sums);
    ReplayingNoise replaying(recording.transcript());
    const ChosenProfile again = asked(replaying, neighbour);
    EXPECT_EQ(again.share, seen.share);
    EXPECT_EQ(again.sums.value(), seen.sums.value());
    const auto loss = static_cast<double>(std::fabs(replaying.log_chance() - recording.transcript().log_chance));
    EXPECT_LE(loss, 0.1 * seen.share * static_cast<double>(more) + 1e-9);
    largest = std::max(largest, loss);
  }
  return largest;
}

// The same of a profile and its values, which hold `value` and `more` in a neighbour: the first levels are seen finely.
double profiled_loss(std::int64_t value, std::int64_t more, unsigned censored) {
  const Epsilon one = Epsilon::parse("1");
  static unsigned censored_levels;
  censored_levels = censored;
  const auto inner = seeded_noise_not_private(7);
  const auto asked = [&](Noise& noise, std::int64_t holds) {
    Mechanisms mechanisms(noise, {}, one);
    ProfileSession session =
        mechanisms.profiled_values(Cells<std::int64_t>::dense({2}, {holds, 30}), one, 1, "profile", "sums");
    const auto choice = PostProcessing::of(
        +[](const Noised<ProfileSums>& first) {
          return ProfileChoice{first.value()[0] % 2 == 0 ? 2U : 4U, censored_levels};
        },
        session.first());
    return std::move(session).refine(choice);
  };
  double largest = 0;
  for (int i = 0; i < 300; ++i) {
    RecordingNoise recording(*inner, 2);
    const RefinedProfile seen = asked(recording, value);
    ReplayingNoise replaying(recording.transcript());
    const RefinedProfile again = asked(replaying, value + more);
    EXPECT_EQ(again.profile.sums.value(), seen.profile.sums.value());
    const auto loss = static_cast<double>(std::fabs(replaying.log_chance() - recording.transcript().log_chance));
    largest = std::max(largest, loss);
  }
  return largest;
}

TEST(Replay, ARecordBelowTheLowestValueCostsAsMuchAsOneAbove) {
  for (const unsigned censored : {0U, 1U, 2U, 3U}) {
    for (std::int64_t value = 0; value < 20; ++value) {
      EXPECT_NEAR(profiled_loss(value, 1, censored), 1, 1e-9) << censored << " " << value;
    }
    EXPECT_NEAR(profiled_loss(0, 2, censored), 2, 1e-9);
  }
}

// Otherwise the exact half of the audit would say nothing about it.
TEST(Replay, PrivwavesCasesRaiseValuesInSomeRuns) {
  const AuditCase each = audit_case("privwave", Epsilon::parse("1"), Neighbors::add_remove);
  const auto noise = seeded_noise_not_private(8);
  int raised = 0;
  const AuditCase::Replay& replay = each.replays.back();
  ASSERT_EQ(replay.starts.front().grid.cell_count(), 32U);
  for (int i = 0; i < 200; ++i) {
    raised += replay.subject.run(replay.starts.front(), *noise).release->parts().censored_below() > 0 ? 1 : 0;
  }
  EXPECT_GT(raised, 50);
  EXPECT_LT(raised, 200);
}

TEST(Replay, OfTwoLooksAtAProfileTheFinerOneCounts) {
  EXPECT_NEAR(profile_loss(1), 0.6, 1e-9);
  EXPECT_NEAR(profile_loss(2), 1.2, 1e-9);  // a sensitivity that is stated too small shows
}

// The records of each cell, in the first of the cells that it is made of on the grid that --auto counts on.
Counts on_finest_grid(const Counts& counts) {
  const Grid grid = finest_grid(counts.grid());
  const std::uint64_t times = grid.shape()[0] / counts.grid().shape()[0];
  std::vector<std::int64_t> values(grid.cell_count());
  for (std::size_t i = 0; i < counts.raw().stored(); ++i) values[i * times] = counts.raw().values()[i];
  return {grid, Cells<std::int64_t>::dense(grid.shape(), values), counts.points(), counts.outside()};
}

// A weight spread in halves over any cells costs no more than one in a single cell.
TEST(Replay, UnitsThatShareTheirWeightKeepTheirClaim) {
  for (const char* name : {"privwave", "privthr", "privqt", "baseline/uniform-grid", "groups"}) {
    for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
      const AuditCase each = audit_case(name, Epsilon::parse("1"), neighbors);
      double largest = 0;
      for (const AuditCase::Replay& replay : each.replays) {
        if (replay.subject.name.find("halves") == std::string::npos) continue;
        const std::uint64_t runs = testing::quick() ? 1 : replay.runs;
        const Replayed found = audit_by_replay(replay.subject, replay.starts, runs, 5);
        EXPECT_FALSE(exceeds(found.largest_loss, each.subject.epsilon))
            << name << " " << replay.subject.name << " " << found.largest_loss << " " << found.where;
        largest = std::max(largest, found.largest_loss);
      }
      EXPECT_GT(largest, testing::quick() ? 0.5 : 0.9) << name;  // else the attack sees nothing
    }
  }
}

TEST(Replay, AutoAsAWholeKeepsItsClaim) {
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
    for (const char* text : {"1", "0.3"}) {
      const Epsilon epsilon = Epsilon::parse(text);
      PrivateOptions options{.cluster = {.threshold = Percentile(0)}};
      options.unit.neighbors = neighbors;
      options.cluster.threads = 1;
      const auto run = [&](const TinyData& data, Noise& noise) {
        return observe(automatic_release(on_finest_grid(data.counts), epsilon, options, noise));
      };
      const Grid line({Axis(0, 4, 4, "x")});
      const Subject subject{"auto", epsilon, options.unit, run};
      const Replayed found =
          audit_by_replay(subject, {TinyData::in_cells(line, {1, 0, 0, 200})}, testing::quick() ? 1 : 5, 5);
      EXPECT_FALSE(exceeds(found.largest_loss, epsilon)) << found.largest_loss << " " << found.where;
      EXPECT_GT(found.largest_loss, 0.9 * epsilon.value());
    }
  }
}

// Each corner of a small grid is a cell of the one that is counted on, far from the others.
Counts corners_on_finest(const Counts& counts) {
  const Grid grid = finest_grid(counts.grid());
  const std::vector<std::uint64_t> stride = strides(grid.shape());
  std::vector<std::uint64_t> cells;
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < counts.raw().stored(); ++i) {
    if (counts.raw().values()[i] == 0) continue;
    std::uint64_t cell = 0;
    const auto at = coordinates(counts.raw().index_of(i), counts.grid().shape());
    for (std::size_t axis = 0; axis < at.size(); ++axis) cell += stride[axis] * (30 + 60 * at[axis]);
    cells.push_back(cell);
    values.push_back(counts.raw().values()[i]);
  }
  return Counts(grid, Cells<std::int64_t>::sparse(grid.shape(), cells, values), counts.points(), 0);
}

// records: in the corners along the first of five axes. Returns the largest loss.
double replay_many_axes(const std::vector<std::uint64_t>& records, const PrivacyUnit& unit, std::uint64_t runs) {
  const Epsilon epsilon = Epsilon::parse("1");
  PrivateOptions options{.cluster = {.threshold = Percentile(0)}};
  options.unit = unit;
  options.cluster.threads = 1;
  const auto run = [&](const TinyData& data, Noise& noise) {
    return observe(automatic_release(corners_on_finest(data.counts), epsilon, options, noise));
  };
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < 5; ++i) axes.emplace_back(0, 1, records.size() >> i > 1 ? 2 : 1, "a" + std::to_string(i));
  const Subject subject{"boxes", epsilon, options.unit, run};
  const Replayed found = audit_by_replay(subject, {TinyData::in_cells(Grid(axes), records)}, runs, 5);
  EXPECT_FALSE(exceeds(found.largest_loss, epsilon)) << found.largest_loss << " " << found.where;
  return found.largest_loss;
}

// A loss is near epsilon only where the noise of all steps has the same sign.
TEST(Replay, BoxesOfManyAxesKeepTheirClaim) {
  const std::uint64_t runs = testing::quick() ? 1 : 5;
  std::vector<std::uint64_t> all_axes(32, 0);
  all_axes.front() = 40000;
  all_axes.back() = 30000;
  EXPECT_GT(replay_many_axes(all_axes, {.neighbors = Neighbors::add_remove, .column = ""}, runs), 0.4);
  double largest = 0;
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
    largest = std::max(largest, replay_many_axes({40000, 1}, {.neighbors = neighbors, .column = ""}, runs));
    const PrivacyUnit unit{.neighbors = neighbors, .column = "unit", .max_contributions = 2};
    largest = std::max(largest, replay_many_axes({40000, 1}, unit, runs));
  }
  EXPECT_GT(largest, 0.4);
}

TEST(Replay, AGridOfTheAxesWithStructureKeepsItsClaim) {
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
    EXPECT_GT(replay_many_axes({40000, 0, 1, 30000}, {.neighbors = neighbors, .column = ""}, 1), 0.5);
  }
}

std::string word(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Audit, Technique, ::testing::ValuesIn(audit_names()), word);

std::vector<std::string> replayed_names() {
  std::vector<std::string> names = audit_names();
  std::erase_if(names, [](const std::string& name) {
    return audit_case(name, Epsilon::parse("1"), Neighbors::add_remove).replays.empty();
  });
  return names;
}
INSTANTIATE_TEST_SUITE_P(Audit, ReplayedTechnique, ::testing::ValuesIn(replayed_names()), word);

TEST(Broken, ARecordThatChangesGroupsChargedOnceIsCaughtByReplay) {
  const AuditCase::Replay moved = moved_between_groups_not_private(Epsilon::parse("1"));
  const Replayed found = audit_by_replay(moved.subject, moved.starts, moved.runs, 5);
  EXPECT_TRUE(exceeds(found.largest_loss, moved.subject.epsilon));
  EXPECT_LT(found.largest_loss, 1.5) << found.where;
}

TEST(Broken, InsetsThatOverlapOrFollowRawCountsAreCaughtByReplay) {
  for (const AuditCase::Replay& broken : broken_insets_not_private(Epsilon::parse("1"))) {
    const Replayed found = audit_by_replay(broken.subject, broken.starts, broken.runs, 5);
    EXPECT_TRUE(exceeds(found.largest_loss, broken.subject.epsilon)) << broken.subject.name;
  }
}

// Those that replay cannot follow, by sampling.
TEST(Broken, EveryVariantIsCaughtByBothAttacks) {
  for (const AuditCase& each : broken_cases_not_private(Epsilon::parse("1"))) {
    const AuditRow row = attack(each, 200'000);
    EXPECT_TRUE(each.replays.empty() || row.caught_by_replay()) << row.name;
    EXPECT_TRUE(testing::quick() || row.caught_by_sampling()) << row.name << " " << row.sampled.lower_bound;
  }
}

}  // namespace
}  // namespace shoal::evaluation
