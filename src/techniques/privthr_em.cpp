// PrivTHR_EM (Chen, Yu, Chirkova 2015, algorithm 4): noise on the counts, and a threshold drawn by the exponential
// mechanism. Mended: Max is public, and the base measure keeps a large Max harmless (docs/techniques.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/technique.hpp"

namespace shoal {

namespace {

constexpr double default_alpha = 0.7;

// Max when none is given: this many records in a cell of W. A constant, not a rule on data.
constexpr double default_max_records = 1 << 20;
// The logarithmic base is flat up to about this many records, and falls as 1/x beyond: docs/techniques.md shows why.
constexpr std::uint64_t flat_records = 64;
// Steps of the lattice to one record's value under Haar, for wavelets that have no lattice of their own.
constexpr std::uint64_t steps_a_record = 16;

// Thresholds are drawn among whole multiples of `unit`, a public lattice on (0, Max]. Haar: W has a lattice of its own,
// the sums of counts. Other wavelets: a power of two near a sixteenth of the value that one record has under Haar.
double lattice_unit(std::size_t pooled_axes, const ClusterOptions& options) {
  const double halvings = static_cast<double>(pooled_axes) * options.level / 2;
  return options.wavelet.is_haar() ? std::exp2(-halvings) : std::exp2(-std::ceil(halvings)) / steps_a_record;
}

std::uint64_t base_shift(const ClusterOptions& options) {
  return flat_records * (options.wavelet.is_haar() ? 1 : steps_a_record) - 1;
}

std::uint64_t largest_threshold(std::size_t pooled_axes, const PrivateOptions& options) {
  const double record = std::exp2(-static_cast<double>(pooled_axes) * options.cluster.level / 2);
  const double max = options.max_density.value_or(default_max_records * record);
  const double steps = std::floor(max / lattice_unit(pooled_axes, options.cluster));
  if (!(steps >= 1 && steps <= 0x1p55)) {
    throw InputError(fmt::format("max-density is {}; choose {} to {} for this wavelet and level", max,
                                 lattice_unit(pooled_axes, options.cluster),
                                 0x1p55 * lattice_unit(pooled_axes, options.cluster)));
  }
  return static_cast<std::uint64_t>(steps);
}

// ConvertToPosSortedArray, on the lattice: w >= x * unit just when floor(w / unit) >= x.
struct Positives {
  std::vector<std::int64_t> on_lattice;
  std::uint64_t count = 0;  // |L|, also of those below one step
};

Positives positives_of(const Transformed& w, double unit) {
  Positives positives;
  w.visit([&](const auto& cells) {
    for (const auto value : cells.values()) {
      if (!(value > 0)) continue;
      ++positives.count;
      if constexpr (std::is_integral_v<decltype(value + 0)>) {
        positives.on_lattice.push_back(value);
      } else {
        positives.on_lattice.push_back(static_cast<std::int64_t>(std::min(value / unit, 0x1p62)));
      }
    }
  });
  return positives;
}

// ---- grids past the dense limit: the noise of a block's cells is drawn as one sum, from d' on
// ------------------------

// d', or where noise alone would carry more cells to it than memory should hold, the least value that fewer reach.
std::int64_t floor_from(const Noised<std::int64_t>& threshold, const Grid& grid, const ClusterOptions& options,
                        const PrivacyUnit& unit, const Epsilon& for_counts) {
  return least_block_floor(threshold.value(), grid, options, unit, for_counts);
}

}  // namespace

Plan plan_privthr_em(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  check_options(grid, options);
  require_percentile("privthr-em", options);
  refuse_shares("privthr-em", options.unit);
  require_small_blocks("privthr-em", grid, options);
  static_cast<void>(largest_threshold(grid.shape().pooled_axes(), options));
  const auto [for_counts, for_threshold] = epsilon.split(options.alpha.value_or(default_alpha));
  return {{"counts", counts_sensitivity(options.unit), for_counts},
          {"threshold", rank_sensitivity(grid.shape(), options.cluster, options.unit), for_threshold}};
}

//   M' <- PrivQuantization(D, g, alpha epsilon)                            here
//   d' <- NoisyDensityThreshold(D, g, p, w, (1 - alpha) epsilon):          here
//           L <- the positive values of W, k <- ceil((1 - p) |L|)
//           x in (0, Max] with probability ~ base(x) exp(-epsilon |rank(x) - k| / (2 sensitivity))
//   W' <- WaveletTransform(M', w)                                          while M' is drawn; then in Release
//   return ConnCompLabel(W', d')
// Past the dense limit d' comes first, and of W' = (sums of blocks) + (sums of the noise of their cells) just the
// values that reach it: the same W' as above, without what nobody looks at.
Release privthr_em(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  const Grid grid = data.counts.grid();
  const Plan plan = plan_privthr_em(grid, epsilon, options);
  Mechanisms mechanisms(noise, options.unit, epsilon);

  const bool floored = grid.cell_count() > options.dense_limit;
  const double unit = lattice_unit(grid.shape().pooled_axes(), options.cluster);
  const Transformed w = transform(data.counts, options.cluster);
  std::optional<NoisyTransform> noisy;
  if (!floored) noisy = mechanisms.transformed_counts(std::move(data.counts), plan[0].epsilon, options.cluster);

  const Positives positives = positives_of(w, unit);
  const std::uint64_t k = significant_count(std::get<Percentile>(options.cluster.threshold), positives.count);
  const Noised<std::int64_t> noisy_threshold = mechanisms.threshold(
      positives.on_lattice, k, largest_threshold(grid.shape().pooled_axes(), options), options.base,
      plan[1].sensitivity, plan[1].epsilon, plan[1].mechanism, base_shift(options.cluster));

  const double released_unit = w.is_haar() ? 1 : unit;  // under Haar the answer is a sum of counts
  const NoisyAnswer answer = answer_about(options.cluster, Question::threshold, noisy_threshold, released_unit);
  if (!floored) {
    return release_of("privthr-em", grid, epsilon, options, mechanisms, std::move(*noisy), answer);
  }
  const Noised<std::int64_t> floor =
      PostProcessing::of(&floor_from, noisy_threshold, grid, options.cluster, options.unit, plan[0].epsilon);
  NoisyCounts noisy_sums = mechanisms.values_above_floor(floor, *w.sums(), 1, plan[0].epsilon, plan[0].mechanism,
                                                         block_cells(grid, options.cluster), options.cluster.threads);
  return Release(release_parts("privthr-em", grid, epsilon, options, mechanisms,
                               BlocksAboveFloor{std::move(noisy_sums), options.cluster.level}, answer));
}

}  // namespace shoal
