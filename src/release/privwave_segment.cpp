#include "release/privwave_segment.hpp"

#include "release/noisy_records.hpp"
#include "release/privwave_noise.hpp"
#include "release/privwave_profile.hpp"
#include "release/privwave_select.hpp"

namespace shoal {

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
  const CellsToKeep kept = cells_to_keep(profile, cells, options.threshold.percentile, noise, w.sums.has_value());

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
