#include "inference/privwave_segment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "inference/floor.hpp"
#include "inference/noisy_records.hpp"
#include "inference/privwave_noise.hpp"
#include "inference/privwave_profile.hpp"
#include "inference/privwave_select.hpp"
#include "shoal/error.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

// How many of the largest values hold wanted / 100.
std::uint64_t covering_count_of(const Transformed& w, double wanted) {
  const auto count = [wanted](const auto& cells) -> std::uint64_t {
    double positive = 0;
    for (const auto value : cells.values()) positive += value > 0 ? static_cast<double>(value) : 0;
    if (!(wanted > 0 && positive > 0)) return 0;
    constexpr double least = std::numeric_limits<double>::denorm_min();  // a share above 0 stays one
    return significant_cells(cells, Coverage(std::clamp(wanted / positive, least, 100.0))).k;
  };
  return w.visit(count);
}

// Keeps the k largest of the values that reach the floor, or all of them, and returns the clusters that hold more than
// noise.
Clusters clusters_from_floor(const Cells<std::int64_t>& values, const CellsToKeep& kept, const NoiseLaw& law,
                             const ClusterOptions& options) {
  if (kept.k == 0) return connect(values.shape(), {}, options.adjacency, options.min_cells);
  const Significant<std::int64_t> significant = significant_cells(values, Top(kept.k));
  const Clusters all = connect(values.shape(), significant.cells, options.adjacency, options.min_cells);
  return clear_of_noise(all, values, law, options.adjacency, options.min_cells);
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

void check_floor(const ReleaseParts& parts) {
  const std::int64_t floor = parts.floor();
  if (floor < 1) throw InputError("a floor must be at least 1");
  if (parts.values()->value().is_dense() || parts.blocks_level() != parts.options.level) {
    throw InputError("a floor needs sparse noisy sums of the release's own level");
  }
  if (parts.answer()) throw InputError("a release with a floor has a noisy profile or none, but no noisy answer");
  const auto values = parts.values()->value().values();
  if (std::any_of(values.begin(), values.end(), [floor](std::int64_t value) { return value < floor; })) {
    throw InputError(fmt::format("holds a value below its floor of {}", floor));
  }
  if (std::holds_alternative<Density>(parts.options.threshold) && density_as_sum(parts.grid, parts.options) < floor) {
    throw InputError("has a density below its floor");
  }
}

void check_censoring(const ReleaseParts& parts) {
  const unsigned censored = censored_levels_of(parts.censored_below());
  if (censored > most_censored_levels || parts.censored_below() != censoring_point(censored)) {
    throw InputError(fmt::format("a censoring bound of {} is not 1, 3, 7, ..., {}", parts.censored_below(),
                                 censoring_point(most_censored_levels)));
  }
  if (parts.blocks_level() == 0 || parts.has_floor() || parts.profile() == nullptr ||
      parts.profile()->level != parts.blocks_level() || parts.options.level != parts.blocks_level() ||
      !has_whole_blocks(parts.grid.shape(), parts.blocks_level())) {
    throw InputError(
        "a censoring bound needs noisy sums of whole blocks, all of them, and a profile of the same level");
  }
}

std::string what_is_held(const ReleaseParts& parts) {
  if (parts.has_floor()) {
    return fmt::format("this release holds only the noisy values of at least {} {} per cell", parts.floor(),
                       parts.unit.share ? "units" : "records");
  }
  return fmt::format("this release is censored and holds only the number of cells of up to {} {}{}, not their values",
                     parts.censored_below(), parts.unit.share ? "unit" : "record",
                     parts.censored_below() == 1 ? "" : "s");
}

// Throws if the options ask for cells that a release with a floor does not store.
void check_stored(const ReleaseParts& parts, const ClusterOptions& options, const std::string& holds) {
  if (std::holds_alternative<DensityModes>(options.threshold)) {
    throw InputError(fmt::format("{}: modes cannot be computed from them; choose a density or a top", holds));
  }
  const std::size_t stored = parts.values()->value().stored();
  if (const auto* top = std::get_if<Top>(&options.threshold)) {
    if (top->cells() <= stored) return;
    throw InputError(fmt::format("{}: these are {} cells; choose a top of {} or less", holds, stored, stored));
  }
  if (parts.profile()) return;
  if (std::holds_alternative<Coverage>(options.threshold)) {
    throw InputError(fmt::format("{}: their share of all {} is unknown; choose a density or a top", holds,
                                 parts.unit.share ? "units" : "records"));
  }
  throw InputError(fmt::format("{}: a percentile cannot be computed from them; choose a density or a top", holds));
}

// Throws if the options ask for cells whose values were raised to the censoring bound.
void check_not_censored(const ReleaseParts& parts, const ClusterOptions& options, const std::string& holds) {
  const Threshold& rule = options.threshold;
  if (rule == parts.options.threshold) return;
  const auto* asked = std::get_if<Percentile>(&rule);
  const auto* own = std::get_if<Percentile>(&parts.options.threshold);
  const bool both_percentiles = asked != nullptr && own != nullptr;
  if (both_percentiles && asked->percent() >= own->percent()) return;  // asks for no more than it shows
  const FilteredProfile profile = filter_profile(parts.profile()->sums.value(), 1, noise_of_profile(*parts.profile()));
  const Survival survival(profile.mean, cell_count(parts.values()->value().shape()));
  const unsigned censored = censored_levels_of(parts.censored_below());
  const auto* top = std::get_if<Top>(&rule);
  const double wanted = top != nullptr ? static_cast<double>(top->cells()) : estimate_count(profile, survival, rule).k;
  if (std::holds_alternative<Coverage>(rule)) {
    const double above = survival.at_level(censored);
    if (wanted <= above) return;
    const double most =
        100 * (static_cast<double>(parts.censored_below()) * above + profile.above[censored]) / profile.above[0];
    throw InputError(fmt::format("{}: choose a coverage of {:.6g} or less", holds, std::floor(most * 10) / 10));
  }
  // Surely above it: the mean over the next octave. Just above, H is half of what lies just below.
  const double above = std::min(profile.mean[censored], survival.at_level(censored));
  if (wanted <= above) return;
  if (top != nullptr) {
    throw InputError(fmt::format("{}: choose a top of {:.0f} or less", holds, std::max(1.0, std::floor(above))));
  }
  double least = 100 * (1 - above / survival.at_level(0));
  if (both_percentiles) least = std::min(least, own->percent());
  throw InputError(fmt::format("{}: choose a percentile of {:.6g} or more", holds, std::ceil(least * 10) / 10));
}

}  // namespace

void check_bound(const ReleaseParts& parts) {
  if (parts.has_floor()) check_floor(parts);
  if (parts.censored_below() > 0) check_censoring(parts);
}

void check_above_bound(const ReleaseParts& parts, const ClusterOptions& options) {
  const bool has_floor = parts.has_floor();
  if (!has_floor && parts.censored_below() == 0) return;
  const std::int64_t least_known = has_floor ? parts.floor() : parts.censored_below() + 1;
  const std::string holds = what_is_held(parts);
  if (options.level != parts.blocks_level()) {
    throw InputError(fmt::format("{}: level {} cannot be computed from {}; keep level {}{}", holds, options.level,
                                 has_floor ? "them" : "it", parts.blocks_level(),
                                 has_floor ? "" : ", or release with a coverage"));
  }
  if (std::holds_alternative<Density>(options.threshold)) {
    if (density_as_sum(parts.grid, options) >= least_known || options.threshold == parts.options.threshold) return;
    const double unit = value_scale(parts.grid.shape(), options, NoisePlace::sums).threshold;
    throw InputError(
        fmt::format("{}: choose a density of {:.6g} or more", holds, static_cast<double>(least_known) * unit));
  }
  has_floor ? check_stored(parts, options, holds) : check_not_censored(parts, options, holds);
}

bool can_use_profile(const ReleaseParts& parts) {
  const NoisyCounts* values = parts.values();
  return values != nullptr && (values->value().is_dense() || parts.has_floor()) && values->law() &&
         parts.profile()->sums.law();
}

NoisySegmentation segment_by_profile(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options) {
  const Shape& shape = w.shape();
  const std::uint64_t cells = cell_count(shape);
  const NoiseOfW known = *noise_of_w(parts, options);
  const ValueNoise& noise = known.noise;
  const ValueScale& scale = known.scale;
  Values<double> records;
  if (!parts.has_floor()) records = in_records(w, scale.record, options.threads);
  const FilteredProfile profile = filter_profile(
      parts.profile()->sums.value(), static_cast<double>(parts.profile()->scale), noise_of_profile(*parts.profile()));
  const Survival survival(profile.mean, cells);
  CountEstimate estimate = estimate_count(profile, survival, options.threshold);
  const auto* coverage = parts.has_floor() ? nullptr : std::get_if<Coverage>(&options.threshold);
  if (coverage != nullptr && is_clear(estimate, noise)) {
    const double wanted = coverage->percent() * profile.above[0] * scale.record;
    estimate = combined(estimate, covering_count_of(w, wanted), survival, noise);
  }
  CellsToKeep kept = cells_to_keep(profile, cells, options.threshold, estimate, noise, w.is_haar());
  if (coverage != nullptr && w.is_haar() && is_negligible(noise)) {
    const std::uint64_t k = significant_cells(*w.sums(), *coverage).k;
    kept = {k, k, true};
  }

  NoisySegmentation result;
  result.k = kept.k;
  result.source = KSource::profile;
  if (parts.has_floor()) {
    result.clusters = clusters_from_floor(*w.sums(), kept, *law_of_values(parts), options);
    result.threshold = static_cast<double>(least_clustered(result.clusters, *w.sums())) * w.unit();
    return result;
  }
  SelectedCells selected;
  if (kept.k > 0) selected = select_cells(shape, records, noise, kept, options.adjacency, options.threads);
  result.clusters = connect(shape, selected.cells, options.adjacency, options.min_cells, options.threads);
  result.threshold = selected.threshold * scale.threshold;
  return result;
}

}  // namespace shoal
