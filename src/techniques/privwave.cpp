// PrivWave, this project's own technique: noise where it costs least, and a profile of the values from which k is
// estimated better than from a single number. docs/privwave.md says why each step is as it is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/floor.hpp"
#include "inference/privwave_noise.hpp"
#include "inference/privwave_profile.hpp"
#include "inference/privwave_segment.hpp"
#include "privacy/refinable_noise.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/plans.hpp"
#include "techniques/steps.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

// ---- the values' question -----------------------------------------------------------------------------------------

constexpr const char* profile_mechanism = "profile";

const char* values_mechanism(const ClusterOptions& options) {
  return privwave_place(options) == NoisePlace::sums ? "sums" : "counts";
}

// A grid past the dense limit may still have few enough values W to noise all of them.
constexpr std::uint64_t dense_share = 8;

// Whether W is too large for that: then the values that reach a floor come out. By public parameters alone, however the
// counts are stored.
bool is_floored(const Grid& grid, const PrivateOptions& options) {
  const Shape shape = transformed_shape(grid.shape(), options.cluster.level, options.cluster.transform);
  return grid.cell_count() > options.dense_limit && cell_count(shape) > options.dense_limit / dense_share;
}

// Censoring helps a percentile, whose k depends on the sparsest cells. It needs blocks that all get noise.
bool may_censor(const Grid& grid, const PrivateOptions& options) {
  return std::holds_alternative<Percentile>(options.cluster.threshold) &&
         privwave_place(options.cluster) == NoisePlace::sums && !is_floored(grid, options) &&
         has_whole_blocks(grid.shape(), options.cluster.level);
}

PrivwaveBudget budget_of(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  const Shape& shape = grid.shape();
  return {.epsilon = epsilon,
          .profile_sensitivity = profile_sensitivity(shape, options.cluster, options.unit),
          .profile_scale = static_cast<double>(steps_of(shape, options.cluster, options.unit).scale),
          .value_sensitivity = counts_sensitivity(options.unit),
          .value_gain = value_scale(shape, options.cluster, privwave_place(options.cluster)).gain,
          .may_censor = may_censor(grid, options)};
}

// Pieces of Haar's blocks, or the counts: a record moves one of them by 1.
Cells<std::int64_t> values_of(const Counts& counts, const ClusterOptions& options) {
  if (privwave_place(options) == NoisePlace::counts) return counts.raw();
  if (counts.is_dense() && has_whole_blocks(counts.grid().shape(), options.level)) {
    return transform(counts, options).take_sums();
  }
  const HaarPieces pieces = haar_pieces(counts.grid().shape(), options.level);
  return folded(counts.raw(), pieces.pieces, pieces.of_cell);
}

// values: values_of(counts). Under decimated Haar the profile describes sums in which every cell counts once: as many
// of them are positive, and a record moves one of them by 1.
ProfileSums profile_of_w(const Counts& counts, const Cells<std::int64_t>& values, const Steps& steps,
                         const ClusterOptions& options, std::uint64_t parts) {
  const auto scale = static_cast<std::int64_t>(steps.scale * parts);
  if (privwave_place(options) == NoisePlace::sums) {
    if (has_whole_blocks(counts.grid().shape(), options.level)) return profile_of(values.values(), scale);
    const HaarPieces pieces = haar_pieces(counts.grid().shape(), options.level);
    if (pieces.pieces == pieces.blocks) return profile_of(values.values(), scale);
    return profile_of(folded(values, pieces.blocks, pieces.block_of).values(), scale);
  }
  if (options.wavelet.is_haar()) {
    return profile_of(haar_sums(counts.raw(), options.level, options.transform, options.threads).values(), scale);
  }
  return profile_of(whole_steps(counts.raw(), steps, options), scale);
}

// W' of the noisy pieces: block sums in which every piece counts as often as Haar says.
Cells<std::int64_t> weighted_blocks(const NoisyCounts& noisy, const Grid& grid, const ClusterOptions& options) {
  const HaarPieces pieces = haar_pieces(grid.shape(), options.level);
  return folded(noisy.value(), pieces.blocks, pieces.block_of, pieces.weight);
}

// A number of cells and a density are there already; other rules ask how the values are spread.
bool needs_profile(const Threshold& threshold) {
  return std::holds_alternative<Percentile>(threshold) || std::holds_alternative<Coverage>(threshold);
}

// Throws if the grid is past the dense limit and its values W are not sums of whole blocks: for wavelets other than
// Haar, for the stationary transform, and for axes that are not a multiple of 2^level.
void require_blocks(const Grid& grid, const PrivateOptions& options) {
  const ClusterOptions& cluster = options.cluster;
  if (grid.cell_count() <= options.dense_limit) return;
  if (privwave_place(cluster) != NoisePlace::sums) {
    throw InputError(
        fmt::format("a grid of {} cells is too large for noise on every cell, and privwave then supports only wavelet "
                    "haar and transform decimated; use those, or fewer cells per axis",
                    grid.cell_count()));
  }
  if (!is_floored(grid, options)) return;
  for (const Axis& axis : grid.axes()) {
    const std::uint64_t block = std::uint64_t{1} << std::min(cluster.level, 62U);
    if (!axis.kind().is_pooled() || axis.cells() % block == 0) continue;
    throw InputError(fmt::format(
        "a grid of {} cells is too large for noise on every cell, and privwave then needs multiples of {} cells per "
        "axis; use {} instead of {}",
        grid.cell_count(), block, (axis.cells() / block + 1) * block, axis.cells()));
  }
}

// How much the profile may cost, and how far values are raised, as a first view of it shows.
ProfileChoice choice_of(const Noised<ProfileSums>& first, const Grid& grid, const Epsilon& epsilon,
                        const PrivateOptions& options) {
  const std::uint64_t cells =
      cell_count(transformed_shape(grid.shape(), options.cluster.level, options.cluster.transform));
  return choose_share(first.value(), budget_of(grid, epsilon, options), cells, options.cluster.threshold);
}

NoisyProfile profile_about(const ChosenProfile& chosen, std::uint64_t scale, const ClusterOptions& options) {
  return {.sums = chosen.sums,
          .scale = scale,
          .wavelet = options.wavelet,
          .level = options.level,
          .transform = options.transform};
}

Noised<std::int64_t> floor_of(const std::optional<ChosenProfile>& chosen, const Grid& grid,
                              const PrivateOptions& options, Epsilon for_values) {
  if (!chosen) return PostProcessing::of(&floor_by_rule, grid, options.cluster, options.unit, for_values);
  return PostProcessing::of(&floor_by_profile, chosen->sums, grid, options.cluster, options.unit, chosen->epsilon,
                            for_values);
}

}  // namespace

void check_privwave(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  if (options.alpha) throw InputError("privwave splits its budget itself; remove alpha");
  const std::uint64_t records = counts_sensitivity(options.unit);
  require_blocks(grid, options);
  if (!needs_profile(options.cluster.threshold)) {
    if (is_floored(grid, options)) check_rule_of_floor(grid, options.cluster, options.unit, epsilon);
    return;
  }
  const std::uint64_t tenth = epsilon.units() / 10;
  if (tenth == 0) throw InputError(fmt::format("epsilon {} is too small for privwave", epsilon.text()));
  const PrivwaveBudget budget = budget_of(grid, epsilon, options);  // throws if W cannot be bounded
  // Whatever share is chosen later: its noise, made of draws at a tenth, and that of the rest.
  require_rate(Epsilon::from_units(tenth), budget.profile_sensitivity, options.unit);
  for (unsigned share = least_profile_share; share <= most_profile_share; ++share) {
    require_rate(Epsilon::from_units(share * tenth), budget.profile_sensitivity, options.unit);
    require_rate(Epsilon::from_units(epsilon.units() - share * tenth), records, options.unit);
  }
}

// The share of the profile is chosen during the run, from noised values. Before it only the bounds are known: at least
// a first view (a tenth) and at most 6 tenths for the profile, the rest for the values.
Plan plan_privwave(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  check_privwave(grid, epsilon, options);
  const std::string values = values_mechanism(options.cluster);
  const std::uint64_t records = counts_sensitivity(options.unit);
  if (!needs_profile(options.cluster.threshold)) return {{values, records, epsilon}};
  const std::uint64_t tenth = epsilon.units() / 10;
  const std::uint64_t profile = profile_sensitivity(grid.shape(), options.cluster, options.unit);
  const std::uint64_t open = (most_profile_share - least_profile_share) * tenth;
  return {{profile_mechanism, profile, Epsilon::from_units(least_profile_share * tenth)},
          {values, records, Epsilon::from_units(epsilon.units() - most_profile_share * tenth)},
          {fmt::format("{} or {}", profile_mechanism, values), profile, Epsilon::from_units(open)}};
}

//   S    <- sums of the counts over the blocks of W (other wavelets than Haar: the counts)            here
//   U    <- profile of W
//   U', s, n <- U + noise(s epsilon), share s and censored levels n chosen from a first view with noise(0.1 epsilon)
//   S'   <- max(S, 2^n - 1) + noise((1 - s) epsilon), W' <- WaveletTransform(S')
//   U'_0, ..., U'_(n-1) <- U_0, ... + noise(epsilon): of records that S' does not see
//   |L|, k, number of cells to keep <- U' made smooth over its levels                                 in Release
//   (too many cells for that: the largest S' that reach a floor from U' and public values; inference/floor.hpp)
//   score <- W' shrunk towards the neighbours; the cells of the largest scores are significant
//   return ConnCompLabel, where a doubtful cell may not join two clusters
// By value, as all techniques take it: techniques.cpp holds their addresses in one table.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Release privwave(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  Mechanisms mechanisms(noise, options.unit, epsilon);
  return Release(privwave_parts(data.counts, epsilon, options, mechanisms));
}

ReleaseParts privwave_parts(const Counts& counts, Epsilon epsilon, const PrivateOptions& options,
                            Mechanisms& mechanisms) {
  const Grid& grid = counts.grid();
  check_privwave(grid, epsilon, options);
  const bool on_sums = privwave_place(options.cluster) == NoisePlace::sums;
  const bool floored = is_floored(grid, options);
  if (!floored && !on_sums && !counts.is_dense()) {
    throw InputError(fmt::format("a grid of {} cells is too large for noise on every cell; use fewer cells per axis",
                                 grid.cell_count()));
  }
  Cells<std::int64_t> values =
      floored ? haar_sums(counts.raw(), options.cluster.level, options.cluster.transform, options.cluster.threads)
              : values_of(counts, options.cluster);

  std::optional<ChosenProfile> chosen;
  std::optional<NoisyCounts> noisy;
  const std::string name = values_mechanism(options.cluster);
  const Steps steps =
      needs_profile(options.cluster.threshold) ? steps_of(grid.shape(), options.cluster, options.unit) : Steps{};
  if (needs_profile(options.cluster.threshold)) {
    const PrivwaveBudget budget = budget_of(grid, epsilon, options);
    ProfileSession session =
        budget.may_censor
            ? mechanisms.profiled_values(std::exchange(values, {}), epsilon, least_profile_share, profile_mechanism,
                                         name, options.cluster.threads)
            : mechanisms.profile(
                  floored ? profile_of(values.values(), static_cast<std::int64_t>(options.unit.parts_per_weight()))
                          : profile_of_w(counts, values, steps, options.cluster, options.unit.parts_per_weight()),
                  steps.per_record, epsilon, least_profile_share, profile_mechanism);
    const auto choice = PostProcessing::of(&choice_of, session.first(), grid, epsilon, options);
    RefinedProfile refined = std::move(session).refine(choice);
    chosen = std::move(refined.profile);
    noisy = std::move(refined.values);
  }
  const Epsilon for_values = chosen ? epsilon - chosen->epsilon : epsilon;
  NoisyHint hint;
  if (chosen) hint = profile_about(*chosen, steps.scale, options.cluster);
  if (floored) {
    const Noised<std::int64_t> floor = floor_of(chosen, grid, options, for_values);
    noisy = mechanisms.values_above_floor(floor, values, 1, for_values, name, options.cluster.threads);
    return release_parts("privwave", grid, epsilon, options, mechanisms,
                         BlocksAboveFloor{std::move(*noisy), options.cluster.level}, std::move(hint));
  }
  if (!noisy) noisy = mechanisms.values(std::move(values), 1, for_values, name, options.cluster.threads);
  if (!on_sums) {
    return release_parts("privwave", grid, epsilon, options, mechanisms, GridCounts{std::move(*noisy)},
                         std::move(hint));
  }
  if (!has_whole_blocks(grid.shape(), options.cluster.level)) {  // else the pieces are the blocks
    noisy = PostProcessing::with_law_of_first(&weighted_blocks, *noisy, grid, options.cluster);
  }
  return release_parts("privwave", grid, epsilon, options, mechanisms,
                       BlockSums{std::move(*noisy), options.cluster.level}, std::move(hint));
}

}  // namespace shoal
