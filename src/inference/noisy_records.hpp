// The values of W' in records, and their noise, from public parameters alone.
#pragma once

#include <optional>
#include <vector>

#include "inference/privwave_noise.hpp"
#include "inference/privwave_profile.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// Of the noisy values; null when the release holds none, or their noise has no law of its own (baseline's are of
// synthetic points).
const NoiseLaw* law_of_values(const ReleaseParts& parts);
// The noise of one draw.
ValueNoise noise_of(const NoiseLaw& law);
// In records. The profile's law is known.
ProfileNoise noise_of_profile(const NoisyProfile& profile);

std::vector<double> in_records(const Transformed& w, double record);

// How the noise of a value of W' is spread, in records.
struct NoiseOfW {
  ValueNoise noise{};
  unsigned terms = 1;  // independent draws that the noise of a value is the sum of; many: it is near normal
  ValueScale scale{};
};
// None when the release holds no noisy values, or their noise is not known.
std::optional<NoiseOfW> noise_of_w(const ReleaseParts& parts, const ClusterOptions& options);

struct NoisyRecords : NoiseOfW {
  Shape shape;
  std::vector<double> values;  // one a cell of W'
  bool whole = false;          // without the noise they would be whole numbers
};

// None when the release holds no noisy values, or not all of them, or their noise is not known.
std::optional<NoisyRecords> noisy_records_of_w(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
