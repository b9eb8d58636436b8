// PrivQT (Chen, Yu, Chirkova 2015, algorithm 2): noise on the counts, then WaveCluster.
#include <fmt/format.h>

#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "techniques/technique.hpp"

namespace shoal {

Plan plan_privqt(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  check_options(grid, options);
  if (grid.cell_count() > options.dense_limit) {
    const double cells = static_cast<double>(
        cell_count(transformed_shape(grid.shape(), options.cluster.level, options.cluster.transform)));
    throw InputError(fmt::format(
        "noise makes half of the empty cells positive, about {:.3g} on this grid, which privqt cannot hold in memory; "
        "use privwave, or fewer cells per axis",
        cells / 2));
  }
  return {{"counts", counts_sensitivity(options.unit), epsilon}};
}

//   M' <- PrivQuantization(D, g, epsilon)                          here
//   W' <- WaveletTransform(M', w)                                  while M' is drawn; from here on in Release
//   L' <- the positive values of W'
//   k' <- ceil((1 - p) |L'|), d' <- the k'-th largest of L'
//   return ConnCompLabel(W', d')
Release privqt(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  const Grid grid = data.counts.grid();
  const Plan plan = plan_privqt(grid, epsilon, options);
  Mechanisms mechanisms(noise, options.unit, epsilon);

  NoisyTransform noisy = mechanisms.transformed_counts(std::move(data.counts), plan[0].epsilon, options.cluster);

  return release_of("privqt", grid, epsilon, options, mechanisms, std::move(noisy));
}

}  // namespace shoal
