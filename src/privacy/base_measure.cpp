#include "privacy/base_measure.hpp"

#include <fmt/format.h>

#include <bit>

#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::uint64_t largest_max = std::uint64_t{1} << 56;  // 57 octaves of 2^56 stay below 2^62
unsigned octave(std::uint64_t x) { return static_cast<unsigned>(std::bit_width(x)) - 1; }
}  // namespace

Measure::Measure(BaseMeasure base, std::uint64_t max, std::uint64_t shift)
    : base_(base), max_(max), shift_(base == BaseMeasure::uniform ? 0 : shift) {
  if (max < 1 || max > largest_max || shift_ > largest_max - max) {
    throw InputError(fmt::format("the largest threshold is {}; choose 1 to {}", max, largest_max - shift_));
  }
  top_octave_ = octave(max + shift_);
}

// Returns the measure of {1, ..., y} without a shift.
std::uint64_t Measure::octaves_up_to(std::uint64_t y) const noexcept {
  if (y == 0) return 0;
  const unsigned k = octave(y);
  const std::uint64_t in_octave = y - (std::uint64_t{1} << k) + 1;
  return (std::uint64_t{k} << top_octave_) + (in_octave << (top_octave_ - k));
}

std::uint64_t Measure::up_to(std::uint64_t x) const noexcept {
  return base_ == BaseMeasure::uniform ? x : octaves_up_to(x + shift_) - octaves_up_to(shift_);
}

std::uint64_t Measure::at(std::uint64_t mass) const noexcept {
  if (base_ == BaseMeasure::uniform) return mass + 1;
  const std::uint64_t from_one = mass + octaves_up_to(shift_);
  const auto k = static_cast<unsigned>(from_one >> top_octave_);
  const std::uint64_t in_octave = from_one - (std::uint64_t{k} << top_octave_);
  return (std::uint64_t{1} << k) + (in_octave >> (top_octave_ - k)) - shift_;
}

}  // namespace shoal
