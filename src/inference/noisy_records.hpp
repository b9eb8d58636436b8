// The values of W' in records, and their noise, computed from noised and public values only.
#pragma once

#include <optional>
#include <vector>

#include "inference/privwave_noise.hpp"
#include "inference/privwave_profile.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// Returns the law of the noisy values. Null if the release holds none, or if their noise has no such law (baseline,
// whose values count synthetic points).
const NoiseLaw* law_of_values(const ReleaseParts& parts);
// Returns half the width of the interval that holds the noise of the sum of `count` values in 95 of 100 draws. None if
// it has no such law.
std::optional<double> noise_of_sum(const ReleaseParts& parts, double count);
// Returns the noise of one draw.
ValueNoise noise_of(const NoiseLaw& law);
// Returns the noise of the profile, in records. The profile must state its law.
ProfileNoise noise_of_profile(const NoisyProfile& profile);

Values<double> in_records(const Transformed& w, double record, unsigned threads);

// The distribution of the noise of a value of W', in records.
struct NoiseOfW {
  ValueNoise noise{};
  unsigned terms = 1;  // number of independent draws whose sum is the noise of a value
  ValueScale scale{};
};
// Returns nothing if the release holds no noisy values, or if their noise is unknown.
std::optional<NoiseOfW> noise_of_w(const ReleaseParts& parts, const ClusterOptions& options);

struct NoisyRecords : NoiseOfW {
  Shape shape;
  Values<double> values;  // one per cell of W'
  bool whole = false;     // whether the values are whole numbers apart from the noise
};

// Returns nothing if the release does not hold all noisy values, or if their noise is unknown.
std::optional<NoisyRecords> noisy_records_of_w(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
