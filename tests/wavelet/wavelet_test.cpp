#include "shoal/wavelet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "shoal/error.hpp"

namespace shoal {
namespace {

// Sum over k of a[k] b[k + shift].
double correlation(const std::vector<double>& a, const std::vector<double>& b, std::ptrdiff_t shift) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto at = static_cast<std::ptrdiff_t>(k) + shift;
    if (at >= 0 && at < static_cast<std::ptrdiff_t>(b.size())) sum += a[k] * b[static_cast<std::size_t>(at)];
  }
  return sum;
}

bool is_orthogonal_family(const std::string& name) { return !name.starts_with("bior") && !name.starts_with("rbio"); }

TEST(Wavelet, EveryFilterSumsToSqrtTwo) {
  for (const std::string& name : Wavelet::names()) {
    double sum = 0;
    const Wavelet wavelet = Wavelet::named(name);
    for (const double weight : wavelet.low_pass()) sum += weight;
    EXPECT_NEAR(sum, std::sqrt(2.0), 1e-11) << name;
  }
}

TEST(Wavelet, OrthogonalFiltersAreOrthonormalToTheirEvenShifts) {
  for (const std::string& name : Wavelet::names()) {
    if (!is_orthogonal_family(name)) continue;
    const std::vector<double> taps = Wavelet::named(name).low_pass();
    for (std::ptrdiff_t shift = 0; shift < static_cast<std::ptrdiff_t>(taps.size()); shift += 2) {
      EXPECT_NEAR(correlation(taps, taps, shift), shift == 0 ? 1.0 : 0.0, 1e-10) << name << " shift " << shift;
    }
  }
}

TEST(Wavelet, BiorthogonalPairsAreDual) {
  for (const std::string& name : Wavelet::names()) {
    if (!name.starts_with("bior")) continue;
    const std::vector<double> analysis = Wavelet::named(name).low_pass();
    const std::vector<double> dual = Wavelet::named("rbio" + name.substr(4)).low_pass();
    const auto length = static_cast<std::ptrdiff_t>(analysis.size());
    // Where the dual sits relative to the filter: at their largest correlation.
    double peak = 0;
    std::ptrdiff_t home = 0;
    for (std::ptrdiff_t shift = -length; shift <= length; ++shift) {
      const double value = std::fabs(correlation(analysis, dual, shift));
      if (value > peak) {
        peak = value;
        home = shift;
      }
    }
    for (std::ptrdiff_t shift = -length; shift <= length; shift += 2) {
      EXPECT_NEAR(correlation(analysis, dual, home + shift), shift == 0 ? 1.0 : 0.0, 1e-9)
          << name << " shift " << shift;
    }
  }
}

TEST(Wavelet, DaubechiesAndSymletsHaveTheirVanishingMoments) {
  for (const std::string& name : Wavelet::names()) {
    const bool family = name.starts_with("db") || name.starts_with("sym");
    if (!family) continue;
    const unsigned order = static_cast<unsigned>(std::stoul(name.substr(name.starts_with("db") ? 2 : 3)));
    const std::vector<double> taps = Wavelet::named(name).low_pass();
    const auto length = static_cast<double>(taps.size());
    for (unsigned moment = 0; moment < std::min(order, 6U); ++moment) {
      double sum = 0;
      for (std::size_t k = 0; k < taps.size(); ++k) {
        sum += (k % 2 == 0 ? 1 : -1) * taps[k] * std::pow(static_cast<double>(k) / length, moment);
      }
      EXPECT_NEAR(sum, 0, 1e-9) << name << " moment " << moment;
    }
  }
}

TEST(Wavelet, HaarIsKnownUnderAllItsNames) {
  std::vector<std::string> haar;
  for (const std::string& name : Wavelet::names()) {
    if (Wavelet::named(name).is_haar()) haar.push_back(name);
  }
  EXPECT_EQ(haar, (std::vector<std::string>{"haar", "db1", "bior1.1", "rbio1.1", "rbio1.3", "rbio1.5"}));
}

TEST(Wavelet, OnlyHaarAndTheSplinesAreNonnegative) {
  std::vector<std::string> nonnegative;
  for (const std::string& name : Wavelet::names()) {
    if (Wavelet::named(name).is_nonnegative()) nonnegative.push_back(name);
  }
  EXPECT_EQ(nonnegative,
            (std::vector<std::string>{"haar", "db1", "bior1.1", "rbio1.1", "rbio1.3", "rbio1.5", "rbio2.2", "rbio2.4",
                                      "rbio2.6", "rbio2.8", "rbio3.1", "rbio3.3", "rbio3.5", "rbio3.7", "rbio3.9"}));
}

TEST(Wavelet, UnknownNameIsRefusedWithTheChoices) {
  for (const char* name : {"", "db0", "db21", "Haar", "bior2.3", "coif6", "sym1"}) {
    try {
      static_cast<void>(Wavelet::named(name));
      FAIL() << name;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("db1 to db20"), std::string::npos) << message;
      EXPECT_NE(message.find("2.2"), std::string::npos) << message;
    }
  }
}

TEST(Reach, HaarTouchesOneOutputHoweverManyLevels) {
  const Wavelet haar = Wavelet::named("haar");
  for (const std::uint64_t size : {1U, 2U, 3U, 7U, 64U, 1000U, 4097U}) {
    for (unsigned level = 1; level <= 5; ++level) {
      EXPECT_EQ(haar.reach(size, level, Transform::decimated).outputs, 1U) << size << " level " << level;
    }
  }
}

TEST(Reach, OddSizeDoublesTheLastValuesWeight) {
  const Wavelet haar = Wavelet::named("haar");
  EXPECT_NEAR(haar.reach(8, 1, Transform::decimated).l1, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(haar.reach(7, 1, Transform::decimated).l1, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(haar.reach(5, 2, Transform::decimated).l1, 2.0, 1e-15);  // 5 -> 3 -> 2: the last is doubled twice
}

TEST(Reach, StationaryHaarTouchesItsWindowOrTheWholeAxis) {
  const Wavelet haar = Wavelet::named("haar");
  for (unsigned level = 1; level <= 4; ++level) {
    EXPECT_EQ(haar.reach(100, level, Transform::stationary).outputs, std::uint64_t{1} << level);
    EXPECT_EQ(haar.reach(3, level, Transform::stationary).outputs,
              std::min<std::uint64_t>(3, std::uint64_t{1} << level));
  }
}

TEST(Reach, LongAxesCostNoMoreThanTheirFilter) {
  const Reach reach = Wavelet::named("db20").reach(std::uint64_t{1} << 31, 3, Transform::decimated);
  EXPECT_EQ(reach.outputs, Wavelet::named("db20").reach(std::uint64_t{1} << 11, 3, Transform::decimated).outputs);
}

TEST(Reach, BadLevelsAndSizesAreRefused) {
  const Wavelet haar = Wavelet::named("haar");
  EXPECT_THROW(static_cast<void>(haar.reach(8, 0, Transform::decimated)), InputError);
  EXPECT_THROW(static_cast<void>(haar.reach(8, 61, Transform::decimated)), InputError);
  EXPECT_THROW(static_cast<void>(haar.reach(0, 1, Transform::decimated)), InputError);
  EXPECT_THROW(static_cast<void>(Wavelet::named("db20").reach(std::uint64_t{1} << 31, 25, Transform::decimated)),
               InputError);
}

TEST(TouchedOutputs, IsTheProductOverTheAxes) {
  const Wavelet bior = Wavelet::named("bior2.2");
  const std::uint64_t a = bior.reach(33, 2, Transform::decimated).outputs;
  const std::uint64_t b = bior.reach(64, 2, Transform::decimated).outputs;
  EXPECT_EQ(touched_outputs(bior, {33, 64}, 2, Transform::decimated), a * b);
}

TEST(TouchedOutputs, OverflowIsRefused) {
  EXPECT_THROW(static_cast<void>(touched_outputs(Wavelet::named("db20"), Shape(16, 4096), 1, Transform::stationary)),
               InputError);
}

TEST(TransformedShape, HalvesUpwardsOrStays) {
  EXPECT_EQ(transformed_shape({5, 8, 1}, 1, Transform::decimated), (Shape{3, 4, 1}));
  EXPECT_EQ(transformed_shape({5, 8, 1}, 3, Transform::decimated), (Shape{1, 1, 1}));
  EXPECT_EQ(transformed_shape({5, 8, 1}, 3, Transform::stationary), (Shape{5, 8, 1}));
  EXPECT_THROW(static_cast<void>(transformed_shape({5}, 0, Transform::decimated)), InputError);
}

}  // namespace
}  // namespace shoal
