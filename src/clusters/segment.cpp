// The steps from counts to clusters that raw and noisy values share.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "clusters/modes.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

Cells<double> as_double(const Cells<std::int64_t>& counts) {
  Values<double> values(counts.stored());
  std::transform(counts.values().begin(), counts.values().end(), values.begin(),
                 [](std::int64_t count) { return static_cast<double>(count); });
  if (counts.is_dense()) return Cells<double>::dense(counts.shape(), std::move(values));
  return Cells<double>::sparse(counts.shape(), {counts.index().begin(), counts.index().end()}, std::move(values));
}

// Rounds values to multiples of `step`. Sparse cells that become zero are removed.
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
  Threshold threshold = options.threshold;
  if (const auto* density = std::get_if<Density>(&threshold)) {
    // The threshold stays within the range of positive doubles: from the smallest positive number to the largest.
    using Double = std::numeric_limits<double>;
    threshold = Density(std::clamp(density->least() / unit, Double::denorm_min(), Double::max()));
  }
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

// If every category holds just one uniform area, returns all of them as a single cluster.
Clusters with_one_plain(const Cells<std::int64_t>& values, Modes modes) {
  const auto all = std::accumulate(values.values().begin(), values.values().end(), 0.0);
  const double mean = all / static_cast<double>(values.stored());
  const bool uniform = std::all_of(modes.rises.begin(), modes.rises.end(), [&](const Rise& rise) {
    return rise.towards == 0 && rise.saddle == 0 && evidence_over_mean(rise, mean) < least_evidence(values.shape());
  });
  if (!uniform) return std::move(modes.clusters);
  const std::vector<std::uint64_t>& cells = modes.clusters.cells();
  return {values.shape(), cells, std::vector<std::uint32_t>(cells.size(), 1)};
}

// Finds the modes of values without noise.
Segmentation by_modes(const Transformed& transformed, const ClusterOptions& options) {
  if (!transformed.is_haar() || !transformed.is_dense()) {
    throw InputError("modes are found among Haar sums of all cells; use wavelet haar, or give a threshold");
  }
  Modes modes = find_modes(*transformed.sums(), {}, options.min_cells);
  Segmentation result;
  for (const std::int64_t value : transformed.sums()->values()) ++(value > 0 ? result.positive : result.nonpositive);
  result.k = result.significant = modes.clusters.cells().size();
  result.threshold = modes.lowest * transformed.unit();
  result.clusters = with_one_plain(*transformed.sums(), std::move(modes));
  return result;
}

}  // namespace

double tie_step(std::size_t pooled_axes, unsigned level) {
  return std::exp2(-20 - std::ceil(static_cast<double>(pooled_axes) * level / 2));
}

Transformed transform(const Cells<std::int64_t>& counts, const ClusterOptions& options) {
  if (options.wavelet.is_haar()) {
    return {haar_sums(counts, options.level, options.transform, options.threads), options.level};
  }
  return Transformed(
      in_steps(average_subband(as_double(counts), options.wavelet, options.level, options.transform, options.threads),
               tie_step(counts.shape().pooled_axes(), options.level)));
}

Transformed::Transformed(Cells<std::int64_t> sums, unsigned level)
    : Transformed(std::make_shared<Cells<std::int64_t>>(std::move(sums)), level) {}

Transformed::Transformed(std::shared_ptr<const Cells<std::int64_t>> sums, unsigned level)
    : sums_(std::move(sums)), unit_(std::exp2(-static_cast<double>(shape().pooled_axes()) * level / 2)) {}

Cells<std::int64_t> Transformed::take_sums() && {
  if (sums_.use_count() > 1) return *sums_;
  return std::move(const_cast<Cells<std::int64_t>&>(*sums_));  // no such object is created constant
}

const Shape& Transformed::shape() const noexcept {
  return visit([](const auto& cells) -> const Shape& { return cells.shape(); });
}

bool Transformed::is_dense() const noexcept {
  return visit([](const auto& cells) { return cells.is_dense(); });
}

Segmentation segment(const Transformed& transformed, const ClusterOptions& options) {
  if (std::holds_alternative<DensityModes>(options.threshold)) return by_modes(transformed, options);
  return transformed.visit(
      [&](const auto& cells) { return threshold_and_connect(cells, transformed.unit(), options); });
}

}  // namespace shoal
