#include "inference/noisy_records.hpp"

#include <algorithm>

#include "inference/noisy_segmentation.hpp"
#include "inference/privwave_segment.hpp"

namespace shoal {

namespace {

// Draws that a value of W' mixes with like weights.
unsigned terms_of(const ReleaseParts& parts, const ClusterOptions& options) {
  const auto dimensions = static_cast<unsigned>(parts.grid.dimensions());
  const unsigned halvings = parts.noisy_sums ? options.level - parts.sums_level : options.level;
  constexpr unsigned many = 10;  // 2^10 draws are as good as normal
  return 1U << std::min(many, dimensions * halvings);
}

}  // namespace

const Spent* spent_on(const ReleaseParts& parts, std::string_view mechanism) {
  for (const Spent& spent : parts.spent) {
    if (spent.mechanism == mechanism) return &spent;
  }
  return nullptr;
}

const Spent* spent_on_values(const ReleaseParts& parts) {
  return spent_on(parts, parts.noisy_sums ? sums_mechanism : counts_mechanism);
}

ValueNoise noise_bought(const Spent& spent) {
  return laplace_noise(spent.epsilon.value() / static_cast<double>(spent.sensitivity));
}

ProfileNoise noise_of_profile(const ReleaseParts& parts) {
  const Spent& spent = *spent_on(parts, profile_mechanism);
  const auto steps = static_cast<double>(parts.profile->scale);
  ProfileNoise result{noise_bought(spent).variance / (steps * steps)};
  if (parts.lowest == 0) return result;
  const std::uint64_t units = spent.epsilon.units() + spent_on_values(parts)->epsilon.units();
  result.refined = lift_of(parts.lowest);
  result.refined_variance = noise_bought({{}, spent.sensitivity, Epsilon::from_units(units / 10 * 10)}).variance;
  return result;
}

std::vector<double> in_records(const Transformed& w, double record) {
  std::vector<double> values;
  const auto take = [&](const auto& cells) {
    values.reserve(cells.stored());
    for (const auto value : cells.values()) values.push_back(static_cast<double>(value) / record);
  };
  if (w.sums) {
    take(*w.sums);
  } else {
    take(*w.values);
  }
  return values;
}

std::optional<NoiseOfW> noise_of_w(const ReleaseParts& parts, const ClusterOptions& options) {
  const Spent* spent = spent_on_values(parts);
  if ((!parts.noisy_sums && !parts.noisy_counts) || spent == nullptr) return std::nullopt;
  NoiseOfW result;
  const NoisePlace place = parts.noisy_sums ? NoisePlace::sums : NoisePlace::counts;
  result.scale = value_scale(parts.grid.shape(), options, place);
  result.terms = terms_of(parts, options);
  const ValueNoise draw = noise_bought(*spent);
  const double gain = place == NoisePlace::sums ? result.terms : result.scale.gain;
  result.noise = result.terms == 1 && gain == 1 ? draw : noise_of_variance(draw.variance * gain);
  result.noise.lowest = static_cast<double>(parts.lowest);
  return result;
}

std::optional<NoisyRecords> noisy_records_of_w(const ReleaseParts& parts, const ClusterOptions& options) {
  const std::optional<NoiseOfW> noise = noise_of_w(parts, options);
  if (!noise || !(parts.noisy_sums ? parts.noisy_sums : parts.noisy_counts)->value().is_dense()) return std::nullopt;
  const Transformed w = transformed_noisy(parts, options);
  NoisyRecords result{*noise, w.sums ? w.sums->shape() : w.values->shape(), {}, false};
  result.values = in_records(w, result.scale.record);
  result.whole = w.sums.has_value() && result.scale.record == 1;
  return result;
}

}  // namespace shoal
