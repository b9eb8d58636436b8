// Baseline: publish synthetic data with differential privacy, then run WaveCluster on it.
//
// All of epsilon goes to the publisher. Drawing the synthetic points and counting them is post-processing, so their
// counts are public: the release holds them, and clusters them as WaveCluster would.
#include "shoal/error.hpp"
#include "shoal/publishing.hpp"
#include "shoal/techniques.hpp"

namespace shoal {

Release baseline(const RawData& data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  if (data.points == nullptr) throw Error(ErrorKind::internal, "baseline needs the points, not only their counts");
  const Grid& grid = data.counts.grid();
  Mechanisms mechanisms(noise, options.unit, epsilon);
  const Noised<Synopsis> synopsis = publish(options.publisher, *data.points, grid, epsilon, mechanisms);
  const NoisyCounts synthetic = PostProcessing::of(&draw_counts, noise, grid, synopsis);

  return Release({.technique = "baseline",
                  .grid = grid,
                  .options = options.cluster,
                  .unit = options.unit,
                  .epsilon = epsilon,
                  .spent = mechanisms.spent(),
                  .is_private = mechanisms.is_private(),
                  .noisy_counts = synthetic,
                  .noisy_sums = {},
                  .answer = {}});
}

}  // namespace shoal
