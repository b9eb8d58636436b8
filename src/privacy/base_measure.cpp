#include "privacy/base_measure.hpp"

#include <fmt/format.h>

#include <bit>

#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::uint64_t largest_max = std::uint64_t{1} << 56;  // 57 octaves of 2^56 stay below 2^62
unsigned octave(std::uint64_t x) { return static_cast<unsigned>(std::bit_width(x)) - 1; }
}  // namespace

Measure::Measure(BaseMeasure base, std::uint64_t max) : base_(base), max_(max) {
  if (max < 1 || max > largest_max) {
    throw InputError(fmt::format("the largest threshold is {}; choose 1 to {}", max, largest_max));
  }
  top_octave_ = octave(max);
}

std::uint64_t Measure::up_to(std::uint64_t x) const noexcept {
  if (base_ == BaseMeasure::uniform || x == 0) return x;
  const unsigned k = octave(x);
  const std::uint64_t in_octave = x - (std::uint64_t{1} << k) + 1;
  return (std::uint64_t{k} << top_octave_) + (in_octave << (top_octave_ - k));
}

std::uint64_t Measure::at(std::uint64_t mass) const noexcept {
  if (base_ == BaseMeasure::uniform) return mass + 1;
  const auto k = static_cast<unsigned>(mass >> top_octave_);
  const std::uint64_t in_octave = mass - (std::uint64_t{k} << top_octave_);
  return (std::uint64_t{1} << k) + (in_octave >> (top_octave_ - k));
}

}  // namespace shoal
