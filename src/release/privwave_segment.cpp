#include "release/privwave_segment.hpp"

#include <algorithm>

#include "release/noisy_records.hpp"
#include "release/privwave_noise.hpp"
#include "release/privwave_profile.hpp"
#include "release/privwave_select.hpp"

namespace shoal {

namespace {

// How many of the largest values hold wanted / 100.
std::uint64_t covering_count_of(const Transformed& w, double wanted) {
  const auto count = [wanted](const auto& cells) -> std::uint64_t {
    double positive = 0;
    for (const auto value : cells.values()) positive += value > 0 ? static_cast<double>(value) : 0;
    if (!(wanted > 0 && positive > 0)) return 0;
    return significant_cells(cells, {.rule = ThresholdRule::coverage, .coverage = std::min(100.0, wanted / positive)})
        .k;
  };
  return w.sums ? count(*w.sums) : count(*w.values);
}

}  // namespace

bool can_use_profile(const ReleaseParts& parts) {
  const std::optional<NoisyCounts>& values = parts.noisy_sums ? parts.noisy_sums : parts.noisy_counts;
  return values && values->value().is_dense() && spent_on(parts, profile_mechanism) != nullptr &&
         spent_on_values(parts) != nullptr;
}

NoisySegmentation segment_by_profile(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options) {
  const Shape& shape = w.sums ? w.sums->shape() : w.values->shape();
  const std::uint64_t cells = cell_count(shape);
  const NoisePlace place = parts.noisy_sums ? NoisePlace::sums : NoisePlace::counts;
  const ValueScale scale = value_scale(parts.grid.shape(), options, place);
  const ValueNoise draw = noise_bought(*spent_on_values(parts));
  const ValueNoise noise = place == NoisePlace::sums ? draw : noise_of_variance(draw.variance * scale.gain);

  const double steps = static_cast<double>(parts.profile->scale);
  const double profile_variance = noise_bought(*spent_on(parts, profile_mechanism)).variance / (steps * steps);
  const FilteredProfile profile = filter_profile(parts.profile->sums.value(), steps, profile_variance);
  const Survival survival(profile.mean, cells);
  CountEstimate estimate = estimate_count(profile, survival, options.threshold);
  if (options.threshold.rule == ThresholdRule::coverage && is_clear(estimate, noise)) {
    const double wanted = options.threshold.coverage * profile.above[0] * scale.record;
    estimate = combined(estimate, covering_count_of(w, wanted), survival, noise);
  }
  CellsToKeep kept = cells_to_keep(profile, cells, options.threshold, estimate, noise, w.sums.has_value());
  if (options.threshold.rule == ThresholdRule::coverage && w.sums && is_negligible(noise)) {
    const std::uint64_t k = significant_cells(*w.sums, options.threshold).k;
    kept = {k, k, 0, true};
  }

  NoisySegmentation result;
  result.k = kept.k;
  result.source = KSource::profile;
  SelectedCells selected;
  if (kept.k > 0) selected = select_cells(shape, in_records(w, scale.record), noise, kept, options.adjacency);
  result.clusters = connect(shape, selected.cells, options.adjacency, options.min_cells);
  result.threshold = selected.threshold * scale.threshold;
  return result;
}

}  // namespace shoal
