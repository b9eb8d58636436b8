// PrivQT (Chen, Yu, Chirkova 2015, algorithm 2): noise on the counts, then WaveCluster.
#include "privacy/sensitivity.hpp"
#include "techniques/plans.hpp"

namespace shoal {

Plan plan_privqt(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  require_noise_on_every_cell("privqt", grid, options);
  return {{"counts", counts_sensitivity(options.unit), epsilon}};
}

//   M' <- PrivQuantization(D, g, epsilon)                          here
//   W' <- WaveletTransform(M', w)                                  while M' is drawn; the rest in Release
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
