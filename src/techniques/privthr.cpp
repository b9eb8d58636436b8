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
#include "techniques/steps.hpp"
#include "techniques/technique.hpp"
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
    return lacking_in(w, w.size(), steps.scale * options.unit.parts()) / static_cast<std::int64_t>(steps.scale);
  }
  // Past the dense limit all blocks are whole.
  const bool uneven = cluster.transform == Transform::decimated && cell_count(shape) <= options.dense_limit;
  const HaarPieces pieces = uneven ? haar_pieces(shape, cluster.level) : HaarPieces{};
  const Cells<std::int64_t> w =
      uneven ? folded(folded(counts.raw(), pieces.pieces, pieces.of_cell), pieces.blocks, pieces.block_of)
             : haar_sums(counts.raw(), cluster.level, cluster.transform, cluster.threads);
  return lacking_in(w.values(), w.cell_count(), options.unit.parts());
}

// |Z| in parts is a number of 64 bits.
void require_countable_parts(const Grid& grid, const PrivateOptions& options) {
  if (!options.unit.share) return;
  const std::uint64_t cells =
      cell_count(transformed_shape(grid.shape(), options.cluster.level, options.cluster.transform));
  if (cells <= (std::uint64_t{1} << 62) / options.unit.parts()) return;
  throw InputError(fmt::format(
      "{} cells after the transform are too many for privthr where units share their weight; use privwave, a higher "
      "level, or fewer cells per axis",
      cells));
}

// ---- grids past the dense limit: the noise of a block's cells is drawn as one sum, from d' on ----------------------

// k' follows the number of noisy positives, which wavers by the square root of the cells. Six deviations of it are to
// be no more than this.
constexpr double most_wavering_cells = 1 << 20;

// positive_noise_share to more digits: there are more zeros.
double noise_share(const Grid& grid, const ClusterOptions& options, const PrivacyUnit& unit, Epsilon for_counts) {
  return block_tail(for_counts, unit, block_cells(grid, options), 1);
}

void require_steady_rank(const Grid& grid, const PrivateOptions& options, Epsilon for_counts) {
  if (grid.cell_count() <= options.dense_limit) return;
  const auto cells = static_cast<double>(
      cell_count(transformed_shape(grid.shape(), options.cluster.level, options.cluster.transform)));
  const double share = noise_share(grid, options.cluster, options.unit, for_counts);
  const double kept = 1 - std::get<Percentile>(options.cluster.threshold).percent() / 100;
  const double wavering = kept * std::sqrt(cells * share * (1 - share));
  if (6 * wavering <= most_wavering_cells) return;
  throw InputError(
      fmt::format("noise makes about {:.3g} of {:.3g} cells positive on this grid, which gives the k' of privthr an "
                  "error of about {:.3g} cells; use privwave{}, or fewer cells per axis",
                  share * cells, cells, wavering, options.unit.share ? "" : " or privthr-em"));
}

// |L''| of |Z|' and |L'|.
std::int64_t positives_without_noise(const Noised<std::int64_t>& nonpositive, const Noised<std::int64_t>& positive,
                                     const Grid& grid, const ClusterOptions& options, const PrivacyUnit& unit,
                                     const Epsilon& for_counts) {
  return static_cast<std::int64_t>(positives_left(static_cast<std::uint64_t>(positive.value()), nonpositive.value(),
                                                  noise_share(grid, options, unit, for_counts)));
}

std::uint64_t rank_of(const Noised<std::int64_t>& positive, const ClusterOptions& options) {
  return significant_count(std::get<Percentile>(options.threshold), static_cast<std::uint64_t>(positive.value()));
}

}  // namespace

Plan plan_privthr(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  check_options(grid, options);
  require_percentile("privthr", options);
  require_small_blocks("privthr", grid, options);
  require_countable_parts(grid, options);
  const std::uint64_t sensitivity = zero_sensitivity(grid.shape(), options.cluster, options.unit);
  const auto [for_counts, for_nonpositive] = epsilon.split(options.alpha.value_or(default_alpha));
  require_steady_rank(grid, options, for_counts);
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
// Past the dense limit |Z|' comes first, and of W' = (sums of blocks) + (sums of the noise of their cells) it is drawn
// how many are positive, which gives k', and then the values from d' on: the same W' as above, without what nobody
// looks at; a d' that noise alone would carry too many cells to is raised. The release has |L''| in place of |Z|'.
Release privthr(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  const Grid grid = data.counts.grid();
  const Plan plan = plan_privthr(grid, epsilon, options);
  Mechanisms mechanisms(noise, options.unit, epsilon);

  std::optional<Transformed> w = transform(data.counts, options.cluster);
  const std::int64_t nonpositive = options.unit.share ? lacking(data.counts, options) : count_of_zeros(*w);
  const auto noised = [&] {
    return mechanisms.number(nonpositive, plan[1].sensitivity, plan[1].epsilon, plan[1].mechanism);
  };
  if (grid.cell_count() <= options.dense_limit) {
    w.reset();  // its memory goes back
    NoisyTransform noisy = mechanisms.transformed_counts(std::move(data.counts), plan[0].epsilon, options.cluster);
    return release_of("privthr", grid, epsilon, options, mechanisms, std::move(noisy),
                      answer_about(options.cluster, Question::nonpositive, noised()));
  }
  const Noised<std::int64_t> noisy_nonpositive = noised();
  const std::int64_t least = least_block_floor(1, grid, options.cluster, options.unit, plan[0].epsilon);
  LargestSession session = mechanisms.largest(least, std::move(*w).take_sums(), 1, plan[0].epsilon, plan[0].mechanism,
                                              block_cells(grid, options.cluster), options.cluster.threads);
  const Noised<std::int64_t> noisy_positive =
      PostProcessing::with_law_of_first(&positives_without_noise, noisy_nonpositive, session.positive(), grid,
                                        options.cluster, options.unit, plan[0].epsilon);
  const Noised<std::uint64_t> rank = PostProcessing::of(&rank_of, noisy_positive, options.cluster);
  NoisyLargest largest = std::move(session).from(rank);
  return Release(release_parts("privthr", grid, epsilon, options, mechanisms,
                               BlocksAboveFloor{std::move(largest.values), options.cluster.level},
                               answer_about(options.cluster, Question::positive, noisy_positive)));
}

}  // namespace shoal
