#include "techniques/steps.hpp"

#include <algorithm>
#include <cmath>

#include "shoal/wavelet.hpp"

namespace shoal {

std::vector<std::int64_t> whole_steps(const Cells<std::int64_t>& counts, const Steps& steps,
                                      const ClusterOptions& options, Negative negative) {
  std::vector<double> values(counts.values().begin(), counts.values().end());
  for (double& value : values) value = std::clamp(value, -steps.largest_count, steps.largest_count);
  const Cells<double> w =
      average_subband(counts.shape(), values, options.wavelet, options.level, options.transform, options.threads);
  const double factor = static_cast<double>(steps.scale) *
                        std::exp2(static_cast<double>(counts.shape().pooled_axes()) * options.level / 2);
  std::vector<std::int64_t> result;
  result.reserve(w.stored());
  for (const double value : w.values()) {
    const double size = negative == Negative::by_size ? std::fabs(value) : value;
    result.push_back(static_cast<std::int64_t>(std::floor(std::clamp(size * factor, 0.0, 0x1p60))));
  }
  return result;
}

}  // namespace shoal
