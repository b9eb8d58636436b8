#include "inference/noisy_records.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "inference/laplace_law.hpp"
#include "inference/noisy_segmentation.hpp"

namespace shoal {

namespace {

// Draws that a value of W' mixes with like weights.
unsigned terms_of(const ReleaseParts& parts, const ClusterOptions& options) {
  const auto axes = static_cast<unsigned>(parts.grid.shape().pooled_axes());
  const unsigned halvings = parts.blocks_level() > 0 ? options.level - parts.blocks_level() : options.level;
  constexpr unsigned most_halvings = 10;  // 2^10 draws are as good as normal
  return 1U << std::min(most_halvings, axes * halvings);
}

}  // namespace

const NoiseLaw* law_of_values(const ReleaseParts& parts) {
  const NoisyCounts* values = parts.values();
  return values == nullptr || !values->law() ? nullptr : &*values->law();
}

std::optional<double> noise_of_sum(const ReleaseParts& parts, double count) {
  const NoiseLaw* law = law_of_values(parts);
  if (law == nullptr) return std::nullopt;
  // What a floor leaves out, or a limit raises, does not cancel in a sum.
  if (count > 1 && (law->floor > 0 || law->censored_below > 0 || !parts.values()->value().is_dense())) {
    return std::nullopt;
  }
  return draw_law(*law).half_width(count);
}

ValueNoise noise_of(const NoiseLaw& law) {
  LaplaceLaw draw = draw_law(law);
  draw.rate = std::min(draw.rate, largest_rate);
  return {draw.rate, draw.variance()};
}

ProfileNoise noise_of_profile(const NoisyProfile& profile) {
  const NoiseLaw& law = *profile.sums.law();
  const auto steps = static_cast<double>(profile.scale);
  ProfileNoise result{noise_of(law).variance / (steps * steps)};
  if (law.refined_levels == 0) return result;
  result.refined = law.refined_levels;
  NoiseLaw refined = law;
  refined.epsilon = law.refined_epsilon;
  result.refined_variance = noise_of(refined).variance;
  return result;
}

Values<double> in_records(const Transformed& w, double record, unsigned threads) {
  return w.visit([&](const auto& cells) {
    Values<double> values(cells.stored());
    constexpr std::uint64_t cells_a_part = std::uint64_t{1} << 16;
    const std::uint64_t parts = values.size() / cells_a_part + 1;
    parallel_stretches(values.size(), parts, threads, [&](std::uint64_t begin, std::uint64_t end) {
      const auto* const stored = cells.values().data();
      for (std::uint64_t i = begin; i < end; ++i) values[i] = static_cast<double>(stored[i]) / record;
    });
    return values;
  });
}

std::optional<NoiseOfW> noise_of_w(const ReleaseParts& parts, const ClusterOptions& options) {
  const NoiseLaw* law = law_of_values(parts);
  if (law == nullptr) return std::nullopt;
  NoiseOfW result;
  const NoisePlace place = parts.blocks_level() > 0 ? NoisePlace::sums : NoisePlace::counts;
  result.scale = value_scale(parts.grid.shape(), options, place);
  result.terms = terms_of(parts, options);
  const ValueNoise draw = noise_of(*law);
  const double gain = place == NoisePlace::sums ? result.terms : result.scale.gain;
  result.noise = result.terms == 1 && gain == 1 ? draw : noise_of_variance(draw.variance * gain);
  result.noise.censored_below = static_cast<double>(parts.censored_below());
  return result;
}

std::optional<NoisyRecords> noisy_records_of_w(const ReleaseParts& parts, const ClusterOptions& options) {
  const std::optional<NoiseOfW> noise = noise_of_w(parts, options);
  if (!noise || !parts.values()->value().is_dense()) return std::nullopt;
  const Transformed w = transformed_noisy(parts, options);
  NoisyRecords result{*noise, w.shape(), {}, false};
  result.values = in_records(w, result.scale.record, options.threads);
  result.whole = w.is_haar() && result.scale.record == 1 && !parts.unit.share;
  return result;
}

}  // namespace shoal
