// The law of one draw of noise, against the probabilities themselves.
#include "inference/laplace_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "inference/change_test.hpp"

namespace shoal {
namespace {

constexpr double rates[] = {0.1, 0.5, 1, 5, 20};

// P(X = k).
double chance(const LaplaceLaw& law, int k) {
  const double q = std::exp(-law.rate), decay = std::pow(q, std::abs(k));
  if (!law.rounded) return (1 - q) / (1 + q) * decay;
  if (k == 0) return 1 - (1 - q) / law.rate;
  return (std::cosh(law.rate) - 1) / law.rate * decay;
}

int far(const LaplaceLaw& law) { return static_cast<int>(40 / law.rate) + 5; }

template <class Claim>
void of_all_laws(const Claim& claim) {
  for (const double rate : rates) {
    for (const bool rounded : {false, true}) {
      SCOPED_TRACE(testing::Message() << rate << (rounded ? " rounded" : ""));
      claim(LaplaceLaw{rate, rounded});
    }
  }
}

TEST(LaplaceLaw, ItsVarianceIsThatOfItsProbabilities) {
  of_all_laws([](const LaplaceLaw& law) {
    double all = 0, variance = 0;
    for (int k = -far(law); k <= far(law); ++k) {
      all += chance(law, k);
      variance += k * k * chance(law, k);
    }
    EXPECT_NEAR(all, 1, 1e-12);
    EXPECT_NEAR(law.variance() / variance, 1, 1e-9);
  });
}

TEST(LaplaceLaw, ItsTailsAreSumsOfProbabilitiesAndHaveAnInverse) {
  of_all_laws([](const LaplaceLaw& law) {
    for (const int from : {1, 2, 7}) {
      double tail = 0;
      for (int k = from; k <= from + far(law); ++k) tail += chance(law, k);
      EXPECT_NEAR(law.tail(from) / tail, 1, 1e-9);
      EXPECT_NEAR(law.value_of_tail(tail), from, 1e-9);
    }
  });
  EXPECT_NEAR(LaplaceLaw{1}.tail(0), 1 / (1 + std::exp(-1.0)), 1e-15);
}

TEST(LaplaceLaw, TheChanceOfZeroIsThatOfASumOfDraws) {
  of_all_laws([](const LaplaceLaw& law) {
    EXPECT_NEAR(law.chance_of_zero(1), chance(law, 0), 1e-9);
    double two = 0;
    for (int k = -far(law); k <= far(law); ++k) two += chance(law, k) * chance(law, k);
    EXPECT_NEAR(law.chance_of_zero(2), two, 1e-9);
  });
}

TEST(LaplaceLaw, ItsCumulantsAreThoseOfItsProbabilities) {
  of_all_laws([](const LaplaceLaw& law) {
    for (const double share : {-0.6, 0.0, 0.3}) {
      const double s = share * std::min(law.rate, 3.0);
      double moment = 0, first = 0, second = 0;
      for (int k = -3 * far(law); k <= 3 * far(law); ++k) {
        const double weight = chance(law, k) * std::exp(s * k);
        moment += weight;
        first += k * weight;
        second += k * k * weight;
      }
      const Cumulants of = law.cumulants(s);
      EXPECT_NEAR(of.value, std::log(moment), 1e-8);
      EXPECT_NEAR(of.first, first / moment, 1e-7 * (1 + std::fabs(first)));
      EXPECT_NEAR(of.second / (second / moment - first / moment * first / moment), 1, 1e-6);
    }
    EXPECT_NEAR(law.cumulants(0).second / law.variance(), 1, 1e-9);
  });
}

TEST(LaplaceLaw, OfSharesIsRounded) {
  const NoiseLaw records{.epsilon = Epsilon::parse("2"), .sensitivity = 4};
  EXPECT_EQ(draw_law(records).rate, 0.5);
  EXPECT_FALSE(draw_law(records).rounded);
  NoiseLaw shares = records;
  shares.parts_per_unit = 65536;
  EXPECT_TRUE(draw_law(shares).rounded);
}

// 1.18 times at rate 1 and 15 times at rate 5: what a comparison of shares would leave out without the rounding.
TEST(LaplaceLaw, RoundingNoiseCountsInADifference) {
  for (const auto& [rate, factor] : {std::pair(1.0, 1.175), std::pair(5.0, 14.86)}) {
    const DifferenceLaw shares{{{rate, true}, 3}, {{rate, true}, 3}, 1}, records{{{rate}, 3}, {{rate}, 3}, 1};
    EXPECT_NEAR(shares.noise_variance() / records.noise_variance(), factor, 0.01 * factor);
  }
}

TEST(ReachOfNoise, IsExactForFewDraws) {
  const double scale = 3, variance = 2 * scale * scale;
  EXPECT_NEAR(reach_of_noise(variance, 1), scale * std::log(20), 1e-9);
  EXPECT_NEAR(reach_of_noise(variance, 1, 0.001), scale * std::log(1000), 1e-9);
  for (const double outside : {0.2, 0.05, 0.0001}) {
    const double x = reach_of_noise(variance, 2, outside) / scale;  // of two draws: exp(-x) (1 + x / 2)
    EXPECT_NEAR(std::exp(-x) * (1 + x / 2), outside, 1e-9);
    // The normal distribution with its correction takes over where it is as good.
    EXPECT_NEAR(reach_of_noise(variance, 33, outside) / reach_of_noise(variance, 32, outside), std::sqrt(33.0 / 32),
                0.01);
  }
}

// Adds up all probabilities of the difference of two noisy counts of a cell, or of several cells.
class ExactDifference {
 public:
  ExactDifference(const DifferenceLaw& law, double records) {
    for (const DifferenceLaw::Noise& noise : {law.before, law.after}) {
      for (int draw = 0; draw < noise.draws; ++draw) add([&](int k) { return chance(noise.law, k); }, far(noise.law));
    }
    const double units = records / law.weight;
    const int most = static_cast<int>(units + 12 * std::sqrt(units) + 40), each = static_cast<int>(law.weight);
    for (const int sign : {1, -1}) {
      add(
          [&](int k) {
            const int n = sign * k;
            if (n < 0 || n % each != 0) return 0.0;
            const int of = n / each;
            return units > 0 ? std::exp(of * std::log(units) - units - std::lgamma(of + 1)) : of == 0 ? 1.0 : 0.0;
          },
          most * each);
    }
  }
  // P(|sum| > reach).
  [[nodiscard]] double beyond(double reach) const {
    const int middle = static_cast<int>(chance_.size() / 2);
    double all = 0;
    for (int k = 0; k < static_cast<int>(chance_.size()); ++k) {
      if (std::abs(k - middle) > reach) all += chance_[k];
    }
    return all;
  }

 private:
  template <class Chance>
  void add(const Chance& of, int reach) {
    std::vector<double> sum(chance_.size() + 2 * reach, 0);
    for (int k = -reach; k <= reach; ++k) {
      const double weight = of(k);
      if (weight < 1e-18) continue;
      for (std::size_t i = 0; i < chance_.size(); ++i) sum[i + k + reach] += weight * chance_[i];
    }
    chance_ = std::move(sum);
  }
  std::vector<double> chance_{1};
};

// 1.96 deviations would miss 5.9 % of the differences of one cell with little sampling error.
TEST(DifferenceReach, MissesAtMostOneInTwentyAndNoFewerThanItMust) {
  for (const double rate : {0.1, 1.0, 10.0}) {
    for (const double other : {rate, 3 * rate}) {
      for (const bool rounded : {false, true}) {
        for (const int draws : {1, 4}) {
          for (const double records : {0.0, 3.0, 200.0}) {
            for (const double weight : {1.0, 3.0}) {
              const DifferenceLaw law{{{rate, rounded}, 1.0 * draws}, {{other, rounded}, 1.0 * draws}, weight};
              const WeightedCell cell{1, records};
              const double reach = difference_reach(law, {&cell, 1});
              SCOPED_TRACE(testing::Message() << rate << " " << other << " rounded " << rounded << " draws " << draws
                                              << " records " << records << " weight " << weight << " reach " << reach);
              const ExactDifference exact(law, records);
              EXPECT_LE(exact.beyond(std::ceil(reach)), weight == 1 ? 0.0505 : 0.052);  // units come in steps
              // One less would miss more, up to the steps in which the units count.
              EXPECT_GE(exact.beyond(std::ceil(reach) - 1 - weight), 0.0495);
            }
          }
        }
      }
    }
  }
}

TEST(DifferenceReach, OfOneCellIsWiderThanTheNormalLawSays) {
  const DifferenceLaw law{{{0.1}, 1}, {{0.1}, 1}, 1};
  const WeightedCell cell{1, 0};
  const ExactDifference exact(law, 0);
  const double normal = 1.96 * std::sqrt(law.noise_variance());
  EXPECT_GT(exact.beyond(normal), 0.055);
  EXPECT_LE(exact.beyond(difference_reach(law, {&cell, 1})), 0.0505);
}

}  // namespace
}  // namespace shoal
