// PrivTHR_EM (Chen, Yu, Chirkova 2015, algorithm 4): noise on the counts, and a threshold drawn by the exponential
// mechanism. Mended: Max is public, and the base measure keeps a large Max harmless (docs/techniques.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/plans.hpp"

namespace shoal {

namespace {

constexpr double default_alpha = 0.7;

// Max when none is given: this many records in a cell of W. A constant, not a rule on data.
constexpr double default_max_records = 1 << 20;
// The logarithmic base is flat up to about this many records, and falls as 1/x beyond: docs/techniques.md shows why.
constexpr std::uint64_t flat_records = 64;
// Thresholds are drawn among whole multiples of `unit`, a public lattice on (0, Max] that holds every value of W. Haar:
// sums of counts. Other wavelets: the steps to which W is rounded, so that no two values of W share a threshold.
double lattice_unit(std::size_t pooled_axes, const ClusterOptions& options) {
  return options.wavelet.is_haar() ? std::exp2(-static_cast<double>(pooled_axes) * options.level / 2)
                                   : tie_step(pooled_axes, options.level);
}

std::uint64_t base_shift(std::size_t pooled_axes, const ClusterOptions& options) {
  const double record = std::exp2(-static_cast<double>(pooled_axes) * options.level / 2);
  return flat_records * static_cast<std::uint64_t>(record / lattice_unit(pooled_axes, options)) - 1;
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

// Decimated Haar follows the paper: the rank alone decides, and a record moves one value of W. Where it moves many,
// the threshold is limited by its value too.
std::optional<ValueChange> value_change(const Shape& shape, const PrivateOptions& options) {
  const bool paper = options.cluster.wavelet.is_haar() && options.cluster.transform == Transform::decimated;
  return paper ? std::nullopt : value_sensitivity(shape, options.cluster, options.unit);
}

// Returns W of counts of at most `largest` records in a cell.
Transformed transform_clamped(const Counts& counts, double largest, const ClusterOptions& options) {
  if (options.wavelet.is_haar()) return transform(counts, options);
  Cells<std::int64_t> clamped = counts.raw();
  const auto most = static_cast<std::int64_t>(largest);
  for (std::int64_t& count : clamped.values()) count = std::clamp(count, -most, most);
  return transform(clamped, options);
}

std::vector<std::int64_t> on_lattice(const Transformed& w, double unit) {
  std::vector<std::int64_t> values;
  w.visit([&](const auto& cells) {
    values.reserve(cells.stored());
    for (const auto value : cells.values()) {
      if constexpr (std::is_integral_v<decltype(value + 0)>) {
        values.push_back(value);
      } else {
        values.push_back(static_cast<std::int64_t>(std::clamp(value / unit, -0x1p62, 0x1p62)));
      }
    }
  });
  return values;
}

}  // namespace

Plan plan_privthr_em(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  require_percentile("privthr-em", options);
  refuse_shares("privthr-em", options.unit);
  require_noise_on_every_cell("privthr-em", grid, options);
  static_cast<void>(largest_threshold(grid.shape().pooled_axes(), options));
  const auto [for_counts, for_threshold] = epsilon.split(options.alpha.value_or(default_alpha));
  return {{"counts", counts_sensitivity(options.unit), for_counts},
          {"threshold", rank_sensitivity(grid.shape(), options.cluster, options.unit), for_threshold}};
}

//   M' <- PrivQuantization(D, g, alpha epsilon)                            here
//   d' <- NoisyDensityThreshold(D, g, p, w, (1 - alpha) epsilon):          here
//           L <- the positive values of W, k <- ceil((1 - p) |L|)
//           x in (0, Max] with probability ~ base(x) exp(-epsilon cost(x) / (2 sensitivity))
//           cost(x) = |rank(x) - k|; where a record moves many values of W, see docs/techniques.md
//   W' <- WaveletTransform(M', w)                                          while M' is drawn; then in Release
//   return ConnCompLabel(W', d')
Release privthr_em(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  const Grid grid = data.counts.grid();
  const Plan plan = plan_privthr_em(grid, epsilon, options);
  Mechanisms mechanisms(noise, options.unit, epsilon);

  const double unit = lattice_unit(grid.shape().pooled_axes(), options.cluster);
  const Shape& shape = grid.shape();
  const std::optional<ValueChange> change = value_change(shape, options);
  const Transformed w = change ? transform_clamped(data.counts, change->largest_count, options.cluster)
                               : transform(data.counts, options.cluster);
  NoisyTransform noisy = mechanisms.transformed_counts(std::move(data.counts), plan[0].epsilon, options.cluster);

  const std::vector<std::int64_t> values = on_lattice(w, unit);
  ThresholdQuery query{.values = values,
                       .cells = cell_count(w.shape()),
                       .percentile = std::get<Percentile>(options.cluster.threshold),
                       .per_neighbor = plan[1].sensitivity,
                       .max = largest_threshold(shape.pooled_axes(), options),
                       .base = options.base,
                       .shift = base_shift(shape.pooled_axes(), options.cluster)};
  if (change) {
    query.each = {.value = change->steps, .positives = nonpositive_sensitivity(shape, options.cluster, options.unit)};
  }
  const Noised<std::int64_t> noisy_threshold = mechanisms.threshold(query, plan[1].epsilon, plan[1].mechanism);

  const double released_unit = w.is_haar() ? 1 : unit;  // under Haar the answer is a sum of counts
  const NoisyAnswer answer = answer_about(options.cluster, Question::threshold, noisy_threshold, released_unit);
  return release_of("privthr-em", grid, epsilon, options, mechanisms, std::move(noisy), answer);
}

}  // namespace shoal
