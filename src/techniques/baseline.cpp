// Baseline (Chen, Yu, Chirkova 2015, section 4.1): publish synthetic data, then run WaveCluster on it.
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"
#include "techniques/plans.hpp"

namespace shoal {

//   D' <- Synthesize(D, epsilon)                                   the publisher spends all of epsilon
//   M' <- Quantization(D', g)                                      post-processing: M' is public
//   return WaveCluster(M', p, w)                                   in Release, on M' alone
// By value, as all techniques take it: techniques.cpp holds their addresses in one table.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Release baseline(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  if (data.points == nullptr) throw Error(ErrorKind::internal, "baseline needs the points, not only their counts");
  const Grid& grid = data.counts.grid();
  Mechanisms mechanisms(noise, options.unit, epsilon);

  const Noised<Synopsis> synopsis = publish(options.publisher, *data.points, grid, epsilon, mechanisms);
  NoisyCounts synthetic = PostProcessing::of(&draw_counts, noise, grid, synopsis);

  return release_of("baseline", grid, epsilon, options, mechanisms, {std::move(synthetic)});
}

}  // namespace shoal
