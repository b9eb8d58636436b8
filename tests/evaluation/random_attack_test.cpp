// The random attacker: what it draws, what it finds, and what it does not.
#include "evaluation/random_attack.hpp"

#include <gtest/gtest.h>

#include <set>

#include "chi_square.hpp"

namespace shoal::evaluation {
namespace {

TEST(RandomAttack, FindsNoLossAboveTheClaim) {
  const RandomFound found = attack_at_random({.seed = 20'000, .replays = testing::quick() ? 200U : 1'000U});
  EXPECT_FALSE(found.worst.exceeds) << found.worst.loss << " of " << found.worst.claimed << ": " << found.worst.why
                                    << "\n"
                                    << found.worst.setting << "\nseed " << found.worst.seed;
  EXPECT_GT(found.worst.share, 0.999);  // else the attack sees nothing
}

// Every earlier fault needed two options together.
TEST(RandomAttack, DrawsFromTheWholeOptionSpace) {
  std::set<std::string> wavelets, techniques, publishers;
  std::set<std::size_t> dimensions, scales, thresholds;
  std::set<unsigned> levels;
  int short_axes = 0, shares = 0, several = 0, groups = 0, automatic = 0, insets = 0, large = 0, past = 0, planned = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const Setting setting = random_setting(seed);
    const PrivateOptions& options = setting.request.options;
    wavelets.insert(options.cluster.wavelet.name());
    levels.insert(options.cluster.level);
    thresholds.insert(options.cluster.threshold.index());
    techniques.insert(setting.request.technique);
    if (setting.request.technique == "baseline") publishers.insert(options.publisher);
    dimensions.insert(setting.request.grid.dimensions());
    for (const Axis& axis : setting.request.grid.axes()) {
      scales.insert(axis.kind().scale.index());
      short_axes += axis.cells() < options.cluster.wavelet.low_pass().size() ? 1 : 0;
    }
    shares += options.unit.share ? 1 : 0;
    several += options.unit.max_contributions > 1 ? 1 : 0;
    groups += setting.grouping ? 1 : 0;
    automatic += setting.request.automatic ? 1 : 0;
    insets += setting.request.insets > 0 ? 1 : 0;
    large += setting.request.grid.cell_count() > 65'536 && options.cluster.threads > 1 ? 1 : 0;
    past += setting.is_past_dense_limit() ? 1 : 0;
    try {
      static_cast<void>(setting.claimed());
      ++planned;
    } catch (const std::exception&) {
    }
  }
  EXPECT_EQ(wavelets.size(), Wavelet::names().size());
  EXPECT_EQ(techniques.size(), 5U);
  EXPECT_EQ(publishers.size(), 5U);
  EXPECT_EQ(dimensions.size(), 4U);
  EXPECT_EQ(scales.size(), 5U);
  EXPECT_EQ(levels.size(), 3U);
  EXPECT_EQ(thresholds.size(), 5U);
  for (const int seen : {short_axes, shares, several, groups, automatic, insets, large, past}) EXPECT_GT(seen, 20);
  EXPECT_GT(planned, 4500);
}

TEST(RandomAttack, TheSameSeedGivesTheSameSetting) {
  for (const std::uint64_t seed : {1U, 17U, 923U}) {
    EXPECT_EQ(random_setting(seed).text(), random_setting(seed).text());
    const RandomFound first = attack_at_random({.seed = seed, .threads = 1});
    EXPECT_EQ(first.worst.loss, attack_at_random({.seed = seed, .threads = 1}).worst.loss);
  }
}

class Planted : public ::testing::TestWithParam<NamedFault> {};

TEST_P(Planted, IsFound) {
  const RandomFound found = attack_at_random({.seed = 1, .replays = 40'000, .fault = GetParam().fault});
  EXPECT_TRUE(found.worst.exceeds) << GetParam().name << ": " << found.worst.loss << " of " << found.worst.claimed
                                   << " after " << found.settings << " settings";
  EXPECT_EQ(found.worst.why, "the same is shown with another chance") << GetParam().name;
}

std::string word(const ::testing::TestParamInfo<NamedFault>& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(RandomAttack, Planted, ::testing::ValuesIn(planted_faults()), word);

}  // namespace
}  // namespace shoal::evaluation
