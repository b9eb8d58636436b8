#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "chi_square.hpp"
#include "privacy/mechanisms.hpp"
#include "privacy/refinable_noise.hpp"
#include "shoal/error.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using testing::accepted;
using testing::caught;

std::int64_t distance(const ProfileSums& a, const ProfileSums& b) {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < profile_levels; ++j) sum += std::abs(a[j] - b[j]);
  return sum;
}

TEST(Profile, FollowsItsDefinition) {
  std::mt19937_64 random(1);
  for (const std::int64_t scale : {1, 3, 256}) {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::int64_t> values(20);
      for (auto& value : values) value = static_cast<std::int64_t>(random() >> (30 + random() % 34)) - 3;
      const ProfileSums sums = profile_of(values, scale);
      for (std::size_t j = 0; j < profile_levels; ++j) {
        const std::int64_t width = std::int64_t{1} << j;
        std::int64_t expected = 0;
        for (const std::int64_t value : values) {
          expected += std::clamp<std::int64_t>(value - (width - 1) * scale, 0, width * scale);
        }
        EXPECT_EQ(sums[j], expected);
      }
    }
  }
}

TEST(Profile, CountsTheCellsThatReachEachValue) {
  const std::vector<std::int64_t> values = {0, 1, 1, 2, 3, 4, 9, 100};
  const ProfileSums sums = profile_of(values);
  for (std::size_t j = 0; j < 8; ++j) {
    std::int64_t expected = 0;
    for (std::int64_t w = std::int64_t{1} << j; w < std::int64_t{2} << j; ++w) {
      for (const std::int64_t value : values) expected += value >= w ? 1 : 0;
    }
    EXPECT_EQ(sums[j], expected);
  }
  EXPECT_EQ(sums[0], 7);  // |L|
}

// Every value up to past the last level that matters, and every neighbour of it.
TEST(Profile, MovesByOneInAllWhenARecordComesOrGoes) {
  for (std::int64_t value = 0; value < 5000; ++value) {
    EXPECT_EQ(
        distance(profile_of(std::vector<std::int64_t>{value, 7}), profile_of(std::vector<std::int64_t>{value + 1, 7})),
        1);
  }
  for (const std::int64_t scale : {1, 256}) {
    const std::int64_t full = ((std::int64_t{1} << profile_levels) - 1) * scale;
    for (std::int64_t value = full - 300; value < full + 300; ++value) {
      const std::int64_t moved = distance(profile_of(std::vector<std::int64_t>{value}, scale),
                                          profile_of(std::vector<std::int64_t>{value + 1}, scale));
      EXPECT_EQ(moved, value < full ? 1 : 0);
    }
  }
}

TEST(Profile, MovesByNoMoreThanTheValuesDo) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int64_t> a(4), b(4);
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::int64_t>(random() >> (32 + random() % 32)) - 5;
      b[i] = a[i] + static_cast<std::int64_t>(random() % 2000) - 1000;
      moved += std::abs(a[i] - b[i]);
    }
    EXPECT_LE(distance(profile_of(a, 4), profile_of(b, 4)), moved);
  }
}

// ---- the chain of noise
// ----------------------------------------------------------------------------------------------

std::array<std::vector<std::int64_t>, 11> draws_of(Rate tenth, std::uint64_t seed, int rounds) {
  const auto noise = seeded_noise_not_private(seed);
  std::array<std::vector<std::int64_t>, 11> draws;
  for (int round = 0; round < rounds; ++round) {
    const RefinableNoise chain(*noise, tenth);
    for (const unsigned share : profile_shares) {
      const ProfileSums drawn = chain.added_to({}, share);
      draws[share].insert(draws[share].end(), drawn.begin(), drawn.end());
    }
  }
  return draws;
}

TEST(Chain, EveryShareIsDiscreteLaplaceOfItsRate) {
  const int rounds = testing::quick() ? 300 : 8000;
  for (const Rate tenth : {Rate{1, 10}, Rate{1, 100}, Rate{1, 2}, Rate{1, 1}}) {
    const auto draws = draws_of(tenth, 11, rounds);
    for (const unsigned share : profile_shares) {
      if (tenth.value() * share > 6) continue;  // hardly a draw is not 0
      EXPECT_LT(testing::laplace_deviations(draws[share], tenth.value() * share), accepted) << share;
      if (!testing::quick()) {
        EXPECT_GT(testing::laplace_deviations(draws[share], tenth.value() * share * 1.2), caught) << share;
      }
    }
  }
}

// Z_a - Z_b must say nothing about Z_b: its distribution is the same whatever Z_b is.
TEST(Chain, TheCoarserViewIsTheFinerOnePlusIndependentNoise) {
  const auto draws = draws_of({1, 4}, 12, testing::quick() ? 500 : 12000);
  for (const unsigned fine : profile_shares) {
    if (fine == least_profile_share) continue;
    std::vector<std::int64_t> near, far, low, high;
    for (std::size_t i = 0; i < draws[fine].size(); ++i) {
      const std::int64_t z = draws[fine][i], added = draws[least_profile_share][i] - z;
      (z == 0 ? near : far).push_back(added);
      if (z != 0) (z < 0 ? low : high).push_back(added);
    }
    EXPECT_LT(testing::two_sample_deviations(near, far), accepted) << fine;
    EXPECT_LT(testing::two_sample_deviations(low, high), accepted) << fine;
  }
}

// The proof's claim in numbers: convolving the finer law with the step's law gives the coarser law.
TEST(Chain, TheStepsLawIsTheOneOfTheProof) {
  const double q = std::exp(-0.3);
  for (const auto& [a, b] : {std::pair{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 10}}) {
    const double qa = std::pow(q, a), qb = std::pow(q, b), zero = (1 - qa) / (1 - qb);
    double residues = 0;  // P(G mod b < a)
    for (int g = 0; g < 4000; ++g) residues += g % b < a ? (1 - q) * std::pow(q, g) : 0;
    EXPECT_NEAR(residues, zero, 1e-12);
    for (int n = 0; n < 40; ++n) {
      double sum = (1 - qb) * std::pow(qb, n) * zero;
      for (int m = 0; m < n; ++m) sum += (1 - qb) * std::pow(qb, m) * (1 - zero) * (1 - qa) * std::pow(qa, n - m - 1);
      EXPECT_NEAR(sum, (1 - qa) * std::pow(qa, n), 1e-12);
    }
  }
}

TEST(Chain, LevelsAreIndependentOfEachOther) {
  const auto noise = seeded_noise_not_private(13);
  double products = 0, squares = 0;
  const int rounds = 20000;
  for (int round = 0; round < rounds; ++round) {
    const ProfileSums drawn = RefinableNoise(*noise, {1, 4}).added_to({}, 4);
    products += static_cast<double>(drawn[3]) * static_cast<double>(drawn[4]);
    squares += static_cast<double>(drawn[3]) * static_cast<double>(drawn[3]);
  }
  EXPECT_LT(std::fabs(products), 5 * squares / std::sqrt(rounds));
}

// ---- the mechanism
// ---------------------------------------------------------------------------------------------------

const Epsilon one = Epsilon::parse("1");

// A choice that was made beforehand.
ProfileChoice prepared{};
Noised<ProfileChoice> choice(ProfileChoice chosen) {
  prepared = chosen;
  return PostProcessing::of<ProfileChoice>(+[]() { return prepared; });
}

TEST(ProfileMechanism, ChargesWhatWasChosenAndLeavesTheRest) {
  for (unsigned share = least_profile_share; share <= most_profile_share; ++share) {
    testing::ZeroNoiseNotPrivate zero;
    Mechanisms mechanisms(zero, {Neighbors::replace, "", 1}, one);
    ProfileSums sums{};
    sums[2] = 9;
    ProfileSession session = mechanisms.profile(sums, 3, one, least_profile_share, "profile");
    EXPECT_EQ(session.first().value(), sums);
    EXPECT_EQ(mechanisms.spent()[0].epsilon, Epsilon::parse("0.6"));  // all that may be chosen is set aside
    const ChosenProfile chosen = std::move(session).refine(choice({share})).profile;
    EXPECT_EQ(chosen.sums.law(), (NoiseLaw{.epsilon = chosen.epsilon, .sensitivity = 6}));
    EXPECT_EQ(chosen.sums.value(), sums);
    EXPECT_EQ(mechanisms.spent(), (std::vector<Spent>{{"profile", 6, Epsilon::from_units(share * one.units() / 10)}}));
    EXPECT_NO_THROW(mechanisms.number(1, 1, one - chosen.epsilon, "the rest"));
    EXPECT_THROW(mechanisms.number(1, 1, Epsilon::from_units(1), "more"), Error);
  }
}

TEST(ProfileMechanism, EpsilonsThatTenDoesNotDivideAddUpEvenSo) {
  testing::ZeroNoiseNotPrivate zero;
  const Epsilon odd = Epsilon::from_units(1'234'567);
  Mechanisms mechanisms(zero, {}, odd);
  const ChosenProfile chosen = mechanisms.profile({}, 1, odd, 2, "profile").refine(choice({3})).profile;
  EXPECT_EQ(chosen.epsilon.units(), 3 * 123'456U);
  mechanisms.number(1, 1, odd - chosen.epsilon, "the rest");
}

// Claims to be private, and would show a profile as it is: it is asked for draws all the same.
class ClaimsToBePrivate final : public Noise {
 public:
  [[nodiscard]] bool is_private() const noexcept override { return true; }
  void add_laplace(std::span<std::int64_t> values, Rate, unsigned) override { drawn += values.size(); }
  std::uint64_t below(std::uint64_t) override { return 0; }
  std::size_t choose(std::span<const WeightedInterval>, Rate) override { return 0; }
  std::unique_ptr<ProfileQueries> profile_queries(Rate tenth) override {
    ADD_FAILURE() << "was asked for looks of its own";
    return Noise::profile_queries(tenth);
  }
  std::size_t drawn = 0;
};

TEST(ProfileMechanism, APrivateNoiseIsAskedForDrawsNotForViews) {
  ClaimsToBePrivate noise;
  Mechanisms mechanisms(noise, {}, one);
  EXPECT_EQ(mechanisms.profile({}, 1, one, 2, "profile").refine(choice({2})).profile.share, 2U);
  EXPECT_GT(noise.drawn, 0U);
}

TEST(ProfileMechanism, RefusesWhatItMustBeforeAnythingIsSeen) {
  testing::ZeroNoiseNotPrivate zero;
  Mechanisms mechanisms(zero, {}, Epsilon::parse("0.5"));
  EXPECT_THROW(mechanisms.profile({}, 1, one, 2, "more than there is"), Error);
  EXPECT_THROW(mechanisms.profile({}, 0, Epsilon::parse("0.5"), 2, "no sensitivity"), Error);
  EXPECT_THROW(mechanisms.profile({}, 1, Epsilon::from_units(9), 2, "no tenth"), Error);
  EXPECT_TRUE(mechanisms.spent().empty());
}

TEST(ProfileMechanism, AShareOutsideItsBoundsIsAFaultAndKeepsTheMostCharged) {
  testing::ZeroNoiseNotPrivate zero;
  for (const unsigned share : {0U, 1U, 7U}) {
    Mechanisms mechanisms(zero, {}, one);
    EXPECT_THROW(mechanisms.profile({}, 1, one, 2, "profile").refine(choice({share})), Error);
    EXPECT_EQ(mechanisms.spent()[0].epsilon, Epsilon::parse("0.6"));
  }
}

// ---- a profile and its values
// -----------------------------------------------------------------------------------------------

Cells<std::int64_t> cells_of(const std::vector<std::int64_t>& values) {
  return Cells<std::int64_t>::dense({values.size()}, values);
}

TEST(ProfiledValues, SmallValuesAreRaisedAndAllOfEpsilonIsCharged) {
  for (unsigned censored = 0; censored <= most_censored_levels; ++censored) {
    testing::ZeroNoiseNotPrivate zero;
    Mechanisms mechanisms(zero, {Neighbors::replace, "", 1}, one);
    const std::vector<std::int64_t> values = {0, 1, 2, 9, 40, 200, 0};
    const RefinedProfile both =
        mechanisms.profiled_values(cells_of(values), one, 1, "profile", "sums").refine(choice({3, censored}));
    EXPECT_EQ(both.profile.sums.value(), profile_of(values));  // of the values as they were
    EXPECT_EQ(both.values->law()->censored_below, censoring_point(censored));
    EXPECT_EQ(both.profile.sums.law()->refined_levels, censored);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(both.values->value().values()[i], std::max(values[i], censoring_point(censored)));
    }
    EXPECT_EQ(mechanisms.spent(),
              (std::vector<Spent>{{"profile", 2, Epsilon::parse("0.3")}, {"sums", 2, Epsilon::parse("0.7")}}));
  }
}

TEST(ProfiledValues, ALiftOutOfBoundsIsAFault) {
  testing::ZeroNoiseNotPrivate zero;
  Mechanisms mechanisms(zero, {}, one);
  EXPECT_THROW(
      mechanisms.profiled_values(cells_of({1, 2}), one, 1, "p", "s").refine(choice({1, most_censored_levels + 1})),
      Error);
  EXPECT_EQ(mechanisms.spent().size(), 1U);  // no value was let through
  Mechanisms other(zero, {}, one);
  EXPECT_THROW(other.profile({}, 1, one, 1, "no values to raise").refine(choice({1, 1})), Error);
}

TEST(ProfiledValues, EachAnswerHasTheNoiseThatItsRecordsPayFor) {
  const auto noise = seeded_noise_not_private(31);
  std::vector<std::int64_t> fine, coarse, value;
  const int rounds = testing::quick() ? 2000 : 60000;
  for (int round = 0; round < rounds; ++round) {
    Mechanisms mechanisms(*noise, {}, one);
    const RefinedProfile both =
        mechanisms.profiled_values(cells_of({9}), one, 1, "profile", "sums").refine(choice({2, 2}));
    const ProfileSums& sums = both.profile.sums.value();
    fine.push_back(sums[0] - 1);
    fine.push_back(sums[1] - 2);
    coarse.push_back(sums[2] - 4);
    coarse.push_back(sums[3] - 2);
    value.push_back(both.values->value().values()[0] - 9);
  }
  EXPECT_LT(testing::laplace_deviations(fine, 1.0), accepted);
  EXPECT_LT(testing::laplace_deviations(coarse, 0.2), accepted);
  EXPECT_LT(testing::laplace_deviations(value, 0.8), accepted);
  if (testing::quick()) return;
  EXPECT_GT(testing::laplace_deviations(fine, 0.9), caught);
  EXPECT_GT(testing::laplace_deviations(coarse, 0.25), caught);
  EXPECT_GT(testing::laplace_deviations(value, 0.9), caught);
}

// By brute force: however many levels are censored, a record moves either the levels that are seen finely or a raised
// value, and never both.
TEST(ProfiledValues, ARecordMovesTheFineLevelsOrAValue) {
  for (unsigned censored = 0; censored <= most_censored_levels; ++censored) {
    for (std::int64_t w = 0; w < 200; ++w) {
      const ProfileSums before = profile_of(std::vector<std::int64_t>{w}), after = profile_of(std::vector{w + 1});
      std::int64_t levels = 0;
      for (unsigned j = 0; j < censored; ++j) levels += after[j] - before[j];
      EXPECT_EQ(levels + std::max(w + 1, censoring_point(censored)) - std::max(w, censoring_point(censored)), 1)
          << censored << " " << w;
    }
  }
}

}  // namespace
}  // namespace shoal
