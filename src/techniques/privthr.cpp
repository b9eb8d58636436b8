// PrivTHR (Chen, Yu, Chirkova 2015, algorithm 3): noise on the counts, and a noisy |Z| that tells how many positive
// values the noise has made: of the |Z| values that were not positive, about half.
#include <fmt/format.h>

#include "shoal/error.hpp"
#include "shoal/sensitivity.hpp"
#include "techniques/technique.hpp"

namespace shoal {

namespace {

constexpr double default_alpha = 0.9;

// NoisyCountOfNonPosValues without the noise.
std::int64_t count_of_nonpositive(const Transformed& w) {
  const auto count = [](const auto& cells) {
    std::uint64_t positive = 0;
    for (const auto value : cells.values()) positive += value > 0 ? 1U : 0U;
    return static_cast<std::int64_t>(cells.cell_count() - positive);
  };
  return w.sums ? count(*w.sums) : count(*w.values);
}

}  // namespace

Plan plan_privthr(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  check_options(grid, options);
  if (grid.cell_count() > options.dense_limit) {
    throw InputError(fmt::format(
        "privthr ranks all values that noise makes positive, half of {:.3g} cells of the grid: more than memory holds; "
        "use privwave or privthr-em, or fewer cells per axis",
        static_cast<double>(grid.cell_count())));
  }
  require_percentile("privthr", options);
  const auto [for_counts, for_nonpositive] = epsilon.split(options.alpha.value_or(default_alpha));
  return {{"counts", counts_sensitivity(options.unit), for_counts},
          {"nonpositive", nonpositive_sensitivity(grid.shape(), options.cluster, options.unit), for_nonpositive}};
}

//   M'   <- PrivQuantization(D, g, alpha epsilon)                          here
//   |Z|' <- NoisyCountOfNonPosValues(D, g, w, (1 - alpha) epsilon)         here
//   W'   <- WaveletTransform(M', w)                                        and from here on in Release
//   L'   <- the positive values of W', L'' <- L' without its |Z|'/2 smallest, or as many as there are
//           (integer noise: |Z|' times its chance to be positive, which is a little below 1/2; release/noise_share.hpp)
//   k'   <- ceil((1 - p) |L''|), d' <- the k'-th largest of L''
//   return ConnCompLabel(W', d')
Release privthr(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  const Grid grid = data.counts.grid();
  const Plan plan = plan_privthr(grid, epsilon, options);
  Mechanisms mechanisms(noise, options.unit, epsilon);

  const std::int64_t nonpositive = count_of_nonpositive(transform(data.counts.raw(), options.cluster));
  NoisyCounts noisy_counts = mechanisms.counts(std::move(data.counts), plan[0].epsilon, options.cluster.threads);
  const Noised<std::int64_t> noisy_nonpositive =
      mechanisms.number(nonpositive, plan[1].sensitivity, plan[1].epsilon, plan[1].mechanism);

  return release_of("privthr", grid, epsilon, options, mechanisms, std::move(noisy_counts),
                    answer_about(options.cluster, Question::nonpositive, noisy_nonpositive));
}

}  // namespace shoal
