#include "privacy/base_measure.hpp"

#include <gtest/gtest.h>

#include "shoal/error.hpp"

namespace shoal {
namespace {

// Every x owns the masses from up_to(x - 1) to below up_to(x), for both bases and any shift.
TEST(Measure, MassesAndThresholdsBelongToEachOther) {
  for (const BaseMeasure base : {BaseMeasure::uniform, BaseMeasure::logarithmic}) {
    for (const std::uint64_t shift : {0U, 1U, 3U, 5U, 63U}) {
      for (const std::uint64_t max : {1U, 2U, 3U, 64U, 100U}) {
        const Measure measure(base, max, shift);
        ASSERT_EQ(measure.up_to(0), 0U);
        for (std::uint64_t x = 1; x <= max; ++x) {
          ASSERT_LT(measure.up_to(x - 1), measure.up_to(x));
          for (std::uint64_t mass = measure.up_to(x - 1); mass < measure.up_to(x); ++mass) {
            ASSERT_EQ(measure.at(mass), x) << "max " << max << " shift " << shift;
          }
        }
      }
    }
  }
}

TEST(Measure, LogarithmicGivesEveryOctaveOfTheShiftedThresholdTheSameMass) {
  const std::uint64_t shift = 63;
  const Measure measure(BaseMeasure::logarithmic, (1U << 20) - 1 - shift, shift);
  const std::uint64_t first = measure.up_to(127 - shift);  // x + shift in [64, 128)
  for (unsigned k = 7; k < 20; ++k) {
    const std::uint64_t below = (std::uint64_t{1} << k) - 1 - shift;
    const std::uint64_t last = (std::uint64_t{1} << (k + 1)) - 1 - shift;
    EXPECT_EQ(measure.up_to(last) - measure.up_to(below), first) << "octave " << k;
  }
}

TEST(Measure, LargestThresholdOutOfRangeIsRefused) {
  const std::uint64_t largest = std::uint64_t{1} << 56;
  EXPECT_NO_THROW(Measure(BaseMeasure::logarithmic, largest));
  EXPECT_THROW(Measure(BaseMeasure::logarithmic, largest, 1), InputError);
  EXPECT_THROW(Measure(BaseMeasure::logarithmic, largest + 1), InputError);
  EXPECT_THROW(Measure(BaseMeasure::uniform, 0), InputError);
  EXPECT_NO_THROW(Measure(BaseMeasure::uniform, largest, 1));
}

}  // namespace
}  // namespace shoal
