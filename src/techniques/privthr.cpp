// PrivTHR (Chen, Yu, Chirkova 2015, algorithm 3): noise on the counts, and a noisy |Z| that tells how many positive
// values the noise has made. Z are the values of W that are zero, as section 5.2 of the paper says: of these, noise
// makes about half positive. Filters without negative weights have no value below zero, and Z are those that are not
// positive.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inference/noise_share.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/plans.hpp"
#include "techniques/steps.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

constexpr double default_alpha = 0.9;  // The paper's share of the counts.

// NoisyCountOfNonPosValues without the noise.
std::int64_t count_of_zeros(const Transformed& w) {
  const auto count = [](const auto& cells) {
    std::uint64_t others = 0;
    for (const auto value : cells.values()) others += value != 0 ? 1U : 0U;
    return static_cast<std::int64_t>(cells.cell_count() - others);
  };
  return w.visit(count);
}

// ---- |Z| where units share their weight: a cell of W counts by what it lacks of one weight, as nothing or as 1 where
// ---- all weights are whole ----------------------------------------------------------------------------------------

std::int64_t lacking_in(std::span<const std::int64_t> values, std::uint64_t cells, std::uint64_t to_a_weight) {
  const auto weight = static_cast<std::int64_t>(to_a_weight);
  std::int64_t result = static_cast<std::int64_t>(cells) * weight;
  for (const std::int64_t value : values) result -= std::clamp<std::int64_t>(value, 0, weight);
  return result;
}

// In parts. Under decimated Haar every cell counts once in its block. zero_sensitivity bounds what a unit moves.
std::int64_t lacking(const Counts& counts, const PrivateOptions& options) {
  const ClusterOptions& cluster = options.cluster;
  const Shape& shape = counts.grid().shape();
  if (!cluster.wavelet.is_haar()) {
    const Steps steps = steps_of(shape, cluster, options.unit);
    const std::vector<std::int64_t> w = whole_steps(counts.raw(), steps, cluster, Negative::by_size);
    return lacking_in(w, w.size(), steps.scale * options.unit.parts_per_weight()) /
           static_cast<std::int64_t>(steps.scale);
  }
  const bool uneven = cluster.transform == Transform::decimated;
  const HaarPieces pieces = uneven ? haar_pieces(shape, cluster.level) : HaarPieces{};
  const Cells<std::int64_t> w =
      uneven ? folded(folded(counts.raw(), pieces.pieces, pieces.of_cell), pieces.blocks, pieces.block_of)
             : haar_sums(counts.raw(), cluster.level, cluster.transform, cluster.threads);
  return lacking_in(w.values(), w.cell_count(), options.unit.parts_per_weight());
}

}  // namespace

Plan plan_privthr(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  require_percentile("privthr", options);
  require_noise_on_every_cell("privthr", grid, options);
  const std::uint64_t sensitivity = zero_sensitivity(grid.shape(), options.cluster, options.unit);
  const auto [for_counts, for_nonpositive] = epsilon.split(options.alpha.value_or(default_alpha));
  return {{"counts", counts_sensitivity(options.unit), for_counts}, {"nonpositive", sensitivity, for_nonpositive}};
}

//   M'   <- PrivQuantization(D, g, alpha epsilon)                          here
//   |Z|' <- NoisyCountOfNonPosValues(D, g, w, (1 - alpha) epsilon)         here
//   W'   <- WaveletTransform(M', w)                                        while M' is drawn; then in Release
//   L'   <- the positive values of W', L'' <- L' without its |Z|'/2 smallest, or as many as there are
//           (integer noise: |Z|' times its chance to be positive, which is a little below 1/2; wavelets other than
//           Haar: a second estimate of |L''| from M' is taken into account; inference/noise_share.hpp)
//   k'   <- ceil((1 - p) |L''|), d' <- the k'-th largest of L''
//   return ConnCompLabel(W', d')
Release privthr(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  const Grid grid = data.counts.grid();
  const Plan plan = plan_privthr(grid, epsilon, options);
  Mechanisms mechanisms(noise, options.unit, epsilon);

  const std::int64_t nonpositive =
      options.unit.share ? lacking(data.counts, options) : count_of_zeros(transform(data.counts, options.cluster));
  NoisyTransform noisy = mechanisms.transformed_counts(std::move(data.counts), plan[0].epsilon, options.cluster);
  const Noised<std::int64_t> noisy_nonpositive =
      mechanisms.number(nonpositive, plan[1].sensitivity, plan[1].epsilon, plan[1].mechanism);
  return release_of("privthr", grid, epsilon, options, mechanisms, std::move(noisy),
                    answer_about(options.cluster, Question::nonpositive, noisy_nonpositive));
}

}  // namespace shoal
