#include "release/privwave_segment.hpp"

#include <algorithm>

#include "release/floor.hpp"
#include "release/noisy_records.hpp"
#include "release/privwave_empty.hpp"
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

// Of the values that reach the floor the k largest, or all of them; and of these the
// clusters that hold more than noise.
Clusters clusters_from_floor(const Cells<std::int64_t>& values, const CellsToKeep& kept, const ValueNoise& noise,
                             const ClusterOptions& options) {
  if (kept.k == 0) return connect(values.shape(), {}, options.adjacency, options.min_cells);
  ThresholdOptions rule;
  rule.rule = ThresholdRule::top;
  rule.top = kept.k;
  const Significant<std::int64_t> significant = significant_cells(values, rule);
  const Clusters all = connect(values.shape(), significant.cells, options.adjacency, options.min_cells);
  return clear_of_noise(all, values, noise.rate, options.adjacency, options.min_cells);
}

// 0 when there is no cluster.
std::int64_t least_clustered(const Clusters& clusters, const Cells<std::int64_t>& values) {
  std::int64_t least = 0;
  std::size_t at = 0;
  for (const std::uint64_t cell : clusters.cells()) {
    while (values.index_of(at) < cell) ++at;
    least = least == 0 ? values.values()[at] : std::min(least, values.values()[at]);
  }
  return least;
}

}  // namespace

bool can_use_profile(const ReleaseParts& parts) {
  const std::optional<NoisyCounts>& values = parts.noisy_sums ? parts.noisy_sums : parts.noisy_counts;
  return values && (values->value().is_dense() || parts.floor) && spent_on(parts, profile_mechanism) != nullptr &&
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
  FilteredProfile profile = filter_profile(parts.profile->sums.value(), steps, profile_variance);
  std::vector<double> records;
  if (!parts.floor) records = in_records(w, scale.record);
  if (!parts.floor && w.sums && options.threshold.rule == ThresholdRule::percentile) {
    const PositiveCells positive = positive_cells(profile, records, noise);
    profile.mean[0] = positive.count;
    profile.deviation = positive.deviation;
  }
  const Survival survival(profile.mean, cells);
  CountEstimate estimate = estimate_count(profile, survival, options.threshold);
  if (!parts.floor && options.threshold.rule == ThresholdRule::coverage && is_clear(estimate, noise)) {
    const double wanted = options.threshold.coverage * profile.above[0] * scale.record;
    estimate = combined(estimate, covering_count_of(w, wanted), survival, noise);
  }
  CellsToKeep kept = cells_to_keep(profile, cells, options.threshold, estimate, noise, w.sums.has_value());
  if (!parts.floor && options.threshold.rule == ThresholdRule::coverage && w.sums && is_negligible(noise)) {
    const std::uint64_t k = significant_cells(*w.sums, options.threshold).k;
    kept = {k, k, 0, 0, true};
  }

  NoisySegmentation result;
  result.k = kept.k;
  result.source = KSource::profile;
  if (parts.floor) {
    result.clusters = clusters_from_floor(*w.sums, kept, noise, options);
    result.threshold = static_cast<double>(least_clustered(result.clusters, *w.sums)) * w.unit;
    return result;
  }
  SelectedCells selected;
  if (kept.k > 0) selected = select_cells(shape, records, noise, kept, options.adjacency);
  result.clusters = connect(shape, selected.cells, options.adjacency, options.min_cells);
  result.threshold = selected.threshold * scale.threshold;
  return result;
}

}  // namespace shoal
