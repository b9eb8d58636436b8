#include "inference/floor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inference/noisy_records.hpp"
#include "inference/privwave_profile.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr double noise_share = 0.05;   // maximum share of the kept cells that may be noise alone
constexpr double clear_cells = 0.001;  // expected cells of the whole box that noise raises to a clear value
constexpr double largest_floor = 0x1p62;

double cells_of_w(const Grid& grid, const ClusterOptions& options) {
  return static_cast<double>(cell_count(transformed_shape(grid.shape(), options.level, options.transform)));
}

double unit_of_w(const Grid& grid, const ClusterOptions& options) {
  return std::exp2(-static_cast<double>(grid.shape().pooled_axes()) * options.level / 2);
}

NoiseLaw law_of(const Epsilon& epsilon, const PrivacyUnit& unit) {
  return {.epsilon = epsilon, .sensitivity = unit.records_changed(), .parts_per_unit = unit.parts_per_weight()};
}

const char* counted(const PrivacyUnit& unit) { return unit.share ? "units" : "records"; }

}  // namespace

double noise_reaching(double cells, const LaplaceLaw& law, std::int64_t floor) {
  return cells * law.tail(static_cast<double>(floor));
}

std::int64_t least_floor(double cells, const LaplaceLaw& law, double most) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(law.value_of_tail(most / cells)), 1.0, largest_floor));
}

std::int64_t floor_by_profile(const Noised<ProfileSums>& profile, const Grid& grid, const ClusterOptions& options,
                              const PrivacyUnit& unit, const Epsilon& for_profile, const Epsilon& for_values) {
  const double cells = cells_of_w(grid, options);
  const FilteredProfile seen = filter_profile(profile.value(), 1, {noise_of(law_of(for_profile, unit)).variance});
  const Survival survival(seen.mean, static_cast<std::uint64_t>(cells));
  const CountEstimate estimate = estimate_count(seen, survival, options.threshold);
  const CellsToKeep kept = cells_to_keep(seen, static_cast<std::uint64_t>(cells), options.threshold, estimate,
                                         noise_of(law_of(for_values, unit)), true);
  const double asked = std::max(1.0, static_cast<double>(kept.k));
  return least_floor(cells, draw_law(law_of(for_values, unit)), std::min(noise_share * asked, most_noise_cells));
}

std::int64_t density_as_sum(const Grid& grid, const ClusterOptions& options) {
  const double asked = std::get<Density>(options.threshold).least();
  const double density = asked / unit_of_w(grid, options);
  if (!(density > 0 && density < largest_floor)) {
    throw InputError(fmt::format("the density is {}; choose a finite number above 0", asked));
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(density)));
}

std::int64_t floor_by_rule(const Grid& grid, const ClusterOptions& options, const PrivacyUnit& unit,
                           const Epsilon& for_values) {
  const double cells = cells_of_w(grid, options);
  const LaplaceLaw law = draw_law(law_of(for_values, unit));
  if (const auto* top = std::get_if<Top>(&options.threshold)) {
    const auto asked = static_cast<double>(top->cells());
    return least_floor(cells, law, std::min(noise_share * asked, most_noise_cells));
  }
  if (std::holds_alternative<DensityModes>(options.threshold)) {
    throw InputError(
        fmt::format("modes are found among the values of all cells, and {:.3g} are too many; give a threshold", cells));
  }
  const std::int64_t floor = density_as_sum(grid, options);
  const double noise = noise_reaching(cells, law, floor);
  if (noise > most_noise_cells) {
    const auto works = static_cast<double>(least_floor(cells, law, most_noise_cells));
    throw InputError(
        fmt::format("noise alone would raise about {:.3g} of {:.3g} cells to a density of {} ({} {} per cell); at this "
                    "epsilon choose a density of {:.6g} ({:.0f} {}) or more, or fewer cells",
                    noise, cells, std::get<Density>(options.threshold).least(), floor, counted(unit),
                    works * unit_of_w(grid, options), works, counted(unit)));
  }
  return floor;
}

void check_rule_of_floor(const Grid& grid, const ClusterOptions& options, const PrivacyUnit& unit,
                         const Epsilon& for_values) {
  static_cast<void>(floor_by_rule(grid, options, unit, for_values));
}

Clusters clear_of_noise(const Clusters& clusters, const Cells<std::int64_t>& values, const NoiseLaw& law,
                        Adjacency adjacency, std::uint64_t min_cells) {
  const auto all = static_cast<double>(values.cell_count());
  const std::int64_t clear = least_floor(all, draw_law(law), clear_cells);
  std::vector<bool> keep(clusters.count() + 1, false);
  std::size_t at = 0;
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    while (values.index_of(at) < clusters.cells()[i]) ++at;
    if (values.values()[at] >= clear) keep[clusters.labels()[i]] = true;
  }
  std::vector<std::uint64_t> cells;
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    if (keep[clusters.labels()[i]]) cells.push_back(clusters.cells()[i]);
  }
  return connect(clusters.shape(), cells, adjacency, min_cells);
}

}  // namespace shoal
