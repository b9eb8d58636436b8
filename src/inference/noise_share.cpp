#include "inference/noise_share.hpp"

#include <algorithm>
#include <cmath>

#include "inference/laplace_law.hpp"
#include "wavelet/placement.hpp"

namespace shoal {

double positive_noise_share(const ReleaseParts& parts, const ClusterOptions& options) {
  const Shape shape = parts.grid.shape();
  const std::optional<NoiseLaw>& law = parts.values()->law();
  if (!parts.counts() || !law) return 0.5;
  const LaplaceLaw draw = draw_law(*law);
  if (options.wavelet.is_haar()) {
    const double cells = std::exp2(static_cast<double>(shape.pooled_axes()) * options.level);
    return (1 - draw.chance_of_zero(cells)) / 2;
  }
  double cells = 1;
  const std::uint64_t span = filter_span(options.wavelet, options.level);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape.side(axis).pooled) cells *= static_cast<double>(std::min(span, shape[axis]));
  }
  return (1 - std::pow(draw.chance_of_zero(1), cells)) / 2;
}

std::uint64_t positives_left(std::uint64_t positive, std::int64_t nonpositive, double share) {
  const std::int64_t made = std::llround(static_cast<double>(nonpositive) * share);
  return made <= 0 ? positive : positive - std::min(static_cast<std::uint64_t>(made), positive);
}

}  // namespace shoal
