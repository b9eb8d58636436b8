// The values of W' in records, and their noise, from public parameters alone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "inference/privwave_noise.hpp"
#include "inference/privwave_profile.hpp"
#include "shoal/release.hpp"

namespace shoal {

// What was spent on a mechanism; null when `spent` does not list it.
const Spent* spent_on(const ReleaseParts& parts, std::string_view mechanism);
// On the noisy counts or sums; null when they have no mechanism of their own (baseline's are of synthetic points).
const Spent* spent_on_values(const ReleaseParts& parts);
// The noise that a mechanism adds to each of its answers.
ValueNoise noise_bought(const Spent& spent);

// The noise of the release's profile.
ProfileNoise noise_of_profile(const ReleaseParts& parts);

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
