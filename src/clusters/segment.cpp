// The steps from counts to clusters that raw and noisy values share.
#include <algorithm>
#include <cmath>

#include "clusters/modes.hpp"
#include "shoal/error.hpp"
#include "shoal/options.hpp"

namespace shoal {

namespace {

Cells<double> as_double(const Cells<std::int64_t>& counts) {
  Values<double> values(counts.stored());
  std::transform(counts.values().begin(), counts.values().end(), values.begin(),
                 [](std::int64_t count) { return static_cast<double>(count); });
  if (counts.is_dense()) return Cells<double>::dense(counts.shape(), std::move(values));
  return Cells<double>::sparse(counts.shape(), {counts.index().begin(), counts.index().end()}, std::move(values));
}

// Sparse cells list no zeros.
Cells<double> in_steps(Cells<double> values, double step) {
  for (double& value : values.values()) value = std::floor(value / step + 1.0 / 3) * step;
  if (values.is_dense()) return values;
  std::vector<std::uint64_t> index;
  Values<double> kept;
  for (std::size_t i = 0; i < values.stored(); ++i) {
    if (values.values()[i] == 0) continue;
    index.push_back(values.index()[i]);
    kept.push_back(values.values()[i]);
  }
  return Cells<double>::sparse(values.shape(), std::move(index), std::move(kept));
}

template <class T>
Segmentation threshold_and_connect(const Cells<T>& values, double unit, const ClusterOptions& options) {
  ThresholdOptions threshold = options.threshold;
  threshold.density /= unit;
  const Significant<T> significant = significant_cells(values, threshold, options.threads);
  Segmentation result;
  result.positive = significant.positive;
  result.nonpositive = significant.nonpositive;
  result.k = significant.k;
  result.significant = significant.cells.size();
  result.threshold = static_cast<double>(significant.threshold) * unit;
  result.clusters = connect(values.shape(), significant.cells, options.adjacency, options.min_cells, options.threads);
  if constexpr (std::is_integral_v<T>) result.threshold_sum = significant.threshold;
  return result;
}

// Of values without noise.
Segmentation by_modes(const Transformed& transformed, const ClusterOptions& options) {
  if (!transformed.sums || !transformed.sums->is_dense()) {
    throw InputError("modes are found among Haar sums of all cells; use wavelet haar, or give a threshold");
  }
  Modes modes = find_modes(*transformed.sums, {}, options.min_cells);
  Segmentation result;
  for (const std::int64_t value : transformed.sums->values()) ++(value > 0 ? result.positive : result.nonpositive);
  result.k = result.significant = modes.clusters.cells().size();
  result.threshold = modes.lowest * transformed.unit;
  result.clusters = std::move(modes.clusters);
  return result;
}

}  // namespace

double tie_step(std::size_t dimensions, unsigned level) {
  return std::exp2(-20 - std::ceil(static_cast<double>(dimensions) * level / 2));
}

Transformed transform(const Cells<std::int64_t>& counts, const ClusterOptions& options) {
  const Wavelet wavelet = Wavelet::named(options.wavelet);
  if (wavelet.is_haar()) {
    return transformed_of(haar_sums(counts, options.level, options.transform, options.threads), options.level);
  }
  Transformed result;
  result.values =
      in_steps(average_subband(as_double(counts), wavelet, options.level, options.transform, options.threads),
               tie_step(counts.shape().size(), options.level));
  return result;
}

Transformed transformed_of(Cells<std::int64_t> sums, unsigned level) {
  Transformed result;
  result.unit = std::exp2(-static_cast<double>(sums.shape().size()) * level / 2);
  result.sums = std::move(sums);
  return result;
}

Segmentation segment(const Transformed& transformed, const ClusterOptions& options) {
  if (options.threshold.rule == ThresholdRule::modes) return by_modes(transformed, options);
  return transformed.sums ? threshold_and_connect(*transformed.sums, transformed.unit, options)
                          : threshold_and_connect(transformed.values.value(), transformed.unit, options);
}

}  // namespace shoal
