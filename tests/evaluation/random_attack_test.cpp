// The random attacker: what it draws, what it finds, and what it does not.
#include "evaluation/random_attack.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "chi_square.hpp"
#include "evaluation/replay.hpp"
#include "shoal/error.hpp"
#include "techniques/rounded_counts.hpp"

namespace shoal::evaluation {
namespace {

TEST(RandomAttack, FindsNoLossAboveTheClaim) {
  const RandomFound found = attack_at_random({.seed = 20'000, .replays = testing::quick() ? 200U : 1'000U});
  EXPECT_FALSE(found.worst.exceeds) << found.worst.loss << " of " << found.worst.claimed << ": " << found.worst.why
                                    << "\n"
                                    << found.worst.setting << "\nseed " << found.worst.seed;
  EXPECT_GT(found.worst.share, 0.999);  // else the attack sees nothing
}

bool is_planned(const Setting& setting) {
  try {
    static_cast<void>(setting.claimed());
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// Every earlier fault needed two options together.
TEST(RandomAttack, DrawsFromTheWholeOptionSpace) {
  std::set<std::string> wavelets, techniques, publishers;
  std::set<std::size_t> dimensions, scales, thresholds;
  std::set<unsigned> levels;
  int short_axes = 0, shares = 0, several = 0, groups = 0, automatic = 0, insets = 0, large = 0, past = 0, planned = 0;
  int given = 0, given_groups = 0, clamped = 0, face = 0, rounding = 0, circles = 0, boxes = 0, like = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const Setting setting = random_setting(seed);
    const PrivateOptions& options = setting.request.options;
    wavelets.insert(options.cluster.wavelet.name());
    levels.insert(options.cluster.level);
    thresholds.insert(options.cluster.threshold.index());
    techniques.insert(setting.request.technique);
    if (setting.request.technique == "baseline") publishers.insert(options.publisher);
    dimensions.insert(setting.request.bounds().dimensions());
    for (const Axis& axis : setting.request.bounds().axes()) {
      scales.insert(axis.kind().scale.index());
      short_axes += axis.cells() < options.cluster.wavelet.low_pass().size() ? 1 : 0;
      circles += axis.kind().border == Border::circle ? 1 : 0;
    }
    shares += options.unit.share ? 1 : 0;
    several += options.unit.max_contributions > 1 ? 1 : 0;
    groups += setting.request.grouping() != nullptr ? 1 : 0;
    automatic += setting.request.is_automatic() ? 1 : 0;
    insets += setting.request.insets() > 0 ? 1 : 0;
    large += setting.request.bounds().cell_count() > 65'536 && options.cluster.threads > 1 ? 1 : 0;
    past += setting.is_past_dense_limit() ? 1 : 0;
    given += setting.counts_given ? 1 : 0;
    given_groups += setting.counts_given && setting.request.grouping() != nullptr ? 1 : 0;
    clamped += setting.request.outside == Outside::clamp ? 1 : 0;
    face += options.cluster.adjacency == Adjacency::face ? 1 : 0;
    const bool plain = setting.request.is_automatic() && setting.request.insets() == 0 && is_planned(setting);
    rounding += plain && rounding_axes(counted_grid(setting.request)) > 0 ? 1 : 0;
    planned += is_planned(setting) ? 1 : 0;
    boxes += setting.request.is_automatic() && is_planned(setting) && makes_boxes(setting.request.bounds()) ? 1 : 0;
    like += setting.is_like_an_earlier() && is_planned(setting) ? 1 : 0;
  }
  EXPECT_EQ(wavelets.size(), Wavelet::names().size());
  EXPECT_EQ(techniques.size(), 5U);
  EXPECT_EQ(publishers.size(), 5U);
  EXPECT_EQ(dimensions.size(), 8U);
  EXPECT_EQ(scales.size(), 5U);
  EXPECT_EQ(levels.size(), 9U);
  EXPECT_EQ(thresholds.size(), 5U);
  for (const int seen : {short_axes, shares, several, groups, automatic, insets, large, past, given, given_groups,
                         clamped, face, rounding, circles, boxes, like}) {
    EXPECT_GT(seen, 20);
  }
  EXPECT_GT(planned, 4500);
}

// The attacker makes releases by itself, because it needs its own noise. It must do what owners' calls do.
Observation made_for_an_owner(const Setting& setting, std::uint64_t seed) {
  ReleaseRequest request = setting.request;
  request.seed = seed;
  const auto points = setting.data.points(!request.options.unit.column.empty());
  if (!setting.counts_given || request.grouping() != nullptr || request.insets() > 0) {
    return observe(private_release(*points, request).releases());
  }
  const Counts counts = quantize(*points, counted_grid(request), {.outside = request.outside, .threads = 1});
  return observe(private_release(counts, request).releases());
}

TEST(RandomAttack, MakesTheReleasesThatOwnersMake) {
  int compared = 0, automatic = 0, groups = 0, insets = 0, given = 0;
  for (std::uint64_t seed = 0; seed < (testing::quick() ? 150U : 500U); ++seed) {
    const Setting setting = random_setting(seed);
    // These differ on purpose: storage, one stage alone. Counts of units come without the key that chose their records.
    if (setting.is_past_dense_limit() || setting.medians_alone) continue;
    if (setting.counts_given && !setting.request.options.unit.column.empty()) continue;
    if (!is_planned(setting)) continue;
    const auto noise = seeded_noise_not_private(seed);
    const Observation made = release_not_private(setting, setting.data, *noise);
    EXPECT_EQ(difference(made, made_for_an_owner(setting, seed), true), "") << setting.text() << "\nseed " << seed;
    ++compared;
    automatic += setting.request.is_automatic() ? 1 : 0;
    groups += setting.request.grouping() != nullptr ? 1 : 0;
    insets += setting.request.insets() > 0 ? 1 : 0;
    given += setting.counts_given ? 1 : 0;
  }
  EXPECT_GT(compared, 50);
  for (const int seen : {automatic, groups, insets, given}) EXPECT_GT(seen, 0);
}

// Rounding that is found changes what is counted: the attacks must reach it.
TEST(RandomAttack, ReachesValuesThatAreSpread) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 3000 && found < 3; ++seed) {
    const Setting setting = random_setting(seed);
    if (!setting.request.is_automatic() || setting.request.grouping() != nullptr || setting.request.insets() > 0 ||
        !is_planned(setting))
      continue;
    const auto noise = seeded_noise_not_private(seed);
    const Observation made = release_not_private(setting, setting.data, *noise);
    found += made.release->parts().automatic->rounded.value().empty() ? 0 : 1;
  }
  EXPECT_EQ(found, 3);
}

// The first view of a profile costs nothing only if it is one with the finer view.
TEST(RandomAttack, CountsEveryViewOfAProfileThatIsNotOfOneChain) {
  const auto inner = seeded_noise_not_private(7);
  const Rate tenth{1, 10};
  const ProfileSums here{40, 3}, there{41, 3};
  const auto loss = [&](const std::function<void(Noise&, const ProfileSums&)>& ask) {
    const std::vector<std::vector<std::int64_t>> other(3, {there.begin(), there.end()});
    RecordingNoise recording(*inner, 1, &other);
    ask(recording, here);
    ReplayingNoise replaying(recording.transcript());
    ask(replaying, there);
    return static_cast<double>(recording.transcript().log_chance - replaying.log_chance());
  };
  const ProfileQuery coarse{.share = 2, .is_first = true}, fine{.share = 5};
  EXPECT_NEAR(loss([&](Noise& noise, const ProfileSums& sums) {
                const auto chain = noise.profile_queries(tenth);
                chain->at(sums, coarse);
                chain->at(sums, fine);
              }),
              0.5, 1e-9);
  EXPECT_NEAR(loss([&](Noise& noise, const ProfileSums& sums) {  // a coarser view behind the finer one
                const auto chain = noise.profile_queries(tenth);
                chain->at(sums, {.share = 5, .is_first = true});
                chain->at(sums, {.share = 2});
              }),
              0.5, 1e-9);
  EXPECT_NEAR(loss([&](Noise& noise, const ProfileSums& sums) {
                noise.profile_queries(tenth)->at(sums, coarse);
                noise.profile_queries(tenth)->at(sums, fine);
              }),
              0.7, 1e-9);
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
