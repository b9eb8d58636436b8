// Random numbers that are the same on every machine, for the example sets. Not for privacy.
#pragma once

#include <cstdint>

namespace shoal {

// SplitMix64 (Steele, Lea, Flood 2014). Every (seed, stream) gives numbers of its own.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream)
      : state_(mix(mix(seed + golden) ^ mix(stream ^ 0x5851F42D4C957F2D))) {}

  std::uint64_t next() { return mix(state_ += golden); }
  // In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }
  // In [0, bound); the bias of 2^-64 * bound does not matter here.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(bound));
  }
  // Standard normal, by Marsaglia's polar method.
  double normal();

 private:
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

// The C library's functions differ in their last bits from one system to the next; these are made of operations that
// IEEE 754 fixes. Good to about 1e-15.
double portable_log(double x);  // x > 0, finite
struct SineCosine {
  double sine, cosine;
};
SineCosine portable_turn(double turns);  // of the angle 2 pi turns; |turns| < 1e6

}  // namespace shoal
